"""The moves of somebody who has a link of their own: look, send.

In: a host, tokens and forms. Out: views and what became of a form. Absent: the web.

The server owns the place: `look` shows the last screen stored, or an earlier one to be read, and
`send` takes an answer only to the last, once, by the field names of that screen. So reloading,
going back, sending twice, a second tab and what a browser puts back into forms change nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from howgood.flow.hosting import tokens
from howgood.flow.hosting.admission import Consent, admit_invited, readmit
from howgood.flow.hosting.host import Host, Known
from howgood.flow.hosting.moves import (
    Move,
    after_consent,
    again,
    begun,
    consent_screen,
    finished,
    refuse_when_full,
    text_of,
)
from howgood.flow.hosting.own_names import own_form
from howgood.flow.hosting.recap import recap
from howgood.flow.hosting.view import Form, Reason, RefusedError, Sent, View
from howgood.flow.participate import next_screen, parse_answer
from howgood.records.participant import Participant, Position, Status
from howgood.records.screen import Answer, FormResult, Screen
from howgood.records.study import Study
from howgood.store import answers, participants, studies


def look(host: Host, token: str, *, step: int = 0, now: datetime) -> View:
    """Return the screen the holder of this token is at; the same on every reload.

    A `step` before it gives the page answered there, to be read again.
    """
    return show(host, known_by(host, token), token, step=step, now=now)


def show(host: Host, known: Known, token: str, *, step: int = 0, now: datetime) -> View:
    """Return the screen of someone who is known; a wait that is over ends here."""
    person = known.participant
    study = host.study(person.version)
    if person.status is Status.FULL:
        raise RefusedError(Reason.FULL, language=study.language)
    if 0 < step < known.position.number and (earlier := _earlier(host, known, token, study, step)):
        return earlier
    screen, here = known.screen, max(known.position.number, 1)
    if screen is None:
        _refuse_closed(host, person, study, now)
        screen = consent_screen(study, now)
    elif is_over(screen, now):
        screen, here = _end_wait(host, known, study, now), here + 1
        host.forget(tokens.digest(token))
    return _view(host, token, person, study, screen, here)


def _earlier(host: Host, known: Known, token: str, study: Study, step: int) -> View | None:
    """Return a page that has its answer, to be read; None for a wait, which has none."""
    person = known.participant
    with host.database.reading() as connection:
        stored = answers.answer_at(connection, person.number, position=step)
    if stored is None:
        return None
    screen, here = Screen.from_dict(stored.screen), known.position.number
    seen = _view(host, token, person, study, screen, here)
    return replace(seen, step=step, recap=recap(study, screen, stored.content))


def send(host: Host, token: str, *, form: Form, now: datetime) -> Sent:
    """Store an answer, and the screen that follows it, before saying so."""
    return finished(host, send_move(host, known_by(host, token), token, form=form, now=now))


def send_move(host: Host, known: Known, token: str, *, form: Form, now: datetime) -> Sent | Move:
    """Return what `send` has to store, or what it says without storing anything."""
    person, screen = known.participant, known.screen
    study = host.study(person.version)
    if not tokens.is_signed(host.key, text_of(form, "signature"), "answer", token):
        raise RefusedError(Reason.UNSIGNED, language=study.language)
    if screen is None:
        return _consent_move(host, token, person, study, form, now)
    if screen.key != text_of(form, "screen") or not screen.awaits_answer:
        return Sent(token=token, step=_step_after(host, known, form))
    given = own_form(screen, form)
    if given is None or person.status is Status.FULL:
        return Sent(token=token)
    result = parse_answer(screen, given)
    if not result.is_valid:
        view = _view(host, token, person, study, screen, known.position.number)
        return Sent(view=again(view, given, result))
    return _answer_move(host, known, token, study, result, now)


def _step_after(host: Host, known: Known, form: Form) -> int:
    """Return where a form leads whose page has its answer already.

    Who sent the same twice goes on; who sent something else is shown which answer stands.
    """
    with host.database.reading() as connection:
        stored = answers.answer_to(
            connection, known.participant.number, screen=text_of(form, "screen")
        )
    if stored is None:
        return 0
    screen = Screen.from_dict(stored.screen)
    given = own_form(screen, form)
    is_same = given is not None and parse_answer(screen, given).values == stored.content
    return 0 if is_same else stored.position


def known_by(host: Host, token: str) -> Known:
    """Return where the holder of a token is, or refuse a token nobody holds."""
    known = host.known(tokens.digest(token))
    if known is None:
        raise RefusedError(Reason.UNKNOWN_LINK)
    return known


def is_over(screen: Screen, now: datetime) -> bool:
    """Return whether this is a wait that has ended."""
    return screen.kind == "wait" and now >= datetime.fromisoformat(screen.until)


def _answer_move(
    host: Host, known: Known, token: str, study: Study, result: FormResult, now: datetime
) -> Move:
    person, position, screen = known.participant, known.position, known.position.screen or ""
    seconds = _seconds(position, now)
    answer = Answer(screen=screen, values=result.values, at=now, seconds=seconds)
    given = (*known.answers, answer)
    following = next_screen(
        study, condition=person.condition, seed=person.seed, answers=given, now=now
    )
    step = answers.Step(
        participant=person.number,
        screen=screen,
        values=result.values,
        following=following.key,
        content=following.to_dict(),  # not in the transaction, for which others wait
        position=position.number + 1,
        now=now,
    )

    def store(connection: Connection) -> bool:
        if not answers.add_answer(connection, person.number, screen, result.values, now=now):
            return False
        if person.status is Status.EXPIRED and not readmit(connection, study, person, now=now):
            return True
        _store_screen(connection, position, following, step.content, now)
        return True

    is_plain = person.status is not Status.EXPIRED and following.kind != "finished"

    def told(is_new: bool) -> Sent:
        if not is_new or not is_plain:
            host.forget(tokens.digest(token))
        else:
            place = replace(
                position, screen=following.key, number=position.number + 1, shown_at=now
            )
            after = Known(position=place, screen=following, answers=given)
            host.remember(tokens.digest(token), after)
        step = position.number + 1 if is_new else 0
        return Sent(token=token, step=step, is_new=is_new, seconds=seconds)

    return Move(store=step if is_plain else store, reply=told)


def _seconds(position: Position, now: datetime) -> float | None:
    return (now - position.shown_at).total_seconds() if position.shown_at else None


def _store_screen(
    connection: Connection,
    position: Position,
    screen: Screen,
    content: Mapping[str, Any],
    now: datetime,
) -> None:
    number = position.participant.number
    answers.add_screen(
        connection, number, screen.key, content, position=position.number + 1, now=now
    )
    if screen.kind == "finished":
        participants.set_status(connection, number, Status.COMPLETE, finished_at=now)


def _end_wait(host: Host, known: Known, study: Study, now: datetime) -> Screen:
    person, position = known.participant, known.position
    screen = next_screen(
        study, condition=person.condition, seed=person.seed, answers=known.answers, now=now
    )
    content = screen.to_dict()
    host.database.write(lambda c: _store_screen(c, position, screen, content, now))
    return screen


def _consent_move(
    host: Host, token: str, person: Participant, study: Study, form: Form, now: datetime
) -> Sent | Move:
    _refuse_closed(host, person, study, now)
    screen = consent_screen(study, now)
    view = _view(host, token, person, study, screen, 1)
    given = own_form(screen, form) or {}
    result = parse_answer(screen, given)
    if not result.is_valid:
        return Sent(view=again(view, given, result))
    after = after_consent(study, screen, result, now)
    if after is not None:
        return Sent(view=replace(view, screen=after))
    consent, digest = Consent(screen=screen, values=result.values), tokens.digest(token)
    return Move(
        store=lambda connection: admit_invited(connection, study, digest, consent, now=now),
        reply=lambda _: begun(host, person.study, token),
    )


def _refuse_closed(host: Host, person: Participant, study: Study, now: datetime) -> None:
    """Say to somebody invited why they cannot begin; testers always can."""
    if person.is_pilot:
        return
    with host.database.reading() as connection:
        row = studies.find(connection, study.slug)
    if row is None or not row.is_open:
        raise RefusedError(Reason.CLOSED, language=study.language)
    refuse_when_full(host, study, person.study, now=now)


def _view(
    host: Host, token: str, person: Participant, study: Study, screen: Screen, step: int
) -> View:
    return View(
        study=study,
        version=person.version,
        screen=screen,
        signature=tokens.signature(host.key, "answer", token),
        token=token,
        step=step,
        here=step,
        is_pilot=person.is_pilot,
        origin=person.origin,
    )
