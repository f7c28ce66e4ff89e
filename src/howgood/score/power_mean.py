"""Weighted power means of precision and recall.

In: precisions, recalls, the order p and the weight alpha. Out: means. Absent: counting errors in
labels (`PowerMean` does that) and learning p and alpha (see `learn`).
"""

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.stats.arrays import FloatArray
from howgood.stats.power_mean import power_mean as _power_mean


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
        _check_share(name, value)
    if np.any(np.isnan(np.asarray(p, dtype=np.float64))):
        raise InputError(
            where="power_mean, p",
            found="a value that is not a number",
            needed="the order p must be a number, or plus or minus infinity",
            cure="Use -1 (harmonic), 0 (geometric) or 1 (arithmetic).",
        )
    return _power_mean(precision, recall, p=p, alpha=alpha)


def _check_share(name: str, value: ArrayLike) -> None:
    values = np.asarray(value, dtype=np.float64)
    wrong = values[~((values >= 0.0) & (values <= 1.0))]
    if wrong.size:
        raise InputError(
            where=f"power_mean, {name}",
            found=f"{wrong.size} of {values.size} values outside 0 to 1 (first: {wrong[0]:g})",
            needed=f"{name} must lie between 0 and 1",
            cure="Divide percentages by 100." if wrong[0] > 1.0 else f"Check the {name}.",
        )
