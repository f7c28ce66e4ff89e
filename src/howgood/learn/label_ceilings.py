"""Ceilings of metrics against noisy labels: from columns to `NoiseCeiling`.

In: labels and the item of each, as arrays. Out: `NoiseCeiling`. Absent: reading tables (see
`score.noise_ceiling` and `learn.rater_agreement`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.records.ceiling import NoiseCeiling
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.table import as_numbers
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.label_ceilings import (
    UnitScores,
    Weighed,
    accuracy_ceiling,
    correlation_ceiling,
    ratio_ceiling,
    relevance_ceiling,
    squared_floor,
)

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
    drawn = np.array([score(each) for each in weights])
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
    found = np.unique(labels)
    if positive is None:
        positive = 1 if 1 in found.tolist() else found[-1]
    if positive not in found.tolist():
        raise InputError(
            where="positive",
            found=repr(positive),
            needed=f"one of the labels: {', '.join(map(str, found[:10].tolist()))}",
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
    ends = [Estimate.from_draws(each, kind="quantile") for each in drawn]
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
    found = np.ones(n, dtype=bool)
    found[rows] = False
    return found


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
