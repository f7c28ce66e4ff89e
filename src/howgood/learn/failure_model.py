r"""The model of failures by kind: answers to counts, likelihood and priors; nothing sampled yet.

In: `Answers` with a column of counts per kind. Out: `FailureCells`, and `FailureModel`, a log
posterior density for the engines. Absent: sampling (`learn.engines`), results (`learn.failures`).

.. math:: \operatorname{logit} P(\text{accept}) = b_0 - \sum_k w_k f(n_k / N) + d\,[n = 0] + U,
          \quad f(x) = x^\gamma

Parameters on the whole line, in this order: the level where 15 % of the answers fail, the points of
the weights (`stats.half_normal`), the log of the standard deviation of people, the point of d.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from howgood.learn import prior_density
from howgood.learn.binary_model import log_terms
from howgood.records.answers import Answers
from howgood.records.failures import FailurePriors
from howgood.records.priors import Normal
from howgood.stats.arrays import FloatArray, columns_by_name
from howgood.stats.half_normal import half_normal_slope, half_normal_value
from howgood.stats.random_intercepts import (
    N_NODES,
    GroupCounts,
    draws_per_block,
    log_marginal,
    log_marginal_of_choices,
    normal_nodes,
)

USUAL_FAILING = 0.15  # where the level is stated, equally many of every kind
# A weight per unit of x^gamma has the same prior where one answer in ten fails.
_USUAL_RATE = 0.1


@dataclass(frozen=True, slots=True)
class FailureCells:
    """Distinct scenarios (rates by kind) and each person's answers to them."""

    kinds: tuple[str, ...]
    rates: FloatArray
    groups: GroupCounts

    @property
    def is_flawless(self) -> FloatArray:
        """1 where nothing fails, else 0."""
        return np.asarray(~self.rates.any(axis=1), dtype=np.float64)


def failure_cells(
    answers: Answers, accepted: NDArray[np.bool_], kinds: tuple[str, ...], out_of: int
) -> FailureCells:
    """Collapse rows to distinct scenarios and distinct people."""
    rates = np.column_stack([answers[name] for name in kinds]) / out_of
    distinct, cell = np.unique(rates, axis=0, return_inverse=True)
    _, person = np.unique(answers["participant"].astype(str), return_inverse=True)
    outcome = np.where(accepted, cell, cell + len(distinct))
    return FailureCells(kinds, distinct, GroupCounts.from_rows(person, outcome, 2 * len(distinct)))


@dataclass(frozen=True, slots=True)
class FailureModel:
    """Log posterior density for one power of the rates."""

    cells: FailureCells
    priors: FailurePriors
    power: float = 1.0
    n_nodes: int = N_NODES

    @property
    def has_flawless_term(self) -> bool:
        """Whether scenarios in which nothing fails were shown."""
        return bool(self.cells.is_flawless.any())

    @property
    def size(self) -> int:
        """Number of parameters."""
        return len(self.cells.kinds) + 2 + self.has_flawless_term

    @property
    def weight_scale(self) -> float:
        """Scale of the prior of a weight per unit of the rate's power."""
        return self.priors.weight.scale * float(_USUAL_RATE ** (1.0 - self.power))

    @property
    def design(self) -> FloatArray:
        """Powers of the rates against those of the usual level, shape (cells, kinds)."""
        return failing(self.cells.rates, self.power)

    def start(self) -> FloatArray:
        """Return a sensible place to start looking for the mode."""
        n_kinds = len(self.cells.kinds)
        return np.concatenate(
            [np.zeros(1 + n_kinds), [np.log(1.5)], [0.0] * self.has_flawless_term]
        )

    def value_and_gradient(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Return the log density and its gradient at one point."""
        k, nodes_weights = len(self.cells.kinds), normal_nodes(self.n_nodes)
        nodes, node_weights = nodes_weights
        sd, design = np.exp(point[k + 1]), self.design
        x = self._center(point[None, :])[0][:, None] + sd * nodes
        value, pull = log_marginal(self.cells.groups, log_terms(x), node_weights)
        accept = expit(x)
        pull_x = pull[: len(x)] * (1.0 - accept) - pull[len(x) :] * accept
        cell = pull_x.sum(axis=1)
        slopes = half_normal_slope(point[1 : k + 1], self.weight_scale)
        gradient = [[cell.sum()], -(cell @ design) * slopes, [(pull_x * nodes).sum() * sd]]
        if self.has_flawless_term:
            slope = half_normal_slope(point[k + 2], self.priors.flawless.scale)
            gradient.append([cell @ self.cells.is_flawless * slope])
        prior, prior_gradient = self._log_prior(point[None, :])
        return value + float(prior[0]), np.concatenate(gradient) + prior_gradient[0]

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at many points, shape (n, size)."""
        groups, n_cells = self.cells.groups, len(self.cells.rates)
        nodes, weights = normal_nodes(self.n_nodes)
        block = draws_per_block(groups, 2 * n_cells, self.n_nodes)
        values = []
        for start in range(0, len(points), block):
            rows = points[start : start + block]
            with np.errstate(over="ignore", invalid="ignore"):
                spread = np.exp(rows[:, len(self.cells.kinds) + 1])[:, None] * nodes
                center = self._center(rows).T[:, :, None]
                values.append(log_marginal_of_choices(groups, center, spread, weights))
        return np.asarray(np.concatenate(values) + self._log_prior(points)[0])

    def natural(self, points: FloatArray) -> FloatArray:
        """Return draws with everything in its own units, in the order of `failure_columns`."""
        k = len(self.cells.kinds)
        extra = np.zeros(len(points))
        if self.has_flawless_term:
            extra = half_normal_value(points[:, k + 2], self.priors.flawless.scale)
        return np.column_stack(
            [
                points[:, 0],
                half_normal_value(points[:, 1 : k + 1], self.weight_scale),
                np.exp(points[:, k + 1]),
                extra,
                np.full(len(points), self.power),
            ]
        )

    def spread(self, points: FloatArray) -> FloatArray:
        """Return how much people differ, in widths of the logistic curve."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(points[:, len(self.cells.kinds) + 1]))

    def _center(self, points: FloatArray) -> FloatArray:
        natural = self.natural(points)
        k = len(self.cells.kinds)
        lost = natural[:, 1 : k + 1] @ self.design.T
        more = natural[:, k + 2 : k + 3] * self.cells.is_flawless
        return np.asarray(natural[:, :1] - lost + more)

    def _log_prior(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        k, standard = len(self.cells.kinds), Normal(0.0, 1.0)
        parts = [
            prior_density.normal(self.priors.level, points[:, :1]),
            prior_density.normal(standard, points[:, 1 : k + 1]),
            prior_density.log_spread(self.priors.person_sd, points[:, k + 1 : k + 2]),
            prior_density.normal(standard, points[:, k + 2 :]),
        ]
        values = np.concatenate([value for value, _ in parts], axis=1)
        return values.sum(axis=1), np.concatenate([slope for _, slope in parts], axis=1)


def failing(rates: FloatArray, power: float) -> FloatArray:
    """Return powers of rates less those where 15 % of the answers fail; kinds on the last axis."""
    usual = (USUAL_FAILING / rates.shape[-1]) ** power
    return np.asarray(rates**power - usual)


def failure_columns(n_kinds: int) -> dict[str, slice]:
    """Return where each parameter stands in draws in natural units (`FailureModel.natural`)."""
    single = {"person_sd": 1, "flawless": 1, "power": 1}
    return columns_by_name({"level": 1, "weight": n_kinds, **single})
