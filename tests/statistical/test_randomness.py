"""Features that choices depend on: do intervals of their gap hold the truth?"""

import numpy as np
import pytest
from tests.statistical.judging import covers

from howgood.learn import context_agreement

pytestmark = pytest.mark.slow

_OUTCOMES, _HABIT = 4, 0.6


def _rows(rng, users, each):
    """Users choose their habit with probability .6, else anything; the room does not matter."""
    user = np.repeat(np.arange(users), each)
    room = rng.integers(3, size=user.size)
    habit = rng.integers(_OUTCOMES, size=users)
    by_habit = rng.random(user.size) < _HABIT
    light = np.where(by_habit, habit[user], rng.integers(_OUTCOMES, size=user.size))
    return {"user": user, "room": room, "light": light}


# Two rows of one user agree by their habit, or by chance; of two users only by chance.
TRUTH = {"user": _HABIT**2 * (1 - 1 / _OUTCOMES), "room": 0.0}


@pytest.mark.parametrize("users", [12, 40])
def test_gaps_of_agreement(users, ledger):
    seed = 20931
    rng = np.random.default_rng([seed, users])
    held = {name: [] for name in TRUTH}
    for _ in range(500):
        found = context_agreement(
            _rows(rng, users, 12), outcome="light", context=["user", "room"], groups="user"
        )
        for feature in found.features:
            inside = feature.interval
            held[feature.feature].append(inside.lower <= TRUTH[feature.feature] <= inside.upper)
    for name, hits in held.items():
        ledger.add(
            "coverage",
            "agreement that a feature explains",
            covers({0.95: hits}, allowed=0.02),
            setting=f"{users} users choose 12 times among 4 in 3 rooms, by habit 60 % of the time; "
            f"gap of the {name}; gaps of .02 allowed for the approximate t",
            seed=seed,
        )
    ledger.settle()
