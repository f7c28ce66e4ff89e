"""At a study's start page: who may begin, and beginning.

In: a host, a study's short name, a form. Out: views and what became of a form. Absent: people who
have begun (`visit`) and places (`admission`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from howgood.flow.hosting import recruiting, tokens
from howgood.flow.hosting.admission import Consent, admit_new
from howgood.flow.hosting.host import Host
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
from howgood.flow.hosting.view import Arrival, Form, Reason, RefusedError, Sent, View
from howgood.flow.participate import parse_answer
from howgood.records.participant import Status
from howgood.records.study import Study
from howgood.store import studies
from howgood.store.participants import NewParticipant
from howgood.store.studies import StudyRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """What a browser says when it comes to a study's link.

    `parameters` are those of the address; `token` is the link it remembers, and `visit` the visit,
    signed, that all its tabs share. Each may be empty.
    """

    parameters: Mapping[str, str] = field(default_factory=dict)
    token: str = ""
    visit: str = ""


def arrive(host: Host, slug: str, visitor: Visitor, *, now: datetime) -> Arrival:
    """Return what someone sees who opens a study's link; nothing is stored."""
    row, study = _open_study(host, slug)
    origin = recruiting.origin_of(study, visitor.parameters)
    visit = _shared_visit(host, row, visitor)
    for token in _tokens(host, row, origin, visitor, visit):
        if _is_in(host, token, row.number):
            return Arrival(token=token)
    _refuse_strangers(host, row, study, origin, now)
    return Arrival(view=_door(host, row, study, visit or tokens.fresh_token(), origin, now))


def begin(host: Host, slug: str, visitor: Visitor, *, form: Form, now: datetime) -> Sent:
    """Take the consent given at a study's door; sending it twice is sending it once."""
    return finished(host, begin_move(host, slug, visitor, form=form, now=now))


def begin_move(
    host: Host, slug: str, visitor: Visitor, *, form: Form, now: datetime
) -> Sent | Move:
    """Return what `begin` has to store, or what it says without storing anything."""
    row, study = _open_study(host, slug)
    origin = recruiting.origin_of(study, visitor.parameters)
    visit = text_of(form, "visit")
    if not tokens.is_signed(host.key, text_of(form, "signature"), "door", row.number, visit):
        raise RefusedError(Reason.UNSIGNED, language=study.language)
    # Two tabs of one browser are one person, whichever of them was opened first.
    shared = _shared_visit(host, row, visitor) or visit
    own = _tokens(host, row, origin, visitor, shared)
    for token in own:
        if _is_in(host, token, row.number):
            return Sent(token=token)
    token = own[-1]
    _refuse_strangers(host, row, study, origin, now)
    door = _door(host, row, study, visit, origin, now)
    given = own_form(door.screen, form) or {}
    result = parse_answer(door.screen, given)
    if not result.is_valid:
        return Sent(view=again(door, given, result))
    after = after_consent(study, door.screen, result, now)
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
        reply=lambda _: begun(host, row.number, token),
    )


def _open_study(host: Host, slug: str) -> tuple[StudyRow, Study]:
    with host.database.reading() as connection:
        row = studies.find(connection, slug)
    if row is None:
        raise RefusedError(Reason.UNKNOWN_STUDY)
    return row, host.study(row.version)


def _refuse_strangers(
    host: Host, row: StudyRow, study: Study, origin: Mapping[str, str], now: datetime
) -> None:
    """Say why nobody new comes in; those inside go on whatever happens at the door."""
    if not row.is_open:
        raise RefusedError(Reason.CLOSED, language=study.language)
    if recruiting.is_preview(origin):
        raise RefusedError(Reason.PREVIEW, language=study.language)
    if study.pilot:  # whoever tests takes nobody's place and need not be paid
        return
    if study.recruitment != "none" and "participant" not in origin:
        raise RefusedError(Reason.NO_IDENTITY, language=study.language, study=row.number)
    refuse_when_full(host, study, row.number, now=now)


def _tokens(
    host: Host, row: StudyRow, origin: Mapping[str, str], visitor: Visitor, visit: str
) -> tuple[str, ...]:
    """Return the tokens this visitor may have begun with, the surest first.

    Whom a platform named has one and the same whenever they come, and no other counts.
    """
    if "participant" in origin:
        return (tokens.derived_token(host.key, "platform", row.number, origin["participant"]),)
    made = (tokens.derived_token(host.key, "visit", row.number, visit),) if visit else ()
    return (visitor.token, *made) if visitor.token else made


def _shared_visit(host: Host, row: StudyRow, visitor: Visitor) -> str:
    """Return the visit a browser remembers; empty unless this server signed it for this study."""
    visit, _, signature = visitor.visit.partition(".")
    is_ours = tokens.is_signed(host.key, signature, "door", row.number, visit)
    return visit if is_ours else ""


def _is_in(host: Host, token: str, study: int) -> bool:
    known = host.known(tokens.digest(token))
    return known is not None and known.participant.study == study


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
        screen=consent_screen(study, now),
        signature=tokens.signature(host.key, "door", row.number, visit),
        visit=visit,
        is_pilot=study.pilot,
        origin=origin,
    )
