"""The weighted power mean of precision and recall: as a function, and as a metric of labels.

In: precisions and recalls, or true and predicted labels; the order p and the weight alpha. Out:
means; `PowerMean`, the metric people's answers point to. Absent: learning p and alpha (see
`learn`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.records.label_metric import LabelMetric
from howgood.records.probability import check_probability
from howgood.stats.arrays import FloatArray
from howgood.stats.power_mean import power_mean as _power_mean


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
                needed="a number, or plus or minus infinity",
                cure="Use -1 (harmonic), 0 (geometric) or 1 (arithmetic).",
            )
        if not 0.0 <= self.alpha <= 1.0:
            raise InputError(
                where="PowerMean",
                found=f"alpha = {self.alpha}",
                needed="a weight of precision between 0 and 1",
                cure="Use 0.5 to weigh precision and recall equally.",
            )

    def of(self, precision: ArrayLike, recall: ArrayLike) -> FloatArray:
        """Return the mean of given precisions and recalls; arrays broadcast."""
        return _power_mean(precision, recall, p=self.p, alpha=self.alpha)

    def of_counts(
        self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike | None = None
    ) -> FloatArray:
        """Return the mean of given confusion counts or shares; arrays broadcast.

        True negatives are accepted, so that every metric can be called alike, and not used.
        """
        hits, missed, false = (np.asarray(count, dtype=np.float64) for count in (tp, fn, fp))
        return self.of(_shares(hits, hits + false), _shares(hits, hits + missed))

    def to_dict(self) -> dict[str, float]:
        """Return plain values, ready for JSON."""
        return {"p": float(self.p), "alpha": float(self.alpha)}


def _shares(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole > 0)


def power_mean(
    precision: ArrayLike, recall: ArrayLike, *, p: ArrayLike, alpha: ArrayLike
) -> FloatArray:
    r"""Return the weighted power mean of precision and recall.

    .. math:: M_{p,\alpha}(P, R) = (\alpha P^p + (1-\alpha) R^p)^{1/p}

    p = −1 is the weighted harmonic mean (:math:`F_\beta` with :math:`\alpha = 1/(1+\beta^2)`),
    p = 0 the geometric mean :math:`P^\alpha R^{1-\alpha}` (G-measure), p = 1 the arithmetic mean,
    p = ∓∞ the smaller or larger of the two.

    Parameters
    ----------
    precision, recall : array
        Shares from 0 to 1.
    p : array
        The order of the mean: any real number, or plus or minus infinity.
    alpha : array
        The weight of precision, from 0 (only recall counts) to 1 (only precision counts).

    Returns
    -------
    array
        The means; all four arguments broadcast.

    Notes
    -----
    A zero makes the mean zero for p ≤ 0, unless its weight is zero.

    Stability: stable

    References
    ----------
    Kay, Patel, Kientz (2015), "How Good is 85%?", CHI.

    Examples
    --------
    >>> power_mean(0.5, [0.5, 1.0], p=0, alpha=0.5).round(4)
    array([0.5   , 0.7071])
    """
    for name, value in (("precision", precision), ("recall", recall), ("alpha", alpha)):
        check_probability(value, name=name, where="power_mean", ends=True)
    if np.any(np.isnan(np.asarray(p, dtype=np.float64))):
        raise InputError(
            where="power_mean, p",
            found="a value that is not a number",
            needed="a number, or plus or minus infinity",
            cure="Use -1 (harmonic), 0 (geometric) or 1 (arithmetic).",
        )
    return _power_mean(precision, recall, p=p, alpha=alpha)
