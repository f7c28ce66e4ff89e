"""Draws and quantiles from weights on an even grid.

In: grid nodes and weights. Out: values. Absent: where the weights come from.
"""

import numpy as np
from numpy.typing import ArrayLike

from howgood.stats.arrays import FloatArray


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
