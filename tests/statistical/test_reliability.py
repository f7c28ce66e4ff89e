"""Questionnaires answered by other people: do intervals of alpha and omega hold the truth?"""

import numpy as np
import pytest
from tests.statistical.judging import covers

from howgood import learn

pytestmark = pytest.mark.slow
LOADINGS = np.array([0.9, 0.7, 0.8])
UNIQUE = 0.5


@pytest.mark.parametrize(("people", "rows"), [(25, 4), (60, 1)])
def test_intervals_hold_the_reliability(people, rows, ledger):
    seed, studies = 20951, 600
    rng = np.random.default_rng([seed, people])
    # Half of what is common stays with the person, half comes with each scenario.
    covariance = np.outer(LOADINGS, LOADINGS) + np.diag(np.full(3, UNIQUE))
    alpha = 1.5 * (1 - np.trace(covariance) / covariance.sum())
    omega = LOADINGS.sum() ** 2 / covariance.sum()
    held = {"Cronbach's alpha": [], "McDonald's omega": []}
    for _ in range(studies):
        common = np.sqrt(0.5) * (
            rng.normal(size=(people, 1, 1)) + rng.normal(size=(people, rows, 1))
        )
        rated = common * LOADINGS + rng.normal(0, np.sqrt(UNIQUE), (people, rows, 3))
        flat = rated.reshape(-1, 3)
        frame = {"participant": np.repeat(np.arange(people), rows).astype(str)}
        frame |= {f"i{place}": flat[:, place] for place in range(3)}
        found = learn.reliability(frame, items=["i0", "i1", "i2"])
        held["Cronbach's alpha"].append(alpha in found.alpha.interval)
        held["McDonald's omega"].append(found.omega is None or omega in found.omega.interval)
    for name, hits in held.items():
        ledger.add(
            "coverage",
            name,
            covers({0.95: hits}, allowed=0.02),
            setting=f"{people} people, {rows} rows each; three items of one factor; gaps of .02 "
            "allowed for the jackknife",
            seed=seed,
        )
    ledger.settle()
