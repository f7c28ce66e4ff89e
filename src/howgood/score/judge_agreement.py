"""Does a judge agree with people as well as people do, and what sways it?

In: `JudgeRows`. Out: `JudgeAgreement`, and a table of what the judge's error goes along with.
Absent: correcting the judge (see `score.judging`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.records.estimate import Estimate, Interval
from howgood.records.judged import JudgeAgreement
from howgood.records.table import Table
from howgood.score.judge_rows import JudgeRows
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import clustered_variance, half_width

_MOST_LEVELS = 12
_SAME = 1e-12
# Of an output with very many labels, so many neighbours of each are paired with it.
_MOST_NEIGHBOURS = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pairs:
    """Two verdicts on the same output, each with the raters it rests on, and the pair's weight."""

    first: FloatArray
    second: FloatArray
    item: IntArray
    raters: tuple[IntArray, ...]
    weight: FloatArray


def agreement(rows: JudgeRows, *, judge_cut: float, probability: float) -> JudgeAgreement:
    """Compare the judge with people, people with each other, and people with themselves."""
    is_exact = rows.is_one_scale and rows.step > 0
    judged = _verdicts(rows, judge_cut) if is_exact else rows.score
    item = rows.cluster[rows.output]
    who = () if rows.rater is None else (rows.rater,)
    n_labels = np.bincount(rows.output, minlength=len(rows.score))[rows.output]
    with_judge = _Pairs(
        first=judged[rows.output],
        second=rows.value,
        item=item,
        raters=who,
        weight=_shares(1.0 / n_labels),
    )
    each_other = None if rows.rater is None else _label_pairs(rows, same=False)
    themselves = None if rows.rater is None else _label_pairs(rows, same=True)
    known = [_measured(pairs, is_exact) for pairs in (with_judge, each_other, themselves)]
    colleague = None
    if known[0] is not None and known[1] is not None and each_other is not None:
        colleague = _gap((with_judge, *known[0]), (each_other, *known[1]), probability)
    return JudgeAgreement(
        measure="exact agreement" if is_exact else "correlation",
        judge_people=_estimate(with_judge, known[0], probability) or _unknown(probability),
        people_people=_estimate(each_other, known[1], probability),
        people_themselves=_estimate(themselves, known[2], probability),
        colleague=colleague,
    )


def _verdicts(rows: JudgeRows, judge_cut: float) -> FloatArray:
    """Return the judge's scores as labels: above the cut, or the nearest level."""
    if rows.is_binary:
        return (rows.score >= judge_cut).astype(np.float64)
    levels = np.unique(rows.value)
    nearest = np.abs(rows.score[:, None] - levels[None, :]).argmin(axis=1)
    found: FloatArray = levels[nearest]
    return found


def _label_pairs(rows: JudgeRows, *, same: bool) -> _Pairs | None:
    """Return all pairs of labels of one output by different raters, or by the same one."""
    if rows.rater is None:
        return None
    order = np.lexsort((rows.rater, rows.output))
    output, rater, value = rows.output[order], rows.rater[order], rows.value[order]
    firsts, seconds = [], []
    for away in range(1, min(_MOST_NEIGHBOURS, int(np.bincount(output).max()))):
        is_pair = output[away:] == output[:-away]
        is_pair &= (rater[away:] == rater[:-away]) == same
        place = np.nonzero(is_pair)[0]
        firsts.append(place)
        seconds.append(place + away)
    first = np.concatenate([*firsts, np.zeros(0, dtype=np.int64)]).astype(np.int64)
    second = np.concatenate([*seconds, np.zeros(0, dtype=np.int64)]).astype(np.int64)
    if len(first) < 2:
        return None
    per_output = np.bincount(output[first], minlength=len(rows.score))
    raters = (rater[first],) if same else (rater[first], rater[second])
    return _Pairs(
        first=value[first],
        second=value[second],
        item=rows.cluster[output[first]],
        raters=raters,
        weight=_shares(1.0 / per_output[output[first]]),
    )


def _shares(weight: FloatArray) -> FloatArray:
    shares: FloatArray = weight / weight.sum()
    return shares


def _measured(pairs: _Pairs | None, is_exact: bool) -> tuple[float, FloatArray] | None:
    """Return agreement and how far each pair moved it."""
    if pairs is None:
        return None
    if is_exact:
        equal = (pairs.first == pairs.second).astype(np.float64)
        share = float(pairs.weight @ equal)
        # One more pair that says the opposite would not surprise.
        return share, pairs.weight * (equal - share)
    one, two = (_standard(each, pairs.weight) for each in (pairs.first, pairs.second))
    if one is None or two is None:
        return None
    correlation = float(pairs.weight @ (one * two))
    return correlation, pairs.weight * (one * two - correlation * (one**2 + two**2) / 2.0)


def _standard(values: FloatArray, weight: FloatArray) -> FloatArray | None:
    middle = float(weight @ values)
    spread = float(weight @ (values - middle) ** 2)
    return (values - middle) / np.sqrt(spread) if spread > 0 else None


