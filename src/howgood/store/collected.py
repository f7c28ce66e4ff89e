"""Everything a study has collected, in pages small enough for any memory.

In: a connection, a study's number, where the last page ended. Out: people with their answers and
the times of their screens. Absent: what an answer means (`flow.collected`), and the screens'
content, which is most of the database and in no table of data.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.records.participant import Status
from howgood.store import reviews
from howgood.store.answers import count_of_study
from howgood.store.database import IsoText
from howgood.store.schema import answer_changes, answers, participants, screens, versions


class ShownScreen(NamedTuple):
    """One screen, when it was shown, what was answered, and what before that was changed."""

    name: str
    position: int
    shown_at: datetime
    answered_at: datetime | None
    content: Mapping[str, Any] | None
    seconds: float | None = None
    earlier: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ShownScreens:
    """Every screen of one person in order, by column: exports read millions of them.

    `seconds` is how long a screen was shown, None where that is not known. The moments stand here
    once more as files write them: the database does that in a tenth of Python's time.
    """

    names: Sequence[str] = ()
    positions: Sequence[int] = ()
    shown_at: Sequence[datetime] = ()
    answered_at: Sequence[datetime | None] = ()
    contents: Sequence[Mapping[str, Any] | None] = ()
    seconds: Sequence[float | None] = ()
    earlier: Sequence[tuple[Mapping[str, Any], ...]] = ()
    shown_texts: Sequence[str] = ()
    answered_texts: Sequence[str | None] = ()

    def __iter__(self) -> Iterator[ShownScreen]:
        """Return the screens one by one."""
        return map(
            ShownScreen, self.names, self.positions, self.shown_at, self.answered_at,
            self.contents, self.seconds, self.earlier,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRow:
    """One participant and every screen they were shown, in order."""

    number: int
    version: int
    external_id: str | None
    seed: int
    condition: str | None
    status: Status
    is_pilot: bool
    created_at: datetime
    consented_at: datetime | None
    finished_at: datetime | None
    screens: ShownScreens
    device: str = ""
    excluded_because: str = ""


_SCREENS = (
    sa.select(
        screens.c.participant_id,
        screens.c.name,
        screens.c.position,
        IsoText(screens.c.shown_at),
        IsoText(answers.c.answered_at),
        sa.cast(answers.c.content, sa.Text).label("content"),
    )
    .select_from(
        screens.outerjoin(
            answers,
            sa.and_(
                answers.c.participant_id == screens.c.participant_id,
                answers.c.screen == screens.c.name,
            ),
        )
    )
    .where(screens.c.participant_id.in_(sa.bindparam("people", expanding=True)))
    .order_by(screens.c.participant_id, screens.c.position)
)


# Where people came from is JSON, which takes longer to read than all the rest.
_PEOPLE = sa.select(*[column for column in participants.c if column.name != "origin"])


def people(
    connection: Connection, study: int, *, after: int, most: int, with_pilots: bool
) -> tuple[PersonRow, ...]:
    """Return the next participants after a number, at most this many, by number."""
    query = _PEOPLE.where(participants.c.study_id == study, participants.c.id > after)
    if not with_pilots:
        query = query.where(participants.c.is_pilot.is_(False))
    return _with_screens(connection, query.order_by(participants.c.id).limit(most))


def screens_of(connection: Connection, person: int) -> dict[str, Mapping[str, Any]]:
    """Return the screens of one person as they were shown, by name."""
    rows = connection.execute(
        sa.select(screens.c.name, screens.c.content).where(screens.c.participant_id == person)
    )
    return {row.name: row.content for row in rows}


def some_people(connection: Connection, numbers: Iterable[int]) -> tuple[PersonRow, ...]:
    """Return these participants, by number."""
    query = _PEOPLE.where(participants.c.id.in_(list(numbers)))
    return _with_screens(connection, query.order_by(participants.c.id))


def _with_screens(connection: Connection, query: sa.Select[Any]) -> tuple[PersonRow, ...]:
    rows = connection.execute(query).all()
    shown = _screens(connection, [row.id for row in rows])
    reviewed = reviews.of_people(connection, [row.id for row in rows])
    return tuple(
        PersonRow(
            number=row.id,
            version=row.version_id,
            external_id=row.external_id,
            seed=row.seed,
            condition=row.condition,
            status=Status(row.status),
            is_pilot=row.is_pilot,
            created_at=row.created_at,
            consented_at=row.consented_at,
            finished_at=row.finished_at,
            screens=shown.get(row.id, _NOTHING_SHOWN),
            device=row.device or "",
            excluded_because=reviewed[row.id].excluded_because if row.id in reviewed else "",
        )
        for row in rows
    )


_NOTHING_SHOWN = ShownScreens()
_EARLIER = (
    sa.select(answer_changes)
    .where(answer_changes.c.participant_id.in_(sa.bindparam("people", expanding=True)))
    .order_by(answer_changes.c.participant_id, answer_changes.c.position)
)


def _earlier(
    connection: Connection, numbers: Sequence[int]
) -> dict[tuple[int, str], list[Mapping[str, Any]]]:
    """Return what people said before they changed it, the first answer first."""
    contents: dict[tuple[int, str], list[Mapping[str, Any]]] = {}
    for row in connection.execute(_EARLIER, {"people": numbers}):
        contents.setdefault((row.participant_id, row.screen), []).append(row.content)
    return contents


def _screens(connection: Connection, numbers: Sequence[int]) -> dict[int, ShownScreens]:
    # All rows at once: to fetch them one by one takes a sixth of an export.
    rows = connection.execute(_SCREENS, {"people": numbers}).all()
    columns = tuple(zip(*rows, strict=True))
    if not columns:
        return {}
    people, names, positions, shown_texts, answered_texts, contents_texts = columns
    # All answers of a page are parsed as one text: a call for each takes three times as long.
    contents = json.loads(f"[{','.join([text or 'null' for text in contents_texts])}]")
    shown_at = list(map(datetime.fromisoformat, shown_texts))
    answered_at = [text and datetime.fromisoformat(text) for text in answered_texts]
    seconds = [
        # An import that knows no times stores the same twice, and a clock that was put back
        # meanwhile leaves an answer before its question.
        (end - start).total_seconds() if end is not None and end > start else None
        for start, end in zip(shown_at, answered_at, strict=True)
    ]
    changed = _earlier(connection, numbers)
    earlier = (
        [tuple(changed.get(place, ())) for place in zip(people, names, strict=True)]
        if changed
        else [()] * len(people)
    )
    kept: tuple[Any, ...] = (
        names, positions, shown_at, answered_at, contents, seconds, earlier,
        shown_texts, answered_texts,
    )  # fmt: skip
    screens_of, start = {}, 0
    for person, count in Counter(people).items():
        end = start + count
        screens_of[person] = ShownScreens(*[column[start:end] for column in kept])
        start = end
    return screens_of


def versions_of(connection: Connection, study: int) -> tuple[int, ...]:
    """Return the numbers of a study's versions, the one served last first."""
    rows = connection.execute(
        sa.select(versions.c.id)
        .where(versions.c.study_id == study)
        .order_by(versions.c.created_at.desc(), versions.c.id.desc())
    )
    return tuple(rows.scalars())


def counts(connection: Connection, study: int) -> tuple[int, int, int]:
    """Return how many people began, how many pilots, and how many answers without pilots'."""
    begun = sa.and_(participants.c.study_id == study, participants.c.status != Status.INVITED.value)
    rows = connection.execute(
        sa.select(participants.c.is_pilot, sa.func.count())
        .where(begun)
        .group_by(participants.c.is_pilot)
    )
    by_kind = {bool(is_pilot): int(count) for is_pilot, count in rows}
    return by_kind.get(False, 0), by_kind.get(True, 0), count_of_study(connection, study)
