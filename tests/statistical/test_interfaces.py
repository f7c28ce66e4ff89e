"""Interfaces that are compared: do the intervals hold the difference, with few people?"""

import numpy as np
import pytest
from tests.statistical.judging import covers

from howgood.learn.interface import interface_effects

pytestmark = pytest.mark.slow

LEVELS = ("plain", "certainty")
STUDIES, SEED = 1000, 2026


def _rated(rng, *, people, is_within, effect):
    """Ratings of 8 of 16 scenarios each by people who differ; interfaces drawn as in a study."""
    person = np.repeat(np.arange(people), 8)
    scenario = np.concatenate([rng.permutation(16)[:8] for _ in range(people)])
    if is_within:
        place = np.concatenate([rng.permutation(2) for _ in range(4 * people)])
    else:
        place = np.repeat(rng.permutation(np.arange(people) % 2), 8)
    worth = np.linspace(-2, 2, 16)
    taste, minds = rng.normal(0, 1, people), rng.normal(0, 0.5, people)
    middle = 4 + worth[scenario] + taste[person] + (effect + minds[person]) * place
    return person, scenario, np.array(LEVELS)[place], middle + rng.normal(0, 1, len(middle))


@pytest.mark.parametrize("is_within", [True, False])
def test_the_interval_of_an_interface_holds_its_effect(ledger, is_within):
    way = "within" if is_within else "between"
    for people in (12, 30):
        hits = {0.5: [], 0.95: []}
        for study in range(STUDIES):
            rng = np.random.default_rng([SEED, people, is_within, study])
            effect = rng.normal(0, 0.7)
            rows = _rated(rng, people=people, is_within=is_within, effect=effect)
            for level, held in hits.items():
                (found,) = interface_effects(*rows, levels=LEVELS, confidence=level)
                held.append(found.lower <= effect <= found.upper)
        ledger.add(
            "coverage",
            f"effect of an interface, {way} people",
            covers(hits),
            setting=f"{people} people, 8 of 16 scenarios each, people mind it differently",
            seed=SEED,
        )
    ledger.settle()
