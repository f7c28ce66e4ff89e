"""Weights of what classifiers do, by class or across groups: outcomes as alternatives.

In: outcomes with their criteria, and answers. Out: questions (see `weights_search`) and
`WeightsResult`. Absent: what outcomes are (see `multiclass` and `fair`).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from howgood.errors import InputError
from howgood.learn.elicitation.weights_search import (
    PARTICLES,
    Counted,
    WeightsSearch,
    weight_estimate,
)
from howgood.records.criteria import CriteriaTable
from howgood.records.elicitation import FEWEST_PREFERENCES, Query, WeightsResult
from howgood.records.outcomes_by_class import DiagonalMetric, FairMetric
from howgood.records.provenance import Provenance
from howgood.stats.randomness import RandomState
from howgood.stats.weighted_choices import particle_weights


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
                criterion.name: weight_estimate(weights[:, place])
                for place, criterion in enumerate(self.table.criteria)
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
