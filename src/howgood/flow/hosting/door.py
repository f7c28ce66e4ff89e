"""At a study's start page: who may begin, and beginning.

In: a host, a study's short name, a form. Out: views and what became of a form. Absent: people who
have begun (`visit`) and places (`admission`).
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from howgood.flow.hosting import recruiting, tokens
from howgood.flow.hosting.admission import Consent, admit_new
from howgood.flow.hosting.host import Host
from howgood.flow.hosting.moves import (
    AFTER_CONSENT,
    Move,
    after_consent,
    again,
    consent_screen,
    finished,
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
    return finished(host, begin_move(host, slug, form=form, parameters=parameters, now=now))


def begin_move(
    host: Host, slug: str, *, form: Form, parameters: Mapping[str, str], now: datetime
) -> Sent | Move:
    """Return what `begin` has to store, or what it says without storing anything."""
    row, study = _open_study(host, slug)
    origin = recruiting.origin_of(study, parameters)
    visit = text_of(form, "visit")
    if not tokens.is_signed(host.key, text_of(form, "signature"), "door", row.number, visit):
        raise RefusedError(Reason.UNSIGNED, language=study.language)
    token = _platform_token(host, row, origin) or tokens.derived_token(
        host.key, "visit", row.number, visit
    )
    if _is_in(host, token, row.number):
        return Sent(token=token)
    _refuse_strangers(row, study, origin)
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
        told=lambda _: Sent(token=token, step=AFTER_CONSENT, is_new=True),
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


def _platform_token(host: Host, row: StudyRow, origin: Mapping[str, str]) -> str:
    """Return the token of a person a platform named: the same whenever they come."""
    if "participant" not in origin:
        return ""
    return tokens.derived_token(host.key, "platform", row.number, origin["participant"])


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
