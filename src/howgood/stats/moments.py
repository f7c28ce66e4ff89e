"""From moments to cumulants.

In: raw or central moments. Out: cumulants, which add up over independent terms. Absent: any
particular distribution.
"""

from math import comb

import numpy as np

from howgood.stats.arrays import FloatArray


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
