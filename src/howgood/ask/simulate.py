"""People who never were: answers, ratings, choices and preferred light from known parameters.

In: the parameters of applications, of a two-part study, of raters, of one respondent's metric and
slips. Out: `Table`s as `ask.read_answers` and others would give, and functions that choose.
Absent: fitting (see `learn`), and real people: the published re-rating and lighting data are not
available, so only their mix of answers, shape and difficulty are imitated. Demo, study-size
calculator, benchmarks and tests all run on these.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from howgood.ask.accuracy_levels import scenarios as all_scenarios
from howgood.errors import InputError
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicited_metric import Choice, ElicitedMetric
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
WEATHER: dict[str, dict[str, float]] = {"weather": {}}
# Precision and recall of made-up forecasters: real ones lie close together.
_FORECASTERS = ((0.78, 0.82), (0.72, 0.88), (0.83, 0.74), (0.68, 0.90), (0.80, 0.79))
# Share of users who use one, two, three or more answer categories for the same item.
CONSISTENCY = (0.35, 0.50, 0.15)
STARS = 5
_FOURTH_CATEGORY = 0.2
Respondent = Callable[[ConfusionMatrix, ConfusionMatrix], Choice]

_MIRRORED: dict[Choice, Choice] = {"first": "second", "second": "first", "same": "same"}
# The eight presets are the octants of three choices (Fig. 1 of the paper).
LIGHTS = tuple(
    f"{motion}-{tone}-{level}"
    for motion in ("static", "dynamic")
    for tone in ("warm", "cool")
    for level in ("dim", "bright")
)
_FEATURES = {
    "activity": ("break", "read", "meet", "relax"),
    "area": ("small tables", "couches"),
    "company": ("alone", "a few", "many"),
    "time": ("morning", "noon", "afternoon"),
    "daylight": ("low", "medium", "high"),
}
# Situations that come back: places in the lists above. The rest of the visits are anything.
_HABITS = (
    (0, 0, 1, 1, 1), (2, 0, 1, 2, 1), (0, 1, 1, 1, 2), (3, 1, 0, 1, 1), (2, 0, 2, 0, 0),
)  # fmt: skip
# How far each value moves people towards dynamic, cool and bright light.
_PULLS = {
    "activity": ((0.9, -0.6, 0.3), (-1.2, 0.6, 1.4), (-0.4, 1.2, 0.8), (0.2, -1.3, -1.4)),
    "area": ((0.1, 0.3, 0.3), (-0.1, -0.4, -0.4)),
    "company": ((-0.4, 0.0, -0.2), (0.1, 0.0, 0.1), (0.5, 0.1, 0.3)),
    "time": ((0.0, 0.5, 0.4), (0.2, 0.0, 0.1), (-0.1, -0.4, -0.3)),
    "daylight": ((0.0, -0.2, 0.5), (0.0, 0.0, 0.0), (0.0, 0.2, -0.5)),
}


def simulate_answers(
    applications: Mapping[str, Mapping[str, float]],
    *,
    people: int,
    scenarios: Sequence[Scenario] | None = None,
    per_person: int | None = None,
    person_sd: float = 2.4,
    alpha_sd: float = 0.0,
    random_state: RandomState = None,
) -> Table:
    r"""Simulate ratings of accuracy scenarios by people with known preferences.

    Person k accepts application i at precision P and recall R with probability

    .. math:: \operatorname{logit}^{-1}(b_{0i} + b_i M_{p_i,\alpha_i}(P, R) + U_k),
              \quad U_k \sim \mathrm{Normal}(0, \sigma)

    Parameters
    ----------
    applications : mapping
        Name to ``{"alpha": .3, "intercept": -13., "slope": 16., "p": 0}``; p defaults to 0. With
        ``"flawless": 3.``, that much is added to the logit where there is no error at all.
    people : int
        Everybody rates every application.
    scenarios : sequence of Scenario, optional
        The 16 of `ask.scenarios()` unless given.
    per_person : int, optional
        How many scenarios, drawn at random, each person sees per application; all by default.
    person_sd : float
        Standard deviation σ of people's leniency U.
    alpha_sd : float
        Standard deviation of the logit of alpha between people; with 0 everybody has the same
        weight, else `alpha` is the middle person's. About 1.1 on the public answers.
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
    _check_spread("person_sd", person_sd)
    _check_spread("alpha_sd", alpha_sd)
    rng, _ = generator_and_seed(random_state)
    leniency = rng.normal(0.0, person_sd, people)
    away = rng.normal(0.0, alpha_sd, people) if alpha_sd else np.zeros(people)
    blocks = [
        _one_application(name, parameters, shown, count, (leniency, away), rng)
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


def _check_spread(name: str, sd: float) -> None:
    if not 0.0 <= sd < np.inf:
        raise InputError(
            where=f"simulated study, {name}",
            found=f"{sd}",
            needed="a number of 0 or more",
            cure="With 0, people do not differ.",
        )


def _check_alpha(name: str, alpha: float) -> None:
    if not 0.0 <= alpha <= 1.0:
        raise InputError(
            where=f"simulated study, application {name!r}",
            found=f"alpha = {alpha:g}",
            needed="a weight of precision between 0 and 1",
            cure="Use 0.5 to weigh precision and recall equally.",
        )


def _one_application(
    name: str,
    parameters: Mapping[str, float],
    shown: tuple[Scenario, ...],
    count: int,
    people: tuple[FloatArray, FloatArray],
    rng: np.random.Generator,
) -> dict[str, NDArray[np.generic]]:
    """Simulate one application; `people` are leniencies, and how far logits of alpha lie away."""
    leniency, away = people
    for needed in ("alpha", "intercept", "slope"):
        if needed not in parameters:
            raise InputError(
                where=f"application {name!r}",
                found=f"only {', '.join(parameters) or 'nothing'}",
                needed="alpha, intercept and slope",
                cure=f"Add {needed!r}.",
            )
    _check_alpha(name, parameters["alpha"])
    precision = np.array([scenario.precision for scenario in shown])
    recall = np.array([scenario.recall for scenario in shown])
    chosen = _random_subsets(leniency.size, len(shown), count, rng)
    perfect = parameters.get("flawless", 0.0) * ((precision == 1.0) & (recall == 1.0))
    alpha = expit(logit(parameters["alpha"]) + away) if away.any() else parameters["alpha"]
    mean = power_mean(
        precision[chosen],
        recall[chosen],
        p=parameters.get("p", 0.0),
        alpha=np.asarray(alpha)[..., None],
    )
    level = parameters["intercept"] + parameters["slope"] * mean + perfect[chosen]
    center = level + leniency[:, None]
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
    applications: Mapping[str, Mapping[str, float]] = WEATHER,
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
              (\theta_l - b_a\,M_{p,\alpha_a}(P, R) - \gamma_a - \beta_i - U_k) / e^{\zeta_i}

    For every application, everybody rates `per_person` scenarios in the `reference` part, and in
    every other part one system of `systems`, the same one throughout. Shift and scale of the parts
    are those published for the weather study unless given; its thresholds were not published.

    Parameters
    ----------
    people : int
    parts : mapping
        Part to its ``{"shift": β, "log_scale": ζ}``; the reference has zeros.
    reference : str
        The part with imagined systems.
    applications : mapping
        Application to its ``{"slope": b, "alpha": α, "level": γ}``; what is left out is `slope`,
        `alpha` and 0.
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
    blocks = []
    for application, own in applications.items():
        used = np.array(systems)[rng.integers(len(systems), size=people)][:, None, :]
        for part, effect in parts.items():
            seen = imagined[_random_subsets(people, len(shown), count, rng)]
            seen = seen if part == reference else used
            mean = power_mean(seen[..., 0], seen[..., 1], p=p, alpha=own.get("alpha", alpha))
            worth = own.get("slope", slope) * mean + own.get("level", 0.0)
            center = worth + effect.get("shift", 0.0) + leniency[:, None]
            scale = np.exp(effect.get("log_scale", 0.0))
            latent = center + scale * rng.logistic(size=center.shape)
            levels = np.searchsorted(np.asarray(thresholds, dtype=float), latent.ravel())
            blocks.append(_part_rows(application, part, seen, levels))
    return Table({name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]})


