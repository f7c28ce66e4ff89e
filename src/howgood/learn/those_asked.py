r"""The share accepting among the very people who answered.

In: cells, and draws of the binary model in natural units. Out: `RespondentShares`. Absent: the
population's shares (see `records.acceptance`).

The population's curve and that of the very people who answered differ. Everybody's leniency has a
posterior of its own given their answers:
:math:`p(U_k \mid \theta, y_k) \propto \varphi(U_k/\sigma) \prod_j P(y_{kj} \mid U_k)`. Averaged
over the people asked about an application, it tells where a chance sample of strict or lenient
people should lie; observed shares belong next to this curve, decisions next to the population's.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtri

from howgood.learn.binary_model import Cells, draw_columns
from howgood.stats.arrays import FloatArray
from howgood.stats.power_mean import power_mean
from howgood.stats.random_intercepts import normal_nodes


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
    at = draw_columns(len(cells.applications))
    asked = _asked_about(cells, application)
    expected, spread = (np.empty((len(draws), len(means))) for _ in range(2))
    for index, row in enumerate(draws):
        intercept, slope = row[at["intercept"]][application], row[at["slope"]][application]
        center = intercept + slope * means + row[at["flawless"]] * (means == 1.0)
        chance = expit(center[:, None] + row[at["person_sd"]] * nodes)
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
    at = draw_columns(len(cells.applications))
    intercept, slope, alpha = (
        row[at[name]][cells.application] for name in ("intercept", "slope", "alpha")
    )
    mean = power_mean(cells.precision, cells.recall, p=row[at["p"]].item(), alpha=alpha)
    nodes, weights = normal_nodes()
    center = intercept + slope * mean + row[at["flawless"]] * cells.is_flawless
    x = center[:, None] + row[at["person_sd"]] * nodes
    log_terms = -np.concatenate([np.logaddexp(0.0, -x), np.logaddexp(0.0, x)])
    joint = cells.groups.counts[asked > 0] @ log_terms + np.log(weights)
    share = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(share / share.sum(axis=1, keepdims=True))
