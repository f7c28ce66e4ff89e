"""What a group of people values: from each person's weight or choice to the group's.

In: one `Estimate`, `Agreement` or `CriteriaResult` per person. Out: the mean over people like these
and how much people differ; who would choose which alternative, and what each choice costs whom.
Absent: a model in which people inform each other; each person's answers speak for that person.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from howgood.records.criteria import CriteriaResult, GroupChoice
from howgood.records.elicitation import Agreement
from howgood.records.estimate import Estimate
from howgood.stats.arrays import FloatArray
from howgood.stats.bootstrap import ratio_draws, widened
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.shares import share_draws

_DRAWS = 4000


def group_mean(
    people: Sequence[Estimate], *, draws: int = _DRAWS, random_state: RandomState = None
) -> Estimate:
    """Return the mean over people like these of shares between 0 and 1, with a 90 % interval.

    The Bayesian bootstrap over people, widened for their number: two people say little about
    everybody. How well each person is known needs no place of its own, as it makes the people
    differ. One person alone differs from nobody: then the interval is about that person.

    Examples
    --------
    >>> def person(weight):
    ...     return Estimate.from_draws(np.full(100, weight), probability=0.9, kind="quantile")
    >>> people = [person(weight) for weight in (0.1, 0.2, 0.2, 0.3)]
    >>> mean = group_mean(people, random_state=1)
    >>> round(mean.mean, 3), 0.05 < mean.interval.lower < 0.2 < mean.interval.upper < 0.35
    (0.2, True)
    """
    generator, _ = generator_and_seed(random_state)
    means = np.array([person.mean for person in people])
    centre = float(means.mean())
    if len(people) > 1:
        each_once = np.ones((len(people), 1))
        drawn = ratio_draws(means[:, None], each_once, draws=draws, generator=generator)[:, 0]
        drawn = widened(drawn, centre, n_units=len(people), n_fitted=1, generator=generator)
    else:
        drawn = people[0].draws
    estimate = Estimate.from_draws(
        np.clip(drawn, 0.0, 1.0), probability=0.9, kind="quantile", n_respondents=len(people)
    )
    # The long tails of few people, cut at 0 and 1, would pull the mean towards the middle.
    return replace(estimate, mean=centre)


def group_agreement(
    people: Sequence[Agreement], *, draws: int = _DRAWS, random_state: RandomState = None
) -> Estimate:
    """Return M / 100, the mean over people like these, with a 90 % interval.

    The mean is that of people's shares as counted, like the baselines next to it: posterior means
    of few questions would pull it towards one half. The interval is over people, and as wide as
    their few questions alone would make it (see `stats.shares`).

    Examples
    --------
    >>> from howgood.stats.shares import beta_draws
    >>> def person(agreeing):
    ...     share = Estimate.from_draws(beta_draws(agreeing, 10))
    ...     return Agreement(share=share, n_agreeing=agreeing, n_questions=10,
    ...                      n_without_preference=0, baselines={})
    >>> found = group_agreement([person(9), person(10), person(8)], random_state=1)
    >>> round(found.mean, 3), found.interval.lower < 0.85, found.interval.upper > 0.95
    (0.9, True, True)
    """
    generator, _ = generator_and_seed(random_state)
    agreeing, asked = np.array(
        [(person.n_agreeing, person.n_questions) for person in people], float
    ).T
    drawn = share_draws(
        agreeing, asked, weights=np.ones_like(asked), draws=draws, generator=generator
    )
    estimate = Estimate.from_draws(
        drawn, probability=0.9, kind="quantile", n_respondents=len(people)
    )
    return replace(estimate, mean=float(np.mean(agreeing / asked)))


def spread_between(people: Sequence[Estimate]) -> float:
    """Return the standard deviation between people, without the noise of knowing each roughly.

    The variance of the people's means holds both; the mean posterior variance is taken off. Zero:
    people differ by no more than the doubt about each would make them. This leans to the low side,
    because the elicitor's posteriors are wider than the errors it makes (its flat prior hardly
    shrinks): simulated people with an sd of .10 are given .09 to .11, people with .03 0 to .02. The
    spread of the means themselves is the other bound; print both.

    Examples
    --------
    >>> spread_between([Estimate.from_draws([0.2]), Estimate.from_draws([0.4])]).__round__(4)
    0.1414
    """
    if len(people) < 2:
        return 0.0
    between = float(np.var([person.mean for person in people], ddof=1))
    within = float(np.mean([person.sd**2 for person in people]))
    return math.sqrt(max(0.0, between - within))


_CROWDS = 2000


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
    criteria = [criterion.name for criterion in results[0].alternatives.criteria]
    crowd = generator.dirichlet(np.ones(len(results)), size=_CROWDS)
    regrets = np.zeros((_CROWDS, len(names)))
    best, weights = np.zeros((_CROWDS, len(names))), np.zeros((_CROWDS, len(criteria)))
    for person, result in enumerate(results):
        drawn = generator.integers(len(result.regret[names[0]].draws), size=_CROWDS)
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