def _part_rows(
    application: str, part: str, seen: FloatArray, levels: NDArray[np.intp]
) -> dict[str, NDArray[np.generic]]:
    people, count, _ = seen.shape
    return {
        "participant": np.repeat(_names(people), count),
        "part": np.full(levels.size, part, dtype=object),
        "application": np.full(levels.size, application, dtype=object),
        "precision": seen[..., 0].ravel(),
        "recall": seen[..., 1].ravel(),
        "rating": np.asarray(1 + levels, dtype=np.int64),
    }


def simulate_ratings(
    *, users: int, items: int, trials: int = 5, random_state: RandomState = None
) -> Table:
    """Simulate repeated ratings with the published mix of constant and wavering raters.

    Every user rates every item `trials` times, on five stars. 35 % of users always repeat
    themselves, 50 % use exactly two answer categories per item, 15 % three or (one time in five)
    four; the counts are exact up to rounding, so the shares of users and of user-item pairs agree.
    A pair's usual answer is a rounded Gaussian around 3.5 stars with a user and an item effect;
    the other categories are its nearest neighbours, each used at least once.

    Parameters
    ----------
    users, items : int
    trials : int
        Ratings per pair, at least 3.
    random_state : None, int or Generator

    Returns
    -------
    Table
        user, item, trial (all counted from 1), rating (1 .. 5); users x items x trials rows.

    References
    ----------
    Jasberg & Sizov (2018), "Human Uncertainty and Ranking Error", motivating example.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> ratings = simulate_ratings(users=20, items=3, random_state=1)
    >>> ratings.columns, len(ratings)
    (['user', 'item', 'trial', 'rating'], 300)
    """
    for name, value, least in (("users", users, 1), ("items", items, 1), ("trials", trials, 3)):
        if value < least:
            raise InputError(
                where=f"simulate_ratings, {name}",
                found=str(value),
                needed=f"at least {least}",
                cure="Three answer categories need three trials."
                if name == "trials"
                else "Ask for more.",
            )
    generator, _ = generator_and_seed(random_state)
    categories = _categories_per_pair(users, items, trials, generator)
    usual = _usual_answers(users, items, generator)
    ratings = _wavering(usual, categories, trials, generator)
    user, item, trial = np.meshgrid(
        np.arange(1, users + 1), np.arange(1, items + 1), np.arange(1, trials + 1), indexing="ij"
    )
    return Table(
        {
            "user": user.ravel(),
            "item": item.ravel(),
            "trial": trial.ravel(),
            "rating": ratings.ravel(),
        }
    )


