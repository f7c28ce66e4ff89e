"""Votes between two systems on Spark: counted and summed there.

In: a Spark frame of votes, and which column is which. Out: `SparkVotes`, or None where votes are
not on Spark. Absent: votes in memory, and the ranking made of either (see `decide.votes`).

Read once, by left, right and winner, which is all the fit needs. What prompts and raters add to its
uncertainty depends on the fit; where they are known, rows are read once more by rater (raters, and
their votes on one prompt) and once by prompt. Only sums come back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from howgood.decide.vote_rows import (
    NOT_AGAIN,
    WHERE,
    VoteRoles,
    coded_votes,
    outcomes_of,
)
from howgood.records.missing import check_policy, refuse_or_announce
from howgood.records.spark_blocks import PartRows, part_results, spark_rows
from howgood.records.table import rows_being_read
from howgood.records.vote_words import sides_of
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.paired_votes import (
    VoteMode,
    mode_of_votes,
)
from howgood.stats.vote_clusters import (
    ScoreSums,
    VoteCells,
    VoteModel,
    Votes,
    VoteSums,
    cells_of,
    clustered_sums,
    counted_products,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SparkVotes:
    """Counts by pair, the mode they give, sums of scores around it, and how many of everything."""

    systems: tuple[str, ...]
    cells: VoteCells
    mode: VoteMode
    sums: VoteSums
    n_items: int | None
    n_raters: int | None
    n_missing: int
    n_again: int


def votes_on_spark(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    roles: VoteRoles,
    missing: str,
) -> SparkVotes | None:
    """Return counts and sums of all votes; None: not on Spark, or with a style for each vote."""
    check_policy(missing)
    columns = [*roles.names, *([] if roles.repeats is None else [roles.repeats])]
    native = None if roles.style is not None else spark_rows(frame, columns, [], where=WHERE)
    if native is None:
        return None
    with rows_being_read(WHERE):
        counted = _counted(native, roles)
    gaps = {name: sum(row[f"gap {name}"] for row in counted) for name in roles.names}
    n_gaps, n_rows = (sum(row[name] for row in counted) for name in ("gaps", "rows"))
    refuse_or_announce(gaps, n_gaps, n_rows, missing=missing, where=WHERE)
    systems, kinds, counts = _kinds([row for row in counted if row["whole"]], roles)
    cells = cells_of(kinds, counts)
    mode = mode_of_votes(cells, len(systems))
    words = {str(row["winner"]) for row in counted if row["whole"]}
    sides = sides_of(words, systems, where=f"{WHERE}, column {roles.winner!r}")
    reader = _Reader(roles=roles, model=mode.model, systems=systems, sides=sides)
    sums, n_items, n_raters = _summed(_new_pairs(native, roles), reader, cells)
    return SparkVotes(
        systems=systems,
        cells=cells,
        mode=mode,
        sums=sums,
        n_items=n_items,
        n_raters=n_raters,
        n_missing=n_gaps,
        n_again=sum(row["again"] for row in counted),
    )


def _gap(native: Any, name: str) -> Any:  # noqa: ANN401 - Spark's own types
    from pyspark.sql import functions

    column = functions.col(_quoted(name))
    is_gap = column.isNull()
    if dict(native.dtypes)[name] == "string":
        is_gap = is_gap | (functions.trim(column) == "")
    return functions.coalesce(is_gap, functions.lit(True))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _again(native: Any, roles: VoteRoles) -> Any:  # noqa: ANN401 - Spark's own types
    from pyspark.sql import functions

    if roles.repeats is None:
        return functions.lit(False)
    is_none = functions.col(_quoted(roles.repeats)).cast("string").isin(*NOT_AGAIN)
    return ~(_gap(native, roles.repeats) | functions.coalesce(is_none, functions.lit(True)))


def _counted(native: Any, roles: VoteRoles) -> list[dict[str, Any]]:  # noqa: ANN401 - a Spark frame
    """Return how many votes each left, right and winner has, and how many rows have a gap."""
    from pyspark.sql import functions

    def number(condition: Any) -> Any:  # noqa: ANN401 - Spark's own types
        return functions.sum(condition.cast("long"))

    gaps = {name: _gap(native, name) for name in roles.names}
    any_gap, again = reduce(lambda one, other: one | other, gaps.values()), _again(native, roles)
    keys = [
        functions.col(_quoted(getattr(roles, role))).alias(role)
        for role in ("left", "right", "winner")
    ]
    rows = native.groupBy(*keys).agg(
        functions.count(functions.lit(1)).alias("rows"),
        number(any_gap).alias("gaps"),
        number(again & ~any_gap).alias("again"),
        number(~again & ~any_gap).alias("whole"),
        *(number(is_gap).alias(f"gap {name}") for name, is_gap in gaps.items()),
    )
    return [row.asDict() for row in rows.collect()]


def _new_pairs(native: Any, roles: VoteRoles) -> Any:  # noqa: ANN401 - a Spark frame
    kept = native.filter(~_again(native, roles))
    return kept.select(*map(_quoted, roles.names))


def _kinds(
    counted: list[dict[str, Any]], roles: VoteRoles
) -> tuple[tuple[str, ...], Votes, FloatArray]:
    """Return the systems, one vote of each kind there is, and how many there are of each."""
    columns = {
        getattr(roles, role): np.array([row[role] for row in counted])
        for role in ("left", "right", "winner")
    }
    systems, votes = coded_votes(columns, replace(roles, item=None, rater=None, repeats=None))
    return systems, votes, np.array([row["whole"] for row in counted], dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Reader:
    """Reads a part of the rows, and sums its scores under the model: runs where the rows are."""

    roles: VoteRoles
    model: VoteModel
    systems: tuple[str, ...]
    sides: Mapping[str, str] | None

    def by_rater(self, rows: PartRows) -> dict[str, Any]:
        """Return the sums of raters, and of their votes on one prompt."""
        rater = rows.names[str(self.roles.rater)].codes
        votes = self._votes(rows)
        both = None
        if self.roles.item is not None:
            item = rows.names[self.roles.item].codes
            key = np.unique(item * (int(rater.max(initial=0)) + 1) + rater, return_inverse=True)[1]
            both = self._sums(votes, key)
        return {"n": len(np.unique(rater)), "own": self._sums(votes, rater), "both": both}

    def by_item(self, rows: PartRows) -> dict[str, Any]:
        """Return the sums of prompts."""
        item = rows.names[str(self.roles.item)].codes
        return {"n": len(np.unique(item)), "own": self._sums(self._votes(rows), item)}

    def _votes(self, rows: PartRows) -> Votes:
        place = {name: at for at, name in enumerate(self.systems)}
        columns = [rows.names[name] for name in (self.roles.left, self.roles.right)]
        left, right = (
            np.array([place[str(level)] for level in column.levels], dtype=np.int64)[column.codes]
            for column in columns
        )
        winner = rows.names[self.roles.winner]
        words = [str(level) for level in winner.levels]
        outcome = outcomes_of(words, winner.codes, self.sides, (self.systems, left, right),
                              where=f"{WHERE}, column {self.roles.winner!r}")  # fmt: skip
        return Votes(left=left, right=right, outcome=outcome, n_competitors=len(self.systems))

    def _sums(self, votes: Votes, codes: IntArray) -> dict[str, Any] | None:
        if not len(codes):
            return None
        sums = clustered_sums(self.model, votes, codes)
        return {"products": sums.products, "squares": sums.squares, "cubes": sums.cubes}


def _summed(
    native: Any,  # noqa: ANN401 - a Spark frame
    reader: _Reader,
    cells: VoteCells,
) -> tuple[VoteSums, int | None, int | None]:
    """Return the sums by vote, prompt and rater, and how many prompts and raters there are."""
    roles = reader.roles
    n_items, n_raters, items, raters, both = None, None, None, None, None
    if roles.item is not None:
        parts = part_results(native, [roles.item], roles.names, [], reader.by_item, where=WHERE)
        n_items, items = sum(part["n"] for part in parts), _joined(parts, "own")
    if roles.rater is not None:
        parts = part_results(native, [roles.rater], roles.names, [], reader.by_rater, where=WHERE)
        n_raters, raters, both = (
            sum(part["n"] for part in parts),
            _joined(parts, "own"),
            _joined(parts, "both"),
        )
    if n_raters == 1:
        raters = both = None
    sums = VoteSums(
        n_votes=int(cells.counts.sum()),
        single=counted_products(reader.model, cells),
        items=items,
        raters=raters,
        both=both,
    )
    return sums, n_items, n_raters


def _joined(parts: list[dict[str, Any]], name: str) -> ScoreSums | None:
    made = [ScoreSums(**part[name]) for part in parts if part.get(name) is not None]
    return reduce(add, made) if made else None
