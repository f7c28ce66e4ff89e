"""Gaps that are looked at again and again: which are settled, and what would one more vote say?

In: estimated gaps between two strengths (log odds) with their standard deviations. Out: intervals
that hold at every look, and what one vote is expected to say about gaps that are open. Absent:
names, and where the gaps come from (see `paired_votes`).

An interval for one look is wrong more often when somebody looks after every vote and stops when
they like what they see. Averaging the likelihood ratio over gaps that are Gaussian with sd tau
gives a martingale, which exceeds 1 / level at any time with a probability of at most `level`
(Robbins, 1970, "Statistical methods related to the law of the iterated logarithm"). The gaps that
it does not exclude are those within

    s sqrt((1 + s²/tau²) (2 log(1/level) + log(1 + tau²/s²)))

of the estimate, where s is its sd.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtri, stdtrit

from howgood.stats.arrays import BoolArray, FloatArray

# Gaps between systems worth comparing: .5 is a win rate of 62 %. The level holds whatever it is.
TYPICAL_GAP = 0.5
# Where the boundary usually lies, in tails: few degrees of freedom count as they do there.
_TAIL = 0.0015
_LEAST = 1e-12


def lasting_half_width(sd: ArrayLike, *, level: float) -> FloatArray:
    """Return half the width of an interval that holds at all looks together with 1 - level.

    Examples
    --------
    >>> once = 1.96 * 0.1
    >>> bool(lasting_half_width(0.1, level=0.05) > once)
    True
    """
    known = np.maximum(np.asarray(sd, dtype=np.float64), _LEAST)
    ratio = (TYPICAL_GAP / known) ** 2
    half_width: FloatArray = known * np.sqrt(
        (1.0 + 1.0 / ratio) * (2.0 * np.log(1.0 / level) + np.log1p(ratio))
    )
    return half_width


def sd_that_settles(width: ArrayLike, *, level: float) -> FloatArray:
    """Return the sd whose lasting interval has this half-width.

    Examples
    --------
    >>> float(sd_that_settles(lasting_half_width(0.13, level=0.05), level=0.05).round(6))
    0.13
    """
    wanted = np.asarray(width, dtype=np.float64)
    lower, upper = np.full_like(wanted, _LEAST), np.maximum(wanted, _LEAST)
    for _ in range(60):  # the half-width grows with the sd, and is larger than it
        middle = (lower + upper) / 2.0
        is_low = lasting_half_width(middle, level=level) < wanted
        lower, upper = np.where(is_low, middle, lower), np.where(is_low, upper, middle)
    return (lower + upper) / 2.0


def widened_sd(sd: ArrayLike, freedom: ArrayLike) -> FloatArray:
    """Return the sd a Gaussian needs to reach as far as Student's t with this sd does.

    Examples
    --------
    >>> widened_sd(1.0, [2.0, 1e9]).round(1).tolist()
    [6.1, 1.0]
    """
    far = stdtrit(np.maximum(np.asarray(freedom, dtype=np.float64), 0.5), 1.0 - _TAIL)
    widened: FloatArray = np.asarray(sd, dtype=np.float64) * np.maximum(
        far / ndtri(1.0 - _TAIL), 1.0
    )
    return widened


def is_open(gaps: FloatArray, sds: FloatArray, *, level: float, margin: float) -> BoolArray:
    """Return which gaps are neither settled nor known to be smaller than a margin."""
    half = lasting_half_width(sds, level=level)
    is_settled, is_small = np.abs(gaps) > half, np.abs(gaps) + half < margin
    return ~(is_settled | is_small)


def vote_information(
    strengths: FloatArray, covariance: FloatArray, open_gaps: Sequence[tuple[int, int]]
) -> FloatArray:
    """Return (K, K): what one vote between i and j is expected to say about the open gaps, in nats.

    A vote says c = p (1 - p) about the gap d of its two, where p is the chance of a win. About
    another gap g its mutual information is -log(1 - c cov(d, g)² / (var(g) (1 + c var(d)))) / 2,
    which is added up over the open gaps.

    Examples
    --------
    >>> worth = vote_information(np.array([0.0, 0.1, 3.0]), np.eye(3) / 9, [(0, 1)])
    >>> bool(worth[0, 1] > worth[0, 2] > 0)
    True
    """
    p = expit(strengths[:, None] - strengths)
    said = p * (1.0 - p)
    own = np.diag(covariance)
    variances = np.maximum(own[:, None] + own - 2.0 * covariance, _LEAST)
    worth = np.zeros_like(variances)
    for a, b in open_gaps:
        moved = covariance[a] - covariance[b]
        shared = (moved[:, None] - moved) ** 2
        share = said * shared / (variances[a, b] * (1.0 + said * variances))
        worth -= np.log1p(-np.minimum(share, 1.0 - _LEAST)) / 2.0
    return worth
