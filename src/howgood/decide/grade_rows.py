"""Rows of grades gathered into one grade per system, item and rater, as integer codes.

In: a table of any engine and the columns' names. Out: `Grades`. Absent: ranking (see
`decide.grades`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.decide.combined_rows import combined_rows
from howgood.decide.scores import refuse_huge
from howgood.errors import DroppedRowsWarning, InputError, announce
from howgood.records.engine_codes import CodedColumn, coded_columns
from howgood.records.levels import codes_of, distinct
from howgood.records.missing import check_policy, complete_rows
from howgood.records.table import as_numbers, frame_columns
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.steps import smallest_step

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    """One grade per system, item and rater, as codes; `names` are the systems.

    `step` is the smallest difference between two grades that were given. `repeat_variance` is the
    part of a grade's variance that is due to the moment, where raters graded outputs more than
    once and the mean was taken, `n_repeats` how often (harmonic mean).
    """

    values: FloatArray
    system: IntArray
    item: IntArray
    rater: IntArray | None
    cluster: IntArray | None
    step: float
    names: tuple[str, ...]
    n_rows: int
    n_combined: int
    dropped: dict[str, int]
    repeat_variance: float | None
    n_repeats: float | None


def graded_rows(
    grades: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    roles: GradeRoles,
    missing: str,
) -> tuple[dict[str, Any], int]:
    """Return the complete rows, and how many had a gap."""
    named = (roles.system, roles.item, roles.rater, roles.cluster, roles.segment)
    names = [name for name in named if name is not None]
    where = f"{_WHERE}, column {roles.grade!r}"
    check_policy(missing)
    coded = (
        None if roles.grade in names else coded_columns(grades, names, roles.grade, where=_WHERE)
    )
    if coded is not None:
        refuse_huge(coded[roles.grade], where=where, what="grade")
        return coded, 0
    columns = frame_columns(grades, [*names, roles.grade], where=_WHERE)
    columns = {**columns, roles.grade: as_numbers(columns[roles.grade], where=where)}
    kept, n_missing = complete_rows(columns, missing=missing, where=_WHERE, numbers=[roles.grade])
    refuse_huge(kept[roles.grade], where=where, what="grade")
    return kept, n_missing


def segments_of(kept: dict[str, Any], segment: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the rows of each segment."""
    names, codes = _levels(kept[segment])
    for place, name in enumerate(names.tolist()):
        yield str(name), {column: values[codes == place] for column, values in kept.items()}


def coded_grades(columns: dict[str, Any], roles: GradeRoles, missing: str, combine: str) -> Grades:
    """Return grades as codes; items without a grade of every system are refused or left out."""
    values = columns[roles.grade]
    names, group = _levels(columns[roles.system])
    if len(names) < 2:
        raise InputError(
            where=f"{_WHERE}, column {roles.system!r}",
            found=f"only {str(names[0])!r}",
            needed="grades of at least two systems",
            cure="Name the column that says whose output was graded.",
        )
    item_where = f"{_WHERE}, column {roles.item!r}"
    place, bunch = _places(columns, roles)
    rows = _of_complete_items(group, place, len(names), missing, item_where)
    n_rows = len(values)
    group, values = _rows_of(group, rows), _rows_of(values, rows)
    codes = [group, _closed_up(_rows_of(place, rows))]
    if roles.rater is not None:
        person = _rows_of(_levels(columns[roles.rater])[1], rows)
        _refuse_single_raters(group, person, names, f"{_WHERE}, column {roles.rater!r}")
        codes.append(_closed_up(person))
    of = "one output" if roles.rater is None else "one rater for one output"
    combined, first, counts = combined_rows(values, codes, combine=combine, where=_WHERE, of=of)
    moment, n_repeats = _repeats(values, codes, counts) if combine == "mean" else (None, None)
    if bunch is not None:
        bunch = _closed_up(_rows_of(_rows_of(bunch, rows), first))
        _refuse_one_cluster(bunch, f"{_WHERE}, column {roles.cluster!r}")
    group, place, *known = (_rows_of(code, first) for code in codes)
    return Grades(
        values=combined,
        system=group,
        item=place,
        rater=known[0] if known else None,
        cluster=bunch,
        step=smallest_step(combined),
        names=tuple(str(name) for name in names.tolist()),
        n_rows=len(values),
        n_combined=int(counts[counts > 1].sum()),
        dropped={"item without a grade of every system": n_rows - len(values)},
        repeat_variance=moment,
        n_repeats=n_repeats,
    )


