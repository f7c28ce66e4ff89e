"""Quantiles of a positive quantity by safeguarded Newton steps on the logarithm of its tails.

In: a function that gives cdf, sf and density; probabilities. Out: quantiles. Absent: any
particular distribution.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtr, ndtri

from howgood.stats.arrays import FloatArray

Evaluation = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]

_MOST_STEPS = 60
_SMALL_STEP = 1e-9
_TABLE_SCORES = np.linspace(-8.2, 8.2, 821)


def solve_quantiles(
    evaluate: Evaluation, probability: FloatArray, *, mean: float, sd: float, lower_end: float
) -> FloatArray:
    """Return x with P(X <= x) equal to each probability.

    The unknown is the logarithm of x above the lower end of the support, and the smaller of
    the two tails is matched in relative terms, so far tails keep their digits.
    """
    wanted = np.asarray(probability, dtype=np.float64)
    flat = wanted.ravel()
    result = np.where(flat <= 0.0, lower_end, np.where(flat >= 1.0, np.inf, np.nan))
    inside = (flat > 0.0) & (flat < 1.0)
    if inside.any():
        q = flat[inside]
        start = _gamma_start(q, mean - lower_end, sd)
        result[inside] = lower_end + np.exp(_solve(evaluate, q, start, lower_end))
    return result.reshape(wanted.shape)


def _gamma_start(q: FloatArray, mean: float, sd: float) -> FloatArray:
    """Return log quantiles of the gamma distribution with this mean and standard deviation."""
    # No mean of squares or of distances is more skewed than one square, and from a start that is
    # far too low there is a long way up.
    shape = max((mean / sd) ** 2, 0.5)
    guess = gammaincinv(shape, q) * (mean / shape)
    return np.asarray(np.log(np.clip(guess, mean * 1e-250, None)))


def _solve(evaluate: Evaluation, q: FloatArray, start: FloatArray, lower_end: float) -> FloatArray:
    log_x = start.copy()
    low, high = np.full(q.shape, -np.inf), np.full(q.shape, np.inf)
    active = np.ones(q.shape, dtype=bool)
    for _ in range(_MOST_STEPS):
        rise = np.exp(log_x[active])
        lower, upper, density = evaluate(lower_end + rise)
        goal = q[active]
        too_low = lower < goal
        here = log_x[active]
        low[active] = np.where(too_low, np.maximum(low[active], here), low[active])
        high[active] = np.where(too_low, high[active], np.minimum(high[active], here))
        step = _newton_step(lower, upper, density * rise, goal)
        # Newton's error is about the square of its step, so after a small one all is done.
        done = np.abs(step) < _SMALL_STEP
        kept = _keep_inside(here + step, here, too_low, low[active], high[active])
        proposal = np.where(done, here + step, kept)
        log_x[active] = proposal
        still = np.abs(proposal - here) > 2e-15 * np.maximum(1.0, np.abs(here))
        active[active] = still & ~done
        if not active.any():
            break
    return log_x


def _newton_step(
    lower: FloatArray, upper: FloatArray, slope: FloatArray, goal: FloatArray
) -> FloatArray:
    """Return the step that would match the smaller tail's logarithm if that were linear."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        left = lower * (np.log(goal) - np.log(lower)) / slope
        right = upper * (np.log(upper) - np.log1p(-goal)) / slope
    return np.asarray(np.where(goal < 0.5, left, right))


def _keep_inside(
    proposal: FloatArray, here: FloatArray, too_low: NDArray[np.bool_], low: FloatArray,
    high: FloatArray,
) -> FloatArray:  # fmt: skip
    """Replace steps that leave the bracket by bisection, or by a bold step while it is open."""
    middle = 0.5 * (low + high)  # one of them is finite: the point just tried
    bold = np.where(too_low, here + 2.0, here - 2.0)
    spare = np.where(np.isfinite(middle), middle, bold)
    outside = ~((proposal >= low) & (proposal <= high)) | (np.abs(proposal - here) > 50.0)
    return np.where(outside, spare, proposal)


def draws_by_inversion(
    quantile: Callable[[FloatArray], FloatArray], size: int, generator: np.random.Generator
) -> FloatArray:
    """Return independent draws: the quantile function, tabulated on normal scores, at random."""
    from scipy.interpolate import PchipInterpolator  # a third of a second, so only when asked

    table = quantile(ndtr(_TABLE_SCORES))
    uniform = np.clip(generator.random(size), 1e-16, None)
    scores = np.clip(ndtri(uniform), _TABLE_SCORES[0], _TABLE_SCORES[-1])
    return np.asarray(PchipInterpolator(_TABLE_SCORES, table)(scores))
