"""One alternative for many people: who would choose what, and what each choice costs whom.

In: each person's result about the same alternatives. Out: `GroupChoice`. Absent: eliciting.
"""

from collections.abc import Mapping

import numpy as np

from howgood.records.criteria import CriteriaResult, GroupChoice
from howgood.records.estimate import Estimate
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

_DRAWS = 2000


def group_choice(
    people: Mapping[str, CriteriaResult], *, random_state: RandomState = None
) -> GroupChoice:
    """Return what suits the group: shares of people, mean regrets, and how sure that is.

    Every draw takes one draw of each person's weights and weighs people by the Bayesian bootstrap:
    others like them might have been asked.
    """
    generator, seed = generator_and_seed(random_state)
    results = list(people.values())
    names = results[0].alternatives.names
    criteria = [each.name for each in results[0].alternatives.criteria]
    crowd = generator.dirichlet(np.ones(len(results)), size=_DRAWS)
    regrets = np.zeros((_DRAWS, len(names)))
    best, weights = np.zeros((_DRAWS, len(names))), np.zeros((_DRAWS, len(criteria)))
    for person, result in enumerate(results):
        drawn = generator.integers(len(result.regret[names[0]].draws), size=_DRAWS)
        own = np.column_stack([result.regret[name].draws[drawn] for name in names])
        share = crowd[:, person, None]
        regrets += share * own
        best += share * (own <= own.min(axis=1, keepdims=True) + 1e-12)
        weights += share * np.column_stack([result.weights[name].draws[drawn] for name in criteria])
    chosen = int(np.argmin(regrets.mean(axis=0)))
    return GroupChoice(
        best=names[chosen],
        p_best=float((np.argmin(regrets, axis=1) == chosen).mean()),
        shares={name: _estimate(best[:, place], results) for place, name in enumerate(names)},
        regret={name: _estimate(regrets[:, place], results) for place, name in enumerate(names)},
        weights={
            name: _estimate(weights[:, place], results) for place, name in enumerate(criteria)
        },
        people=len(results),
        seed=seed,
    )


def _estimate(draws: FloatArray, results: list[CriteriaResult]) -> Estimate:
    return Estimate.from_draws(draws, probability=0.9, kind="quantile", n_respondents=len(results))