def _categories_per_pair(
    users: int, items: int, trials: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return how many categories each pair uses, by user: exact shares, in random order."""
    exact = np.array(CONSISTENCY) * users
    counts = np.floor(exact).astype(np.int64)
    most_owed = np.argsort(counts - exact, kind="stable")[: users - counts.sum()]
    counts[most_owed] += 1
    kinds = generator.permutation(np.repeat([1, 2, 3], counts))
    categories = np.repeat(kinds[:, None], items, axis=1)
    if trials > 3:
        four = generator.random((users, items)) < _FOURTH_CATEGORY
        categories[four & (categories == 3)] = 4
    return categories.ravel()


def _usual_answers(users: int, items: int, generator: np.random.Generator) -> NDArray[np.int64]:
    taste = generator.normal(0, 0.5, (users, 1)) + generator.normal(0, 0.7, (1, items))
    latent = 3.5 + taste + generator.normal(0, 0.7, (users, items))
    return np.clip(np.rint(latent), 1, STARS).astype(np.int64).ravel()


def _wavering(
    usual: NDArray[np.int64],
    categories: NDArray[np.int64],
    trials: int,
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Return ratings (pairs, trials) that use exactly the wanted number of categories."""
    nearest = _nearest_categories(usual, generator)
    slots = np.arange(trials)
    # The first slots use each category once; the others repeat one of them, mostly the usual.
    repeated = np.minimum(generator.geometric(0.6, (len(usual), trials)) - 1, STARS - 1)
    repeated = repeated % categories[:, None]
    chosen = np.where(slots < categories[:, None], slots, repeated)
    return generator.permuted(np.take_along_axis(nearest, chosen, axis=1), axis=1)


def _nearest_categories(
    usual: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return all categories by distance from the usual one, ties in random order."""
    stars = np.arange(1, STARS + 1)
    distance = np.abs(stars - usual[:, None]) + generator.uniform(-0.25, 0.25, (len(usual), STARS))
    distance[np.arange(len(usual)), usual - 1] = -1.0
    return stars[np.argsort(distance, axis=1)]


def simulate_respondent(
    metric: ElicitedMetric,
    *,
    flips: float = 0.0,
    sensitivity: float | None = None,
    random_state: RandomState = None,
) -> Respondent:
    r"""Return a respondent who chooses by `metric`, with slips.

    Parameters
    ----------
    metric : ElicitedMetric
        What the respondent values.
    flips : float
        Share of answers given the wrong way round.
    sensitivity : float, optional
        With a number s, the first side is chosen with probability
        :math:`\sigma(100\,s\,(\varphi_1-\varphi_2))`; without, the better side always is.
    random_state : None, int or Generator
        Where slips come from.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import learn, score
    >>> cells = ("true_positives", "false_negatives", "false_positives", "true_negatives")
    >>> calm, sharp = (
    ...     ConfusionMatrix(**dict(zip(cells, row))) for row in [(30, 5, 2, 63), (34, 1, 12, 53)]
    ... )
    >>> simulate_respondent(score.LinearMetric(a0=0.1))(calm, sharp)
    'second'
    """
    if not 0 <= flips <= 1:
        raise InputError(
            where="simulate_respondent",
            found=f"flips = {flips}",
            needed="a share between 0 and 1",
            cure="Use 0.1 for one slip in ten.",
        )
    generator, _ = generator_and_seed(random_state)

    def choose(first: ConfusionMatrix, second: ConfusionMatrix) -> Choice:
        choice = metric.prefers(first, second)
        if sensitivity is not None:
            strength = 100 * sensitivity * (metric.of(first) - metric.of(second))
            chance = expit(strength)
            choice = "first" if generator.random() < chance else "second"
        return _MIRRORED[choice] if generator.random() < flips else choice

    return choose


def simulate_lighting(
    *,
    rows: int = 236,
    people: int = 12,
    habitual: float = 0.22,
    taste_sd: float = 0.6,
    consistency: float = 1.1,
    random_outcomes: bool = False,
    random_state: RandomState = None,
) -> Table:
    """Return simulated choices of light: user, activity, area, company, time, daylight, light.

    People share what a situation calls for (a feature's pull towards dynamic, cool and bright
    light), differ in taste, and choose by a softmax over the eight presets, so that the same
    person in the same observed context chooses differently now and then.

    Parameters
    ----------
    rows : int
        Number of choices; 236 as in the paper.
    people : int
        Number of users, some of whom choose far more often than others.
    habitual : float
        Share of visits that happen in one of a few situations that come back; the others are
        mostly seen once. This sets rows per context, and with it the Relevance Score of dice.
    taste_sd : float
        Spread of personal taste on each of the three choices.
    consistency : float
        0 means dice; the larger, the more often people choose what they like most.
    random_outcomes : bool
        Throw an eight-sided die for every outcome instead (section 4.4 of the paper).

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> table = simulate_lighting(random_state=1)
    >>> len(table), len(table.columns), len(set(table["light"].tolist())) <= 8
    (236, 7, True)
    """
    if rows < 1 or people < 1:
        raise InputError(
            where="simulate_lighting",
            found=f"{rows} rows of {people} people",
            needed="at least one of each",
            cure="The paper has 236 rows.",
        )
    generator, _ = generator_and_seed(random_state)
    user = generator.choice(people, size=rows, p=generator.dirichlet(np.full(people, 1.5)))
    pull = generator.normal(0.0, taste_sd, size=(people, 3))[user]
    columns: dict[str, NDArray[np.str_]] = {
        "user": np.array([f"user {number + 1}" for number in range(people)])[user]
    }
    habit = np.array(_HABITS)[generator.integers(0, len(_HABITS), size=rows)]
    is_habitual = generator.random(rows) < habitual
    for place, (name, values) in enumerate(_FEATURES.items()):
        anything = generator.integers(0, len(values), size=rows)
        value = np.where(is_habitual, habit[:, place], anything)
        columns[name] = np.array(values)[value]
        pull = pull + np.array(_PULLS[name])[value]
    signs = np.array([[m, t, b] for m in (-1, 1) for t in (-1, 1) for b in (-1, 1)])
    liking = 0.0 * (pull @ signs.T) if random_outcomes else consistency * (pull @ signs.T)
    # The largest of likings with Gumbel noise is a draw from their softmax.
    light = np.argmax(liking + generator.gumbel(size=liking.shape), axis=1)
    return Table({**columns, "light": np.array(LIGHTS)[light]})
