"""Sums and moments: power sums of squares, cumulants from moments, Gaussian error propagation.

In: locations, standard deviations and origins, one per term; moments; a smooth function. Out:
`PowerSums`, computed block by block so that every intermediate stays in the processor's cache;
cumulants, which add up over independent terms; mean and variance of the Gaussian that stands for
a function's result to first order. Absent: data frames (the same sums come from any engine, see
`score`); higher orders of propagation, which matter where the function bends within one sd.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from math import comb

import numpy as np

from howgood.stats.arrays import FloatArray

ORDERS = 12
_BLOCK = 8192
_RELATIVE_STEP = float(np.finfo(np.float64).eps) ** (1.0 / 3.0)


def cumulants_from_moments(moments: FloatArray) -> FloatArray:
    """Return cumulants of shape (orders, ...) from moments about one point, in the same shape.

    The first cumulant is the mean relative to that point.

    Examples
    --------
    A Bernoulli variable with probability 1/4 has raw moments 1/4, 1/4, 1/4:

    >>> cumulants_from_moments(np.full(3, 0.25)).tolist()
    [0.25, 0.1875, 0.09375]
    """
    cumulants = np.array(moments, dtype=np.float64)
    for order in range(2, len(cumulants) + 1):
        for lower in range(1, order):
            weight = comb(order - 1, lower - 1)
            cumulants[order - 1] -= weight * cumulants[lower - 1] * moments[order - lower - 1]
    return cumulants


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerSums:
    r"""Sums over terms :math:`(\sigma_v Z_v + \Delta_v)^2` that give all cumulants of their mean.

    .. math:: P_s = \sum_v \sigma_v^{2s} + s\, \sigma_v^{2s-2} \Delta_v^2, \qquad s = 1 \dots 12

    `sums` holds :math:`P_1 \dots P_{12}`; `variance_sum` is the sum of the
    :math:`\sigma_v^2` alone and `largest_variance` their maximum.
    """

    n: int
    largest_variance: float
    variance_sum: float
    sums: FloatArray = field(repr=False)

    def cumulants(self) -> FloatArray:
        r"""Return :math:`\kappa_s = 2^{s-1} (s-1)!\, P_s / N^s`, the cumulants of the mean.

        Examples
        --------
        One standard normal squared is chi-square with one degree of freedom: mean 1, variance 2,
        third cumulant 8.

        >>> power_sums(np.zeros(1), np.ones(1), np.zeros(1)).cumulants()[:3].tolist()
        [1.0, 2.0, 8.0]
        """
        return cumulants_of_mean(self.sums, self.n)


def cumulants_of_mean(sums: FloatArray, n: int) -> FloatArray:
    r"""Return :math:`\kappa_s = 2^{s-1} (s-1)!\, P_s / N^s` from the first power sums."""
    orders = np.arange(1, sums.size + 1)
    factorials = np.cumprod(np.maximum(orders - 1, 1)).astype(np.float64)
    # Dividing stepwise keeps N**12 from overflowing when the sums are small.
    return np.asarray(2.0 ** (orders - 1) * factorials * (sums / float(n) ** orders))


def power_sums(location: FloatArray, scale: FloatArray, origin: FloatArray) -> PowerSums:
    r"""Return the power sums of the terms :math:`(\sigma_v Z_v + \Delta_v)^2`.

    :math:`\Delta_v` is `location` minus `origin`, :math:`\sigma_v` is `scale`. A zero-dimensional
    or length-one array stands for the same value in every term.
    """
    n = max(location.size, scale.size, origin.size)
    largest = float(np.max(scale)) ** 2
    unit = largest if largest > 0.0 else 1.0
    moments = np.zeros((7, 4))
    rows = np.empty((7, min(_BLOCK, n)))
    columns = np.empty((4, min(_BLOCK, n)))
    for start in range(0, n, _BLOCK):
        part = slice(start, min(start + _BLOCK, n))
        size = part.stop - part.start
        moments += _block_moments(
            _part(location, part),
            _part(scale, part),
            _part(origin, part),
            unit,
            rows[:, :size],
            columns[:, :size],
        )
    # Row i holds variance**i; the columns are 1, variance**6, square, square * variance**6.
    pure = np.concatenate([moments[:6, 0], moments[:, 1]])[1:]
    mixed = np.concatenate([moments[:6, 2], moments[:6, 3]])
    orders = np.arange(1, ORDERS + 1)
    with np.errstate(over="ignore", under="ignore"):
        sums = unit ** orders.astype(np.float64) * (pure + orders * mixed)
    return PowerSums(
        n=n, largest_variance=largest, variance_sum=float(pure[0] * unit), sums=np.asarray(sums)
    )


def _part(values: FloatArray, part: slice) -> FloatArray:
    return values[part] if values.size > 1 else values


def _block_moments(
    location: FloatArray,
    scale: FloatArray,
    origin: FloatArray,
    unit: float,
    rows: FloatArray,
    columns: FloatArray,
) -> FloatArray:
    """Return sums of variance**i times 1, variance**6, square and square * variance**6.

    Variances and squares are measured in `unit`, so that no power overflows. Seven rows against
    four columns give all twelve orders in one matrix product.
    """
    rows[0] = 1.0
    np.multiply(scale, scale, out=rows[1])
    rows[1] *= 1.0 / unit
    for power in range(2, 7):
        np.multiply(rows[power // 2], rows[power - power // 2], out=rows[power])
    columns[0] = 1.0
    columns[1] = rows[6]
    np.subtract(location, origin, out=columns[2])
    np.multiply(columns[2], columns[2], out=columns[2])
    columns[2] *= 1.0 / unit
    np.multiply(columns[2], rows[6], out=columns[3])
    return np.asarray(rows @ columns.T)


def propagate_first_order(
    function: Callable[[FloatArray], float],
    location: FloatArray,
    sd: FloatArray,
    *,
    gradient: Callable[[FloatArray], FloatArray] | None = None,
    covariance: FloatArray | None = None,
) -> tuple[float, float]:
    r"""Return mean and variance of g(X) to first order.

    .. math:: E\,g(X) \approx g(\mu), \qquad
        V\,g(X) \approx \sum_{ij} \frac{\partial g}{\partial x_i}(\mu)
        \frac{\partial g}{\partial x_j}(\mu)\, C_{ij}

    with C the `covariance`, or the squares of `sd` where arguments are independent.

    Without `gradient`, derivatives are central differences over steps well inside one standard
    deviation; arguments without spread are skipped.

    References
    ----------
    Jasberg and Sizov (2018), Eq. 1 and 2, in several arguments. (The paper's text prints the first
    central moment in the first-order variance; the second is meant. Eq. 2 leaves out covariances.)

    Examples
    --------
    The product of 2 +- 0.1 and 3 +- 0.2:

    >>> mean, variance = propagate_first_order(
    ...     lambda x: x[0] * x[1], np.array([2.0, 3.0]), np.array([0.1, 0.2]))
    >>> mean, round(variance, 10)  # 9 * 0.01 + 4 * 0.04
    (6.0, 0.25)
    """
    if gradient is None:
        slopes = _central_differences(function, location, sd)
    else:
        slopes = np.asarray(gradient(location), dtype=np.float64)
    if covariance is not None:
        return float(function(location)), max(float(slopes @ covariance @ slopes), 0.0)
    return float(function(location)), float(np.sum((slopes * sd) ** 2))


def _central_differences(
    function: Callable[[FloatArray], float], location: FloatArray, sd: FloatArray
) -> FloatArray:
    slopes = np.zeros(location.shape)
    point = location.astype(np.float64)
    for i in np.flatnonzero(sd):
        step = _RELATIVE_STEP * max(sd[i], abs(location[i]) * _RELATIVE_STEP)
        point[i] = location[i] + step
        above, upper = point[i], function(point)
        point[i] = location[i] - step
        below, lower = point[i], function(point)
        slopes[i] = (upper - lower) / (above - below)
        point[i] = location[i]
    return slopes


# Bounds that hold at every look: an asymptotic confidence sequence for a mean.
#
# The boundary is the one-sided normal mixture of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
# (2021, "Time-uniform central limit theory and asymptotic confidence sequences"):
#
#     sigma sqrt(2 (t rho² + 1) / (t² rho²) log(1 + sqrt(t rho² + 1) / (2 alpha))).
#
# With probability 1 - alpha (for many values) no look at any time finds the bound above the truth.


def rho_for(planned: float, level: float) -> float:
    """Return the rho that makes the boundary tightest after `planned` values.

    Examples
    --------
    >>> round(rho_for(500, 0.05), 4)
    0.1125
    """
    log = -2.0 * math.log(2.0 * level)
    return math.sqrt((log + math.log(log + 1.0)) / planned)


def reach(n: float, sd: float, level: float, rho: float) -> float:
    """Return how far below the mean of n values the bound lies."""
    spread = n * rho**2 + 1.0
    return sd * math.sqrt(
        2.0 * spread / (n * rho) ** 2 * math.log1p(math.sqrt(spread) / (2.0 * level))
    )


def level_of(distance: float, n: float, sd: float, rho: float) -> float:
    """Return the smallest level at which a value `distance` below the mean stays outside.

    Examples
    --------
    >>> away = reach(100, 2.0, 0.05, 0.1)
    >>> round(level_of(away, 100, 2.0, 0.1), 6)
    0.05
    """
    if distance <= 0 or sd <= 0:
        return 0.0 if distance > 0 else 1.0
    spread = n * rho**2 + 1.0
    exponent = (distance / sd) ** 2 * (n * rho) ** 2 / (2.0 * spread)
    if exponent > 700:
        return 0.0
    return min(1.0, math.sqrt(spread) / (2.0 * math.expm1(exponent)))
