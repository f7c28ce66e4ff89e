"""Rows of grades gathered into sums of the crossed model.

In: a table of any engine and the columns' names. Out: `Grades`. Absent: ranking (see
`decide.grades`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.decide.combined_rows import check_combination, several_rows
from howgood.decide.grade_sums import GradeSums, sums_of_grades
from howgood.decide.scores import refuse_huge
from howgood.errors import DroppedRowsWarning, InputError, announce
from howgood.records.alike_names import announce_alike_columns
from howgood.records.engine_codes import CodedColumn, coded_columns
from howgood.records.levels import codes_of, distinct
from howgood.records.missing import check_policy, complete_rows
from howgood.records.table import as_numbers, frame_columns
from howgood.stats.crossed_sums import CrossedSums, blocks_of

_WHERE = "grades"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeRoles:
    """Which columns say whose output was graded, on what, by whom, how, and what it is part of."""

    system: str
    item: str
    rater: str | None
    grade: str
    cluster: str | None
    segment: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grades:
    """What is known of all grades: systems, sums of the crossed model, and what was left out.

    `step` is the smallest difference between two grades that were given (0: they are continuous).
    `repeat_variance` is the part of a grade's variance that is due to the moment, where raters
    graded outputs more than once and the mean was taken, `n_repeats` how often (harmonic mean).
    """

    names: tuple[str, ...]
    crossed: CrossedSums
    knows_raters: bool
    step: float
    n_rows: int
    n_combined: int
    dropped: dict[str, int]
    repeat_variance: float | None
    n_repeats: float | None

    @property
    def n_grades(self) -> int:
        """How many grades there are, after several rows of one rater were made one."""
        return int(self.crossed.by_rater["rows",].sum())

    @property
    def n_items(self) -> int:
        """How many items every system has a grade for."""
        return int(self.crossed.sums["levels", "i"])

    @property
    def n_raters(self) -> int | None:
        """How many people graded, None if that is not known."""
        if not self.knows_raters:
            return None
        return int(np.count_nonzero(self.crossed.by_rater["rows",].sum(axis=0)))

    @property
    def n_clusters(self) -> int | None:
        """How many clusters of items there are, None without any."""
        return int(self.crossed.sums["levels", "c"]) if self.crossed.has_clusters else None

    @property
    def effective_raters(self) -> float | None:
        """How many raters with equal shares would know as much about raters."""
        if not self.knows_raters:
            return None
        share = self.crossed.by_rater["item share",] / self.n_items
        return 1.0 / float(share @ share)


def grade_columns(roles: GradeRoles) -> list[str]:
    """Return the columns of names that are there."""
    named = (roles.system, roles.item, roles.rater, roles.cluster, roles.segment)
    return [name for name in named if name is not None]


def graded_rows(
    grades: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    roles: GradeRoles,
    missing: str,
) -> tuple[dict[str, Any], int]:
    """Return the complete rows, and how many had a gap."""
    names = grade_columns(roles)
    where = f"{_WHERE}, column {roles.grade!r}"
    check_policy(missing)
    coded = coded_columns(grades, names, [roles.grade], where=_WHERE)
    if coded is not None:
        refuse_huge(coded[roles.grade], where=where, what="grade")
        _announce_alike(coded, roles)
        return coded, 0
    columns = frame_columns(grades, [*names, roles.grade], where=_WHERE)
    columns = {**columns, roles.grade: as_numbers(columns[roles.grade], where=where)}
    kept, n_missing = complete_rows(columns, missing=missing, where=_WHERE, numbers=[roles.grade])
    refuse_huge(kept[roles.grade], where=where, what="grade")
    _announce_alike(kept, roles)
    return kept, n_missing


def _announce_alike(columns: dict[str, Any], roles: GradeRoles) -> None:
    announce_alike_columns(
        columns,
        people=(roles.system, roles.rater),
        items=(roles.item, roles.cluster),
        where=_WHERE,
    )


def segments_of(kept: dict[str, Any], segment: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the rows of each segment."""
    names, codes = _levels(kept[segment])
    for place, name in enumerate(names.tolist()):
        yield str(name), {column: values[codes == place] for column, values in kept.items()}


def summed_grades(columns: dict[str, Any], roles: GradeRoles, missing: str, combine: str) -> Grades:
    """Return the sums of grades; items without a grade of every system are refused or left out.

    Rows are gathered block by block of items (clusters), so that no more than codes is ever held
    of all of them.
    """
    check_combination(combine)
    names, group = _levels(columns[roles.system])
    refuse_one_system(names, roles)
    values, place = columns[roles.grade], _levels(columns[roles.item])[1]
    bunch = None if roles.cluster is None else _levels(columns[roles.cluster])[1]
    person = None if roles.rater is None else _levels(columns[roles.rater])[1]
    parts = (
        sums_of_grades(
            _rows_of(values, rows),
            _rows_of(group, rows),
            _rows_of(place, rows),
            *(None if codes is None else _rows_of(codes, rows) for codes in (person, bunch)),
            n_groups=len(names),
            combine=combine,
        )
        for rows in blocks_of(place if bunch is None else bunch, len(names))
    )
    known = tuple(str(name) for name in names.tolist())
    return checked_grades(reduce(add, parts), known, roles, missing, combine)


