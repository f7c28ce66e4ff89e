"""How far several people agree about the same units: Krippendorff's alpha, and how sure it is.

In: values, and codes of units and raters. Out: alpha for four levels of measurement, alpha within
raters who judged a unit twice; draws of alpha and shares of variance. Absent: names.

Units and raters are both samples. On every level, disagreement is a squared distance: of values, of
their mean ranks, of indicators of categories. So alpha is the share of units in the variance of a
value, summed over coordinates:

    alpha = V_units / (V_units + V_raters + V_rest),

and within raters it is one less the share of repeats. Each mean square is drawn over a chi-square.
That of units has as many degrees of freedom as the spread of units shows, that of raters one less
than raters: two raters hardly say how far a third would be from them, and the draws show it. Where
leaving out units or raters moves alpha more than that, the draws are stretched to it (jackknife).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import LARGEST_FREEDOM, half_width, satterthwaite

NOBODY: IntArray = np.zeros(0, dtype=np.int64)
LEVELS = ("nominal", "ordinal", "interval", "ratio")
# Ratio distances have no coordinates: those of so many values are found from all distances.
_MOST_VALUES, _MOST_COORDINATES = 200, 8
_MOST_BLOCKS, _SWAPS = 60, 4
_SAME = 1e-12


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """Variances of units, raters and the rest by moments; sizes of levels, degrees of freedom."""

    variances: tuple[float, float, float]
    unit_size: float
    rater_size: float
    freedoms: tuple[float, float, float]


def alpha_draws(
    pairs: ValuePairs, level: str, *, draws: int, generator: np.random.Generator
) -> FloatArray:
    """Return draws of alpha over all units and raters like these."""
    rows = np.arange(len(pairs.value)) if pairs.against_all else np.unique(pairs.first)
    coordinates = [axis[pairs.value[rows]] for axis in _coordinates(pairs, level, rows)]
    parts = _parts(coordinates, pairs.unit[rows], pairs.rater[rows])
    units, raters, rest = _drawn(parts, draws, generator)
    if pairs.against_all:
        within, freedom = _repeats(pairs, level, rows)
        repeats = within * freedom / generator.chisquare(freedom, draws)
        # What a rater thinks of a unit stays, however often the rater is asked.
        opinions = max(parts.variances[2] - within, 0.0) * rest / max(parts.variances[2], _SAME)
        drawn = 1.0 - repeats / _positive(np.maximum(units, 0.0) + raters + opinions + repeats)
    else:
        drawn = units / _positive(units + raters + rest)
    alphas: FloatArray = np.clip(_as_wide_as_seen(drawn, pairs, level, generator), -1.0, 1.0)
    return alphas


def _as_wide_as_seen(
    drawn: FloatArray, pairs: ValuePairs, level: str, generator: np.random.Generator
) -> FloatArray:
    """Return draws stretched where leaving out units and raters moves alpha more than they do.

    Steps, ranks and categories are no Gaussians: some units invite more disagreement than others,
    and what a rater's standard does to a value depends on the unit.
    """
    raters, freedom = _left_out(pairs, level, of=1)
    # Raters who do not differ move alpha too when left out: as far as if they swapped their values.
    by_chance = [
        _left_out(_with_swapped_raters(pairs, generator), level, of=1)[0] for _ in range(_SWAPS)
    ]
    seen = [
        _left_out(pairs, level, of=0),
        (max(raters - float(np.mean(by_chance)), 0.0), freedom),
    ]
    variance = sum(part for part, _ in seen)
    lower, middle, upper = np.quantile(drawn, [0.025, 0.5, 0.975])
    wanted = half_width(variance, satterthwaite(*seen), 0.95) if variance > 0 else 0.0
    stretch = max(2.0 * wanted / max(float(upper - lower), _SAME), 1.0) if upper > lower else 1.0
    wider: FloatArray = middle + stretch * (drawn - middle)
    return wider


def _with_swapped_raters(pairs: ValuePairs, generator: np.random.Generator) -> ValuePairs:
    """Return the same pairs, the raters of each unit in another order (rows are sorted by unit)."""
    order = np.lexsort((generator.random(len(pairs.unit)), pairs.unit))
    return replace(pairs, rater=pairs.rater[order])


def _left_out(pairs: ValuePairs, level: str, *, of: int) -> tuple[float, float]:
    """Return alpha's variance by leaving out blocks of units (0) or raters (1), and its freedom."""
    codes = np.unique((pairs.unit, pairs.rater)[of][pairs.first])
    blocks = np.array_split(codes, min(len(codes), _MOST_BLOCKS))
    alphas = np.array(
        [
            pairs.alpha(level, left_out=(block, NOBODY) if of == 0 else (NOBODY, block))
            for block in blocks
        ]
    )
    alphas = alphas[np.isfinite(alphas)]
    n = len(alphas)
    if n < 3:
        return 0.0, LARGEST_FREEDOM
    return float(np.sum((alphas - alphas.mean()) ** 2)) * (n - 1) / n, n - 1.0


