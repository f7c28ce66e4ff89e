"""A metric people's answers point to: the weighted power mean of precision and recall.

In: the order p and the weight alpha of precision. Out: `PowerMean`, a function of labels as
scikit-learn wants it. Absent: learning p and alpha (see `learn`), choosing a threshold
(see `decide`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.records.label_metric import LabelMetric
from howgood.stats.arrays import FloatArray
from howgood.stats.power_mean import power_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerMean(LabelMetric):
    r"""The weighted power mean of precision P and recall R, greater is better.

    .. math:: M_{p,\alpha}(P, R) = (\alpha P^p + (1-\alpha) R^p)^{1/p}

    `alpha` is the weight of precision: 0 means only recall counts, 1 only precision. With
    p = −1 and :math:`\alpha = 1/(1+\beta^2)` this is :math:`F_\beta`; p = 0 is the weighted
    geometric mean (G-measure). Precision without any predicted positive counts as 0, and so
    does recall without any real positive.

    Stability: stable

    References
    ----------
    Kay, Patel, Kientz (2015), "How Good is 85%?", CHI.

    Examples
    --------
    >>> metric = PowerMean(p=-1, alpha=0.5)
    >>> round(metric([1, 1, 0, 0], [1, 0, 0, 0]), 4)  # precision 1, recall 1/2: F1
    0.6667
    """

    p: float = 0.0
    alpha: float = 0.5

    def __post_init__(self) -> None:
        if np.isnan(self.p):
            raise InputError(
                where="PowerMean",
                found=f"p = {self.p}",
                needed="p must be a number, or plus or minus infinity",
                cure="Use -1 (harmonic), 0 (geometric) or 1 (arithmetic).",
            )
        if not 0.0 <= self.alpha <= 1.0:
            raise InputError(
                where="PowerMean",
                found=f"alpha = {self.alpha}",
                needed="alpha, the weight of precision, must lie between 0 and 1",
                cure="Use 0.5 to weigh precision and recall equally.",
            )

    def of(self, precision: ArrayLike, recall: ArrayLike) -> FloatArray:
        """Return the mean of given precisions and recalls; arrays broadcast."""
        return power_mean(precision, recall, p=self.p, alpha=self.alpha)

    def of_counts(
        self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike | None = None
    ) -> FloatArray:
        """Return the mean of given confusion counts or shares; arrays broadcast.

        True negatives are accepted, so that every metric can be called alike, and not used.
        """
        hits, missed, false = (np.asarray(each, dtype=np.float64) for each in (tp, fn, fp))
        return self.of(_shares(hits, hits + false), _shares(hits, hits + missed))

    def to_dict(self) -> dict[str, float]:
        """Return plain values, ready for JSON."""
        return {"p": float(self.p), "alpha": float(self.alpha)}


def _shares(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole > 0)
