"""Votes as rows of a table: checked, coded, and those asked again set apart.

In: a table of left, right, winner, on any engine. Out: `VoteRows`. Absent: strengths (see
`decide.votes`, also for rows that stay on Spark).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.records.alike_names import announce_alike, announce_alike_columns
from howgood.records.engine_codes import CodedColumn, coded_columns
from howgood.records.levels import codes_of, distinct
from howgood.records.missing import blank_values, check_policy, complete_rows
from howgood.records.table import as_numbers, frame_columns
from howgood.records.vote_words import sides_of
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.vote_clusters import LEFT, RIGHT, TIE, Votes

WHERE = "votes"
_AGAIN = "\0again"  # no column of a table is called so
# What stands for "a new pair" in a column of pairs asked again, next to nothing at all.
NOT_AGAIN = ("0", "0.0", "False", "false", "nan", "NaN")
_OUTCOMES = {"left": LEFT, "right": RIGHT, "tie": TIE}


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteRoles:
    """Which columns say who stood where, who won, on what, by whom; what was asked again; parts."""

    left: str = "left"
    right: str = "right"
    winner: str = "winner"
    item: str | None = None
    rater: str | None = None
    style: str | None = None
    repeats: str | None = None
    segment: str | None = None

    @property
    def names(self) -> list[str]:
        """Columns of names that every vote needs."""
        all_names = (self.left, self.right, self.winner, self.item, self.rater, self.segment)
        return list(dict.fromkeys(name for name in all_names if name is not None))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AskedAgain:
    """How often a vote that was asked again came out alike: by rater, (n, 2) of alike and asked.

    `left_over` counts votes asked again whose first vote is not in the table.
    """

    by_rater: IntArray
    left_over: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteRows:
    """Systems' names, votes as codes, rows with a gap, and votes that were asked again."""

    systems: tuple[str, ...]
    votes: Votes
    n_missing: int = 0
    again: AskedAgain | None = None


def rows_of_votes(
    table: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    roles: VoteRoles,
    missing: str,
) -> VoteRows:
    """Return the complete rows of a table as codes; votes asked again are not among them."""
    check_policy(missing)
    if roles.repeats is not None:
        return _without_repeats(table, roles, missing)
    columns, n_missing = _complete(table, roles, missing)
    _announce_alike(columns, roles)
    systems, votes = coded_votes(columns, roles)
    return VoteRows(systems=systems, votes=votes, n_missing=n_missing)


def _announce_alike(columns: dict[str, Any], roles: VoteRoles) -> None:
    """Say which names are spelt in several ways; systems stand in two columns."""
    sides = (columns[name] for name in (roles.left, roles.right))
    names = (side.levels if isinstance(side, CodedColumn) else side for side in sides)
    announce_alike(
        (name for side in names for name in side.tolist()),
        where=f"{WHERE}, columns {roles.left!r} and {roles.right!r}",
    )
    announce_alike_columns(columns, people=(roles.rater,), items=(roles.item,), where=WHERE)


def segments_of_votes(
    table: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    segment: str,
) -> Iterator[tuple[str, Any]]:
    """Yield the name and the rows of each segment; rows without one are in none."""
    import narwhals as nw

    if isinstance(table, Mapping):
        columns = frame_columns(table, list(table), where=WHERE)
        marks = columns[segment]
        for name in distinct(marks[~blank_values(marks)], where=WHERE).tolist():
            chosen = marks == name
            yield str(name), {column: values[chosen] for column, values in columns.items()}
        return
    rows = nw.from_native(table)
    found = frame_columns(rows.select(segment).unique().to_native(), [segment], where=WHERE)
    names = found[segment][~blank_values(found[segment])]
    for name in distinct(names, where=WHERE).tolist():
        yield str(name), rows.filter(nw.col(segment) == name).to_native()


def _complete(
    table: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    roles: VoteRoles,
    missing: str,
) -> tuple[dict[str, Any], int]:
    """Return the complete rows, as codes where the engine can make them, and how many had a gap."""
    numbers = [roles.style] if roles.style is not None else []
    coded = coded_columns(table, roles.names, numbers, where=WHERE)
    if coded is not None:
        return coded, 0
    columns = frame_columns(table, [*roles.names, *numbers], where=WHERE)
    for name in numbers:
        columns[name] = as_numbers(columns[name], where=f"{WHERE}, column {name!r}")
    return complete_rows(columns, missing=missing, where=WHERE, numbers=numbers)


def _without_repeats(
    table: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    roles: VoteRoles,
    missing: str,
) -> VoteRows:
    """Return the votes on new pairs, and how those asked again agree with them."""
    numbers = [] if roles.style is None else [roles.style]
    names = list(dict.fromkeys([*roles.names, *numbers]))
    columns = frame_columns(table, [*names, str(roles.repeats)], where=WHERE)
    marks = columns.pop(str(roles.repeats))
    for name in numbers:
        columns[name] = as_numbers(columns[name], where=f"{WHERE}, column {name!r}")
    columns[_AGAIN] = ~blank_values(marks) & ~np.isin(marks.astype(str), NOT_AGAIN)
    columns, n_missing = complete_rows(columns, missing=missing, where=WHERE, numbers=numbers)
    _announce_alike(columns, roles)
    again = columns.pop(_AGAIN).astype(bool)
    if again.all():
        raise InputError(
            where=f"{WHERE}, column {roles.repeats!r}",
            found="a value in every row: every vote asks an earlier one again",
            needed="votes on new pairs, for which this column is empty",
            cure="Name another column, or none; if it means something else, rename it.",
        )
    _, votes = coded_votes(columns, roles)
    kept = {name: values[~again] for name, values in columns.items()}
    # Systems that only stand in votes asked again have no vote of their own.
    systems_kept, votes_kept = coded_votes(kept, roles)
    return VoteRows(systems=systems_kept, votes=votes_kept, n_missing=n_missing,
                    again=_asked_again(votes, again))  # fmt: skip


