r"""Absolute values of Gaussians: moments and cumulants.

In: locations relative to the fold, and standard deviations. Out: arrays. Absent: sums and their
distributions (see `folded_sum`).
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from howgood.stats.arrays import FloatArray
from howgood.stats.moments import cumulants_from_moments


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


def folded_normal_cumulants(location: FloatArray, sd: FloatArray, *, orders: int) -> FloatArray:
    """Return cumulants 1 to `orders` of |X|, shape (orders, n), for positive sd.

    Moments are taken about the distance of the location from the fold, in units of sd, where
    they are of order one: nothing cancels.
    """
    distance = np.abs(location)
    ratio = _ratio(distance, sd)
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
    ratio = _ratio(distance, np.where(sd > 0.0, sd, 1.0))
    return np.asarray(2.0 * sd * np.maximum(_density(ratio) - ratio * ndtr(-ratio), 0.0))


def _ratio(distance: FloatArray, sd: FloatArray) -> FloatArray:
    """Return distance / sd, but not above 40: from there on no mass is folded."""
    with np.errstate(over="ignore"):  # sds too small to divide by
        return np.asarray(np.minimum(distance / sd, 40.0))


def _density(z: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))


def _floats(values: ArrayLike) -> FloatArray:
    return np.asarray(values, dtype=np.float64)
