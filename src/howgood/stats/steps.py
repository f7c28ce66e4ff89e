"""The steps in which numbers come.

In: numbers. Out: the smallest difference between two of them. Absent: what they measure.
"""

import numpy as np

from howgood.stats.arrays import FloatArray

# Numbers closer than this share of the largest are one number, written in two ways.
_SAME = 1e-9


def smallest_step(values: FloatArray) -> float:
    """Return the smallest gap between two different values; 0 if all are the same.

    Examples
    --------
    >>> smallest_step(np.array([1.0, 3.0, 3.5, 3.5 + 1e-12]))
    0.5
    """
    gaps = np.diff(np.unique(values))
    seen = gaps[gaps > _SAME * np.abs(values).max()]
    return float(seen.min()) if seen.size else 0.0
