r"""Gaussians outside a symmetric interval: where it ends, and the moments of what is left.

In: locations and standard deviations. Out: half-widths, masses and partial moments. Absent: scores.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from howgood.stats.arrays import FloatArray

_MOST_STEPS = 60


def symmetric_half_width(ratio: FloatArray, *, outside: float) -> FloatArray:
    r"""Return b such that a unit Gaussian at `ratio` leaves [-b, b] with probability `outside`.

    Solves :math:`\Phi(r - b) + \Phi(-r - b) = \alpha` for :math:`r \ge 0` by Newton's method. The
    root lies between :math:`r + z_{1-\alpha}` and :math:`r + z_{1-\alpha/2}`, because the right
    tail carries between half and all of the mass; steps that leave this bracket are replaced by
    bisection.

    Examples
    --------
    >>> round(float(symmetric_half_width(np.array([0.0]), outside=0.05)[0]), 6)
    1.959964
    """
    low = ratio + np.maximum(-ndtri(outside), -ratio)
    high = ratio - ndtri(outside / 2.0)
    b = high.copy()
    for _ in range(_MOST_STEPS):
        gap = ndtr(ratio - b) + ndtr(-ratio - b) - outside
        low, high = np.where(gap > 0.0, b, low), np.where(gap > 0.0, high, b)
        slope = _density(b - ratio) + _density(b + ratio)
        newton = b + gap / slope
        inside = (newton >= low) & (newton <= high)
        proposal = np.where(inside, newton, 0.5 * (low + high))
        done = np.abs(proposal - b) <= 4e-16 * proposal
        b = proposal
        if np.all(done):
            break
    return np.asarray(b)


def outside_moments(ratio: FloatArray, half_width: FloatArray, *, orders: int) -> FloatArray:
    r"""Return :math:`E[|u|^k; |u| > b]` for k = 0 to `orders`, u a unit Gaussian at `ratio` >= 0.

    Shape (orders + 1, n). Row 0 is the mass outside.

    Examples
    --------
    Nothing inside: the second moment of a standard Gaussian.

    >>> float(outside_moments(np.zeros(1), np.zeros(1), orders=2)[2, 0])
    1.0
    """
    right = _upper_moments(half_width - ratio, ratio, orders)
    left = _upper_moments(half_width + ratio, -ratio, orders)
    return right + left


def _upper_moments(cut: FloatArray, shift: FloatArray, orders: int) -> FloatArray:
    """Return E[(W + shift)^k; W > cut] for a standard Gaussian W, by integrating by parts."""
    density = _density(cut)
    moments = np.empty((orders + 1, *cut.shape))
    moments[0] = ndtr(-cut)
    moments[1] = density + shift * moments[0]
    for order in range(2, orders + 1):
        edge = (cut + shift) ** (order - 1) * density
        moments[order] = edge + (order - 1) * moments[order - 2] + shift * moments[order - 1]
    return moments


def _density(z: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))
