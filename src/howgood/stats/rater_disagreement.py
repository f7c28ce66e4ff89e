"""How far several people agree about the same units: Krippendorff's alpha, and shares of variance.

In: values, and codes of units and raters. Out: alpha for four levels of measurement, alpha within
raters who judged a unit twice, draws over units and raters, variance components. Absent: names.
"""

from dataclasses import dataclass

import numpy as np

from howgood.stats.arrays import FloatArray, IntArray

LEVELS = ("nominal", "ordinal", "interval", "ratio")
# So many pairs of values are weighed anew in all; of many pairs fewer times, down to the least.
_BUDGET, _LEAST_DRAWS = 2e7, 200


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

    def alpha(
        self,
        level: str,
        unit_weight: FloatArray | None = None,
        rater_weight: FloatArray | None = None,
    ) -> float:
        """Return one minus observed over expected disagreement; NaN where all values are alike."""
        units = np.ones(self.n_units) if unit_weight is None else unit_weight
        raters = np.ones(self.n_raters) if rater_weight is None else rater_weight
        first, second = self.first, self.second
        weight = self.weight * units[self.unit[first]]
        weight = weight * raters[self.rater[first]] * raters[self.rater[second]]
        # A value counts as often as it is paired, as in the table of coincidences.
        rows = _summed(first, weight, len(self.value))
        n_values = float(len(np.unique(first)))
        if self.against_all:
            rows = self.share * units[self.unit] * raters[self.rater]
            n_values = float(len(rows))
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


def alpha_draws(
    pairs: ValuePairs, level: str, *, draws: int, generator: np.random.Generator
) -> FloatArray:
    """Return alpha over units and raters like these: both are weighed anew (Bayesian bootstrap)."""
    n_draws = int(np.clip(_BUDGET / max(len(pairs.first), 1), _LEAST_DRAWS, draws))
    found = np.empty(n_draws)
    for draw in range(n_draws):
        units, raters = (
            generator.dirichlet(np.ones(size)) * size for size in (pairs.n_units, pairs.n_raters)
        )
        found[draw] = pairs.alpha(level, units, raters)
    return found[np.isfinite(found)]


def two_way_shares(
    value: FloatArray, unit: IntArray, rater: IntArray
) -> tuple[float, float, float]:
    """Return the variances of units, of raters and of the rest (Henderson's first method).

    Examples
    --------
    >>> value, unit = np.array([1.0, 1, 3, 3]), np.array([0, 0, 1, 1])
    >>> [round(part, 9) for part in two_way_shares(value, unit, np.array([0, 1, 0, 1]))]
    [2.0, 0.0, 0.0]
    """
    n = float(len(value))
    value = value - value.mean()
    cells = np.unique(unit * (int(rater.max()) + 1) + rater, return_inverse=True)[1]
    in_cell = np.bincount(cells)[cells]
    counts = [np.bincount(code) for code in (unit, rater)]
    sums = [np.bincount(code, weights=value) for code in (unit, rater)]
    squares = [float(np.sum(total**2 / count)) for total, count in zip(sums, counts, strict=True)]
    own = [float(np.sum(count.astype(float) ** 2)) / n for count in counts]
    mixed = [
        float(np.sum(in_cell / count[code]))
        for count, code in zip(counts, (unit, rater), strict=True)
    ]
    left = np.array(
        [
            [n - own[0], mixed[0] - own[1], len(counts[0]) - 1],
            [mixed[1] - own[0], n - own[1], len(counts[1]) - 1],
            [n - own[0], n - own[1], n - 1],
        ]
    )
    right = np.array([squares[0], squares[1], float(value @ value)])
    found = np.linalg.lstsq(left, right, rcond=None)[0]
    found = np.where(np.abs(found) < 1e-12, 0.0, found)
    return float(max(found[0], 0.0)), float(max(found[1], 0.0)), float(max(found[2], 0.0))
