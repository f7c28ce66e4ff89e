"""A fit of our own making: known people, so that every decision has a known answer."""

import numpy as np
import pytest

from howgood.records.acceptance import AcceptanceDraws


class KnownPeople:
    """Draws around given parameters; `spread` 0 means that people are known exactly."""

    def __init__(self, parameters, *, spread=0.0, n_draws=500, seed=0):
        generator = np.random.default_rng(seed)
        self._draws = {}
        for name, known in parameters.items():
            noise = generator.normal(size=(3, n_draws)) * spread
            self._draws[name] = AcceptanceDraws(
                application=name,
                p=np.full(n_draws, known.get("p", 0)),
                alpha=np.clip(known["alpha"] + 0.3 * noise[0], 0.01, 0.99),
                intercept=known["intercept"] + noise[1],
                slope=known["slope"] + noise[2],
                person_sd=np.full(n_draws, known.get("person_sd", 2.0)),
                n_respondents=25,
            )

    @property
    def applications(self):
        return tuple(self._draws)

    def acceptance_draws(self, application):
        return self._draws[application]


PARAMETERS = {
    "recall first": {"alpha": 0.15, "intercept": -12.0, "slope": 16.0},
    "precision first": {"alpha": 0.85, "intercept": -12.0, "slope": 16.0},
}


@pytest.fixture
def known():
    return KnownPeople(PARAMETERS)


@pytest.fixture
def asked():
    return KnownPeople(PARAMETERS, spread=0.5)


@pytest.fixture
def make_people():
    return KnownPeople


@pytest.fixture
def scored():
    """Truth and scores of 600 cases, a fifth of them positive."""
    generator = np.random.default_rng(11)
    truth = (generator.random(600) < 0.2).astype(int)
    return truth, generator.normal(1.5 * truth)