def _asked_again(votes: Votes, again: NDArray[np.bool_]) -> AskedAgain:
    """Compare each vote asked again with the first one of that person on these two outputs."""
    nobody = np.zeros(len(votes.left), dtype=np.int64)
    rater, item = (nobody if codes is None else codes for codes in (votes.rater, votes.item))
    pair = np.sort(np.column_stack([votes.left, votes.right]), axis=1)
    winner = np.where(
        votes.outcome == TIE, -1, np.where(votes.outcome == LEFT, votes.left, votes.right)
    )
    keys = list(zip(rater.tolist(), item.tolist(), *pair.T.tolist(), strict=True))
    first: dict[tuple[int, ...], int] = {}
    for place in np.flatnonzero(~again)[::-1].tolist():
        first[keys[place]] = int(winner[place])
    counts: dict[int, list[int]] = {}
    left_over = 0
    for place in np.flatnonzero(again).tolist():
        before = first.get(keys[place])
        if before is None or votes.rater is None:
            left_over += 1
            continue
        count = counts.setdefault(keys[place][0], [0, 0])
        count[0] += int(before == winner[place])
        count[1] += 1
    by_rater = np.array(list(counts.values()), dtype=np.int64).reshape(-1, 2)
    return AskedAgain(by_rater=by_rater, left_over=left_over)


def coded_votes(columns: dict[str, Any], roles: VoteRoles) -> tuple[tuple[str, ...], Votes]:
    """Return the systems' names, and votes as codes."""
    left, right, winner = (columns[name] for name in (roles.left, roles.right, roles.winner))
    levels, (one, two) = _systems(left, right)
    if np.any(one == two):
        row = int(np.argmax(one == two))
        raise InputError(
            where=f"{WHERE}, row {row + 1}",
            found=f"{str(levels[one[row]])!r} on both sides",
            needed="two different systems",
            cure="Leave such rows out.",
        )
    places = [
        None if name is None else _places(columns[name]) for name in (roles.item, roles.rater)
    ]
    systems = tuple(str(level) for level in levels.tolist())
    return systems, Votes(
        left=one,
        right=two,
        outcome=_outcomes(winner, roles.winner, systems, one, two),
        n_competitors=len(levels),
        covariate=None if roles.style is None else _standard(columns[roles.style]),
        item=places[0],
        rater=places[1],
    )


def _systems(
    left: NDArray[Any] | CodedColumn, right: NDArray[Any] | CodedColumn
) -> tuple[NDArray[Any], list[IntArray]]:
    """Return the sorted systems of both sides, and which one each row has."""
    sides = [side.levels if isinstance(side, CodedColumn) else side for side in (left, right)]
    levels = distinct(np.concatenate(sides), where=WHERE)
    places = [codes_of(side, levels, where=WHERE) for side in sides]
    codes = [
        place[side.codes] if isinstance(side, CodedColumn) else place
        for side, place in zip((left, right), places, strict=True)
    ]
    return levels, codes


def _places(column: NDArray[Any] | CodedColumn) -> IntArray:
    places: IntArray
    if isinstance(column, CodedColumn):
        places = column.codes.astype(np.int64)
    else:
        places = np.unique(column, return_inverse=True)[1]
    return places


def _outcomes(
    winner: NDArray[Any] | CodedColumn,
    name: str,
    systems: Sequence[str],
    left: IntArray,
    right: IntArray,
) -> IntArray:
    """Return who won: 0 left, 1 right, 2 a tie."""
    if isinstance(winner, CodedColumn):
        values, codes = list(map(str, winner.levels.tolist())), winner.codes
    else:
        given = list(map(str, winner.tolist()))
        values = sorted(set(given))
        place = {value: at for at, value in enumerate(values)}
        codes = np.fromiter(map(place.__getitem__, given), dtype=np.int64, count=len(given))
    where = f"{WHERE}, column {name!r}"
    sides = sides_of(values, systems, where=where)
    return outcomes_of(values, codes, sides, (systems, left, right), where=where)


def outcomes_of(
    values: Sequence[str],
    codes: NDArray[Any],
    sides: Mapping[str, str] | None,
    stood: tuple[Sequence[str], IntArray, IntArray],
    *,
    where: str,
) -> IntArray:
    """Return outcomes from words and their codes; without `sides` words are systems' names.

    `stood` are the systems, and who stood left and right.
    """
    outcomes: IntArray
    if sides is not None:
        outcomes = np.array([_OUTCOMES[sides[value]] for value in values], dtype=np.int64)[codes]
        return outcomes
    systems, left, right = stood
    place = {value: at for at, value in enumerate(systems)}
    won = np.array([place.get(value, -1) for value in values], dtype=np.int64)[codes]
    is_strange = (won >= 0) & (won != left) & (won != right)
    if is_strange.any():
        row = int(np.argmax(is_strange))
        raise InputError(
            where=f"{where}, row {row + 1}",
            found=f"{systems[int(won[row])]!r}, which stood on neither side",
            needed=f"{systems[int(left[row])]!r}, {systems[int(right[row])]!r} or a tie",
            cure="Check the row.",
        )
    outcomes = np.where(won < 0, TIE, np.where(won == left, LEFT, RIGHT))
    return outcomes


def _standard(values: FloatArray) -> FloatArray:
    spread = float(values.std())
    return values / spread if spread > 0 else values
