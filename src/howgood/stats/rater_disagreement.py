"""How far several people agree about the same units: Krippendorff's alpha.

In: values, and codes of units and raters. Out: alpha for four levels of measurement, alpha within
raters who judged a unit twice. Absent: names, and how sure it is (see `agreement_draws`).
"""

from dataclasses import dataclass

import numpy as np

from howgood.stats.arrays import FloatArray, IntArray

NOBODY: IntArray = np.zeros(0, dtype=np.int64)
LEVELS = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValuePairs:
    """Pairs of values of one unit: who gave them, and what they weigh.

    `value`, `unit` and `rater` have a place for each row, `first` and `second` are rows. What is
    expected is the disagreement of paired values with each other, or with all of them where
    `against_all`.
    """

    values: FloatArray
    value: IntArray
    unit: IntArray
    rater: IntArray
    share: FloatArray
    against_all: bool
    first: IntArray
    second: IntArray
    weight: FloatArray
    n_units: int
    n_raters: int

    def alpha(self, level: str, *, left_out: tuple[IntArray, IntArray] = (NOBODY, NOBODY)) -> float:
        """Return one minus observed over expected disagreement; NaN where all values are alike.

        `left_out`: codes of units and of raters that do not count.
        """
        units, raters = np.ones(self.n_units), np.ones(self.n_raters)
        units[left_out[0]], raters[left_out[1]] = 0.0, 0.0
        first, second = self.first, self.second
        kept = units[self.unit] * raters[self.rater]
        weight = self.weight * kept[first] * kept[second]
        if not weight.sum() > 0:
            return float("nan")
        # A value counts as often as it is paired, as in the table of coincidences.
        rows = _summed(first, weight, len(self.value))
        n_values = float(np.count_nonzero(rows))
        if self.against_all:
            rows = self.share * kept
            n_values = float(np.count_nonzero(kept))
        counts = _summed(self.value, rows, len(self.values))
        total = float(counts.sum())
        one, other = self.value[first], self.value[second]
        observed, expected = _disagreement(level, self.values, counts, one, other, weight)
        if not expected > 0:
            return float("nan")
        # A value is not compared with itself: one less of them.
        others = total * (1 - 1 / n_values)
        return 1.0 - (observed / float(weight.sum())) * total * others / expected


def _summed(codes: IntArray, weights: FloatArray, size: int) -> FloatArray:
    return np.asarray(np.bincount(codes, weights=weights, minlength=size), dtype=np.float64)


def _disagreement(
    level: str,
    values: FloatArray,
    counts: FloatArray,
    one: IntArray,
    other: IntArray,
    weight: FloatArray,
) -> tuple[float, float]:
    """Return the summed disagreement within units, and that of all values with all."""
    if level == "nominal":
        return float(weight @ (one != other)), float(counts.sum() ** 2 - counts @ counts)
    if level == "ratio":
        sums = values[:, None] + values
        gaps = np.where(sums != 0, (values[:, None] - values) / np.where(sums != 0, sums, 1), 0.0)
        apart = gaps**2
        return float(weight @ apart[one, other]), float(counts @ apart @ counts)
    # Ordinal disagreement is that of an interval scale on which values stand at their mean rank.
    at = values if level == "interval" else np.cumsum(counts) - counts / 2
    at = at - float(counts @ at) / float(counts.sum())
    expected = 2.0 * float(counts.sum()) * float(counts @ at**2)
    return float(weight @ (at[one] - at[other]) ** 2), expected


def between_raters(value: FloatArray, unit: IntArray, rater: IntArray) -> ValuePairs:
    """Pair the values of different raters; several of one rater share the weight of one."""
    return _paired(value, unit, rater, is_same=False)


def within_raters(value: FloatArray, unit: IntArray, rater: IntArray) -> ValuePairs:
    """Pair the values that one rater gave to one unit."""
    return _paired(value, unit, rater, is_same=True)


def _paired(value: FloatArray, unit: IntArray, rater: IntArray, *, is_same: bool) -> ValuePairs:
    order = np.lexsort((rater, unit))
    value, unit, rater = value[order], unit[order], rater[order]
    cells = np.unique(unit * (int(rater.max()) + 1) + rater, return_inverse=True)[1]
    share = 1.0 / np.bincount(cells)[cells]
    first, second = _within_units(unit)
    same = cells[first] == cells[second]
    chosen = (same == is_same) & (first != second)
    first, second = first[chosen], second[chosen]
    if is_same:
        weight = np.ones(len(first))
        weight /= np.bincount(first, minlength=len(value))[first] if len(first) else 1.0
    else:
        # A unit with m raters has m values, each compared with the m - 1 others.
        n_raters = np.bincount(unit, weights=share)
        weight = share[first] * share[second] / (n_raters[unit[first]] - 1)
    values, codes = np.unique(value, return_inverse=True)
    return ValuePairs(
        values=values,
        value=codes,
        unit=unit,
        rater=rater,
        share=share,
        against_all=is_same,
        first=first,
        second=second,
        weight=weight,
        n_units=int(unit.max()) + 1,
        n_raters=int(rater.max()) + 1,
    )


def _within_units(unit: IntArray) -> tuple[IntArray, IntArray]:
    """Return all pairs of rows of one unit (sorted), both ways and with themselves."""
    counts = np.bincount(unit)
    starts = np.cumsum(counts) - counts
    first = np.repeat(np.arange(len(unit)), counts[unit])
    begins = np.cumsum(counts[unit]) - counts[unit]
    second = starts[unit[first]] + (np.arange(len(first)) - begins[first])
    return first, second
