r"""Absolute values of Gaussians: moments, covariances and cumulants.

In: locations relative to the fold, and standard deviations. Out: arrays. Absent: sums and their
distributions (see `folded_sum`).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from howgood.stats.moments import cumulants_from_moments

FloatArray = NDArray[np.float64]


def folded_normal_mean(location: ArrayLike, sd: ArrayLike) -> FloatArray:
    r"""Return :math:`E|X|` for :math:`X \sim \mathcal N(\Delta, \sigma^2)`; sd 0 is legal.

    .. math:: E|X| = |\Delta| + 2 \sigma \left[\varphi(\delta) - \delta\,\Phi(-\delta)\right],
        \qquad \delta = |\Delta| / \sigma

    Examples
    --------
    >>> bool(np.isclose(folded_normal_mean(0.0, 1.0), np.sqrt(2 / np.pi), rtol=1e-15))
    True
    >>> folded_normal_mean([-3.0, 2.0], [0.0, 0.0]).tolist()
    [3.0, 2.0]
    """
    distance, spread = np.abs(np.asarray(location, dtype=np.float64)), _floats(sd)
    return np.asarray(distance + _fold_excess(distance, spread))


def folded_normal_variance(location: ArrayLike, sd: ArrayLike) -> FloatArray:
    r"""Return :math:`V|X|` for :math:`X \sim \mathcal N(\Delta, \sigma^2)`, without cancellation.

    Examples
    --------
    >>> bool(np.isclose(folded_normal_variance(0.0, 1.0), 1 - 2 / np.pi, rtol=1e-14))
    True
    """
    distance, spread = np.abs(np.asarray(location, dtype=np.float64)), _floats(sd)
    excess = _fold_excess(distance, spread)
    return np.asarray(np.maximum(spread**2 - 2.0 * excess * distance - excess**2, 0.0))


def absolute_error_covariance(
    mean: ArrayLike, sd: ArrayLike, p1: ArrayLike, p2: ArrayLike
) -> FloatArray:
    r"""Return :math:`\operatorname{Cov}(|X - p_1|, |X - p_2|)` for a Gaussian X, in closed form.

    The product of the two distances is :math:`(X - p_1)(X - p_2)` outside the interval between
    the two points and its negative inside, so its expectation needs only the second moment of a
    truncated Gaussian. The paired variance of a difference of absolute errors is
    V(p1) + V(p2) - 2 Cov(p1, p2).

    Examples
    --------
    Far to one side of both points, both distances move with X one to one; between two far points
    they move against each other.

    >>> round(float(absolute_error_covariance(100.0, 2.0, 1.0, 3.0)), 12)
    4.0
    >>> round(float(absolute_error_covariance(0.0, 2.0, -50.0, 50.0)), 12)
    -4.0
    """
    centre, spread = np.asarray(mean, dtype=np.float64), _floats(sd)
    first, second = centre - _floats(p1), centre - _floats(p2)
    safe = np.where(spread > 0.0, spread, 1.0)
    # Standard positions of the two points; X lies between them with probability `between`.
    a, b = -np.maximum(first, second) / safe, -np.minimum(first, second) / safe
    density_a, density_b = _density(a), _density(b)
    edge = b * density_b - a * density_a
    slope = spread * (first + second) * (density_a - density_b)
    opposite = first * second < 0.0
    # The side that holds little mass is integrated, so that nothing large cancels.
    outside = ndtr(a) + ndtr(-b)
    between = np.where(a > 0.0, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a))
    inner = spread**2 * (between - edge) + slope + first * second * between
    outer = spread**2 * (outside + edge) - slope + first * second * outside
    base = np.where(opposite, 2.0 * outer - spread**2, spread**2 - 2.0 * inner)
    excess_1, excess_2 = _fold_excess(np.abs(first), spread), _fold_excess(np.abs(second), spread)
    tilt = excess_1 * np.abs(second) + excess_2 * np.abs(first) + excess_1 * excess_2
    return np.asarray(np.where(spread > 0.0, base - tilt, 0.0))


def folded_normal_cumulants(location: FloatArray, sd: FloatArray, *, orders: int) -> FloatArray:
    """Return cumulants 1 to `orders` of |X|, shape (orders, n), for positive sd.

    Moments are taken about the distance of the location from the fold, in units of sd, where
    they are of order one: nothing cancels.
    """
    distance = np.abs(location)
    ratio = np.minimum(distance / sd, 40.0)  # beyond, no mass is folded
    density = _density(ratio)
    near = [ndtr(ratio), density]
    far = [ndtr(-ratio), density - 2.0 * ratio * ndtr(-ratio)]
    moments = np.empty((orders, distance.size))
    moments[0] = near[1] + far[1]
    power = np.ones_like(ratio)
    for order in range(2, orders + 1):
        power = power * -ratio
        edge = power * density
        near = [near[1], edge + (order - 1) * near[0]]
        far = [far[1], edge + (order - 1) * far[0] - 2.0 * ratio * far[1]]
        moments[order - 1] = near[1] + far[1]
    cumulants = cumulants_from_moments(moments)
    cumulants *= sd ** np.arange(1, orders + 1)[:, None]
    cumulants[0] += distance
    return cumulants


def _fold_excess(distance: FloatArray, sd: FloatArray) -> FloatArray:
    """Return how much the mean of |X| exceeds the distance of its location from the fold."""
    safe = np.where(sd > 0.0, sd, 1.0)
    ratio = distance / safe
    return np.asarray(2.0 * sd * np.maximum(_density(ratio) - ratio * ndtr(-ratio), 0.0))


def _density(z: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))


def _floats(values: ArrayLike) -> FloatArray:
    return np.asarray(values, dtype=np.float64)
