"""Which alternative is best, by criteria whose weights only choices reveal?

In: a table of alternatives by criteria, and answers. Out: questions (see `weights_search`) and
`CriteriaResult`. Absent: how questions are chosen.
"""

from typing import Any, Self, get_args

import numpy as np

from howgood.errors import InputError, UnknownNameError
from howgood.learn.elicitation.criteria_table import Criteria, criteria_table
from howgood.learn.elicitation.weights_search import (
    PARTICLES,
    Counted,
    Until,
    WeightsSearch,
    best_shares,
    weight_estimate,
)
from howgood.records.criteria import CriteriaResult
from howgood.records.elicitation import FEWEST_PREFERENCES
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState
from howgood.stats.weighted_choices import particle_weights

_OF_A_RATIO = 2


def _checked(until: Until) -> Until:
    if until not in get_args(Until):
        raise UnknownNameError(where="until", name=until, names=get_args(Until))
    return until


class CriteriaElicitor(WeightsSearch):
    r"""Learn how much each criterion weighs, until it is settled which alternative is best.

    The value of an alternative is :math:`\sum_k w_k z_k` with weights on the simplex and
    :math:`z_k` the share of the way from the worst to the best score of the table. Choices are
    noisy: sensitivity, lapse rate and width of indifference are unknown and averaged over. Each
    question is the pair whose answer is expected to tell most about which alternative is best;
    imagined pairs differ in two criteria, real ones in any. It stops when the weights leave one
    alternative with a probability of 95 %, or an expected regret of at most half a percent.

    Parameters
    ----------
    table : frame
        One row per alternative; a column per criterion, one of names (the first other column), and
        perhaps the standard deviation of a score (`quality_sd`).
    criteria : mapping
        Column to "max" or "min"; or to a mapping with `direction`, `unit`, `label`, `scale`
        ("linear" or "log") and `sd` (the column of standard deviations).
    name : str, optional
        The column of names.
    random_state : None, int or Generator
        Decides sides, checks and held-out questions.
    min_queries, max_queries : int
        Fewest and most questions asked to learn.
    catch_pairs, held_out : int
        Questions that check attention (at most 3), and that are kept back to test the weights.
    imagined : bool
        Ask about imagined pairs too; False: only about alternatives of the table.
    until : {"best", "weights", "ratio"}
        What ends the questions: one alternative is settled as the best; every weight is known to
        within five hundredths; of two criteria, their ratio to a factor of 1.5 each way.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> table = {"model": ["small", "large"], "quality": [70, 90], "price": [1.0, 4.0]}
    >>> learner = CriteriaElicitor(
    ...     table, criteria={"quality": "max", "price": "min"}, random_state=1
    ... )
    >>> while (query := learner.query()) is not None:
    ...     gap = query.first.values["quality"] - query.second.values["quality"]
    ...     learner.answer("first" if gap > 0 else "second" if gap < 0 else "same")
    >>> result = learner.result()
    >>> result.best, result.best_probability["large"] > 0.95
    ('large', True)
    """

    def __init__(
        self,
        table: Any,  # noqa: ANN401 - any frame, or a mapping of columns
        *,
        criteria: Criteria,
        name: str | None = None,
        random_state: RandomState = None,
        min_queries: int = 6,
        max_queries: int = 25,
        catch_pairs: int = 3,
        held_out: int = 8,
        imagined: bool = True,
        until: Until = "best",
    ) -> None:
        self.until = _checked(until)
        super().__init__(
            criteria_table(table, criteria=criteria, name=name),
            random_state=random_state,
            min_queries=min_queries,
            max_queries=max_queries,
            catch_pairs=catch_pairs,
            held_out=held_out,
            imagined=imagined,
        )
        self.settings["until"] = until
        n_criteria = len(self.table.criteria)
        if until == "ratio" and n_criteria != _OF_A_RATIO:
            raise InputError(
                where="until",
                found=f"'ratio' with {n_criteria} criteria",
                needed="two criteria: a ratio is that of their weights",
                cure='Use "weights" or "best".',
            )

    def anew(self, *, random_state: RandomState, **settings: Any) -> Self:  # noqa: ANN401 - its own
        """Return an interview about the same alternatives, not yet begun."""
        return type(self)(self.table, criteria={}, random_state=random_state, **settings)

    def result(self) -> CriteriaResult:
        """Return what the answers so far say."""
        particles, generator = self._last_particles()
        weights = particle_weights(particles)
        exact, scored = self._values(weights, generator)
        best = int(np.argmin((exact.max(axis=1)[:, None] - exact).mean(axis=0)))
        counted, fit = Counted(self._answered, self._steps), self._fit(particles)
        is_named = counted.preferences >= FEWEST_PREFERENCES and fit.holds
        names = self.table.names
        return CriteriaResult(
            alternatives=self.table,
            weights={
                criterion.name: weight_estimate(weights[:, place])
                for place, criterion in enumerate(self.table.criteria)
            },
            best=names[best] if is_named else None,
            best_probability=dict(zip(names, best_shares(scored).tolist(), strict=True)),
            p_settled=float(best_shares(exact)[best]),
            utility={name: weight_estimate(scored[:, row]) for row, name in enumerate(names)},
            regret={
                name: weight_estimate(scored.max(axis=1) - scored[:, row])
                for row, name in enumerate(names)
            },
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
                method="CriteriaElicitor (sequential Monte Carlo)",
                settings={**self.settings, "particles": PARTICLES},
                seed=self.seed,
                rows_used=len(names),
            ),
        )

    def _values(
        self, weights: FloatArray, generator: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Return each alternative's value per draw: scores taken as exact, and with their noise."""
        noise = generator.normal(size=(len(weights), *self._features.shape))
        scored = np.einsum("dk,dnk->dn", weights, self._features + noise * self.table.feature_sds())
        return weights @ self._features.T, scored
