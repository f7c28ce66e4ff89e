"""The best score that a fixed answer per unit can reach against noisy labels: `NoiseCeiling`.

In: labels and the item of each, as arrays. Out: `NoiseCeiling`, made of a `UnitScores` per metric,
whose `value` is the score for any weights of the units: once with answers made from all labels of a
unit (plug-in: too good, as an answer sees the label it is compared with), once from the others'
(left out: too bad, as it misses one). Absent: reading tables (see `score.noise_ceiling` and
`learn.rater_agreement`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.records.ceiling import NoiseCeiling
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.table import as_numbers
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
    counts: FloatArray = np.bincount(unit * size[1] + label, minlength=size[0] * size[1]).astype(
        np.float64
    )
    return counts.reshape(size)


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


_DRAWS = 500
_WHERE = "labels"

# Names of one metric, as people write it.
ALIASES = {
    "f1": "f", "f_beta": "f", "win rate": "win_rate", "relevance_score": "relevance",
    "pearson": "correlation", "relevance score": "relevance", "geometric": "g",
}  # fmt: skip


def _f(precision: FloatArray, recall: FloatArray) -> FloatArray:
    total = precision + recall
    return np.asarray(2 * precision * recall / np.where(total > 0, total, 1.0))


def _g(precision: FloatArray, recall: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(precision * recall))


def known_ceiling(
    metric: str,
    labels: NDArray[Any],
    item: NDArray[Any],
    *,
    positive: object = None,
    weights: tuple[float, float] = (2.0, 1.0),
    generator: np.random.Generator,
) -> NoiseCeiling:
    """Return the ceiling of a metric known by its name."""
    name = ALIASES.get(metric.lower(), metric.lower())
    unit, kept, n_single = _of_several(item)
    labels = labels[kept]
    if name in ("rmse", "correlation"):
        values = as_numbers(labels, where=_WHERE)
        scores = (squared_floor if name == "rmse" else correlation_ceiling)(values, unit)
    elif name in ("f", "g"):
        scores = ratio_ceiling(_is_positive(labels, positive), unit, _f if name == "f" else _g)
    elif name in ("accuracy", "win_rate", "relevance"):
        codes = np.unique(labels, return_inverse=True)[1]
        scores = (
            relevance_ceiling(codes, unit, *weights)
            if name == "relevance"
            else accuracy_ceiling(codes, unit)
        )
    else:
        raise InputError(
            where="metric",
            found=repr(metric),
            needed="one of accuracy, f, g, rmse, relevance, win_rate, correlation, or a function "
            "metric(y_true, y_pred)",
            cure="Choose one of these.",
        )
    return ceiling_of(name, scores, unit, n_single=n_single, generator=generator)


def ceiling_of(
    metric: str,
    scores: UnitScores,
    unit: IntArray,
    *,
    n_single: int,
    generator: np.random.Generator,
) -> NoiseCeiling:
    """Weigh the items anew to see how well both ends are known."""
    n_items = int(unit.max()) + 1
    weights = generator.dirichlet(np.ones(n_items), size=_DRAWS)
    # Few items: as wide as their own spread leaves it.
    stretch = np.sqrt((n_items + 1) / max(n_items - 1, 1))
    return NoiseCeiling(
        metric=metric,
        greater_is_better=metric != "rmse",
        plug_in=_estimate(scores.plug_in, weights, stretch),
        left_out=_estimate(scores.left_out, weights, stretch),
        n_items=n_items,
        n_labels=len(unit),
        provenance=_provenance(metric, "items as a sample", len(unit), n_single),
    )


def _estimate(score: Weighed, weights: FloatArray, stretch: float) -> Estimate:
    at = score(np.ones(weights.shape[1]))
    drawn = np.array([score(weight) for weight in weights])
    drawn = at + stretch * (drawn - drawn.mean())
    return replace(Estimate.from_draws(drawn, kind="quantile"), mean=at)


def _of_several(item: NDArray[Any]) -> tuple[IntArray, NDArray[np.bool_], int]:
    """Return the units with two labels or more, the rows of these, and how many rows are not."""
    codes = np.unique(item, return_inverse=True)[1]
    kept = np.bincount(codes)[codes] > 1
    if not kept.any():
        raise InputError(
            where=_WHERE,
            found="one label per item",
            needed="items that several people labelled, or one person twice",
            cure="Have some items labelled again: without that, noise cannot be seen.",
        )
    return np.unique(codes[kept], return_inverse=True)[1], kept, int((~kept).sum())


def _is_positive(labels: NDArray[Any], positive: object) -> FloatArray:
    levels = np.unique(labels)
    if positive is None:
        positive = 1 if 1 in levels.tolist() else levels[-1]
    if positive not in levels.tolist():
        raise InputError(
            where="positive",
            found=repr(positive),
            needed=f"one of the labels: {', '.join(map(str, levels[:10].tolist()))}",
            cure="Name the label that counts as positive.",
        )
    is_so: FloatArray = (labels == positive).astype(np.float64)
    return is_so


def function_ceiling(
    metric: Callable[[NDArray[Any], NDArray[Any]], float],
    labels: NDArray[Any],
    item: NDArray[Any],
    *,
    greater_is_better: bool,
    generator: np.random.Generator,
) -> NoiseCeiling:
    """Return the ceiling of any metric: each item's commonest label, or mean of numbers.

    One label of each item is the truth, drawn anew; the answer is made from all of its labels, or
    from the others.
    """
    unit, kept, n_single = _of_several(item)
    labels = labels[kept]
    is_number = labels.dtype.kind == "f"
    codes = labels if is_number else np.unique(labels, return_inverse=True)[1]
    order = np.argsort(unit, kind="stable")
    counts = np.bincount(unit)
    starts = np.cumsum(counts) - counts
    drawn = np.empty((2, _DRAWS))
    for draw in range(_DRAWS):
        truth = order[starts + (generator.random(len(counts)) * counts).astype(np.int64)]
        for end, others in enumerate((np.ones(len(unit), dtype=bool), _all_but(truth, len(unit)))):
            answer = _answers(codes[others], unit[others], is_number=is_number)
            predicted = answer if is_number else np.unique(labels)[answer]
            drawn[end, draw] = metric(labels[truth], predicted)
    ends = [Estimate.from_draws(one_draw, kind="quantile") for one_draw in drawn]
    name = getattr(metric, "__name__", type(metric).__name__)
    return NoiseCeiling(
        metric=name,
        greater_is_better=greater_is_better,
        plug_in=ends[0],
        left_out=ends[1],
        n_items=len(counts),
        n_labels=len(unit),
        provenance=_provenance(name, "these items' labels drawn anew", len(unit), n_single),
    )


def _all_but(rows: IntArray, n: int) -> NDArray[np.bool_]:
    kept = np.ones(n, dtype=bool)
    kept[rows] = False
    return kept


def _answers(codes: NDArray[Any], unit: IntArray, *, is_number: bool) -> NDArray[Any]:
    if is_number:
        return np.asarray(np.bincount(unit, weights=codes) / np.bincount(unit))
    size = int(codes.max()) + 1
    counts = np.bincount(unit * size + codes, minlength=(int(unit.max()) + 1) * size)
    return np.asarray(np.argmax(counts.reshape(-1, size), axis=1))


def _provenance(metric: str, method: str, n_labels: int, n_single: int) -> Provenance:
    return Provenance(
        method=f"the best answer per item against one person's label; {method}",
        settings={"metric": metric, "draws": _DRAWS},
        rows_used=n_labels,
        rows_dropped={"item with one label": n_single} if n_single else {},
    )
