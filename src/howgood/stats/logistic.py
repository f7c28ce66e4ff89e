"""The mean of a logistic curve over normal spread, and its inverse.

In: arrays. Out: arrays. Absent: the logistic curve itself (see `scipy.special`).
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from howgood.stats.arrays import FloatArray

# A logistic curve averaged over normal spread is about a logistic curve, flatter by the root of
# 1 + this times sd² (Zeger, Liang and Albert, 1988): c² with c = 16 √3 / (15 π).
FLATTENING = (16.0 * 3.0**0.5 / (15.0 * np.pi)) ** 2

_REACH = 6.5  # the normal mass beyond is below 1e-10
_MOST_NODES = 1201
_FEWEST_UP_TO = 2.0  # the sd up to which the widest step, a half, is narrow enough


def logistic_normal_mean(location: ArrayLike, sd: ArrayLike) -> FloatArray:
    r"""Return the mean of a logistic curve whose location varies normally.

    .. math:: \int \frac{1}{1 + e^{-(m + s z)}} \, \varphi(z) \, dz

    The trapezoid rule converges geometrically here (the integrand is analytic in a strip of
    half-width pi / s): a step of at most 1 / s leaves an error near 1e-8.

    Parameters
    ----------
    location, sd : arrays that broadcast
        Location m and standard deviation s >= 0 of the normal spread.

    Returns
    -------
    array
        Means in [0, 1], of the broadcast shape.

    Examples
    --------
    >>> logistic_normal_mean([0.0, 1.0, 1.0], [2.0, 0.0, 2.0]).round(4)
    array([0.5   , 0.7311, 0.6477])
    """
    spread = np.asarray(sd, dtype=np.float64)
    centre = np.asarray(location, dtype=np.float64)
    shape = np.broadcast_shapes(centre.shape, spread.shape)
    # The wider the spread, the more nodes: as many as those up to twice as wide need.
    octaves = np.ceil(np.log2(np.maximum(spread, _FEWEST_UP_TO)))
    found = np.unique(octaves)
    if found.size < 2:
        return _summed(centre, spread, shape)
    total = np.full(shape, np.nan)
    for octave in found:
        chosen = np.broadcast_to(octaves == octave, shape)
        total[chosen] = _summed(
            np.broadcast_to(centre, shape)[chosen],
            np.broadcast_to(spread, shape)[chosen],
            (int(np.count_nonzero(chosen)),),
        )
    return total


def _summed(centre: FloatArray, spread: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Sum node by node, in symmetric pairs: no array larger than the result."""
    total = np.zeros(shape)
    for node, weight in zip(*_nodes(float(spread.max(initial=0.0))), strict=True):
        total += weight * 0.5 * (expit(centre + spread * node) + expit(centre - spread * node))
    return total


def location_for_mean(mean: ArrayLike, sd: ArrayLike) -> FloatArray:
    """Return the location whose `logistic_normal_mean` is `mean`, by bisection.

    Examples
    --------
    >>> round(float(logistic_normal_mean(location_for_mean(0.8, 2.0), 2.0)), 9)
    0.8
    """
    wanted = np.asarray(mean, dtype=np.float64)
    spread = np.asarray(sd, dtype=np.float64)
    shape = np.broadcast_shapes(wanted.shape, spread.shape)
    # Spread only flattens the curve, so |location| is at least |logit(mean)|, and a location of
    # |logit| + reach * sd puts every node beyond it.
    reach = np.abs(logit(wanted)) + _REACH * spread
    lower, upper = np.broadcast_to(-reach, shape).copy(), np.broadcast_to(reach, shape).copy()
    for _ in range(50):
        middle = 0.5 * (lower + upper)
        below = logistic_normal_mean(middle, spread) < wanted
        lower = np.where(below, middle, lower)
        upper = np.where(below, upper, middle)
    return np.asarray(0.5 * (lower + upper))


def _nodes(largest_sd: float) -> tuple[FloatArray, FloatArray]:
    """Non-negative nodes with the weights of the symmetric pair they stand for."""
    step = max(min(0.5, 1.0 / max(largest_sd, 1e-12)), _REACH / _MOST_NODES)
    nodes: FloatArray = step * np.arange(int(np.ceil(_REACH / step)) + 1.0)
    weights: FloatArray = np.exp(-0.5 * nodes**2)
    weights[0] *= 0.5
    return nodes, weights / weights.sum()