def checked_grades(
    total: GradeSums, names: tuple[str, ...], roles: GradeRoles, missing: str, combine: str
) -> Grades:
    """Return sums that a board can be made of, or say what is wrong with the grades."""
    crossed = _complete(total, missing, f"{_WHERE}, column {roles.item!r}")
    if roles.rater is not None:
        _refuse_single_raters(crossed, names, f"{_WHERE}, column {roles.rater!r}")
    if combine == "error" and total.n_several:
        of = "one output" if roles.rater is None else "one rater for one output"
        raise several_rows(total.n_several, total.most_rows, where=_WHERE, of=of)
    if roles.cluster is not None and crossed.sums["levels", "c"] < 2:
        raise _one_cluster(f"{_WHERE}, column {roles.cluster!r}")
    moment, n_repeats = total.repeats() if combine == "mean" else (None, None)
    return Grades(
        names=names,
        crossed=crossed,
        knows_raters=roles.rater is not None,
        step=total.step,
        n_rows=total.n_used,
        n_combined=total.n_combined,
        dropped={"item without a grade of every system": total.n_rows - total.n_used},
        repeat_variance=moment,
        n_repeats=n_repeats,
    )


def refuse_one_system(names: Sequence[Any] | NDArray[Any], roles: GradeRoles) -> None:
    """Raise unless there are two systems to compare."""
    if len(names) < 2:
        raise InputError(
            where=f"{_WHERE}, column {roles.system!r}",
            found=f"only {str(names[0])!r}",
            needed="grades of at least two systems",
            cure="Name the column that says whose output was graded.",
        )


def _rows_of(values: NDArray[Any], rows: NDArray[Any] | None) -> NDArray[Any]:
    """Return some rows; None: all of them, without a copy."""
    return values if rows is None else values[rows]


def _one_cluster(where: str) -> InputError:
    return InputError(
        where=where,
        found="one cluster that holds every item",
        needed="at least two clusters: they are the sample",
        cure="Name a column with several documents or conversations, or leave it out.",
    )


def _levels(column: NDArray[Any] | CodedColumn) -> tuple[NDArray[Any], NDArray[Any]]:
    if isinstance(column, CodedColumn):
        is_there = np.zeros(len(column.levels), dtype=bool)
        is_there[column.codes] = True
        if is_there.all():
            return column.levels, column.codes
        place = (np.cumsum(is_there) - 1).astype(np.int32)
        return column.levels[is_there], place[column.codes]
    levels = distinct(column, where=_WHERE)
    return levels, codes_of(column, levels, where=_WHERE)


def _complete(total: GradeSums, missing: str, where: str) -> CrossedSums:
    """Return the sums of items that every system has a grade for; refuse few, or gaps in others."""
    n_items, n_complete = total.n_items, total.n_complete
    if total.crossed is None or n_complete < 2:
        raise InputError(
            where=where,
            found=f"{n_complete} of {n_items} items with a grade of every system",
            needed="at least two items that every system was graded on",
            cure="Grade more items, or leave out the system with few grades.",
        )
    if missing == "error" and n_complete < n_items:
        raise InputError(
            where=where,
            found=f"{n_items - n_complete} of {n_items} items without a grade of every system",
            needed="the same items for all systems, so that hard ones cost none of them more",
            cure="Grade them, or leave these items out by name: missing='drop'.",
        )
    if n_complete < n_items:
        announce(
            f"{where}: {n_items - n_complete} of {n_items} items left out, without a grade of "
            "every system",
            DroppedRowsWarning,
        )
    return total.crossed


def _refuse_single_raters(crossed: CrossedSums, names: tuple[str, ...], where: str) -> None:
    """Refuse a system with one rater among several: who is lenient and who is good looks alike."""
    seen = crossed.by_rater["rows",] > 0
    if int(seen.any(axis=0).sum()) == 1:
        return
    for name, n_raters in zip(names, seen.sum(axis=1), strict=True):
        if n_raters == 1:
            raise InputError(
                where=where,
                found=f"one rater for all of {name!r}",
                needed="at least two raters per system: else a lenient rater looks like a good "
                "system",
                cure="Have others grade it too, or take raters as they are: rater=None.",
            )
