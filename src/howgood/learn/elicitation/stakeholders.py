"""Many stakeholders: what everybody values together, one threshold or two, and who pays.

In: each person's elicitation about the same systems, and perhaps their groups. Out: `Stakeholders`,
by way of a value and its standard error per person: draws of the crowd's centre and spread and of
every person given the others; the probability of two crowds, and who belongs to which. Absent:
eliciting, and how it is shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp
from scipy.stats import norm

from howgood.errors import InputError
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicitation import ElicitationResult
from howgood.records.elicited_metric import LinearMetric
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.stakeholders import Stakeholders
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

_CENTRE_SD, _SPREAD_SD = 2.5, 1.0
_CENTRES, _SPREADS = np.linspace(-6.0, 6.0, 121), np.linspace(0.02, 3.0, 40)
# Within one of two crowds people differ less: else two crowds are one wide one.
_TWO_CENTRES, _TWO_SPREADS = np.linspace(-6.0, 6.0, 41), np.linspace(0.05, 1.2, 8)
_TWO_SPREAD_SD = 0.5
_SHARES = np.linspace(0.1, 0.9, 9)
EVERYBODY = "everybody"
_DRAWS, _PERSON_DRAWS = 2000, 60
_LEAST_ERROR = 0.02  # of log odds: nobody is known better than that


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Crowd:
    """Draws of the centre (n,), the spread (n,) and the people (n, n_people); two crowds or one?

    `p_two` is the probability of two crowds, where both are as probable beforehand, `second` the
    probability of each person to belong to the one with the greater values.
    """

    centre: FloatArray
    spread: FloatArray
    people: FloatArray
    p_two: float
    second: FloatArray


def crowd_of(
    values: FloatArray, errors: FloatArray, generator: np.random.Generator, *, draws: int = 2000
) -> Crowd:
    """Return what values with errors say about a crowd of people.

    Examples
    --------
    >>> apart = np.array([-3.0, -2.9, -3.1, -3.0, 1.0, 1.1, 0.9, 1.0])
    >>> found = crowd_of(apart, np.full(8, 0.2), np.random.default_rng(0))
    >>> found.p_two > 0.9, found.second.round().tolist()
    (True, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    """
    one = _log_joint_of_one(values, errors)
    evidence = float(logsumexp(one))
    chances = np.exp(one - evidence).ravel()
    places = generator.choice(chances.size, size=draws, p=chances / chances.sum())
    centre, spread = (
        axis[place]
        for axis, place in zip(
            (_CENTRES, _SPREADS), np.unravel_index(places, one.shape), strict=True
        )
    )
    # Within a cell of the grid any value is as good as its middle.
    centre = centre + (generator.random(draws) - 0.5) * (_CENTRES[1] - _CENTRES[0])
    precision = 1 / errors**2 + 1 / spread[:, None] ** 2
    means = (values / errors**2 + (centre / spread**2)[:, None]) / precision
    people = generator.normal(means, 1 / np.sqrt(precision))
    two, second = _two_crowds(values, errors)
    p_two = float(expit(two - evidence))
    return Crowd(centre=centre, spread=spread, people=people, p_two=p_two, second=second)


def _log_joint_of_one(values: FloatArray, errors: FloatArray) -> FloatArray:
    """Return log prior plus log likelihood over the grid of centre and spread."""
    wide = np.sqrt(errors**2 + _SPREADS[:, None] ** 2)  # (spread, person)
    likelihood = norm.logpdf(values, _CENTRES[:, None, None], wide).sum(axis=2)
    prior = _log_weights(norm.logpdf(_CENTRES, 0, _CENTRE_SD))[:, None]
    return np.asarray(likelihood + prior + _log_weights(norm.logpdf(_SPREADS, 0, _SPREAD_SD)))


def _two_crowds(values: FloatArray, errors: FloatArray) -> tuple[float, FloatArray]:
    """Return the log evidence of two crowds, and each person's probability of the second."""
    first, second = np.triu_indices(_TWO_CENTRES.size, k=1)
    centre_prior = norm.logpdf(_TWO_CENTRES, 0, _CENTRE_SD)
    prior = _log_weights(centre_prior[first] + centre_prior[second])
    spread_prior = _log_weights(norm.logpdf(_TWO_SPREADS, 0, _TWO_SPREAD_SD))
    evidences, memberships = [], []
    for spread, weight in zip(_TWO_SPREADS, spread_prior.tolist(), strict=True):
        wide = np.sqrt(errors**2 + spread**2)
        density = norm.pdf(values, _TWO_CENTRES[:, None], wide)  # (centre, person)
        for share in _SHARES.tolist():
            low, high = (1 - share) * density[first], share * density[second]
            both = np.maximum(low + high, 1e-300)
            joint = np.log(both).sum(axis=1) + prior + weight - np.log(_SHARES.size)
            evidences.append(logsumexp(joint))
            chances = np.exp(joint - evidences[-1])
            memberships.append(chances @ (high / both))
    total = float(logsumexp(evidences))
    return total, np.asarray(np.exp(np.array(evidences) - total) @ np.array(memberships))


def _log_weights(logs: FloatArray) -> FloatArray:
    return np.asarray(logs - logsumexp(logs))


def stakeholders(
    people: Mapping[str, ElicitationResult],
    *,
    groups: Mapping[str, str] | None = None,
    systems: Sequence[ConfusionMatrix] | None = None,
    random_state: RandomState = 0,
) -> Stakeholders:
    """Return what several people value together, and what each threshold costs whom.

    Everybody's log odds of a0 are taken as normal around those of a crowd, whose centre and spread
    are learned: people who answered little are drawn towards the others. Two crowds are compared
    with one by their evidence. Regrets use each person's own metrics that remain possible.

    Parameters
    ----------
    people : mapping
        Name to the result of an elicitation, all about the same systems. People whom no metric
        describes are refused: leave them out, and say so.
    groups : mapping, optional
        Name to a group, such as experts and patients.
    systems : sequence of ConfusionMatrix, optional
        What can be chosen; without, what the first person could be shown.
    random_state : None, int or Generator
        Chance of the draws.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from howgood import learn, score
    >>> rng = np.random.default_rng(1)
    >>> chance = rng.beta(0.5, 0.9, 1000)
    >>> matrices = learn.threshold_matrices(rng.random(1000) < chance, chance)
    >>> people = {
    ...     name: learn.ask_oracle(
    ...         learn.Elicitor(matrices, random_state=1), score.LinearMetric(a0=a0).prefers
    ...     )
    ...     for name, a0 in (("ann", 0.1), ("bo", 0.12), ("cy", 0.5))
    ... }
    >>> groups = {"ann": "patients", "bo": "patients", "cy": "doctors"}
    >>> found = stakeholders(people, groups=groups, random_state=1)
    >>> found.crowds, "best for doctors" in found.systems
    ('not enough evidence', True)
    """
    named = _checked(people)
    generator, seed = generator_and_seed(random_state)
    reachable = tuple(systems if systems is not None else next(iter(named.values())).systems)
    regrets = np.stack([person_regrets(result, reachable) for result in named.values()])
    values, errors = np.array([_log_odds(result) for result in named.values()]).T
    crowd = crowd_of(values, errors, generator, draws=_DRAWS)
    names, said = list(named), {name: str((groups or {}).get(name, "")) for name in named}
    members = _members(said, crowd.second if crowd.p_two >= 0.5 else None)
    best = {f"best for {name}": int(np.argmin(regrets[rows].mean(axis=0)))
            for name, rows in members.items()}  # fmt: skip
    return Stakeholders(
        a0={name: _estimate(_a0(crowd.people[:, place])) for place, name in enumerate(names)},
        typical=_estimate(_a0(crowd.centre)),
        spread=_estimate(crowd.spread),
        p_two=crowd.p_two,
        second=dict(zip(names, crowd.second.tolist(), strict=True)),
        groups=said,
        systems={name: reachable[place] for name, place in best.items()},
        regret=_regret_table(regrets, members, best, generator),
        disagreement=regrets[:, np.argmin(regrets, axis=1)],
        gain_of_two=_gain_of_two(regrets, crowd.second),
        provenance=Provenance(
            method="normal crowd of log odds, one or two; regrets by each person's metric",
            settings={"draws": _DRAWS, "people": len(names)},
            seed=seed,
            rows_used=sum(result.choices for result in named.values()),
        ),
    )


def person_regrets(result: ElicitationResult, systems: Sequence[ConfusionMatrix]) -> FloatArray:
    """Return what each system forgoes for one person, as a share of what their best one gains."""
    cells = np.array([list(system.to_dict().values()) for system in systems], dtype=np.float64).T
    if isinstance(result.metric, LinearMetric) and result.a0 is not None:
        step = max(1, result.a0.draws.size // _PERSON_DRAWS)
        metrics = [LinearMetric(a0=float(draw)) for draw in result.a0.draws[::step]]
        values = np.stack([metric.of_counts(*cells) for metric in metrics])
    elif result.metric is not None:
        possible = result.possible or (result.metric,)
        values = np.stack([metric.of_counts(*cells) for metric in possible])
    else:
        raise _not_described("a person")
    best = values.max(axis=1, keepdims=True)
    gain = best - values.mean(axis=1, keepdims=True)
    return np.asarray(((best - values) / np.where(gain > 0, gain, 1.0)).mean(axis=0))


def _members(groups: Mapping[str, str], second: FloatArray | None) -> dict[str, list[int]]:
    """Return the rows of everybody, of each group and, where there are two, of each crowd."""
    names = list(groups.values())
    members = {EVERYBODY: list(range(len(names)))}
    for group in dict.fromkeys(name for name in names if name):
        members[group] = [row for row, name in enumerate(names) if name == group]
    if second is not None:
        crowds = {"crowd 1": second <= 0.5, "crowd 2": second > 0.5}
        members |= {
            name: np.flatnonzero(inside).tolist() for name, inside in crowds.items() if inside.any()
        }
    return members


def _regret_table(
    regrets: FloatArray,
    members: Mapping[str, list[int]],
    best: Mapping[str, int],
    generator: np.random.Generator,
) -> Table:
    """Return the regret of every group under every threshold, with intervals over people."""
    rows = []
    for group, inside in members.items():
        weights = generator.dirichlet(np.ones(len(inside)), size=_DRAWS)
        for name, system in best.items():
            own = regrets[inside, system]
            ends = np.quantile(weights @ own, [0.05, 0.95])
            rows.append((group, len(inside), name, float(own.mean()), *ends.tolist()))
    columns = ("group", "people", "threshold", "regret", "lower", "upper")
    return Table({name: [row[place] for row in rows] for place, name in enumerate(columns)})


def _gain_of_two(regrets: FloatArray, second: FloatArray) -> float:
    """Return how much less people forgo on average if each crowd gets its own threshold."""
    one = regrets.mean(axis=0).min()
    sides = [regrets[inside] for inside in (second <= 0.5, second > 0.5) if inside.any()]
    two = sum(side.mean(axis=0).min() * len(side) for side in sides) / len(regrets)
    return float(one - two)


def _checked(people: Mapping[str, ElicitationResult]) -> dict[str, ElicitationResult]:
    named = {str(name): person for name, person in people.items()}
    if len(named) < 2:
        raise InputError(
            where="stakeholders",
            found=f"{len(named)} person" if named else "nobody",
            needed="at least two people",
            cure="Ask more people.",
        )
    for name, person in named.items():
        if person.metric is None or person.a0 is None:
            raise _not_described(name)
    return named


def _not_described(name: str) -> InputError:
    return InputError(
        where="stakeholders",
        found=f"{name}, whom no metric describes",
        needed="people with an elicited metric and a0",
        cure="Leave the person out, and say so: their threshold is not known.",
    )


def _log_odds(result: ElicitationResult) -> tuple[float, float]:
    draws = np.clip(result.a0.draws if result.a0 is not None else np.empty(0), 1e-4, 1 - 1e-4)
    z = np.log(draws / (1 - draws))
    return float(z.mean()), max(float(z.std()), _LEAST_ERROR)


def _a0(log_odds: FloatArray) -> FloatArray:
    return np.asarray(expit(log_odds))


def _estimate(draws: FloatArray) -> Estimate:
    return Estimate.from_draws(draws, probability=0.9, kind="quantile")
