"""The logistic curve and its inverse, in NumPy alone.

In: arrays. Out: arrays. Absent: SciPy, whose special functions take most of a second to load.
"""

import numpy as np
from numpy.typing import ArrayLike

from howgood.stats.arrays import FloatArray


def expit(x: ArrayLike) -> FloatArray:
    """Return 1 / (1 + exp(-x)), with full relative precision in both tails.

    Examples
    --------
    >>> expit([-800.0, 0.0, 800.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    values = np.asarray(x, dtype=np.float64)
    with np.errstate(under="ignore"):
        small = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, small) / (1.0 + small))


def logit(share: ArrayLike) -> FloatArray:
    """Return log(share / (1 - share)); infinite at 0 and 1.

    Examples
    --------
    >>> logit([0.0, 0.5, 1.0]).tolist()
    [-inf, 0.0, inf]
    """
    values = np.asarray(share, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values) - np.log1p(-values))
