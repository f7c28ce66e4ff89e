r"""What the fitted model expects of the very people who answered, not of the population.

In: cells of answers, and draws. Out: the share accepting among those people, by weighted mean.
Absent: predictions for others (see `records.acceptance`).

Everybody's leniency has a posterior of its own given their answers:
:math:`p(U_k \mid \theta, y_k) \propto \varphi(U_k/\sigma) \prod_j P(y_{kj} \mid U_k)`. Averaged
over the people asked about an application, it tells where a chance sample of strict or lenient
people should lie; observed shares belong beside this curve, decisions beside the population's.
"""

import numpy as np
from numpy.typing import NDArray

from howgood.learn.binary import Cells
from howgood.stats.logistic import expit
from howgood.stats.power_mean import power_mean
from howgood.stats.quadrature import normal_nodes

FloatArray = NDArray[np.float64]


def respondent_shares(
    cells: Cells, draws: FloatArray, application: int, means: FloatArray
) -> FloatArray:
    """Return the share accepting among those asked about one application, (draws, means)."""
    nodes, _ = normal_nodes()
    n = len(cells.applications)
    asked = _asked_about(cells, application)
    shares = np.empty((len(draws), len(means)))
    for index, row in enumerate(draws):
        chance = expit((row[application] + row[n + application] * means)[:, None] + row[-2] * nodes)
        shares[index] = chance @ _leniency(cells, row, asked)
    return shares


def _asked_about(cells: Cells, application: int) -> FloatArray:
    """How many people of each group were asked about an application."""
    here = np.tile(cells.application == application, 2)
    answered = cells.groups.counts[:, here].sum(axis=1) > 0
    return np.asarray(cells.groups.alike * answered)


def _leniency(cells: Cells, row: FloatArray, asked: FloatArray) -> FloatArray:
    """Distribution over the nodes of the leniency of the people asked, given their answers."""
    n, at = len(cells.applications), cells.application
    mean = power_mean(cells.precision, cells.recall, p=row[-1], alpha=row[2 * n : 3 * n][at])
    nodes, weights = normal_nodes()
    x = (row[:n][at] + row[n : 2 * n][at] * mean)[:, None] + row[-2] * nodes
    log_terms = -np.concatenate([np.logaddexp(0.0, -x), np.logaddexp(0.0, x)])
    joint = cells.groups.counts[asked > 0] @ log_terms + np.log(weights)
    share = np.exp(joint - joint.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    return np.asarray(asked[asked > 0] @ share / asked.sum())
