"""A participant's moves: come to the door, begin, look, send.

In: a host, tokens and forms. Out: views and what became of a form. Absent: the web.

The server owns the place: `look` always shows the last screen stored, and `send` takes an answer
only to that screen, once. So reloading, going back, sending twice and a second tab change nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from howgood.flow.hosting import recruiting, tokens
from howgood.flow.hosting.admission import Consent, admit_invited, admit_new, readmit
from howgood.flow.hosting.host import Host, Known
from howgood.flow.hosting.view import Arrival, Form, Reason, RefusedError, Sent, View
from howgood.flow.participate import next_screen, parse_answer
from howgood.records.participant import Participant, Position, Status
from howgood.records.screen import Answer, FormResult, Screen
from howgood.records.study import Study
from howgood.store import answers, participants, studies
from howgood.store.participants import NewParticipant
from howgood.store.studies import StudyRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A form that was right: what is to be stored, and what may be said once it is."""

    store: Callable[[Connection], Any]
    told: Callable[[Any], Sent]


def arrive(
    host: Host, slug: str, *, parameters: Mapping[str, str], known: str, now: datetime
) -> Arrival:
    """Return what someone sees who opens a study's link; nothing is stored.

    `known` is the token their browser remembers, or empty.
    """
    row, study = _open_study(host, slug)
    origin = recruiting.origin_of(study, parameters)
    token = _platform_token(host, row, origin) or known
    if token and _is_in(host, token, row.number):
        return Arrival(token=token)
    _refuse_strangers(row, study, origin)
    visit = tokens.fresh_token()
    return Arrival(view=_door(host, row, study, visit, origin, now))


def begin(
    host: Host, slug: str, *, form: Form, parameters: Mapping[str, str], now: datetime
) -> Sent:
    """Take the consent given at a study's door; sending it twice is sending it once."""
    return _finished(host, begin_move(host, slug, form=form, parameters=parameters, now=now))


def begin_move(
    host: Host, slug: str, *, form: Form, parameters: Mapping[str, str], now: datetime
) -> Sent | Move:
    """Return what `begin` has to store, or what it says without storing anything."""
    row, study = _open_study(host, slug)
    origin = recruiting.origin_of(study, parameters)
    visit = _text(form, "visit")
    if not tokens.is_signed(host.key, _text(form, "signature"), "door", row.number, visit):
        raise RefusedError(Reason.UNSIGNED, language=study.language)
    token = _platform_token(host, row, origin) or tokens.derived_token(
        host.key, "visit", row.number, visit
    )
    if _is_in(host, token, row.number):
        return Sent(token=token)
    _refuse_strangers(row, study, origin)
    door = _door(host, row, study, visit, origin, now)
    result = parse_answer(door.screen, form)
    if not result.is_valid:
        return Sent(view=_again(door, form, result))
    after = _after_consent(study, door.screen, result, now)
    if after is not None:
        return Sent(view=replace(door, screen=after))
    new = NewParticipant(
        study=row.number,
        version=row.version,
        token_digest=tokens.digest(token),
        seed=tokens.fresh_seed(),
        status=Status.INVITED,
        external_id=origin.get("participant"),
        origin=origin,
        is_pilot=study.pilot,
    )
    consent = Consent(screen=door.screen, values=result.values)
    return Move(
        store=lambda connection: admit_new(connection, study, new, consent, now=now),
        told=lambda _: Sent(token=token, is_new=True),
    )


def look(host: Host, token: str, *, now: datetime) -> View:
    """Return the screen the holder of this token is at; the same on every reload."""
    return show(host, known_by(host, token), token, now=now)


def show(host: Host, known: Known, token: str, *, now: datetime) -> View:
    """Return the screen of someone who is known; a wait that is over ends here."""
    person = known.participant
    study = host.study(person.version)
    if person.status is Status.FULL:
        raise RefusedError(Reason.FULL, language=study.language)
    screen = known.screen
    if screen is None:
        _refuse_closed(host, person, study)
        screen = _consent_screen(study, now)
    elif is_over(screen, now):
        screen = _end_wait(host, known, study, now)
        host.forget(tokens.digest(token))
    return _view(host, token, person, study, screen)


def send(host: Host, token: str, *, form: Form, now: datetime) -> Sent:
    """Store an answer, and the screen that follows it, before saying so."""
    return _finished(host, send_move(host, known_by(host, token), token, form=form, now=now))


def send_move(host: Host, known: Known, token: str, *, form: Form, now: datetime) -> Sent | Move:
    """Return what `send` has to store, or what it says without storing anything."""
    person, screen = known.participant, known.screen
    study = host.study(person.version)
    if not tokens.is_signed(host.key, _text(form, "signature"), "answer", token):
        raise RefusedError(Reason.UNSIGNED, language=study.language)
    if screen is None:
        return _consent_move(host, token, person, study, form, now)
    if screen.key != _text(form, "screen") or person.status is Status.FULL:
        return Sent(token=token)
    if not screen.awaits_answer:
        return Sent(token=token)
    result = parse_answer(screen, form)
    if not result.is_valid:
        return Sent(view=_again(_view(host, token, person, study, screen), form, result))
    return _answer_move(host, known, token, study, result, now)


