r"""Weighted power means of two numbers, for every real order and both infinities.

In: arrays that broadcast. Out: an array. Absent: what the two numbers stand for.

Every step works on the logarithm of the ratio of the two numbers, with the larger of
:math:`a^p, b^p` taken out, so that p → 0 is smooth and nothing overflows.
"""

import numpy as np
from numpy.typing import ArrayLike

from howgood.stats.arrays import FloatArray

# Below this the second-order term of the series is already smaller than rounding.
_NEARLY_ZERO = 1e-12


def power_mean(
    first: ArrayLike, second: ArrayLike, *, p: ArrayLike, alpha: ArrayLike
) -> FloatArray:
    r"""Return the power mean of order `p` with weight `alpha` on `first`.

    .. math:: M_{p,\alpha}(a, b) = (\alpha a^p + (1-\alpha) b^p)^{1/p}

    with the limits :math:`a^\alpha b^{1-\alpha}` at p = 0, the smaller at −∞ and the larger at +∞.
    A zero makes the mean zero for p ≤ 0 unless its weight is zero.

    Parameters
    ----------
    first, second : array
        Numbers of at least 0.
    p : array
        The order: −1 harmonic, 0 geometric, 1 arithmetic.
    alpha : array
        The weight of `first`, from 0 to 1.

    Examples
    --------
    >>> power_mean(0.5, 1.0, p=[-1, 0, 1], alpha=0.5).round(4)
    array([0.6667, 0.7071, 0.75  ])
    """
    a, b, order, weight = np.broadcast_arrays(
        *(np.asarray(value, dtype=np.float64) for value in (first, second, p, alpha))
    )
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = _finite_order(a, b, np.where(np.isfinite(order), order, 1.0), weight)
    mean = np.where(order == np.inf, np.maximum(a, b), mean)
    mean = np.where(order == -np.inf, np.minimum(a, b), mean)
    mean = np.where(weight == 1.0, a, np.where(weight == 0.0, b, mean))
    return np.asarray(mean, dtype=np.float64)


def _finite_order(a: FloatArray, b: FloatArray, p: FloatArray, alpha: FloatArray) -> FloatArray:
    log_ratio = np.log(a) - np.log(b)
    exponent = p * log_ratio
    # Take out whichever of a^p, b^p is larger: the other, divided by it, lies between 0 and 1.
    swap = exponent > 0
    larger = np.where(swap, a, b)
    weight, rest = np.where(swap, alpha, 1.0 - alpha), np.where(swap, 1.0 - alpha, alpha)
    distance = np.abs(exponent)
    # Near 1 log1p keeps the digits; further off it would cancel when `weight` is tiny.
    log_sum = np.where(
        distance < 0.5,
        np.log1p(rest * np.expm1(-distance)),
        np.log(weight + rest * np.exp(-distance)),
    )
    safe_p = np.where(np.abs(p) < _NEARLY_ZERO, 1.0, p)
    general = larger * np.exp(log_sum / safe_p)
    geometric = np.where((a == 0) | (b == 0), 0.0, b * np.exp(alpha * log_ratio))
    mean = np.where(np.abs(p) < _NEARLY_ZERO, geometric, general)
    mean = np.where(((a == 0) | (b == 0)) & (p <= 0), 0.0, mean)
    return np.where(a == b, a, mean)


def power_mean_slopes(
    first: FloatArray, second: FloatArray, *, p: float, alpha: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Return the mean and its derivatives by `alpha` and by `p`.

    .. math::
        \partial \log M / \partial \alpha = (a^p - b^p) / (p\,S), \quad
        \partial \log M / \partial p = (\alpha a^p \log a + (1-\alpha) b^p \log b) / (p\,S)
        - \log S / p^2, \quad S = \alpha a^p + (1-\alpha) b^p

    and their limits :math:`\log(a/b)` and :math:`\alpha(1-\alpha)\log^2(a/b)/2` at p = 0. Where
    the mean is zero both are taken as zero.
    """
    mean = power_mean(first, second, p=p, alpha=alpha)
    tiny = np.finfo(np.float64).tiny
    log_a, log_b = np.log(np.maximum(first, tiny)), np.log(np.maximum(second, tiny))
    gap = log_a - log_b
    if abs(p) < 1e-4:  # the series: its next term is of order p²
        by_alpha = gap + 0.5 * p * (1.0 - 2.0 * alpha) * gap**2
        by_p = 0.5 * alpha * (1.0 - alpha) * gap**2
    else:
        # With the larger of a^p, b^p taken out, as in the mean itself.
        shift = np.maximum(p * log_a, p * log_b)
        a_p = np.exp(p * log_a - shift) * ((first > 0) | (p < 0))
        b_p = np.exp(p * log_b - shift) * ((second > 0) | (p < 0))
        # Both zero: any total will do, the mean is zero.
        total = np.maximum(alpha * a_p + (1.0 - alpha) * b_p, tiny)
        by_alpha = (a_p - b_p) / (p * total)
        weighted_log = (alpha * a_p * log_a + (1.0 - alpha) * b_p * log_b) / total
        by_p = weighted_log / p - (np.log(total) + shift) / p**2
    seen = mean > 0
    return mean, np.where(seen, mean * by_alpha, 0.0), np.where(seen, mean * by_p, 0.0)
