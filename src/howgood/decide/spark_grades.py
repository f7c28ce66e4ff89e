"""Grades that live on Spark, summed there: one pass over the rows, whatever their number.

In: a Spark frame and the columns' names. Out: `Grades` of all rows and of each segment. Absent: the
sums themselves (see `decide.grade_sums`), other engines.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from howgood.decide.grade_rows import (
    GradeRoles,
    Grades,
    checked_grades,
    grade_columns,
    refuse_one_system,
)
from howgood.decide.grade_sums import GradeSums, sums_of_grades
from howgood.decide.scores import refuse_huge
from howgood.errors import InputError
from howgood.records.missing import refuse_or_announce
from howgood.records.spark_blocks import PartRows, part_results, spark_rows
from howgood.stats.crossed_sums import CrossedSums, blocks_of

_WHERE = "grades"
_Part = tuple[Sequence[Any], Sequence[Any], GradeSums]


def grades_on_spark(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    roles: GradeRoles,
    missing: str,
    combine: str,
) -> tuple[Grades, dict[str, Grades], int] | None:
    """Return the sums of all rows and of segments, and how many had a gap; None: not on Spark.

    "last" needs the order of the rows, which Spark does not keep.
    """
    names = grade_columns(roles)
    native = spark_rows(frame, names, [roles.grade], where=_WHERE)
    if native is None or combine == "last":
        return None
    by = [roles.item if roles.cluster is None else roles.cluster]

    def work(rows: PartRows) -> dict[str, Any]:
        return _worked(rows, roles, combine)

    parts = part_results(native, by, names, [roles.grade], work, where=_WHERE)
    gaps: Counter[str] = Counter()
    for part in parts:
        gaps.update(part["gaps"])
    n_gaps, n_rows = (sum(part[name] for part in parts) for name in ("n_gaps", "n_rows"))
    refuse_or_announce(dict(gaps), n_gaps, n_rows, missing=missing, where=_WHERE)
    whole = _joined([part["all"] for part in parts if part["all"]], roles, missing, combine)
    segments = {}
    for name in sorted({name for part in parts for name in part["segments"]}):
        some = [part["segments"][name] for part in parts if name in part["segments"]]
        try:
            segments[str(name)] = _joined(some, roles, missing, combine)
        except InputError as error:
            error.found_in(f"{error.where}, segment {str(name)!r}")
            raise
    return whole, segments, n_gaps


def _worked(rows: PartRows, roles: GradeRoles, combine: str) -> dict[str, Any]:
    """Return the sums of one part as plain values; runs where the rows are."""
    n_whole = rows.n_rows - rows.n_gaps
    every = np.arange(n_whole)
    segments = {}
    if roles.segment is not None and n_whole:
        column = rows.names[roles.segment]
        for place, name in enumerate(column.levels):
            segments[name] = _summed(rows, np.flatnonzero(column.codes == place), roles, combine)
    return {
        "all": _summed(rows, every, roles, combine) if n_whole else None,
        "segments": segments,
        "gaps": dict(rows.gaps),
        "n_gaps": rows.n_gaps,
        "n_rows": rows.n_rows,
    }


def _summed(rows: PartRows, chosen: Any, roles: GradeRoles, combine: str) -> dict[str, Any]:  # noqa: ANN401 - rows
    """Return systems, raters and sums of some rows, with codes of this part alone."""
    values = rows.numbers[roles.grade][chosen]
    levels, codes = {}, {}
    for role in ("system", "item", "rater", "cluster"):
        name = getattr(roles, role)
        if name is not None:
            seen, codes[role] = np.unique(rows.names[name].codes[chosen], return_inverse=True)
            if role in ("system", "rater"):
                levels[role] = [rows.names[name].levels[at] for at in seen]
    n_groups = len(levels["system"])
    parts = (
        sums_of_grades(
            values[block],
            codes["system"][block],
            codes["item"][block],
            *(codes[role][block] if role in codes else None for role in ("rater", "cluster")),
            n_groups=n_groups,
            combine=combine,
        )
        for block in _blocks(codes["cluster" if "cluster" in codes else "item"], n_groups)
    )
    return {"levels": levels, "sums": _plain(reduce(add, parts))}


def _blocks(codes: Any, n_groups: int) -> Any:  # noqa: ANN401 - arrays of codes and of rows
    return (slice(None) if rows is None else rows for rows in blocks_of(codes, n_groups))


def _plain(sums: GradeSums) -> dict[str, Any]:
    """Return sums as values that any machine can send."""
    plain = {field.name: getattr(sums, field.name) for field in fields(sums)}
    crossed = sums.crossed
    if crossed is not None:
        plain["crossed"] = {field.name: getattr(crossed, field.name) for field in fields(crossed)}
    return plain


def _joined(
    parts: Sequence[dict[str, Any]], roles: GradeRoles, missing: str, combine: str
) -> Grades:
    """Return the sums of all parts, each of which knows only its own systems and raters."""
    systems, raters = (
        sorted({name for part in parts for name in part["levels"].get(role, ())})
        for role in ("system", "rater")
    )
    refuse_one_system(systems, roles)
    place = {name: at for at, name in enumerate(raters)}
    made = []
    for part in parts:
        crossed = part["sums"]["crossed"]
        sums = GradeSums(
            **{
                **part["sums"],
                "crossed": None if crossed is None else CrossedSums(**crossed),
            }
        )
        if part["levels"]["system"] != systems:
            sums = sums.without_items()  # none of them has a grade of the system that is not here
        elif sums.crossed is not None and roles.rater is not None:
            own = np.array([place[name] for name in part["levels"]["rater"]])
            sums = replace(sums, crossed=replace(sums.crossed, raters=own[sums.crossed.raters]))
        made.append(sums)
    total = reduce(add, made)
    if total.crossed is not None:
        ends = np.array([total.crossed.lowest, total.crossed.highest])
        refuse_huge(ends, where=f"{_WHERE}, column {roles.grade!r}", what="grade")
    return checked_grades(total, tuple(map(str, systems)), roles, missing, combine)
