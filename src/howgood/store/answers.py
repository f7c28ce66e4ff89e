"""Screens shown and the answers to them.

In: a connection and plain values. Out: whether something was stored, and what is stored. Absent:
whether an answer may be changed (`flow.hosting`); if it is, what was said before is kept.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.records.participant import Status, StoredAnswer
from howgood.records.record import Record
from howgood.store.database import BulkOperation
from howgood.store.participants import set_status
from howgood.store.schema import answer_changes, answers, insert_into, participants, screens


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStep(BulkOperation):
    """An answer and the screen that follows it: what nearly every form stores.

    Its result says whether it was stored: not when the screen has an answer already, nor when the
    person is on another screen by now because another process changed an earlier answer of theirs.
    Whose visit ends with the screen that follows has the status `ending` from then on.
    """

    participant: int
    screen: str
    values: Mapping[str, Any]
    following: str
    content: Record | Mapping[str, Any]
    position: int
    now: datetime
    ending: Status | None = None

    @staticmethod
    def run_all(connection: Connection, operations: Sequence["AnswerStep"]) -> list[bool]:
        """Store the steps of many people in two statements."""
        said = _insert(
            connection,
            answers,
            [(s.participant, s.screen, dict(s.values), s.now) for s in operations],
        )
        stored: dict[int, AnswerStep] = {}
        for number, step in enumerate(operations):
            key = (step.participant, step.screen)
            if key in said:
                said.remove(key)  # of two copies of a form the first was stored, and only that
                stored[number] = step
        rows = [(s.participant, s.following, s.position, s.content, s.now) for s in stored.values()]
        shown = _insert(connection, screens, rows) if rows else set()
        late = set()
        for number, step in stored.items():
            is_there = (step.participant, step.following) in shown
            if not is_there and not _move_participant(connection, step):
                late.add(number)  # on another screen by now: the answer is taken back
                mine = answers.c.participant_id == step.participant, answers.c.screen == step.screen
                connection.execute(answers.delete().where(*mine))
            elif step.ending:
                _end(connection, step.participant, step.ending, step.now)
        return [number in stored and number not in late for number in range(len(operations))]


def add_answer(
    connection: Connection,
    participant: int,
    screen: str,
    content: Mapping[str, Any],
    *,
    now: datetime,
) -> bool:
    """Store an answer unless this screen already has one; return whether it was stored."""
    return bool(_insert(connection, answers, [(participant, screen, dict(content), now)]))


def add_screen(
    connection: Connection,
    participant: int,
    screen: str,
    content: Record | Mapping[str, Any],
    *,
    position: int,
    now: datetime,
    ending: Status | None = None,
) -> bool:
    """Store a screen before it is shown; False if this one or this position is stored already.

    Whose visit ends with it has the status `ending` from now on.
    """
    is_new = bool(_insert(connection, screens, [(participant, screen, position, content, now)]))
    if ending:
        _end(connection, participant, ending, now)
    return is_new


def _end(connection: Connection, participant: int, status: Status, now: datetime) -> None:
    """Give somebody the status their visit ended with; only who is complete has finished."""
    finished_at = now if status is Status.COMPLETE else None
    set_status(connection, participant, status, finished_at=finished_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChange:
    """Another answer to a screen, and the screen its person is at after that.

    `position` is the place of the screen they are at now. The one that follows gets the place after
    it, even if it is the same one: whoever remembers the old place knows that something changed.
    """

    participant: int
    screen: str
    values: Mapping[str, Any]
    following: str
    content: Record | Mapping[str, Any]
    position: int
    now: datetime
    ending: Status | None = None

    def __call__(self, connection: Connection) -> bool:
        """Store the change and keep what was said before; False if the person has gone on."""
        newest = sa.select(sa.func.max(screens.c.position)).where(
            screens.c.participant_id == self.participant
        )
        before = answer_to(connection, self.participant, screen=self.screen)
        if before is None or connection.execute(newest).scalar_one() != self.position:
            return False
        # The place is taken first: of two processes that move somebody, one does.
        if not self._go_on(connection):
            return False
        earlier = {
            "participant_id": self.participant,
            "position": self.position + 1,
            "screen": self.screen,
            "content": dict(before.content),
            "changed_at": self.now,
        }
        connection.execute(answer_changes.insert().values(earlier))
        connection.execute(
            answers.update()
            .where(answers.c.participant_id == self.participant, answers.c.screen == self.screen)
            .values(content=dict(self.values))
        )
        return True

    def _go_on(self, connection: Connection) -> bool:
        """Put the screen that follows in the place after the last one; False if that is taken."""
        place = replace(self, position=self.position + 1)
        row = place.participant, place.following, place.position, place.content, place.now
        # If it was waiting for its answer already, it moves; what it says may have changed.
        is_there = bool(_insert(connection, screens, [row])) or _move_participant(connection, place)
        if is_there and self.ending:
            _end(connection, self.participant, self.ending, self.now)
        return is_there


def _move_participant(connection: Connection, to: AnswerStep | AnswerChange) -> bool:
    """Move a screen that was shown before to a free place; False if it is not free or not there."""
    waiting = (
        screens.update()
        .where(screens.c.participant_id == to.participant, screens.c.name == to.following)
        .where(screens.c.position < to.position)
        .values(position=to.position, content=to.content)
    )
    try:
        with connection.begin_nested():
            return connection.execute(waiting).rowcount > 0
    except sa.exc.IntegrityError:  # another process was quicker
        return False


_COLUMNS = {
    answers: ("participant_id", "screen", "content", "answered_at"),
    screens: ("participant_id", "name", "position", "content", "shown_at"),
}


def _insert(
    connection: Connection, table: sa.Table, rows: Iterable[tuple[Any, ...]]
) -> set[tuple[int, str]]:
    """Insert rows of answers or screens; return the keys not taken before."""
    columns = _COLUMNS[table]
    inserted = connection.execute(
        _insertion(connection.dialect.name, table),
        [dict(zip(columns, row, strict=True)) for row in rows],
    )
    return {(participant, screen) for participant, screen in inserted}


@cache
def _insertion(dialect: str, table: sa.Table) -> Any:  # noqa: ANN401 - of the dialect
    """Return the statement, made once: making it takes as long as running it.

    SQLAlchemy writes many rows into one statement, through which the database works without the
    interpreter.
    """
    key = [table.c[name] for name in _COLUMNS[table][:2]]
    return insert_into(dialect, table).on_conflict_do_nothing().returning(*key)


def place(connection: Connection, token_digest: str) -> tuple[Status, int] | None:
    """Return the status of this token's holder and the number of their last screen, 0 if none.

    All else about them at that screen never changes: who remembers it need not read it again.
    """
    row = connection.execute(_PLACE, {"token_digest": token_digest}).first()
    return None if row is None else (Status(row[0]), row[1])


_PLACE = sa.select(
    participants.c.status,
    sa.func.coalesce(
        sa.select(sa.func.max(screens.c.position))
        .where(screens.c.participant_id == participants.c.id)
        .scalar_subquery(),
        sa.literal_column("0"),
    ),
).where(participants.c.token_digest == sa.bindparam("token_digest"))


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
_UP_TO = (
    _ANSWERED.where(screens.c.position <= sa.bindparam("position"))
    .order_by(screens.c.position.desc())
    .limit(1)
)
_TO = _ANSWERED.where(screens.c.name == sa.bindparam("screen"))


def answer_at(connection: Connection, participant: int, *, position: int) -> AnsweredScreen | None:
    """Return what somebody answered at a position; None where nothing was."""
    row = connection.execute(_AT, {"participant": participant, "position": position}).one_or_none()
    return None if row is None else AnsweredScreen(**row._mapping)


def answer_up_to(
    connection: Connection, participant: int, *, position: int
) -> AnsweredScreen | None:
    """Return what somebody answered at a position, or at the last one before it."""
    row = connection.execute(_UP_TO, {"participant": participant, "position": position}).first()
    return None if row is None else AnsweredScreen(**row._mapping)


def answer_to(connection: Connection, participant: int, *, screen: str) -> AnsweredScreen | None:
    """Return what somebody answered on a screen; None if nothing."""
    row = connection.execute(_TO, {"participant": participant, "screen": screen}).one_or_none()
    return None if row is None else AnsweredScreen(**row._mapping)


def answers_to(connection: Connection, study: int, *, begins: str) -> list[Mapping[str, Any]]:
    """Return what was answered on screens whose name begins so, test runs not counted."""
    rows = connection.execute(
        sa.select(sa.cast(answers.c.content, sa.Text))
        .join(participants, participants.c.id == answers.c.participant_id)
        .where(
            participants.c.study_id == study,
            participants.c.is_pilot.is_(False),
            answers.c.screen.startswith(begins, autoescape=True),
        )
        .order_by(answers.c.answered_at, answers.c.participant_id)
    ).scalars()
    # All at once: a call for each takes three times as long.
    contents: list[Mapping[str, Any]] = json.loads(f"[{','.join(rows)}]")
    return contents


def count_of_study(connection: Connection, study: int) -> int:
    """Return how many answers a study holds, test runs not counted."""
    counted = (
        sa.select(sa.func.count())
        .select_from(answers.join(participants, participants.c.id == answers.c.participant_id))
        .where(participants.c.study_id == study, participants.c.is_pilot.is_(False))
    )
    return int(connection.execute(counted).scalar_one())
