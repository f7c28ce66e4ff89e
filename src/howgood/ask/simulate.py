"""People who never were: answers from known parameters.

In: the parameters of applications or of a two-part study. Out: `Table` of answers, as
`ask.read_answers` would give. Absent: fitting (see `learn`). Demo, study-size calculator and
tests all run on these.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from howgood.ask.levels import scenarios as all_scenarios
from howgood.errors import InputError
from howgood.records.scenario import Scenario
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray
from howgood.stats.power_mean import power_mean
from howgood.stats.randomness import RandomState, generator_and_seed

# Where the latent answer passes from one point of the 7-point scale to the next. The fourth is
# 0, so that "slightly likely or higher" happens exactly with the binary model's probability.
_STEPS = np.array([-4.5, -3.0, -1.5, 0.0, 1.5, 3.0])

# Kay et al. 2015, Study 2, shift and log scale of real ratings against hypothetical ones.
WEATHER_PARTS: dict[str, dict[str, float]] = {
    "hypothetical": {"shift": 0.0, "log_scale": 0.0},
    "last 30 days": {"shift": 1.59, "log_scale": -0.437},
    "last year": {"shift": 3.82, "log_scale": -0.346},
}
# Precision and recall of made-up forecasters: real ones lie close together.
_FORECASTERS = ((0.78, 0.82), (0.72, 0.88), (0.83, 0.74), (0.68, 0.90), (0.80, 0.79))


def simulate_answers(
    applications: Mapping[str, Mapping[str, float]],
    *,
    people: int,
    scenarios: Sequence[Scenario] | None = None,
    per_person: int | None = None,
    person_sd: float = 2.4,
    random_state: RandomState = None,
) -> Table:
    r"""Simulate ratings of accuracy scenarios by people with known preferences.

    Person k accepts application i at precision P and recall R with probability

    .. math:: \operatorname{logit}^{-1}(b_{0i} + b_i M_{p_i,\alpha_i}(P, R) + U_k),
              \quad U_k \sim \mathrm{Normal}(0, \sigma)

    Parameters
    ----------
    applications : mapping
        Name to ``{"alpha": .3, "intercept": -13., "slope": 16., "p": 0}``; p defaults to 0.
    people : int
        Everybody rates every application.
    scenarios : sequence of Scenario, optional
        The 16 of `ask.scenarios()` unless given.
    per_person : int, optional
        How many scenarios, drawn at random, each person sees per application; all by default.
    person_sd : float
        Standard deviation σ of people's leniency U.
    random_state : None, int or numpy.random.Generator

    Returns
    -------
    Table
        Columns participant, application, precision, recall, rating (1..7), accepted (rating of
        at least 5).

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> answers = simulate_answers(
    ...     {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}},
    ...     people=20, per_person=8, random_state=1,
    ... )
    >>> len(answers), answers.columns
    (160, ['participant', 'application', 'precision', 'recall', 'rating', 'accepted'])
    """
    shown = tuple(all_scenarios() if scenarios is None else scenarios)
    count = _checked_count(people, per_person, len(shown))
    rng, _ = generator_and_seed(random_state)
    leniency = rng.normal(0.0, person_sd, people)
    blocks = [
        _one_application(name, parameters, shown, count, leniency, rng)
        for name, parameters in applications.items()
    ]
    return Table({name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]})


def _checked_count(people: int, per_person: int | None, n_scenarios: int) -> int:
    count = n_scenarios if per_person is None else per_person
    if people < 1 or not 1 <= count <= n_scenarios:
        raise InputError(
            where="simulated study",
            found=f"{people} people, {count} of {n_scenarios} scenarios each",
            needed="at least one person and between one and all scenarios",
            cure="Change people, per_person or scenarios.",
        )
    return count


def _one_application(
    name: str,
    parameters: Mapping[str, float],
    shown: tuple[Scenario, ...],
    count: int,
    leniency: FloatArray,
    rng: np.random.Generator,
) -> dict[str, NDArray[np.generic]]:
    for needed in ("alpha", "intercept", "slope"):
        if needed not in parameters:
            raise InputError(
                where=f"application {name!r}",
                found=f"only {', '.join(parameters) or 'nothing'}",
                needed="alpha, intercept and slope are needed",
                cure=f"Add {needed!r}.",
            )
    precision = np.array([scenario.precision for scenario in shown])
    recall = np.array([scenario.recall for scenario in shown])
    mean = power_mean(precision, recall, p=parameters.get("p", 0.0), alpha=parameters["alpha"])
    chosen = _random_subsets(leniency.size, len(shown), count, rng)
    center = parameters["intercept"] + parameters["slope"] * mean[chosen] + leniency[:, None]
    rating = _rated(center.ravel(), _STEPS, rng)
    return {
        "participant": np.repeat(_names(leniency.size), count),
        "application": np.full(rating.size, name, dtype=object),
        "precision": precision[chosen].ravel(),
        "recall": recall[chosen].ravel(),
        "rating": rating,
        "accepted": rating >= 5,
    }


def _random_subsets(
    people: int, n_scenarios: int, count: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Which scenarios each person sees, in random order: shape (people, count)."""
    return np.argsort(rng.random((people, n_scenarios)), axis=1)[:, :count]


