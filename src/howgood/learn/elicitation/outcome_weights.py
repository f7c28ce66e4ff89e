"""Weights of what classifiers do, by class or across groups: outcomes as alternatives.

In: outcomes with their criteria, and answers. Out: questions (see `weights_search`) and
`WeightsResult`. Absent: what outcomes are (see `multiclass` and `fair`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import beta, entropy

from howgood.errors import InputError
from howgood.learn.elicitation.weights_search import (
    PARTICLES,
    Counted,
    WeightsSearch,
    weight_estimate,
)
from howgood.records.criteria import CriteriaTable
from howgood.records.elicitation import FEWEST_PREFERENCES, Query, WeightsResult
from howgood.records.estimate import Estimate
from howgood.records.outcomes_by_class import DiagonalMetric, FairMetric
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState
from howgood.stats.weighted_choices import particle_weights

# Less than half a bit was hardly learned: one answer to the right question, by somebody who slips
# in one of ten, tells 1 - H(0.1) = 0.53 bits.
_HARDLY = 0.5
_BINS = 20  # equally probable before any answer


class OutcomeElicitor(WeightsSearch):
    """Asks about pairs of real outcomes until every weight is known to within five hundredths."""

    until = "weights"

    def __init__(
        self,
        outcomes: Sequence[Any],
        table: CriteriaTable,
        *,
        metric: Callable[[tuple[float, ...]], DiagonalMetric | FairMetric],
        method: str,
        random_state: RandomState,
        min_queries: int,
        max_queries: int,
        catch_pairs: int,
        held_out: int,
    ) -> None:
        self.outcomes = tuple(outcomes)
        self._metric, self._method = metric, method
        if not len(table.names) or not np.ptp(table.scores, axis=0).any():
            raise InputError(
                where=method,
                found=f"{len(table.names)} systems that do the same",
                needed="systems with a trade-off between them",
                cure="Add systems, for instance other thresholds.",
            )
        super().__init__(
            table,
            random_state=random_state,
            min_queries=min(min_queries, max_queries),
            max_queries=max_queries,
            catch_pairs=catch_pairs,
            held_out=held_out,
            imagined=False,
        )

    def query(self) -> Query | None:
        """Return the question at hand, or None when every question is answered."""
        return self._query_about(self.outcomes)

    def result(self) -> WeightsResult:
        """Return what the answers so far say."""
        particles, _ = self._last_particles()
        weights = particle_weights(particles)
        counted, fit = Counted(self._answered, self._steps), self._fit(particles)
        metric = self._metric(tuple(weights.mean(axis=0).tolist()))
        is_said = counted.preferences >= FEWEST_PREFERENCES and fit.holds
        return WeightsResult(
            weights={
                criterion.name: weight
                for criterion, weight in zip(
                    self.table.criteria, judged_weights(weights), strict=True
                )
            },
            metric=metric if is_said else None,
            best=max(self.outcomes, key=metric.of) if is_said else None,
            queries=len(self._answered),
            choices=counted.choices,
            preferences=counted.preferences,
            stopped=self._stopped or "interrupted",
            checks=counted.checks,
            agreement=self._agreement(weights.mean(axis=0)),
            misfit=fit.reasons,
            advice=fit.advice,
            is_informative=fit.is_informative,
            provenance=Provenance(
                method=self._method,
                settings={**self.settings, "particles": PARTICLES},
                seed=self.seed,
                rows_used=len(self.outcomes),
            ),
        )


def judged_weights(weights: FloatArray) -> list[Estimate]:
    """Return weights (n_draws, k) with 90 % intervals, and whether answers say how large each is.

    They do not ("none") where the answers tell less about it than half a bit, by the divergence of
    what is believed now from what was believed before. Beforehand each of k weights that sum to 1
    is distributed as Beta(1, k - 1); it still is after answers that tell only how the others
    compare. So the least known one is judged first, then the others as shares of what is left: what
    they share with it is no lack of answers.

    Examples
    --------
    >>> third, first = np.linspace(0.01, 0.9, 50), np.linspace(0.4, 0.44, 50)
    >>> draws = np.column_stack([first * (1 - third), (1 - first) * (1 - third), third])
    >>> [weight.evidence for weight in judged_weights(draws)]
    ['enough', 'enough', 'none']
    """
    left = list(range(weights.shape[1]))
    while len(left) > 1:
        shares = weights[:, left] / weights[:, left].sum(axis=1, keepdims=True)
        bits = [_bits_learned(draws, len(left)) for draws in shares.T]
        if min(bits) >= _HARDLY:
            break
        del left[int(np.argmin(bits))]
    known = left if len(left) > 1 else []
    return [
        replace(weight_estimate(draws), evidence="enough" if place in known else "none")
        for place, draws in enumerate(weights.T)
    ]


def _bits_learned(draws: FloatArray, n_weights: int) -> float:
    """Return by how much one weight differs from what it was before any answer, in bits.

    Examples
    --------
    >>> before = beta.ppf(np.linspace(0.001, 0.999, 1000), 1, 2)
    >>> round(_bits_learned(before, 3), 3), round(_bits_learned(before[:500], 3), 3)
    (0.0, 1.0)
    """
    ranks = beta.cdf(draws, 1, n_weights - 1)
    shares = np.histogram(ranks, bins=_BINS, range=(0.0, 1.0))[0] / len(ranks)
    return float(-entropy(shares, base=2)) + float(np.log2(_BINS))
