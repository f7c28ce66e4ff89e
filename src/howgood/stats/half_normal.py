r"""A half-normal quantity on the whole line, where it is standard normal.

In: points z. Out: values :math:`x \ge 0` with :math:`P(X \le x) = \Phi(z)`, their slopes, and back.
Absent: densities: a half-normal prior of x is exactly a standard normal one of z.

Unlike the logarithm this has no long tail where the data say that x is nearly zero.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp

from howgood.stats.arrays import FloatArray


def half_normal_value(point: ArrayLike, scale: float) -> FloatArray:
    """Return the half-normal value at a standard normal point.

    Examples
    --------
    >>> half_normal_value([-40.0, 0.0, 3.0], 2.0).round(4)
    array([0.    , 1.349 , 6.4103])
    """
    # By the upper tail: P(X > x) = P(Z > z), which is twice that of a normal beyond x.
    log_half_tail = log_ndtr(-np.asarray(point, dtype=np.float64)) - np.log(2.0)
    return np.asarray(scale * np.abs(ndtri_exp(log_half_tail)))


def half_normal_slope(point: ArrayLike, scale: float) -> FloatArray:
    """Return the derivative of `half_normal_value` by the point."""
    z = np.asarray(point, dtype=np.float64)
    x = half_normal_value(z, 1.0)
    with np.errstate(under="ignore"):
        return np.asarray(0.5 * scale * np.exp(0.5 * (x - z) * (x + z)))


def half_normal_point(value: ArrayLike, scale: float) -> FloatArray:
    """Undo `half_normal_value`.

    Examples
    --------
    >>> half_normal_point(half_normal_value([-1.0, 0.5], 3.0), 3.0).round(9)
    array([-1. ,  0.5])
    """
    x = np.asarray(value, dtype=np.float64) / scale
    share = 2.0 * ndtr(-x)  # of the half-normal distribution beyond the value
    return np.asarray(-ndtri(share))
