"""How a study is going, counted by the database, and what facilitators wrote down meanwhile.

In: a connection and a study's number. Out: counts, times, `SessionNote`s. Absent: pilots, whose
numbers would mislead, what to think of it and who may write notes (`flow.watching`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.records.participant import Status
from howgood.store.schema import answers, participants, screens, session_notes


@dataclass(frozen=True, slots=True, kw_only=True)
class Finisher:
    """Somebody who finished; answers that were imported may not say when."""

    number: int
    finished_at: datetime | None


def by_status(connection: Connection, study: int, *, is_pilot: bool) -> dict[Status, int]:
    """Return how many people there are of each status."""
    rows = connection.execute(
        sa.select(participants.c.status, sa.func.count())
        .where(participants.c.study_id == study, participants.c.is_pilot.is_(is_pilot))
        .group_by(participants.c.status)
    )
    return {Status(status): int(count) for status, count in rows}


def everywhere(connection: Connection) -> dict[tuple[int, Status], int]:
    """Return how many people of each status every study has."""
    rows = connection.execute(
        sa.select(participants.c.study_id, participants.c.status, sa.func.count())
        .where(participants.c.is_pilot.is_(False))
        .group_by(participants.c.study_id, participants.c.status)
    )
    return {(int(study), Status(status)): int(count) for study, status, count in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """So many people of one condition and status whose last page is this one."""

    condition: str
    status: Status
    page: int
    people: int


def places(connection: Connection, study: int, *, idle_since: datetime) -> list[Place]:
    """Return where everybody who began is; who sent nothing since then has left.

    Their places go back when somebody else consents; here they are counted as gone already.
    """
    people, page, seen = _last_page(connection, study)
    is_active = participants.c.status == Status.ACTIVE.value
    gone = sa.case((sa.and_(is_active, seen <= idle_since), Status.EXPIRED.value))
    last_page = (
        sa.select(
            participants.c.condition,
            sa.func.coalesce(gone, participants.c.status).label("status"),
            page.label("page"),
        )
        .select_from(people)
        .where(
            participants.c.study_id == study,
            participants.c.is_pilot.is_(False),
            participants.c.status != Status.INVITED.value,
        )
        .subquery()
    )
    columns = (last_page.c.condition, last_page.c.status, last_page.c.page)
    rows = connection.execute(sa.select(*columns, sa.func.count()).group_by(*columns))
    return [
        Place(condition=condition or "", status=Status(status), page=page or 0, people=people)
        for condition, status, page, people in rows
    ]


def _last_page(
    connection: Connection, study: int
) -> tuple[sa.FromClause, sa.ColumnElement[int], sa.ColumnElement[datetime]]:
    """Return participants with the number of their last page and when they saw it.

    Pages are counted: who changes an earlier answer leaves a gap in the positions. SQLite looks
    every person up in an index; PostgreSQL is five times quicker grouping them all.
    """
    page, seen = sa.func.count(screens.c.position), sa.func.max(screens.c.shown_at)
    whose = screens.c.participant_id == participants.c.id
    if connection.dialect.name != "postgresql":
        return (
            participants,
            sa.select(page).where(whose).scalar_subquery(),
            sa.select(seen).where(whose).scalar_subquery(),
        )
    last = (
        sa.select(screens.c.participant_id, page.label("page"), seen.label("seen"))
        .join(participants, whose)
        .where(participants.c.study_id == study)
        .group_by(screens.c.participant_id)
        .subquery()
    )
    joined = participants.outerjoin(last, last.c.participant_id == participants.c.id)
    return joined, last.c.page, last.c.seen


def durations(connection: Connection, study: int, *, is_pilot: bool = False) -> list[float]:
    """Return the seconds from consent to the end of everyone who finished, or of test runs."""
    seconds = _between(connection, participants.c.consented_at, participants.c.finished_at)
    rows = connection.execute(sa.select(seconds).where(*_finished(study, is_pilot=is_pilot)))
    # Nobody takes no time at all: an import that knows no times stores the same moment twice.
    return [float(scalar) for scalar in rows.scalars() if scalar]


def finishers(connection: Connection, study: int, *, most: int | None = None) -> list[Finisher]:
    """Return those who finished, the latest first."""
    rows = connection.execute(
        sa.select(participants.c.id, participants.c.finished_at)
        .where(*_finished(study))
        .order_by(participants.c.finished_at.desc().nulls_last(), participants.c.id.desc())
        .limit(most)
    )
    return [Finisher(number=row.id, finished_at=row.finished_at) for row in rows]


# Which page of a person's a screen is, from 1.
_PAGE = sa.func.row_number().over(
    partition_by=screens.c.participant_id, order_by=screens.c.position
)


def page_seconds(connection: Connection, people: Iterable[int]) -> list[tuple[int, str, float]]:
    """Return page, screen and the seconds spent on it, for every answer of these people."""
    seconds = _between(connection, screens.c.shown_at, answers.c.answered_at)
    rows = connection.execute(
        sa.select(_PAGE, screens.c.name, seconds)
        .outerjoin(
            answers,
            sa.and_(
                answers.c.participant_id == screens.c.participant_id,
                answers.c.screen == screens.c.name,
            ),
        )
        .where(screens.c.participant_id.in_(list(people)))
    )
    return [(int(page), str(name), float(spent)) for page, name, spent in rows if spent is not None]


def page_titles(connection: Connection, people: Iterable[int]) -> list[tuple[int, str]]:
    """Return page and title of every screen that these people were shown."""
    title = screens.c.content["title"].as_string()
    rows = connection.execute(
        sa.select(_PAGE, title).where(screens.c.participant_id.in_(list(people)))
    )
    return [(int(page), str(name or "")) for page, name in rows]


def by_hour(connection: Connection, study: int) -> list[tuple[datetime, int, int]]:
    """Return for every hour in which somebody began or finished how many did, in order."""
    counts: dict[datetime, list[int]] = {}
    for place, moment in enumerate((participants.c.consented_at, participants.c.finished_at)):
        hour = _hour(connection, moment)
        rows = connection.execute(
            sa.select(hour, sa.func.count())
            .where(
                participants.c.study_id == study,
                participants.c.is_pilot.is_(False),
                moment.is_not(None),
            )
            .group_by(hour)
        )
        for text, people in rows:
            at = datetime.strptime(text, "%Y-%m-%d %H").replace(tzinfo=UTC)
            counts.setdefault(at, [0, 0])[place] += int(people)
    return [(at, begun, finished) for at, (begun, finished) in sorted(counts.items())]


def _hour(connection: Connection, moment: sa.Column[datetime]) -> sa.ColumnElement[str]:
    """Return the hour of a moment as text; each database has its own words for it."""
    if connection.dialect.name == "postgresql":
        return sa.func.to_char(sa.func.timezone("UTC", moment), "YYYY-MM-DD HH24")
    return sa.func.strftime("%Y-%m-%d %H", moment)


def _finished(study: int, *, is_pilot: bool = False) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        participants.c.study_id == study,
        participants.c.is_pilot.is_(is_pilot),
        participants.c.status == Status.COMPLETE.value,
    )


def _between(
    connection: Connection, earlier: sa.Column[datetime], later: sa.Column[datetime]
) -> sa.ColumnElement[float]:
    """Return the seconds between two moments; each database has its own arithmetic of time."""
    if connection.dialect.name == "postgresql":
        return sa.cast(sa.extract("epoch", later - earlier), sa.Float)
    days = sa.func.julianday(later, type_=sa.Float) - sa.func.julianday(earlier, type_=sa.Float)
    return days * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionNote:
    """One note: about whom, on which question (empty: thought aloud), at which page, by whom."""

    participant: int
    topic: str
    screen: str
    text: str
    actor: str
    noted_at: datetime


def notes_of_study(
    connection: Connection, study: int, *, participant: int | None = None
) -> tuple[SessionNote, ...]:
    """Return the notes of a study, or about one person of it, in the order they were written."""
    query = (
        sa.select(session_notes)
        .join(participants, participants.c.id == session_notes.c.participant_id)
        .where(participants.c.study_id == study)
        .order_by(session_notes.c.id)
    )
    if participant is not None:
        query = query.where(session_notes.c.participant_id == participant)
    return tuple(
        SessionNote(
            participant=row.participant_id,
            topic=row.topic,
            screen=row.screen,
            text=row.text,
            actor=row.actor,
            noted_at=row.noted_at,
        )
        for row in connection.execute(query)
    )


def add_note(connection: Connection, note: SessionNote) -> None:
    """Keep a note."""
    connection.execute(
        sa.insert(session_notes).values(
            participant_id=note.participant,
            topic=note.topic,
            screen=note.screen,
            text=note.text,
            actor=note.actor,
            noted_at=note.noted_at,
        )
    )
