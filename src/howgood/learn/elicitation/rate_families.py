"""Families of two rates: ratios of linear metrics, and metrics curved in recall and specificity.

In: the systems a respondent may be shown. Out: families over random nodes, the same for everybody.
Absent: the published search for ratios (`fractional`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from howgood.learn.elicitation.families import Family
from howgood.learn.elicitation.grids import ABSOLUTE, even_prior, sensitivity_prior
from howgood.records.elicited_metric import (
    ElicitedMetric,
    FractionalMetric,
    QuadraticRatesMetric,
)
from howgood.stats.arrays import FloatArray

_NODES, _TRIED = 240, 20_000
_LEAST_BOTTOM = 0.05  # of a ratio, wherever a system may lie


class _RandomNodes(Family):
    """Nodes are rows of parameters drawn once; the most probable one stands for all."""

    def typical(self, weights: FloatArray) -> ElicitedMetric:
        """Return the most probable node: between two there may be none that is allowed."""
        return self.metric(self.nodes[int(np.argmax(weights))])

    @classmethod
    def amounts(cls, metric: ElicitedMetric, total: float) -> Mapping[str, float]:
        """Return nothing: the coefficients mean little one by one."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fractional(_RandomNodes):
    """A ratio of linear metrics that is 1 for a perfect system; nodes are rows p11, q11, q00."""

    name = "fractional"
    label = "a ratio of linear metrics"
    weight = 0.1
    metric_class = FractionalMetric
    sentence = (
        "The choices fit a ratio of linear metrics, as F-measures and Jaccard are; no fixed "
        "exchange rate of {misses} and {alarms}."
    )

    share: float = 0.5  # of positives among all cases

    @classmethod
    def over(cls, systems: FloatArray, *, direct_ratio: float | None) -> Self:
        """Return 240 ratios that rise in both counts and have no pole among systems."""
        share = float(systems[0, :2].sum() / systems[0].sum())
        rng = np.random.default_rng(0)
        p11 = rng.random(_TRIED)
        q11, q00 = p11 - 2 * rng.random(_TRIED), 1 - p11 - 2 * rng.random(_TRIED)
        q0 = (p11 - q11) * share + (1 - p11 - q00) * (1 - share)
        bottom = q0 + np.minimum(q11, 0) * share + np.minimum(q00, 0) * (1 - share)
        nodes = np.column_stack([p11, q11, q00])[bottom > _LEAST_BOTTOM][:_NODES]
        return cls(
            nodes=nodes,
            prior=even_prior(len(nodes)),
            noise_prior=sensitivity_prior(ABSOLUTE),
            share=share,
        )

    def utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the ratio."""
        shares = counts / counts.sum(axis=1, keepdims=True)
        hits, cleared = shares[:, [0]], shares[:, [3]]
        p11, q11, q00 = nodes.T
        top = p11 * hits + (1 - p11) * cleared
        return np.asarray(top / (q11 * hits + q00 * cleared + self._constant(nodes)))

    def metric(self, node: FloatArray) -> FractionalMetric:
        """Return the ratio with these coefficients."""
        p11, q11, q00 = (float(coordinate) for coordinate in node)
        constant = float(self._constant(np.atleast_2d(node))[0])
        return FractionalMetric(p11=p11, p00=1 - p11, q11=q11, q00=q00, q0=constant)

    def _constant(self, nodes: FloatArray) -> FloatArray:
        p11, q11, q00 = nodes.T
        return np.asarray((p11 - q11) * self.share + (1 - p11 - q00) * (1 - self.share))


class QuadraticRates(_RandomNodes):
    r"""Curved in recall and specificity; nodes are rows a1, b11, b12, b22.

    :math:`a_1 R + (1-a_1) S + (b_{11} R^2 + 2 b_{12} R S + b_{22} S^2)/2`, rising in both, with
    curvature that is more probable the smaller it is.
    """

    name = "quadratic_rates"
    label = "curved in recall and specificity"
    weight = 0.1
    metric_class = QuadraticRatesMetric
    sentence = (
        "The choices fit a metric curved in the share found and the share cleared: how much one "
        "more of either is worth depends on how many there are already."
    )

    @classmethod
    def over(cls, systems: FloatArray, *, direct_ratio: float | None) -> Self:
        """Return 240 metrics that rise in recall and specificity everywhere."""
        rng = np.random.default_rng(0)
        nodes = np.column_stack([rng.random(_TRIED), rng.normal(0, 0.5, (_TRIED, 3))])
        a1, b11, b12, b22 = nodes.T
        rising = [
            (a1 + b11 * recall + b12 * cleared >= 0) & (1 - a1 + b12 * recall + b22 * cleared >= 0)
            for recall in (0, 1)
            for cleared in (0, 1)
        ]
        nodes = nodes[np.all(rising, axis=0)][:_NODES]
        return cls(
            nodes=nodes, prior=even_prior(len(nodes)), noise_prior=sensitivity_prior(ABSOLUTE)
        )

    def utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the metric."""
        hits, missed, alarms, cleared = counts.T[:, :, None]
        a1, b11, b12, b22 = nodes.T
        recall, clear = hits / (hits + missed), cleared / (cleared + alarms)
        bent = b11 * recall**2 + 2 * b12 * recall * clear + b22 * clear**2
        return np.asarray(a1 * recall + (1 - a1) * clear + bent / 2)

    def metric(self, node: FloatArray) -> QuadraticRatesMetric:
        """Return the metric with these coefficients."""
        a1, b11, b12, b22 = (float(coordinate) for coordinate in node)
        return QuadraticRatesMetric(a1=a1, b11=b11, b12=b12, b22=b22)
