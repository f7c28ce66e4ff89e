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
    hits, missed, alarms = (np.asarray(count, dtype=np.float64) for count in (tp, fn, fp))
    square = np.square(np.asarray(beta, dtype=np.float64))
    top = (1.0 + square) * hits
    bottom = top + square * missed + alarms
    return np.asarray(top / np.where(bottom > 0, bottom, 1.0))


def capped_score(fn: ArrayLike, fp: ArrayLike, total: ArrayLike, *, cap: ArrayLike) -> FloatArray:
    """Return 1 - FP/total where FN/total is within the cap, else -FN/total.

    Examples
    --------
    >>> capped_score([2, 5], [10, 2], 100, cap=0.03).tolist()
    [0.9, -0.05]
    """
    missed, alarms, n = (np.asarray(count, dtype=np.float64) for count in (fn, fp, total))
    # A grain of tolerance: 3 of 100 is within a cap of 0.03, whatever the last bit says.
    within = missed <= np.asarray(cap) * n * (1.0 + 1e-12)
    return np.where(within, 1.0 - alarms / n, -missed / n)


def limits_score(
    fn: ArrayLike, fp: ArrayLike, total: ArrayLike, *, misses: ArrayLike, alarm_limit: ArrayLike
) -> FloatArray:
    """Return minus what misses and false alarms exceed their limits by, as shares of all cases.

    Examples
    --------
    >>> limits_score([2, 5], [9, 15], 100, misses=0.03, alarm_limit=0.1).round(9).tolist()
    [0.0, -0.07]
    """
    missed, alarms, n = (np.asarray(count, dtype=np.float64) for count in (fn, fp, total))
    # A grain of tolerance: 3 of 100 is within a limit of 0.03, whatever the last bit says.
    excess = [
        np.where(share > limit * (1 + 1e-12), share - limit, 0.0)
        for share, limit in (
            (missed / n, np.asarray(misses)),
            (alarms / n, np.asarray(alarm_limit)),
        )
    ]
    return np.asarray(0.0 - (excess[0] + excess[1]))


def power_cost_score(
    fn: ArrayLike, fp: ArrayLike, total: ArrayLike, *, a0: ArrayLike, power: ArrayLike
) -> FloatArray:
    """Return minus ((1 - a0) FN^p + a0 FP^p)^(1/p), of shares of all cases.

    Examples
    --------
    >>> power_cost_score(4, 9, 100, a0=0.5, power=0.5).round(9).tolist()
    -0.0625
    """
    missed, alarms, n = (np.asarray(count, dtype=np.float64) for count in (fn, fp, total))
    weight, p = np.asarray(a0, dtype=np.float64), np.asarray(power, dtype=np.float64)
    cost = (1 - weight) * (missed / n) ** p + weight * (alarms / n) ** p
    return np.asarray(-(cost ** (1 / p)))
