"""How a study is going, counted by the database.

In: a connection and a study's number. Out: counts and times. Absent: pilots, whose numbers would
mislead, and what to think of it (`flow.watching`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.records.participant import Status
from howgood.store.schema import answers, participants, screens


@dataclass(frozen=True, slots=True, kw_only=True)
class Finisher:
    """Somebody who finished."""

    number: int
    finished_at: datetime


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


def last_pages(connection: Connection, study: int) -> dict[tuple[Status, int], int]:
    """Return how many people of each status were shown how many pages."""
    last = (
        sa.select(sa.func.max(screens.c.position))
        .where(screens.c.participant_id == participants.c.id)
        .scalar_subquery()
    )
    each = (
        sa.select(participants.c.status, last.label("page"))
        .where(
            participants.c.study_id == study,
            participants.c.is_pilot.is_(False),
            participants.c.status != Status.INVITED.value,
        )
        .subquery()
    )
    rows = connection.execute(
        sa.select(each.c.status, each.c.page, sa.func.count()).group_by(each.c.status, each.c.page)
    )
    return {(Status(status), int(page or 0)): int(count) for status, page, count in rows}


def by_condition(connection: Connection, study: int) -> dict[tuple[str, Status], int]:
    """Return how many people of each status each condition has."""
    rows = connection.execute(
        sa.select(participants.c.condition, participants.c.status, sa.func.count())
        .where(
            participants.c.study_id == study,
            participants.c.is_pilot.is_(False),
            participants.c.condition.is_not(None),
        )
        .group_by(participants.c.condition, participants.c.status)
    )
    return {(str(condition), Status(status)): int(count) for condition, status, count in rows}


def durations(connection: Connection, study: int) -> list[float]:
    """Return the seconds from consent to the end of everyone who finished."""
    seconds = _between(connection, participants.c.consented_at, participants.c.finished_at)
    rows = connection.execute(sa.select(seconds).where(*_finished(study)))
    return [float(each) for each in rows.scalars() if each is not None]


def finishers(connection: Connection, study: int, *, most: int | None = None) -> list[Finisher]:
    """Return those who finished, the latest first."""
    rows = connection.execute(
        sa.select(participants.c.id, participants.c.finished_at)
        .where(*_finished(study), participants.c.finished_at.is_not(None))
        .order_by(participants.c.finished_at.desc())
        .limit(most)
    )
    return [Finisher(number=row.id, finished_at=row.finished_at) for row in rows]


def finished_numbers(connection: Connection, study: int) -> list[int]:
    """Return the numbers of those who finished."""
    rows = connection.execute(sa.select(participants.c.id).where(*_finished(study)))
    return [int(each) for each in rows.scalars()]


def page_seconds(connection: Connection, people: Iterable[int]) -> list[tuple[int, float]]:
    """Return the page and the seconds spent on it, for every answer of these people."""
    seconds = _between(connection, screens.c.shown_at, answers.c.answered_at)
    rows = connection.execute(
        sa.select(screens.c.position, seconds)
        .join(
            answers,
            sa.and_(
                answers.c.participant_id == screens.c.participant_id,
                answers.c.screen == screens.c.name,
            ),
        )
        .where(screens.c.participant_id.in_(list(people)))
    )
    return [(int(page), float(spent)) for page, spent in rows]


def _finished(study: int) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        participants.c.study_id == study,
        participants.c.is_pilot.is_(False),
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
