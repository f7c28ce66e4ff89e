"""Screens shown and the answers to them.

In: a connection and plain values. Out: whether something was stored, and what is stored. Absent:
changing an answer: the first one stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Connection

from howgood.records.participant import StoredAnswer
from howgood.store import driver
from howgood.store.schema import answers, participants, screens
from howgood.store.writer import Alike


def add_answer(
    connection: Connection,
    participant: int,
    screen: str,
    content: Mapping[str, Any],
    *,
    now: datetime,
) -> bool:
    """Store an answer unless this screen already has one; return whether it was stored."""
    return _is_stored(connection, answers, _answer_row(participant, screen, content, now))


def add_screen(
    connection: Connection,
    participant: int,
    screen: str,
    content: Mapping[str, Any],
    *,
    position: int,
    now: datetime,
) -> bool:
    """Store a screen before it is shown; False if this one or this position is stored already."""
    row = _screen_row(participant, screen, content, position, now)
    return _is_stored(connection, screens, row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Alike):
    """An answer and the screen that follows it: what nearly every form stores."""

    participant: int
    screen: str
    values: Mapping[str, Any]
    following: str
    content: Mapping[str, Any]
    position: int
    now: datetime

    def __call__(self, connection: Connection) -> bool:
        """Store both, unless the screen already has an answer; return whether they were."""
        if not add_answer(connection, self.participant, self.screen, self.values, now=self.now):
            return False
        add_screen(
            connection,
            self.participant,
            self.following,
            self.content,
            position=self.position,
            now=self.now,
        )
        return True

    @staticmethod
    def all_at_once(connection: Connection, steps: Sequence["Step"]) -> bool:
        """Store the steps of many people in two statements (SQLite); False unless all were new."""
        given = [
            _answer_row(each.participant, each.screen, each.values, each.now) for each in steps
        ]
        shown = [
            _screen_row(each.participant, each.following, each.content, each.position, each.now)
            for each in steps
        ]
        stored = driver.insert_new(connection, answers, given)
        return stored == len(steps) and driver.insert_new(connection, screens, shown) == stored


def _answer_row(
    participant: int, screen: str, content: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    return {
        "participant_id": participant,
        "screen": screen,
        "content": dict(content),
        "answered_at": now,
    }


def _screen_row(
    participant: int, screen: str, content: Mapping[str, Any], position: int, now: datetime
) -> dict[str, Any]:
    return {
        "participant_id": participant,
        "name": screen,
        "position": position,
        "content": dict(content),
        "shown_at": now,
    }


def _is_stored(connection: Connection, table: sa.Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless its key is taken; return whether it was."""
    if connection.dialect.name == "sqlite":
        return driver.insert_new(connection, table, [row]) == 1
    inserted = postgresql.insert(table).on_conflict_do_nothing().returning(table.c.participant_id)
    return connection.execute(inserted, row).first() is not None


_ANSWERS = (
    sa.select(answers.c.screen, answers.c.content, answers.c.answered_at, screens.c.shown_at)
    .join(
        screens,
        sa.and_(
            screens.c.participant_id == answers.c.participant_id,
            screens.c.name == answers.c.screen,
        ),
    )
    .where(answers.c.participant_id == sa.bindparam("participant"))
    .order_by(screens.c.position)
)


def answers_of(connection: Connection, participant: int) -> tuple[StoredAnswer, ...]:
    """Return a participant's answers in the order the screens were shown."""
    rows = connection.execute(_ANSWERS, {"participant": participant})
    return tuple(
        StoredAnswer(
            screen=row.screen,
            content=row.content,
            shown_at=row.shown_at,
            answered_at=row.answered_at,
        )
        for row in rows
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredScreen:
    """A screen as it was shown, the answer to it, and which one it was on its person's way."""

    position: int
    screen: Mapping[str, Any]
    content: Mapping[str, Any]


_ANSWERED = (
    sa.select(screens.c.position, screens.c.content.label("screen"), answers.c.content)
    .join(
        answers,
        sa.and_(
            answers.c.participant_id == screens.c.participant_id,
            answers.c.screen == screens.c.name,
        ),
    )
    .where(screens.c.participant_id == sa.bindparam("participant"))
)
_AT = _ANSWERED.where(screens.c.position == sa.bindparam("position"))
_TO = _ANSWERED.where(screens.c.name == sa.bindparam("screen"))


def answer_at(connection: Connection, participant: int, *, position: int) -> AnsweredScreen | None:
    """Return what somebody answered at a position; None where nothing was."""
    row = connection.execute(_AT, {"participant": participant, "position": position}).one_or_none()
    return None if row is None else AnsweredScreen(**row._mapping)


def answer_to(connection: Connection, participant: int, *, screen: str) -> AnsweredScreen | None:
    """Return what somebody answered on a screen; None if nothing."""
    row = connection.execute(_TO, {"participant": participant, "screen": screen}).one_or_none()
    return None if row is None else AnsweredScreen(**row._mapping)


def count_of_study(connection: Connection, study: int) -> int:
    """Return how many answers a study holds, test runs not counted."""
    counted = (
        sa.select(sa.func.count())
        .select_from(answers.join(participants, participants.c.id == answers.c.participant_id))
        .where(participants.c.study_id == study, participants.c.is_pilot.is_(False))
    )
    return int(connection.execute(counted).scalar_one())