def _places(columns: dict[str, Any], roles: GradeRoles) -> tuple[IntArray, IntArray | None]:
    """Return the codes of items, named within their clusters, and of clusters."""
    _, place = _levels(columns[roles.item])
    if roles.cluster is None:
        return place, None
    _, bunch = _levels(columns[roles.cluster])
    joint = bunch.astype(np.int64) * (int(place.max()) + 1) + place
    return np.unique(joint, return_inverse=True)[1].reshape(-1), bunch


def _rows_of(values: NDArray[Any], rows: NDArray[Any] | None) -> NDArray[Any]:
    """Return some rows; None: all of them, without a copy."""
    return values if rows is None else values[rows]


def _closed_up(codes: IntArray) -> IntArray:
    """Return codes from 0 without gaps, in the same order."""
    is_there = np.bincount(codes) > 0
    if is_there.all():
        return codes
    place: IntArray = (np.cumsum(is_there) - 1).astype(codes.dtype)
    return place[codes]


def _repeats(
    values: FloatArray, codes: list[IntArray], counts: IntArray
) -> tuple[float | None, float | None]:
    """Return the variance that repeats leave in a mean of them, and how many there are."""
    if not (counts > 1).any():
        return None, None
    cell = np.zeros(len(values), dtype=np.int64)
    for code in codes:
        cell = np.unique(cell * (int(code.max()) + 1) + code, return_inverse=True)[1].reshape(-1)
    n = np.bincount(cell)
    around = values - (np.bincount(cell, weights=values) / n)[cell]
    moment = float(around @ around) / float(np.sum(n - 1))
    fewest = float(np.mean(1.0 / n))
    return moment * fewest, 1.0 / fewest


def _refuse_one_cluster(bunch: IntArray, where: str) -> None:
    if int(bunch.max()) == 0:
        raise InputError(
            where=where,
            found="one cluster that holds every item",
            needed="at least two clusters: they are the sample",
            cure="Name a column with several documents or conversations, or leave it out.",
        )


def _levels(column: NDArray[Any] | CodedColumn) -> tuple[NDArray[Any], NDArray[Any]]:
    if isinstance(column, CodedColumn):
        counts = np.bincount(column.codes, minlength=len(column.levels))
        if counts.all():
            return column.levels, column.codes
        place = (np.cumsum(counts > 0) - 1).astype(np.int32)
        return column.levels[counts > 0], place[column.codes]
    levels = distinct(column, where=_WHERE)
    return levels, codes_of(column, levels, where=_WHERE)


def _of_complete_items(
    group: IntArray, place: IntArray, n_systems: int, missing: str, where: str
) -> NDArray[np.bool_] | None:
    """Mark the rows of items that every system has a grade for; refuse the others or few items.

    None: all rows.
    """
    n_items = int(place.max()) + 1
    graded = np.zeros((n_items, n_systems), dtype=bool)
    graded[place, group] = True
    is_complete = np.asarray(graded.all(axis=1))
    n_complete = int(is_complete.sum())
    if n_complete < 2:
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
    if n_complete == n_items:
        return None
    kept: NDArray[np.bool_] = is_complete[place]
    return kept


def _refuse_single_raters(
    group: IntArray, person: IntArray, names: NDArray[Any], where: str
) -> None:
    """Refuse a system with one rater among several: who is lenient and who is good looks alike."""
    if int(np.ptp(person)) == 0:
        return
    n_people = int(person.max()) + 1
    seen = (
        np.bincount(group.astype(np.int64) * n_people + person, minlength=len(names) * n_people) > 0
    )
    for name, n_raters in zip(names.tolist(), seen.reshape(-1, n_people).sum(axis=1), strict=True):
        if n_raters == 1:
            raise InputError(
                where=where,
                found=f"one rater for all of {str(name)!r}",
                needed="at least two raters per system: else a lenient rater looks like a good "
                "system",
                cure="Have others grade it too, or take raters as they are: rater=None.",
            )
