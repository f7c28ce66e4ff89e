"""Sums of grades of some items, which add up over blocks of items whatever engine holds the rows.

In: grades as arrays and integer codes, several rows of one rater for one output among them. Out:
`GradeSums`. Absent: names, messages, and the board itself (see `decide.grade_rows`).
"""

from dataclasses import dataclass, replace

import numpy as np

from howgood.decide.combined_rows import combined_rows
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.crossed_sums import CrossedSums, crossed_sums
from howgood.stats.steps import smallest_step

# Grades with more different values than this are continuous: nothing hides within their steps.
_MOST_VALUES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GradeSums:
    """Sums over items; `crossed` is of those that every system has a grade for (None: of none).

    `values` are the different grades, None where there are too many to be steps of a scale. Of
    cells (one rater's grades of one output): how many have `n_several` rows, how many rows those
    hold together (`n_combined`) and at most; the squared deviations `within` cells, and the sum of
    one over a cell's rows.
    """

    crossed: CrossedSums | None
    n_items: int
    n_complete: int
    n_rows: int
    n_used: int
    values: FloatArray | None
    n_cells: int
    n_several: int
    n_combined: int
    most_rows: int
    within: float
    inverse: float

    @property
    def step(self) -> float:
        """The smallest difference between two grades; 0 if they are continuous."""
        return smallest_step(self.values) if self.values is not None and self.values.size else 0.0

    def repeats(self) -> tuple[float | None, float | None]:
        """Return the variance that repeats leave in a mean of them, and how many there are."""
        if not self.n_several:
            return None, None
        fewest = self.inverse / self.n_cells
        return self.within / (self.n_used - self.n_cells) * fewest, 1.0 / fewest

    def without_items(self) -> "GradeSums":
        """Return the same rows, none of whose items has a grade of every system."""
        return replace(
            self, crossed=None, n_complete=0, n_used=0, values=np.zeros(0), n_cells=0,
            n_several=0, n_combined=0, most_rows=0, within=0.0, inverse=0.0,
        )  # fmt: skip

    def __add__(self, other: "GradeSums") -> "GradeSums":
        """Join the sums of other items."""
        if self.crossed is None or other.crossed is None:
            crossed = self.crossed if other.crossed is None else other.crossed
        else:
            crossed = self.crossed + other.crossed
        return GradeSums(
            crossed=crossed,
            n_items=self.n_items + other.n_items,
            n_complete=self.n_complete + other.n_complete,
            n_rows=self.n_rows + other.n_rows,
            n_used=self.n_used + other.n_used,
            values=_joined(self.values, other.values),
            n_cells=self.n_cells + other.n_cells,
            n_several=self.n_several + other.n_several,
            n_combined=self.n_combined + other.n_combined,
            most_rows=max(self.most_rows, other.most_rows),
            within=self.within + other.within,
            inverse=self.inverse + other.inverse,
        )


def _joined(one: FloatArray | None, other: FloatArray | None) -> FloatArray | None:
    if one is None or other is None:
        return None
    both = np.union1d(one, other)
    return both if len(both) <= _MOST_VALUES else None


def sums_of_grades(
    values: FloatArray,
    group: IntArray,
    item: IntArray,
    rater: IntArray | None,
    cluster: IntArray | None,
    *,
    n_groups: int,
    combine: str,
) -> GradeSums:
    """Return the sums of one block, which holds all rows of its items (clusters).

    Items are named within their clusters. Where `combine` is "error", several rows of one cell are
    counted, and taken as their mean.
    """
    item = item.astype(np.int64)
    if cluster is not None:
        joint = cluster.astype(np.int64) * (int(item.max()) + 1) + item
        item = np.unique(joint, return_inverse=True)[1].reshape(-1)
    n_rows = len(values)
    graded = np.zeros((int(item.max()) + 1 - int(item.min()), n_groups), dtype=bool)
    graded[item - int(item.min()), group] = True
    is_complete = np.asarray(graded.all(axis=1))
    n_items, n_complete = int(graded.any(axis=1).sum()), int(is_complete.sum())
    counted = GradeSums(
        crossed=None, n_items=n_items, n_complete=n_complete, n_rows=n_rows, n_used=0,
        values=np.zeros(0), n_cells=0, n_several=0, n_combined=0, most_rows=0, within=0.0,
        inverse=0.0,
    )  # fmt: skip
    if not n_complete:
        return counted
    codes = [group, item, np.zeros_like(item) if rater is None else rater]
    codes += [] if cluster is None else [cluster]
    if n_complete < n_items:
        rows = is_complete[item - int(item.min())]
        values, codes = values[rows], [code[rows] for code in codes]
    return _of_complete(counted, values, codes, combine, n_groups)


def _of_complete(
    counted: GradeSums,
    values: FloatArray,
    codes: list[IntArray],
    combine: str,
    n_groups: int,
) -> GradeSums:
    """Add the sums of items that every system has a grade for."""
    rule = "mean" if combine == "error" else combine
    cells = [codes[0], codes[1] - int(codes[1].min()), codes[2]]
    combined, first, counts = combined_rows(values, cells, combine=rule, where="", of="")
    if first is None:
        within, inverse, n_cells = 0.0, float(len(values)), len(values)
    else:
        within, inverse = _within(values, cells), float(np.sum(1.0 / counts))
        codes, n_cells = [code[first] for code in codes], len(first)
    group, item, rater, *cluster = codes
    # Numbers near the grades of every group, so that squares of what is left keep their digits.
    totals = np.bincount(group, weights=combined, minlength=n_groups)
    anchor = totals / np.bincount(group, minlength=n_groups)
    different = np.unique(combined)
    return replace(
        counted,
        crossed=crossed_sums(
            combined, group, item, rater, cluster=cluster[0] if cluster else None, anchor=anchor
        ),
        n_used=len(values),
        values=different if len(different) <= _MOST_VALUES else None,
        n_cells=n_cells,
        n_several=int(np.sum(counts > 1)),
        n_combined=int(counts[counts > 1].sum()),
        most_rows=int(counts.max()),
        within=within,
        inverse=inverse,
    )


def _within(values: FloatArray, codes: list[IntArray]) -> float:
    """Return the squared deviations of rows from the mean of their cell."""
    cell = np.zeros(len(values), dtype=np.int64)
    for code in codes:
        cell = np.unique(cell * (int(code.max()) + 1) + code, return_inverse=True)[1].reshape(-1)
    around = values - (np.bincount(cell, weights=values) / np.bincount(cell))[cell]
    return float(around @ around)