def _positive(values: FloatArray) -> FloatArray:
    return np.maximum(values, np.finfo(float).tiny)


def _drawn(
    parts: _Parts, draws: int, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return variances of units (may be negative), raters and the rest from drawn mean squares."""
    units, raters, rest = parts.variances
    scales = [freedom / generator.chisquare(freedom, draws) for freedom in parts.freedoms]
    drawn = rest * scales[2]
    of_units = ((rest + parts.unit_size * units) * scales[0] - drawn) / parts.unit_size
    of_raters = ((rest + parts.rater_size * raters) * scales[1] - drawn) / parts.rater_size
    # No units can vary so little that values are closer than raters and repeats leave them.
    return np.maximum(of_units, -drawn / parts.unit_size), np.maximum(of_raters, 0.0), drawn


def _coordinates(pairs: ValuePairs, level: str, rows: IntArray) -> list[FloatArray]:
    """Return where each distinct value lies, so that squared distances are disagreement."""
    if level == "interval":
        return [pairs.values]
    counts = np.bincount(pairs.value[rows], minlength=len(pairs.values)).astype(np.float64)
    if level == "ordinal":
        ranks: FloatArray = np.cumsum(counts) - counts / 2
        return [ranks]
    if level == "nominal":
        places = np.arange(len(pairs.values))
        return [(places == category).astype(np.float64) for category in np.nonzero(counts)[0]]
    return _from_ratios(pairs.values)


def _from_ratios(values: FloatArray) -> list[FloatArray]:
    """Return coordinates whose distances come close to those of ratios (classical scaling)."""
    chosen = np.linspace(0, len(values) - 1, min(len(values), _MOST_VALUES)).round().astype(int)
    some = values[chosen]
    sums = some[:, None] + some
    apart = ((some[:, None] - some) / np.where(sums > 0, sums, 1.0)) ** 2
    centred = apart - apart.mean(axis=0) - apart.mean(axis=1)[:, None] + apart.mean()
    sizes, directions = np.linalg.eigh(-centred / 2)
    kept = [place for place in np.argsort(-sizes)[:_MOST_COORDINATES] if sizes[place] > _SAME]
    return [np.interp(values, some, directions[:, at] * np.sqrt(sizes[at])) for at in kept]


def _parts(columns: Sequence[FloatArray], unit: IntArray, rater: IntArray) -> _Parts:
    unit, rater = (np.unique(codes, return_inverse=True)[1].reshape(-1) for codes in (unit, rater))
    counts = [np.bincount(codes).astype(np.float64) for codes in (unit, rater)]
    n = float(len(unit))
    sizes = [
        max((n - float(count @ count) / n) / max(len(count) - 1.0, 1.0), 1.0) for count in counts
    ]
    squares = np.zeros(len(counts[0]))
    for column in columns:
        means = np.bincount(unit, weights=column) / counts[0]
        squares += (means - means.mean()) ** 2 * counts[0]
    share = counts[1] / n
    return _Parts(
        variances=two_way_variances(columns, unit, rater),
        unit_size=sizes[0],
        rater_size=sizes[1],
        freedoms=(
            _seen_freedom(squares),
            max(1.0 / float(share @ share) - 1.0, 1.0),
            max(n - len(counts[0]) - len(counts[1]) + 1.0, 1.0),
        ),
    )


def _seen_freedom(squares: FloatArray) -> float:
    """Return degrees of freedom of a mean of squares, from how unequal the squares are."""
    usual = max(len(squares) - 1.0, 1.0)
    mean, variance = float(squares.mean()), float(np.var(squares, ddof=min(1, len(squares) - 1)))
    if len(squares) < 3 or variance <= _SAME * mean**2:
        return usual
    return float(np.clip(2.0 * usual * mean**2 / variance, usual / 4, usual * 4))


def _repeats(pairs: ValuePairs, level: str, rows: IntArray) -> tuple[float, float]:
    """Return the variance of repeats within raters, and its degrees of freedom.

    Those are fewer where some raters repeat themselves less well than others.
    """
    apart = np.zeros(len(pairs.first))
    for axis in _coordinates(pairs, level, rows):
        apart += (axis[pairs.value[pairs.first]] - axis[pairs.value[pairs.second]]) ** 2 / 2
    within = float(pairs.weight @ apart) / float(pairs.weight.sum())
    cells = np.unique(pairs.unit[pairs.first] * pairs.n_raters + pairs.rater[pairs.first])
    usual = max(len(np.unique(pairs.first)) - len(cells), 1)
    who = np.unique(pairs.rater[pairs.first], return_inverse=True)[1].reshape(-1)
    by_rater = np.bincount(who, weights=pairs.weight * apart) / np.bincount(who, pairs.weight)
    if len(by_rater) < 3 or within <= 0:
        return within, float(usual)
    variance = float(np.var(by_rater, ddof=1)) / len(by_rater)
    seen = 2.0 * within**2 / variance if variance > 0 else float(usual)
    return within, float(np.clip(seen, len(by_rater) - 1.0, usual))


def two_way_variances(
    columns: Sequence[FloatArray], unit: IntArray, rater: IntArray
) -> tuple[float, float, float]:
    """Return the variances of units, of raters and of the rest, summed over columns.

    By moments (Henderson's first method), so that the first two may be negative.

    Examples
    --------
    >>> value, unit = np.array([1.0, 1, 3, 3]), np.array([0, 0, 1, 1])
    >>> found = two_way_variances([value], unit, np.array([0, 1, 0, 1]))
    >>> [round(part, 9) for part in found]
    [2.0, 0.0, 0.0]
    """
    n = float(len(unit))
    cells = np.unique(unit * (int(rater.max()) + 1) + rater, return_inverse=True)[1].reshape(-1)
    in_cell = np.bincount(cells)[cells]
    codes = (unit, rater)
    counts = [np.bincount(code) for code in codes]
    squares = np.zeros(3)
    for column in columns:
        around = column - column.mean()
        for place, code in enumerate(codes):
            sums = np.bincount(code, weights=around)
            squares[place] += float(np.sum(sums**2 / np.maximum(counts[place], 1)))
        squares[2] += float(around @ around)
    own = [float(np.sum(count.astype(float) ** 2)) / n for count in counts]
    mixed = [
        float(np.sum(in_cell / count[code])) for count, code in zip(counts, codes, strict=True)
    ]
    left = np.array(
        [
            [n - own[0], mixed[0] - own[1], len(counts[0]) - 1],
            [mixed[1] - own[0], n - own[1], len(counts[1]) - 1],
            [n - own[0], n - own[1], n - 1],
        ]
    )
    variances = np.linalg.lstsq(left, squares, rcond=None)[0]
    variances = np.where(
        np.abs(variances) < _SAME * max(float(np.abs(variances).max()), 1.0), 0.0, variances
    )
    return float(variances[0]), float(variances[1]), float(max(variances[2], 0.0))
