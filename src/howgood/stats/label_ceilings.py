"""The best score that a fixed answer per unit can reach against noisy labels.

In: labels as codes or numbers, and the unit of each. Out: for each metric a `UnitScores`, whose
`value` is the score for any weights of the units: once with answers made from all labels of a unit
(plug-in: too good, as an answer sees the label it is compared with), once from the others' (left
out: too bad, as it misses one). Every unit has two labels at least. Absent: names, and resampling.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from howgood.stats.arrays import FloatArray, IntArray

Weighed = Callable[[FloatArray], float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitScores:
    """Two ends of a ceiling as functions of the units' weights."""

    plug_in: Weighed
    left_out: Weighed


def _weighted_mean(values: FloatArray) -> Weighed:
    return lambda weights: float(weights @ values / weights.sum())


def _counts(label: IntArray, unit: IntArray) -> FloatArray:
    size = (int(unit.max()) + 1, int(label.max()) + 1)
    found: FloatArray = np.bincount(unit * size[1] + label, minlength=size[0] * size[1]).astype(
        np.float64
    )
    return found.reshape(size)


def accuracy_ceiling(label: IntArray, unit: IntArray) -> UnitScores:
    """Return how often the commonest answer of a unit is one person's; ties count evenly."""
    counts = _counts(label, unit)
    n = counts.sum(axis=1)
    agreed = np.zeros(len(counts))
    for one in range(counts.shape[1]):
        fewer = counts.copy()
        fewer[:, one] -= 1
        is_most = fewer == fewer.max(axis=1, keepdims=True)
        agreed += counts[:, one] * is_most[:, one] / is_most.sum(axis=1)
    return UnitScores(
        plug_in=_weighted_mean(counts.max(axis=1) / n), left_out=_weighted_mean(agreed / n)
    )


def relevance_ceiling(label: IntArray, unit: IntArray, alpha: float, beta: float) -> UnitScores:
    """Return the largest expected Relevance Score of one answer per unit."""
    counts = _counts(label, unit)
    n = counts.sum(axis=1)
    plug_in = (_expected_relevance(counts, alpha, beta) * (counts / n[:, None])[:, None, :]).sum(
        axis=2
    )
    total = np.zeros(len(counts))
    for one in range(counts.shape[1]):
        has = counts[:, one] > 0
        fewer = counts[has].copy()
        fewer[:, one] -= 1
        scores = _expected_relevance(fewer, alpha, beta)
        shares = fewer / np.maximum(fewer.sum(axis=1), 1)[:, None]
        best = np.argmax((scores * shares[:, None, :]).sum(axis=2), axis=1)
        total[has] += counts[has, one] * scores[np.arange(len(best)), best, one]
    return UnitScores(
        plug_in=_weighted_mean(plug_in.max(axis=1)), left_out=_weighted_mean(total / n)
    )


def _expected_relevance(counts: FloatArray, alpha: float, beta: float) -> FloatArray:
    """Return the score (units, answer, label) under the shares of labels."""
    shares = counts / np.maximum(counts.sum(axis=1), 1)[:, None]
    lost = alpha * (shares.max(axis=1, keepdims=True) - shares)[:, :, None]
    lost = lost + beta * np.abs(shares[:, :, None] - shares[:, None, :])
    scores: FloatArray = 100.0 * (1.0 - lost / (alpha + beta))
    at = np.arange(counts.shape[1])
    scores[:, at, at] = 100.0
    return scores


def ratio_ceiling(
    positive: FloatArray, unit: IntArray, combined: Callable[[FloatArray, FloatArray], FloatArray]
) -> UnitScores:
    """Return the largest score of precision and recall when units above a share are called so.

    `combined(precision, recall)` joins the two; `positive` is 1 or 0 for each label.
    """
    n = np.bincount(unit).astype(np.float64)
    yes = np.bincount(unit, weights=positive)
    share = yes / n
    others = (yes[unit] - positive) / (n[unit] - 1)

    def best(called_by: FloatArray, is_so: FloatArray, weight: FloatArray) -> float:
        order = np.argsort(-called_by, kind="stable")
        true = np.cumsum((weight * is_so)[order])
        called = np.cumsum(weight[order])
        ends = np.append(np.diff(called_by[order]) != 0, True)
        total = float(weight @ is_so)
        if total <= 0:
            return 0.0
        precision = true[ends] / np.maximum(called[ends], 1e-300)
        return float(np.max(combined(precision, true[ends] / total)))

    return UnitScores(
        plug_in=lambda weights: best(share, share, weights),
        left_out=lambda weights: best(others, positive, (weights / n)[unit]),
    )


def squared_floor(value: FloatArray, unit: IntArray) -> UnitScores:
    """Return the least RMSE: against one more label, by the mean of all or of the others."""
    n = np.bincount(unit).astype(np.float64)
    mean = np.bincount(unit, weights=value) / n
    within = np.bincount(unit, weights=(value - mean[unit]) ** 2)
    inside = within / n
    # Leaving a label out moves the mean: its distance grows by n / (n - 1).
    outside = inside * (n / (n - 1)) ** 2

    def root(values: FloatArray) -> Weighed:
        return lambda weights: float(np.sqrt(weights @ values / weights.sum()))

    return UnitScores(plug_in=root(inside), left_out=root(outside))


def correlation_ceiling(value: FloatArray, unit: IntArray) -> UnitScores:
    """Return the largest correlation with one label: the root of reliability (ICC)."""
    n = np.bincount(unit).astype(np.float64)
    mean = np.bincount(unit, weights=value) / n
    within = np.bincount(unit, weights=(value - mean[unit]) ** 2)

    def root(is_corrected: bool) -> Weighed:
        def weighed(weights: FloatArray) -> float:
            share = weights * n / float(weights @ n)
            centre = float(share @ mean)
            between = float(share @ (mean - centre) ** 2)
            rest = float(weights @ within) / float(weights @ n)
            if is_corrected:
                rest = float(weights @ within) / float(weights @ (n - 1))
                between -= rest * float(share @ (1 / n))
            total = max(between, 0.0) + rest
            return float(np.sqrt(max(between, 0.0) / total)) if total > 0 else 0.0

        return weighed

    return UnitScores(plug_in=root(False), left_out=root(True))
