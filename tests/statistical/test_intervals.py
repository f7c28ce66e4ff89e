"""The shortest interval of a finite number of draws: how much does it hold?"""

import numpy as np
import pytest
from tests.statistical.judging import covers
from tests.statistical.tally import Tally

pytestmark = pytest.mark.slow

LAWS = {
    "flat": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.standard_normal(n),
    "skewed": lambda rng, n: rng.exponential(size=n),
}


@pytest.mark.parametrize("law", LAWS)
def test_the_shortest_interval_of_the_usual_draws_holds_what_it_says(law, ledger):
    seed = 20158
    rng = np.random.default_rng([seed, *law.encode()])
    tally = Tally(rng)
    for _ in range(2000):
        draws = LAWS[law](rng, 4001)
        tally.take(law, draws[1:], draws[0])
    ledger.add(
        "coverage",
        f"shortest interval, {law} posterior",
        covers(tally.hits[law], allowed=0.015),
        setting="4,000 independent draws, the product's usual number; a point and a half "
        "allowed: the shortest interval looks for where draws happen to be dense",
        seed=seed,
    )
    ledger.settle()