def known_by(host: Host, token: str) -> Known:
    """Return where the holder of a token is, or refuse a token nobody holds."""
    known = host.known(tokens.digest(token))
    if known is None:
        raise RefusedError(Reason.UNKNOWN_LINK)
    return known


def is_over(screen: Screen, now: datetime) -> bool:
    """Return whether this is a wait that has ended."""
    return screen.kind == "wait" and now >= datetime.fromisoformat(screen.until)


def _finished(host: Host, move: Sent | Move) -> Sent:
    if isinstance(move, Sent):
        return move
    with unless_gone():
        return move.told(host.database.write(move.store))


@contextmanager
def unless_gone() -> Iterator[None]:
    """Refuse who was erased while their form was read: there is nobody to store it for."""
    try:
        yield
    except IntegrityError as error:
        raise RefusedError(Reason.UNKNOWN_LINK) from error


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
        return Sent(token=token, is_new=is_new, seconds=seconds)

    return Move(store=step if is_plain else store, told=told)


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
    _refuse_closed(host, person, study)
    screen = _consent_screen(study, now)
    view = _view(host, token, person, study, screen)
    result = parse_answer(screen, form)
    if not result.is_valid:
        return Sent(view=_again(view, form, result))
    after = _after_consent(study, screen, result, now)
    if after is not None:
        return Sent(view=replace(view, screen=after))
    consent, digest = Consent(screen=screen, values=result.values), tokens.digest(token)
    return Move(
        store=lambda connection: admit_invited(connection, study, digest, consent, now=now),
        told=lambda _: Sent(token=token, is_new=True),
    )


def _open_study(host: Host, slug: str) -> tuple[StudyRow, Study]:
    with host.database.reading() as connection:
        row = studies.find(connection, slug)
    if row is None:
        raise RefusedError(Reason.UNKNOWN_STUDY)
    return row, host.study(row.version)


def _refuse_strangers(row: StudyRow, study: Study, origin: Mapping[str, str]) -> None:
    """Say why nobody new comes in; those inside go on whatever happens at the door."""
    if not row.is_open:
        raise RefusedError(Reason.CLOSED, language=study.language)
    if recruiting.is_preview(origin):
        raise RefusedError(Reason.PREVIEW, language=study.language)


def _refuse_closed(host: Host, person: Participant, study: Study) -> None:
    with host.database.reading() as connection:
        row = studies.find(connection, study.slug)
    if not person.is_pilot and (row is None or not row.is_open):
        raise RefusedError(Reason.CLOSED, language=study.language)


def _platform_token(host: Host, row: StudyRow, origin: Mapping[str, str]) -> str:
    """Return the token of a person a platform named: the same whenever they come."""
    if "participant" not in origin:
        return ""
    return tokens.derived_token(host.key, "platform", row.number, origin["participant"])


def _is_in(host: Host, token: str, study: int) -> bool:
    known = host.known(tokens.digest(token))
    return known is not None and known.participant.study == study


def _consent_screen(study: Study, now: datetime) -> Screen:
    return next_screen(study, condition=None, seed=0, answers=(), now=now)


def _after_consent(
    study: Study, screen: Screen, result: FormResult, now: datetime
) -> Screen | None:
    """Return the page for someone who says no, of whom nothing is kept; None after a yes."""
    if result.values.get("consent") == "yes":
        return None
    given = Answer(screen=screen.key, values=result.values, at=now)
    return next_screen(study, condition=None, seed=0, answers=(given,), now=now)


def _door(
    host: Host,
    row: StudyRow,
    study: Study,
    visit: str,
    origin: Mapping[str, str],
    now: datetime,
) -> View:
    return View(
        study=study,
        version=row.version,
        screen=_consent_screen(study, now),
        signature=tokens.signature(host.key, "door", row.number, visit),
        visit=visit,
        is_pilot=study.pilot,
        origin=origin,
    )


def _view(host: Host, token: str, person: Participant, study: Study, screen: Screen) -> View:
    return View(
        study=study,
        version=person.version,
        screen=screen,
        signature=tokens.signature(host.key, "answer", token),
        token=token,
        is_pilot=person.is_pilot,
        origin=person.origin,
    )


def _again(view: View, form: Form, result: FormResult) -> View:
    return replace(view, sent=form, problems=result.problems)


def _text(form: Form, name: str) -> str:
    value = form.get(name, "")
    return value if isinstance(value, str) else next(iter(value), "")
