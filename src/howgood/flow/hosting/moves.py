"""What every move of a participant needs: storing before saying so, consent, a form shown again.

In: a host, forms, screens. Out: `Move`, and small pieces of views. Absent: the moves themselves
(`door`, `visit`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from howgood.flow.hosting.admission import is_full
from howgood.flow.hosting.host import Fullness, Host
from howgood.flow.hosting.view import Form, Reason, RefusedError, Sent, View
from howgood.flow.participate import has_quota, next_screen
from howgood.records.screen import Answer, FormResult, Screen
from howgood.records.study import Study
from howgood.store import refusals

AFTER_CONSENT = 2  # the step that follows the consent
# For how long nobody counts places again, unless somebody takes one here.
_MOMENT = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A form that was right: what is to be stored, and what may be said once it is."""

    store: Callable[[Connection], Any]
    reply: Callable[[Any], Sent]


def finished(host: Host, move: Sent | Move) -> Sent:
    """Store what there is to store, then say what became of the form."""
    if isinstance(move, Sent):
        return move
    with unless_gone():
        return move.reply(host.database.write(move.store))


@contextmanager
def unless_gone() -> Iterator[None]:
    """Refuse who was erased while their form was read: there is nobody to store it for."""
    try:
        yield
    except IntegrityError as error:
        raise RefusedError(Reason.UNKNOWN_LINK) from error


def consent_screen(study: Study, now: datetime) -> Screen:
    """Return the first page, which is the same for everybody."""
    return next_screen(study, condition=None, seed=0, answers=(), now=now)


def after_consent(study: Study, screen: Screen, result: FormResult, now: datetime) -> Screen | None:
    """Return the page for someone who says no, of whom nothing is kept; None after a yes."""
    if result.values.get("consent") == "yes":
        return None
    given = Answer(screen=screen.key, values=result.values, at=now)
    return next_screen(study, condition=None, seed=0, answers=(given,), now=now)


def refuse_when_full(host: Host, study: Study, number: int, *, now: datetime) -> None:
    """Say that every place is taken to somebody who has not read and agreed for nothing yet.

    Whoever begins is counted exactly (`admission`); until then what was so a moment ago will do.
    """
    if has_quota(study) and _seems_full(host, study, number, now):
        raise RefusedError(Reason.FULL, language=study.language, study=number)


def _seems_full(host: Host, study: Study, number: int, now: datetime) -> bool:
    found = host.fullness.get(number)
    if found and found.study is study and timedelta() <= now - found.at < _MOMENT:
        return found.is_full
    with host.database.reading() as connection:
        found = Fullness(study=study, at=now, is_full=is_full(connection, study, number, now=now))
    host.fullness[number] = found
    return found.is_full


def begun(host: Host, study: int, token: str) -> Sent:
    """Return what is said to somebody who has just begun; a place fewer may be free."""
    host.fullness.pop(study, None)
    return Sent(token=token, step=AFTER_CONSENT, is_new=True)


def count_refusal(error: RefusedError) -> Callable[[Connection], None]:
    """Return what counts one more person who could not begin."""
    return lambda connection: refusals.add(connection, error.study, error.reason.value)


def again(view: View, form: Form, result: FormResult) -> View:
    """Return the page with what was sent from it and what is wrong with that."""
    return replace(view, sent=form, problems=result.problems)


def text_of(form: Form, name: str) -> str:
    """Return what a form says under a name, once."""
    value = form.get(name, "")
    return value if isinstance(value, str) else next(iter(value), "")
