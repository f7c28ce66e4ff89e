"""Scores of confusion counts, over arrays of counts and of parameters at once.

In: counts and parameters that broadcast. Out: scores. Absent: labels, choices.
"""

import numpy as np
from numpy.typing import ArrayLike

from howgood.stats.arrays import FloatArray


def f_beta_score(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, *, beta: ArrayLike) -> FloatArray:
    """Return F-beta, 0 where nothing is positive and nothing is flagged.

    Examples
    --------
    >>> f_beta_score(1, 1, 0, beta=[1.0, 2.0]).round(3).tolist()
    [0.667, 0.556]
    """
    found, missed, alarms = (np.asarray(each, dtype=np.float64) for each in (tp, fn, fp))
    square = np.square(np.asarray(beta, dtype=np.float64))
    top = (1.0 + square) * found
    bottom = top + square * missed + alarms
    return np.asarray(top / np.where(bottom > 0, bottom, 1.0))


def capped_score(fn: ArrayLike, fp: ArrayLike, total: ArrayLike, *, cap: ArrayLike) -> FloatArray:
    """Return 1 - FP/total where FN/total is within the cap, else -FN/total.

    Examples
    --------
    >>> capped_score([2, 5], [10, 2], 100, cap=0.03).tolist()
    [0.9, -0.05]
    """
    missed, alarms, n = (np.asarray(each, dtype=np.float64) for each in (fn, fp, total))
    # A grain of tolerance: 3 of 100 is within a cap of 0.03, whatever the last bit says.
    within = missed <= np.asarray(cap) * n * (1.0 + 1e-12)
    return np.where(within, 1.0 - alarms / n, -missed / n)
