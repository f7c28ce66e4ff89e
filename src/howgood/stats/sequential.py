r"""Looking at answers while they come in: bounds and warnings that stay valid at every look.

In: successes and trials so far; values in the order in which they came; estimated gaps between two
strengths (log odds) with their standard deviations. Out: an interval of a share that holds at all
times together; ranks that are uniform while nothing changes, and a wealth that seldom grows large
unless something does; which gaps are settled, and what one more vote is expected to say about those
that are open. Absent: names, who answered, and when.

Bounds. With k successes in n trials, the mixture of binomial likelihoods over Jeffreys' prior
divided by the likelihood of the true share is a martingale that starts at 1. By Ville's inequality
it ever reaches 1 / level with a probability of at most `level`, so that the shares at which it has
not are bounds at every n at once (Robbins, 1970).

Warnings. Where values are exchangeable, the smoothed rank of each among those up to it is uniform
and independent of the ranks before (Vovk, Gammerman and Shafer, 2005). A bet against that, which
may begin at any time and in either direction, is a martingale again: it reaches 1 / level with a
probability of at most `level`, ever, if nothing changes ("Testing randomness online", Vovk, 2021).

Gaps. An interval for one look is wrong more often when somebody looks after every vote and stops
when they like what they see. Averaging the likelihood ratio over gaps that are Gaussian with sd tau
gives a martingale, which exceeds 1 / level at any time with a probability of at most `level`
(Robbins, 1970, "Statistical methods related to the law of the iterated logarithm"). The gaps that
it does not exclude are those within

    s sqrt((1 + s²/tau²) (2 log(1/level) + log(1 + tau²/s²)))

of the estimate, where s is its sd.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, expit, ndtri, stdtrit, xlog1py, xlogy

from howgood.stats.arrays import BoolArray, FloatArray

# A bet multiplies the odds that a rank lies above a cut: above 1 where values fall.
_CUTS, _ODDS = (
    grid.ravel() for grid in np.meshgrid(np.arange(1, 10) / 10, [1 / 2.5, 1 / 1.5, 1.5, 2.5])
)
_ABOVE = _ODDS * (1.0 - _CUTS) / (_ODDS * (1.0 - _CUTS) + _CUTS)
_GAINS = np.stack([(1.0 - _ABOVE) / _CUTS, _ABOVE / (1.0 - _CUTS)])
_HALVINGS = 60
# Gaps between systems worth comparing: .5 is a win rate of 62 %. The level holds whatever it is.
TYPICAL_GAP = 0.5
# Where the boundary usually lies, in tails: few degrees of freedom count as they do there.
_TAIL = 0.0015
_LEAST = 1e-12


def share_bounds(successes: int, trials: int, *, level: float) -> tuple[float, float]:
    r"""Return where the share of successes lies, at this and at every other look.

    .. math:: \Big\{q : \frac{B(k + 1/2, n - k + 1/2)}{B(1/2, 1/2)\, q^k (1 - q)^{n - k}}
              < 1 / \text{level}\Big\}

    Examples
    --------
    >>> lower, upper = share_bounds(80, 100, level=0.05)
    >>> round(lower, 3), round(upper, 3)
    (0.648, 0.909)
    >>> share_bounds(0, 0, level=0.05)
    (0.0, 1.0)
    """
    if trials == 0:
        return 0.0, 1.0
    mixed = betaln(successes + 0.5, trials - successes + 0.5) - betaln(0.5, 0.5)
    most = mixed + math.log(level)
    best = successes / trials

    def is_outside(share: float) -> bool:
        likelihood = xlogy(successes, share) + xlog1py(trials - successes, -share)
        return bool(likelihood <= most)

    return _edge(0.0, best, is_outside), _edge(1.0, best, is_outside)


def _edge(outer: float, inner: float, is_outside: Callable[[float], bool]) -> float:
    """Return the point between the two at which one comes in, from the outside."""
    if not is_outside(outer):
        return outer
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2.0
        outer, inner = (middle, inner) if is_outside(middle) else (outer, middle)
    return outer


def rank_among(code: int, earlier: FloatArray, chance: float) -> float:
    """Return the smoothed rank of a value among those before it and itself, between 0 and 1.

    `earlier` counts how often each value came before, the lowest first, and `code` is the place of
    the new one there. 0 is the highest rank, 1 the lowest; ties are shared out by `chance`, which
    is uniform.

    Examples
    --------
    >>> rank_among(0, np.array([0.0, 1.0, 2.0]), 0.5)
    0.875
    """
    higher, same = float(earlier[code + 1 :].sum()), 1.0 + float(earlier[code])
    return (higher + chance * same) / (float(earlier.sum()) + 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bet:
    """The wealth after every rank (n,), and where the best single bet began, with its direction.

    `began` counts ranks: the bet was on those from there on. `direction` is -1 where values fell
    and 1 where they rose.
    """

    wealth: FloatArray
    began: int
    direction: int


def bet_against_uniform(ranks: Iterable[float]) -> Bet:
    r"""Return the wealth of bets that ranks stop being uniform, at any time and either way.

    .. math:: W_t = w_t + \sum_{s < t} (w_s - w_{s+1})\, \frac1m \sum_{b}
              \prod_{i=s+1}^{t} g_b(r_i), \quad w_t = \log 2 / \log(t + 2)

    Each of the m bets is a density g: constant below and above a cut c, with the odds of lying
    above multiplied by a number.

    Examples
    --------
    >>> bet = bet_against_uniform([0.95, 0.75, 0.55, 0.35, 0.05] * 8 + [0.85] * 40)
    >>> bool(bet.wealth[39] < 1 and bet.wealth[-1] > 1000), bet.began, bet.direction
    (True, 40, -1)
    """
    n_bets = len(_CUTS)
    started, best = np.zeros(n_bets), np.zeros(n_bets)
    best_began = np.zeros(n_bets, dtype=np.int64)
    path = []
    for place, rank in enumerate(ranks):
        new = _waiting(place) - _waiting(place + 1)
        gain = np.where(rank > _CUTS, _GAINS[1], _GAINS[0])
        started = (started + new / n_bets) * gain
        is_new = best <= 1.0
        best_began = np.where(is_new, place, best_began)
        best = np.where(is_new, 1.0, best) * gain
        path.append(_waiting(place + 1) + float(started.sum()))
    winner = int(np.argmax(best))
    return Bet(
        wealth=np.array(path),
        began=int(best_began[winner]),
        direction=-1 if _ODDS[winner] > 1 else 1,
    )


def _waiting(place: int) -> float:
    """Return the part of the wealth that waits after so many ranks; bets begin ever more rarely."""
    return math.log(2.0) / math.log(place + 2.0)


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