def _rated(center: FloatArray, steps: FloatArray, rng: np.random.Generator) -> NDArray[np.int64]:
    """Ratings from 1 up: how many steps lie below the latent answer, plus one."""
    latent = center + rng.logistic(size=center.size)
    return np.asarray(1 + np.searchsorted(steps, latent), dtype=np.int64)


def _names(people: int) -> NDArray[np.object_]:
    return np.array([f"p{number}" for number in range(1, people + 1)], dtype=object)


def simulate_ordinal_answers(
    *,
    people: int,
    parts: Mapping[str, Mapping[str, float]] = WEATHER_PARTS,
    reference: str = "hypothetical",
    slope: float = 13.4,
    alpha: float = 0.461,
    p: float = 0.0,
    thresholds: Sequence[float] = (5.0, 6.7, 7.9, 8.8, 10.3, 12.4),
    person_sd: float = 1.5,
    systems: Sequence[tuple[float, float]] = _FORECASTERS,
    scenarios: Sequence[Scenario] | None = None,
    per_person: int = 8,
    random_state: RandomState = None,
) -> Table:
    r"""Simulate a study with imagined and real systems (the ordinal model).

    .. math:: \operatorname{logit} P(Y \le l) =
              (\theta_l - b\,M_{p,\alpha}(P, R) - \beta_i - U_k) / e^{\zeta_i}

    Everybody rates `per_person` scenarios in the `reference` part, and in every other part one
    system of `systems`, the same one throughout. Shift and scale of the parts are those
    published for the weather study unless given; its thresholds were not published.

    Parameters
    ----------
    people : int
    parts : mapping
        Part to its ``{"shift": β, "log_scale": ζ}``; the reference has zeros.
    reference : str
        The part with imagined systems.
    slope, alpha, p, thresholds, person_sd : float
        The parameters of the model; one threshold less than points on the scale.
    systems : sequence of (precision, recall)
        The real systems people use.
    scenarios : sequence of Scenario, optional
        The weather study's (15 rainy days of 30) unless given.
    per_person : int
    random_state : None, int or numpy.random.Generator

    Returns
    -------
    Table
        Columns participant, part, application, precision, recall, rating.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> len(simulate_ordinal_answers(people=22, random_state=1))  # 22 × (8 + 1 + 1)
    220
    """
    shown = all_scenarios(real_positives=15, cases=30) if scenarios is None else tuple(scenarios)
    count = _checked_count(people, per_person, len(shown))
    rng, _ = generator_and_seed(random_state)
    leniency = rng.normal(0.0, person_sd, people)
    imagined = np.array([(scenario.precision, scenario.recall) for scenario in shown])
    used = np.array(systems)[rng.integers(len(systems), size=people)][:, None, :]
    blocks = []
    for part, effect in parts.items():
        seen = imagined[_random_subsets(people, len(shown), count, rng)]
        seen = seen if part == reference else used
        mean = power_mean(seen[..., 0], seen[..., 1], p=p, alpha=alpha)
        center = slope * mean + effect.get("shift", 0.0) + leniency[:, None]
        scale = np.exp(effect.get("log_scale", 0.0))
        latent = center + scale * rng.logistic(size=center.shape)
        blocks.append(_part_rows(part, seen, latent, np.asarray(thresholds, dtype=float)))
    return Table({name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]})


def _part_rows(
    part: str, seen: FloatArray, latent: FloatArray, thresholds: FloatArray
) -> dict[str, NDArray[np.generic]]:
    people, count = latent.shape
    return {
        "participant": np.repeat(_names(people), count),
        "part": np.full(latent.size, part, dtype=object),
        "application": np.full(latent.size, "weather", dtype=object),
        "precision": seen[..., 0].ravel(),
        "recall": seen[..., 1].ravel(),
        "rating": np.asarray(1 + np.searchsorted(thresholds, latent.ravel()), dtype=np.int64),
    }
