"""Whole numbers in given proportions that add up to a given total.

In: parts and a total. Out: whole numbers. Absent: words.
"""

from collections.abc import Sequence

import numpy as np


def whole_parts(parts: Sequence[float], total: int) -> tuple[int, ...]:
    """Return whole numbers as near as can be to the parts' shares of `total`, which they make up.

    The method of largest remainders: every part is rounded down, and what is missing goes to the
    parts that lost most, the earlier of two that lost the same.

    Examples
    --------
    >>> whole_parts([1, 1, 1], 100), whole_parts([31, 32, 37], 100)
    ((34, 33, 33), (31, 32, 37))
    """
    exact = np.asarray(parts, dtype=np.float64) * total / np.sum(parts)
    # A grain of sand: 28.999999999999996 is 29.
    down = np.floor(exact + 1e-9)
    lost = np.round(exact - down, 9)
    missing = int(total - down.sum())
    down[np.argsort(-lost, kind="stable")[:missing]] += 1
    return tuple(int(each) for each in down)
