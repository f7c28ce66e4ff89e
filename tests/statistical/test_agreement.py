"""Agreement of few raters, and the ceiling it sets: do the intervals hold the population's?"""

import numpy as np
import pytest
from tests.statistical.judging import covers

from howgood import learn, score

pytestmark = pytest.mark.slow


def _grades(rng, items, raters, repeats=1):
    item, rater, _ = (each.ravel() for each in np.indices((items, raters, repeats)))
    opinion = rng.normal(0, 0.5, (items, raters))[item, rater]
    grade = rng.normal(0, 1, items)[item] + rng.normal(0, 0.5, raters)[rater] + opinion
    return {"item": item, "rater": rater, "grade": grade + rng.normal(0, 0.6, item.size)}


def test_alpha_of_few_raters(ledger):
    # Variance 1 of items, .25 of raters, .25 of opinions, .36 of the moment.
    total = 1 + 0.25 + 0.25 + 0.36
    for seed, items, raters in ((20911, 40, 3), (20912, 40, 8), (20913, 25, 15)):
        rng = np.random.default_rng(seed)
        held, own = [], []
        for _ in range(100):
            found = learn.rater_agreement(_grades(rng, items, raters), level="interval")
            held.append(1 / total in found.alpha.interval)
            if raters == 8:
                twice = learn.rater_agreement(_grades(rng, items, raters, 2), level="interval")
                own.append((total - 0.36) / total in twice.self_agreement.interval)
        ledger.add(
            "coverage",
            "Krippendorff's alpha",
            covers({0.95: held}, allowed=0.03, at_least=True),
            setting=f"{items} items, {raters} raters who differ, interval level",
            seed=seed,
        )
        if own:
            ledger.add(
                "coverage",
                "self-agreement of raters",
                covers({0.95: own}, allowed=0.03, at_least=True),
                setting=f"{items} items, {raters} raters, two grades each",
                seed=seed,
            )
    ledger.settle()


def test_the_ceiling_lies_between_its_ends(ledger):
    seed = 20914
    rng = np.random.default_rng(seed)
    # The mean of max(p, 1 - p) for p ~ Beta(2, 2).
    truth, held = 0.6875, []
    for _ in range(150):
        item = np.repeat(np.arange(150), 4)
        label = (rng.random(item.size) < rng.beta(2, 2, 150)[item]).astype(int)
        found = score.noise_ceiling("accuracy", {"item": item, "label": label})
        held.append(found.left_out.interval.lower <= truth <= found.plug_in.interval.upper)
    ledger.add(
        "coverage",
        "ceiling of accuracy",
        covers({0.95: held}, at_least=True),
        setting="150 items, 4 labels each; from the lower end's interval to the upper end's",
        seed=seed,
    )
    ledger.settle()
