"""Sessions of the same people that are exchangeable: how often are they called different?"""

import numpy as np
import pytest
from tests.statistical.judging import expected_counts

from howgood.decide import rank_sessions

pytestmark = pytest.mark.slow


def _is_called_different(rng, people, items, sessions):
    """Ratings with opinions, moods of a person's session, and noise, in stars."""
    shape = (people, items, sessions)
    opinion = rng.normal(3, 1, (people, items, 1)) + rng.normal(0, 0.4, (people, 1, sessions))
    rating = np.clip(
        np.round(opinion + rng.normal(0, rng.uniform(0.1, 1, (people, 1, 1)), shape)), 1, 5
    )
    person, item, session = (codes.ravel() for codes in np.indices(shape))
    table = {"user": person, "item": item, "trial": session, "rating": rating.ravel(),
             "a": np.full(rating.size, 3.0), "b": np.full(rating.size, 3.5)}  # fmt: skip
    return rank_sessions(table, predictions=["a", "b"], random_state=rng).are_exchangeable is False


@pytest.mark.parametrize(("people", "items", "sessions"), [(8, 3, 2), (25, 4, 5)])
def test_exchangeable_sessions(people, items, sessions, ledger):
    seed = 20921
    rng = np.random.default_rng([seed, people])
    called = [_is_called_different(rng, people, items, sessions) for _ in range(300)]
    ledger.add(
        "probability",
        "exchangeable sessions are called different",
        expected_counts(called, np.full(300, 0.05), what="called different", at_most=True),
        setting=f"{people} people rate {items} items in {sessions} sessions, each in a mood; "
        "5 % allowed",
        seed=seed,
    )
    ledger.settle()
