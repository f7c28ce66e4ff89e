"""How sure a number is when its parts share units and people.

In: how far each part (a label, a pair of labels) moved the number, with its unit and the raters it
rests on. Out: the number's variance and its degrees of freedom. Absent: the number itself.

Parts that share a unit or a rater move together. Sums over units and sums over raters both count
parts that share the two, which are taken off once (Cameron, Gelbach and Miller, 2011); a part that
rests on two raters counts in the sums of both (dyads: Aronow, Samii and Assenova, 2015).
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from howgood.stats.arrays import FloatArray, IntArray

LARGEST_FREEDOM = 1e9
_NOBODY: IntArray = np.zeros(0, dtype=np.int64)
_SAME = 1e-12


def clustered_variance(
    moved: FloatArray, weight: FloatArray, unit: IntArray, raters: Sequence[IntArray] = ()
) -> tuple[float, float]:
    """Return the variance of a weighted mean and its degrees of freedom (Satterthwaite).

    `weight` are the parts' shares in the mean. Each of `raters` names one rater of every part, -1
    where a part has fewer; without any only units are a sample.

    Examples
    --------
    >>> moved = np.array([-1.0, 0.0, 1.0]) / 3
    >>> variance, freedom = clustered_variance(moved, np.full(3, 1 / 3), np.arange(3))
    >>> round(variance, 6), round(freedom, 6)  # the variance of a mean of 1, 2, 3
    (0.333333, 2.0)
    """
    unit_kept = max(kept_share(summed(unit, weight)), _SAME)
    units = float(np.sum(summed(unit, moved) ** 2)) / unit_kept
    part = np.concatenate([np.nonzero(rater >= 0)[0] for rater in raters] or [_NOBODY])
    who = np.concatenate([rater[rater >= 0] for rater in raters] or [_NOBODY])
    n_people = np.bincount(part, minlength=len(moved))
    shares = summed(who, (weight / np.maximum(n_people, 1))[part])
    kept = kept_share(shares)
    if kept <= _SAME:
        return units, freedom_of(unit_kept)
    between = float(np.sum(summed(who, moved[part]) ** 2)) / kept
    _, key = np.unique(unit[part] * (int(who.max()) + 1) + who, return_inverse=True)
    both = float(np.sum(summed(key, moved[part]) ** 2)) / unit_kept
    # Raters who agree better than single labels allow do so by chance.
    by_raters, by_units = max(between, both), max(units - both, 0.0)
    return by_raters + by_units, satterthwaite(
        (by_raters, freedom_of(kept)), (by_units, freedom_of(unit_kept))
    )


def satterthwaite(*parts: tuple[float, float]) -> float:
    """Return the degrees of freedom of a sum of variances, each with its own.

    Examples
    --------
    >>> satterthwaite((1.0, 2.0), (0.0, 100.0)), satterthwaite((1.0, 10.0), (1.0, 10.0))
    (2.0, 20.0)
    """
    whole = sum(variance for variance, _ in parts)
    squares = sum(variance**2 / freedom for variance, freedom in parts)
    return whole**2 / squares if squares > 0 else LARGEST_FREEDOM


def half_width(variance: float, freedom: float, probability: float) -> float:
    """Return half the width of the central interval of Student's t."""
    return float(stdtrit(freedom, (1.0 + probability) / 2.0)) * float(np.sqrt(variance))


def kept_share(share: FloatArray) -> float:
    """Return what remains of a variance once the mean it is part of is taken off: (R - 1) / R.

    Examples
    --------
    >>> round(kept_share(np.full(5, 0.2)), 6)
    0.8
    """
    return kept_by_sums(float(share @ share), float(np.sum(share**3)))


def kept_by_sums(squares: float, cubes: float) -> float:
    """Return the same from the sums of squared and cubed shares, which add up over parts."""
    if squares <= 0:
        return 0.0
    return max((squares * (1.0 + squares) - 2.0 * cubes) / squares, 0.0)


def freedom_of(kept: float) -> float:
    """Return degrees of freedom from what remains: R - 1 from (R - 1) / R."""
    return kept / (1.0 - kept) if kept < 1.0 else LARGEST_FREEDOM


def summed(codes: IntArray, values: FloatArray, *, size: int = 0) -> FloatArray:
    """Return the sums of values by code, for at least `size` codes."""
    sums: FloatArray = np.bincount(codes, weights=values, minlength=size).astype(np.float64)
    return sums


def nearest_covariance(matrix: FloatArray) -> FloatArray:
    """Return the nearest covariance: directions of negative variance are left out."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    nearest: FloatArray = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return nearest
