r"""What the fitted model expects of the very people who answered, not of the population.

In: cells of answers, and draws. Out: the share accepting among those people, by weighted mean.
Absent: predictions for others (see `records.acceptance`).

Everybody's leniency has a posterior of its own given their answers:
:math:`p(U_k \mid \theta, y_k) \propto \varphi(U_k/\sigma) \prod_j P(y_{kj} \mid U_k)`. Averaged
over the people asked about an application, it tells where a chance sample of strict or lenient
people should lie; observed shares belong beside this curve, decisions beside the population's.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from howgood.learn.binary import Cells
from howgood.stats.arrays import FloatArray
from howgood.stats.logistic import expit
from howgood.stats.power_mean import power_mean
from howgood.stats.quadrature import normal_nodes


class RespondentShares(NamedTuple):
    """Per draw and weighted mean: the share expected of those asked, and its sd given the draw."""

    expected: FloatArray
    spread: FloatArray

    def drawn(self) -> FloatArray:
        """Return one share per draw, leniencies drawn too: normal, as sums of many people are."""
        n = len(self.expected)
        # Evenly spaced quantiles instead of chance; any order serves.
        scores = np.random.default_rng(0).permutation(ndtri((np.arange(n) + 0.5) / n))
        return np.clip(self.expected + scores[:, None] * self.spread, 0.0, 1.0)


def respondent_shares(
    cells: Cells, draws: FloatArray, application: int, means: FloatArray
) -> RespondentShares:
    r"""Return the share accepting among those asked about one application, (draws, means).

    Even with all parameters known, everybody's leniency is not: the share of K people,
    :math:`\frac 1K \sum_k f(U_k)`, has the variance :math:`\frac 1{K^2} \sum_k V f(U_k)`.
    """
    nodes, _ = normal_nodes()
    n = len(cells.applications)
    asked = _asked_about(cells, application)
    expected, spread = (np.empty((len(draws), len(means))) for _ in range(2))
    for index, row in enumerate(draws):
        chance = expit((row[application] + row[n + application] * means)[:, None] + row[-2] * nodes)
        people = _leniency(cells, row, asked)
        among = asked[asked > 0] @ people / asked.sum()
        # Sum over people of the square of the chance expected of each.
        pairs = (people * asked[asked > 0][:, None]).T @ people / asked.sum()
        expected[index] = chance @ among
        own = chance**2 @ among - np.einsum("mi,ij,mj->m", chance, pairs, chance)
        spread[index] = np.sqrt(np.maximum(own, 0.0) / asked.sum())
    return RespondentShares(expected, spread)


def _asked_about(cells: Cells, application: int) -> FloatArray:
    """How many people of each group were asked about an application."""
    here = np.tile(cells.application == application, 2)
    answered = cells.groups.counts[:, here].sum(axis=1) > 0
    return np.asarray(cells.groups.alike * answered)


def _leniency(cells: Cells, row: FloatArray, asked: FloatArray) -> FloatArray:
    """Distributions over the nodes: leniency of each group asked, given its answers."""
    n, at = len(cells.applications), cells.application
    mean = power_mean(cells.precision, cells.recall, p=row[-1], alpha=row[2 * n : 3 * n][at])
    nodes, weights = normal_nodes()
    x = (row[:n][at] + row[n : 2 * n][at] * mean)[:, None] + row[-2] * nodes
    log_terms = -np.concatenate([np.logaddexp(0.0, -x), np.logaddexp(0.0, x)])
    joint = cells.groups.counts[asked > 0] @ log_terms + np.log(weights)
    share = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(share / share.sum(axis=1, keepdims=True))