def _estimate(
    pairs: _Pairs | None, known: tuple[float, FloatArray] | None, probability: float
) -> Estimate | None:
    if pairs is None or known is None:
        return None
    value, moved = known
    variance, freedom = clustered_variance(moved, pairs.weight, pairs.item, pairs.raters)
    n_units = len(np.unique(pairs.item))
    variance += 1.0 / (n_units + 1.0) ** 2  # a step, as in `rectified_means`
    return _student(value, variance, freedom, probability, (-1.0, 1.0))


def _gap(
    one: tuple[_Pairs, float, FloatArray], other: tuple[_Pairs, float, FloatArray], level: float
) -> Estimate:
    """Return the difference of two agreements that share items and raters."""
    pairs, value, moved = one
    others, their_value, their_moved = other
    nobody = np.full(len(pairs.item), -1)
    raters = [
        np.concatenate([mine, theirs])
        for mine, theirs in zip((pairs.raters[0], nobody), others.raters, strict=True)
    ]
    together = np.concatenate([moved, -their_moved])
    weight = np.concatenate([pairs.weight, others.weight]) / 2.0
    item = np.concatenate([pairs.item, others.item])
    variance, freedom = clustered_variance(together, weight, item, raters)
    return _student(value - their_value, variance, freedom, level, (-2.0, 2.0))


def _student(
    value: float,
    variance: float,
    freedom: float,
    probability: float,
    ends: tuple[float, float],
) -> Estimate:
    half = half_width(variance, freedom, probability)
    lower, upper = max(value - half, ends[0]), min(value + half, ends[1])
    return Estimate(
        mean=value,
        sd=float(np.sqrt(variance)),
        interval=Interval(lower=lower, upper=upper, probability=probability, kind="quantile"),
        draws=np.zeros(0),
    )


def _unknown(probability: float) -> Estimate:
    """Return the correlation of a judge that says the same of everything."""
    interval = Interval(lower=-1.0, upper=1.0, probability=probability, kind="quantile")
    return Estimate(mean=0.0, sd=1.0, interval=interval, draws=np.zeros(0))


def bias_table(rows: JudgeRows, *, probability: float) -> Table | None:
    """Return what the judge's error goes along with: per sd of a number, per level of a text.

    The error is what the judge says less what people say of the same output; a judge on another
    scale is first put on that of the labels by a straight line. Raters' own means are taken off.
    """
    if not rows.bias:
        return None
    error = _error(rows)
    found: list[tuple[str, str, int, float, float, float]] = []
    for name, column in rows.bias.items():
        for what, covariate in _covariates(column):
            slope, half = _slope(rows, error, covariate, probability)
            n = int(np.sum(covariate != 0)) if what != "per sd" else len(covariate)
            found.append((name, what, n, slope, slope - half, slope + half))
    names = ("column", "what", "labels", "judge less people", "lower", "upper")
    return Table({name: [row[place] for row in found] for place, name in enumerate(names)})


def _error(rows: JudgeRows) -> FloatArray:
    judged = rows.score[rows.output]
    if not rows.is_one_scale:
        spread = float(np.var(judged))
        slope = float(np.cov(judged, rows.value, bias=True)[0, 1]) / spread if spread > 0 else 0.0
        judged = rows.value.mean() + slope * (judged - judged.mean())
    return _around_raters(rows, judged - rows.value)


def _around_raters(rows: JudgeRows, values: FloatArray) -> FloatArray:
    """Take off each rater's mean; the common one of raters with a single label."""
    middle = np.full(len(values), values.mean())
    if rows.rater is not None:
        n = np.bincount(rows.rater)
        by_rater = np.bincount(rows.rater, weights=values) / n
        middle = np.where(n > 1, by_rater, values.mean())[rows.rater]
    around: FloatArray = np.asarray(values - middle, dtype=np.float64)
    return around


def _covariates(column: NDArray[Any]) -> Sequence[tuple[str, FloatArray]]:
    """Return a number in units of its sd, or one indicator less the others' for each level."""
    if column.dtype.kind in "iuf":
        values = column.astype(np.float64)
        spread = float(values.std())
        return [("per sd", (values - values.mean()) / spread)] if spread > 0 else []
    names = np.array([str(each) for each in column.tolist()])
    levels, counts = np.unique(names, return_counts=True)
    kept = levels[np.argsort(-counts, kind="stable")][:_MOST_LEVELS]
    return [(str(level), (names == level).astype(np.float64)) for level in kept]


def _slope(
    rows: JudgeRows, error: FloatArray, covariate: FloatArray, probability: float
) -> tuple[float, float]:
    """Return the slope of the error, and half the width of its interval."""
    x = _around_raters(rows, covariate)
    squares = float(x @ x)
    if squares <= _SAME * float(covariate @ covariate):
        return float("nan"), float("nan")  # it goes along with raters: nobody can tell which
    slope = float(x @ error) / squares
    moved = x * (error - error.mean() - slope * x) / squares
    weight = np.full(len(x), 1.0 / len(x))
    who = () if rows.rater is None else (rows.rater,)
    variance, freedom = clustered_variance(moved, weight, rows.cluster[rows.output], who)
    return slope, half_width(variance, freedom, probability)
