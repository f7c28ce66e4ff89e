"""Simulated choices of light in a breakout area, shaped like the data of the Relevance Score.

In: how many rows and people. Out: a `Table` of six features and the chosen light. Absent: the
original data, which is not public; only its shape and difficulty are imitated.
"""

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.records.table import Table
from howgood.stats.randomness import RandomState, generator_and_seed

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
