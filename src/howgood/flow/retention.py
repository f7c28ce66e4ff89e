"""What is done with people's data, and its end: erased on a day, or when a participant withdraws.

In: a host, a study and its day, or a participant's code. Out: what was erased, and `Processing`:
purpose, contact, kinds of data, who receives it, until when it is kept. Absent: the law that
applies (researchers name it), backups and exports that others hold; a backup made after the erasing
holds nothing of it.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy.engine import Connection

from howgood.errors import InputError
from howgood.flow.accounts.sharing import Sharing, sharing_of
from howgood.flow.collected import collected_codebook, holdings
from howgood.flow.collected.rows import Holdings
from howgood.flow.erasing import Erasure, erase_participant
from howgood.flow.hosting import Host, tokens
from howgood.kinds.study import Study
from howgood.records.codebook import IDENTIFYING
from howgood.records.researcher import Researcher
from howgood.store import api_tokens, audit, researchers, studies
from howgood.store.audit import AuditLine

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
        head = studies.existing(connection, slug)
        studies.keep_until(connection, head.number, moment)
        detail = {"until": "no day" if until is None else until.isoformat()}
        audit.note(
            connection, actor=actor, action="retention set", study=slug, detail=detail, now=now
        )

    host.database.write(store)


_LONGEST = timedelta(days=366 * LONGEST_YEARS)


def retention(host: Host, slug: str) -> date | None:
    """Return the day on which a study's data is erased; None: nothing is planned."""
    with host.database.reading() as connection:
        head = studies.existing(connection, slug)
        until = studies.kept_until(connection, head.number)
    return None if until is None else until.date()


@dataclass(frozen=True, slots=True, kw_only=True)
class DueErasure:
    """A study whose day came, and what was erased."""

    study: str
    erasure: Erasure


def erase_due(host: Host, *, now: datetime) -> tuple[DueErasure, ...]:
    """Erase what was collected by every study whose day has come, and close it.

    People, screens, answers, results, uploads, imports, addresses of a draw and model cards go;
    the study's texts and the lines of the history stay. Any number of processes
    may call this: each study is erased once.

    Notes
    -----
    Stability: experimental
    """
    with host.database.reading() as connection:
        waiting = studies.due(connection, now=now)
    return tuple(done for slug in waiting if (done := _erased(host, slug, now)) is not None)


def _erased(host: Host, slug: str, now: datetime) -> DueErasure | None:
    def take_out(connection: Connection) -> tuple[int, tuple[str, ...]] | None:
        head = studies.hold(connection, slug)
        until = None if head is None else studies.kept_until(connection, head.number)
        if head is None or until is None or until > now:
            return None  # another process was quicker, or somebody chose a later day
        count, cards = studies.erase_everybody(connection, head.number)
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
            slug = studies.study_of(connection, number)
    if slug is None:
        raise InputError(
            where="code",
            found="a code that belongs to nobody",
            needed="the code of the last page",
            cure="Check what you typed. If you withdrew already, your answers are gone.",
        )
    return erase_participant(host, slug, f"#{number}", actor=PARTICIPANT, now=now)


_TOLD = ("erase participant", "erased on its day", "exported data", "exported data with ids",
         "read ids", "retention set")  # fmt: skip
_MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Processing:
    """The record of one study; `readers` have an account that reads every study."""

    study: Study | None
    sharing: Sharing
    held: Holdings
    questions: tuple[str, ...]
    identifying: tuple[str, ...]
    readers: tuple[Researcher, ...]
    programs: tuple[str, ...]
    until: date | None
    lines: tuple[AuditLine, ...]


def processing(host: Host, slug: str, *, now: datetime) -> Processing:
    """Return the record of processing of a study."""
    held = holdings(host, slug)
    is_published = held.study.version is not None
    book = collected_codebook(host, slug, identified=True) if is_published else None
    columns = () if book is None else book.tables["participants"]
    with host.database.reading() as connection:
        lines = audit.lines(connection, study=slug, most=_MOST)
        everyone = researchers.everyone(connection)
        keys = api_tokens.everything(connection)
    return Processing(
        study=None if held.study.version is None else host.study(held.study.version),
        sharing=sharing_of(host, slug, now=now),
        held=held,
        questions=tuple(column.question for column in columns if column.question),
        identifying=tuple(column.name for column in columns if column.name in IDENTIFYING),
        readers=tuple(entry for entry in everyone if entry.role in ("owner", "viewer")),
        programs=tuple(f"{key.name} ({key.owner})" for key in keys if key.reaches(slug)),
        until=retention(host, slug),
        lines=tuple(line for line in lines if line.action in _TOLD),
    )
