"""Doubt about a share of trials that belong to units; draws and quantiles from a grid.

In: successes, trials and weight of each unit (answers belong to people); or nodes and weights of an
even grid. Out: draws of the share, an interval where trials stand for themselves; values.
Absent: what the units are.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, expit, logit

from howgood.stats.arrays import FloatArray
from howgood.stats.bootstrap import ratio_draws, widened


def jeffreys_ends(
    successes: ArrayLike, trials: ArrayLike, *, probability: float
) -> tuple[FloatArray, FloatArray]:
    """Return Jeffreys' intervals of shares of independent trials; none reaches 0, all reach 1.

    Examples
    --------
    >>> lower, upper = jeffreys_ends([0, 13, 15], 15, probability=0.95)
    >>> lower.round(2).tolist(), upper.round(2).tolist()
    ([0.0, 0.64, 0.85], [0.15, 0.97, 1.0])
    """
    count, total = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    lower, upper = (
        betaincinv(count + 0.5, total - count + 0.5, 0.5 + side * probability / 2.0)
        for side in (-1, 1)
    )
    return np.where(count > 0, lower, 0.0), np.where(count < total, upper, 1.0)


def share_draws(
    successes: FloatArray,
    trials: FloatArray,
    *,
    weights: FloatArray,
    draws: int,
    generator: np.random.Generator,
) -> FloatArray:
    r"""Return sorted draws of a weighted mean of shares over units like these; use quantiles.

    .. math:: s = \frac{\sum_u w_u\, k_u / t_u}{\sum_u w_u}

    Weights equal to the trials give the share of all trials, equal weights the mean over units.
    Two doubts are looked at: that units differ (the Bayesian bootstrap over units, of the log odds,
    widened for their number), and that trials are few (Jeffreys' prior, every trial for itself).
    Of each quantile the one farther from s counts: units that happen to agree do not make the
    share certain. s itself is always inside. One unit differs from none: Jeffreys' prior alone.

    Examples
    --------
    >>> ten = np.full(4, 10.0)
    >>> found = share_draws(ten, ten, weights=ten, draws=2000, generator=np.random.default_rng(1))
    >>> [round(float(end), 2) for end in np.quantile(found, [0.05, 0.95])]
    [0.95, 1.0]
    """
    share = float(weights @ (successes / trials) / weights.sum())
    alike = float(weights.sum() ** 2 / np.sum(weights**2 / trials))  # trials worth as much
    drawn = ratio_draws(
        (weights * successes / trials)[:, None], weights[:, None], draws=draws, generator=generator
    )[:, 0]
    # Half a trial either way keeps log odds finite, as Jeffreys' prior does.
    odds, centre = (logit((array * alike + 0.5) / (alike + 1.0)) for array in (drawn, share))
    odds = widened(odds, centre, n_units=len(trials), n_fitted=1, generator=generator)
    ends = np.sort(np.stack([expit(odds), beta_draws(share * alike, alike, n_draws=draws)]), axis=1)
    below, above = np.split(ends, [draws // 2], axis=1)
    return np.concatenate(
        [np.minimum(below.min(axis=0), share), np.maximum(above.max(axis=0), share)]
    )


def grid_draws(nodes: FloatArray, weights: FloatArray, *, n_draws: int = 4000) -> FloatArray:
    """Return evenly spread quantiles of a density that is constant around each node.

    Each node stands for the cell half way to its neighbours, so that the draws do not pile up
    on nodes. No randomness: draw d is the quantile (d + 1/2) / n_draws.

    Examples
    --------
    >>> grid_draws(np.arange(3.0), np.array([0.0, 1.0, 0.0]), n_draws=4).round(9).tolist()
    [0.625, 0.875, 1.125, 1.375]
    """
    step = nodes[1] - nodes[0]
    edges = np.append(nodes - step / 2, nodes[-1] + step / 2)
    mass = np.concatenate([[0.0], np.cumsum(weights / weights.sum())])
    # Cells without mass would make the inverse ambiguous; a grain of slope fixes the order.
    mass = mass + np.arange(mass.size) * 1e-14
    return np.asarray(np.interp((np.arange(n_draws) + 0.5) / n_draws, mass, edges))


def beta_draws(successes: float, trials: float, *, n_draws: int = 4000) -> FloatArray:
    """Return evenly spread quantiles of a share under Jeffreys' prior, Beta(s + 1/2, t - s + 1/2).

    Examples
    --------
    >>> draws = beta_draws(13, 15)
    >>> [round(float(end), 2) for end in np.quantile(draws, [0.025, 0.975])]
    [0.64, 0.97]
    """
    from scipy.stats import beta

    levels: ArrayLike = (np.arange(n_draws) + 0.5) / n_draws
    return np.asarray(beta.ppf(levels, successes + 0.5, trials - successes + 0.5))


# Whole numbers in given proportions that add up to a given total.


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
    return tuple(int(level) for level in down)
