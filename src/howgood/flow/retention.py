"""Data that is not kept for ever: erased on a day, or when a participant withdraws.

In: a host, a study and its day, or a participant's code. Out: what was erased. Absent: backups and
exports that others hold; a backup made after the erasing holds nothing of it.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy.engine import Connection

from howgood.errors import InputError, UnknownNameError
from howgood.flow.erasing import Erasure, erase_participant
from howgood.flow.hosting import Host, tokens
from howgood.store import audit, studies
from howgood.store import retention as stored

LONGEST_YEARS = 30
BY_ITSELF, PARTICIPANT = "retention", "a participant"


def set_retention(host: Host, slug: str, until: date | None, *, actor: str, now: datetime) -> None:
    """Say on which day everything that was collected is erased; None: nothing is planned.

    Notes
    -----
    Stability: experimental
    """
    if until is not None and not now.date() < until <= now.date() + _LONGEST:
        raise InputError(
            where="date",
            found=until.isoformat(),
            needed=f"a day after today, within {LONGEST_YEARS} years",
            cure="Choose another day. To erase now, delete the study.",
        )
    moment = None if until is None else datetime.combine(until, time(), tzinfo=UTC)

    def store(connection: Connection) -> None:
        head = studies.head(connection, slug)
        if head is None:
            raise UnknownNameError(where="study", name=slug, names=())
        stored.keep_until(connection, head.number, moment)
        detail = {"until": "no day" if until is None else until.isoformat()}
        audit.note(
            connection, actor=actor, action="retention set", study=slug, detail=detail, now=now
        )

    host.database.write(store)


_LONGEST = timedelta(days=366 * LONGEST_YEARS)


def retention(host: Host, slug: str) -> date | None:
    """Return the day on which a study's data is erased; None: nothing is planned."""
    with host.database.reading() as connection:
        head = studies.head(connection, slug)
        if head is None:
            raise UnknownNameError(where="study", name=slug, names=())
        until = stored.kept_until(connection, head.number)
    return None if until is None else until.date()


@dataclass(frozen=True, slots=True, kw_only=True)
class DueErasure:
    """A study whose day came, and what was erased."""

    study: str
    erasure: Erasure


def erase_due(host: Host, *, now: datetime) -> tuple[DueErasure, ...]:
    """Erase what was collected by every study whose day has come, and close it.

    People, screens, answers, results, uploads, imports and model cards go; the study's texts and
    the lines of the history stay. Any number of processes may call this: each study is erased once.

    Notes
    -----
    Stability: experimental
    """
    with host.database.reading() as connection:
        waiting = stored.due(connection, now=now)
    return tuple(done for slug in waiting if (done := _erased(host, slug, now)) is not None)


def _erased(host: Host, slug: str, now: datetime) -> DueErasure | None:
    def take_out(connection: Connection) -> tuple[int, tuple[str, ...]] | None:
        head = studies.hold(connection, slug)
        until = None if head is None else stored.kept_until(connection, head.number)
        if head is None or until is None or until > now:
            return None  # another process was quicker, or somebody chose a later day
        count, cards = stored.erase_everybody(connection, head.number)
        detail = {"participants": count, "cards": list(cards)}
        audit.note(
            connection, actor=BY_ITSELF, action="erased on its day", study=slug, detail=detail,
            now=now,
        )  # fmt: skip
        return count, cards

    gone = host.database.write(take_out)
    if gone is None:
        return None
    host.forget()
    count, cards = gone
    erasure = Erasure(participants=count, is_off_disk=host.database.scrub(), cards=cards)
    return DueErasure(study=slug, erasure=erasure)


def withdraw(host: Host, code: str, *, now: datetime) -> Erasure:
    """Erase the participant whose code this is, as they ask.

    Notes
    -----
    Stability: experimental
    """
    number, slug = tokens.withdrawing(host.key, code), None
    if number is not None:
        with host.database.reading() as connection:
            slug = stored.study_of(connection, number)
    if slug is None:
        raise InputError(
            where="code",
            found="a code that belongs to nobody",
            needed="the code of the last page",
            cure="Check what you typed. If you withdrew already, your answers are gone.",
        )
    return erase_participant(host, slug, f"#{number}", actor=PARTICIPANT, now=now)
