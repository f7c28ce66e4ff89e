"""Difference of a Gaussian's absolute deviations from two points.

In: arrays of means, sds and points. Out: exact means and variances per row. Absent: sums, names;
one point (see `folded_normal`).

The line is split at both points p < q: below them |X-p| - |X-q| is p - q, above them it is q - p,
and between them it is 2 X - p - q, so truncated moments are all that is needed.
"""

import numpy as np
from scipy.special import ndtr

from howgood.stats.arrays import FloatArray

_ROOT_TWO_PI = np.sqrt(2 * np.pi)


def absolute_difference_moments(
    mean: FloatArray, sd: FloatArray, first: FloatArray, second: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of |X - first| - |X - second|, X ~ Normal(mean, sd**2).

    Examples
    --------
    >>> expected, variance = absolute_difference_moments(*map(np.atleast_1d, (2.0, 0.0, 1.0, 5.0)))
    >>> expected[0], variance[0]
    (np.float64(-2.0), np.float64(0.0))
    """
    lower, upper = np.minimum(first, second), np.maximum(first, second)
    width, away = upper - lower, mean - (lower + upper) / 2
    a, b = _scaled(lower - mean, sd), _scaled(upper - mean, sd)
    below, above = ndtr(a), ndtr(-b)
    # Mass between the points, from whichever tail keeps its digits.
    inside = np.where(a > 0, ndtr(-a) - above, ndtr(b) - below)
    shift = sd * (_density(a) - _density(b))
    expected = width * (above - below) + 2 * (away * inside + shift)
    squares = (away**2 + sd**2) * inside + 2 * away * shift
    squares += sd * ((lower - mean) * _density(a) - (upper - mean) * _density(b))
    variance = width**2 * (below + above) + 4 * squares - expected**2
    sign = np.where(first <= second, 1.0, -1.0)
    certain = sd <= 0
    exact = np.abs(mean - first) - np.abs(mean - second)
    return (
        np.where(certain, exact, sign * expected),
        np.where(certain, 0.0, np.maximum(variance, 0.0)),
    )


def _scaled(distance: FloatArray, sd: FloatArray) -> FloatArray:
    """Return distance / sd; without spread the sign alone, infinitely far."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scaled = np.divide(distance, sd)
    return np.where(np.isnan(scaled), 0.0, scaled)


def _density(scaled: FloatArray) -> FloatArray:
    density: FloatArray = np.exp(-(np.minimum(np.abs(scaled), 1e3) ** 2) / 2) / _ROOT_TWO_PI
    return density
