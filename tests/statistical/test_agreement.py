"""Agreement of few raters, and the ceiling it sets: do the intervals hold the population's?"""

import numpy as np
import pytest
from tests.statistical.judging import covers

from howgood import learn, score

pytestmark = pytest.mark.slow


# Where a judgement on a line becomes one of five grades.
CUTS = np.array([-1.2, -0.3, 0.5, 1.3])
REPEATS = 0.36
STUDIES = 1_000


def _judgements(rng, items, raters, leniency, repeats=1):
    """Variance 1 of items, leniency squared of raters, .25 of opinions, .36 of the moment."""
    item, rater, _ = (codes.ravel() for codes in np.indices((items, raters, repeats)))
    opinion = rng.normal(0, 0.5, (items, raters))[item, rater]
    value = rng.normal(0, 1, items)[item] + rng.normal(0, leniency, raters)[rater] + opinion
    return {"item": item, "rater": rater, "grade": value + rng.normal(0, REPEATS**0.5, item.size)}


def _on(level, grades):
    if level == "interval":
        return grades
    return {**grades, "grade": np.searchsorted(CUTS, grades["grade"])}


def _truth(level, leniency):
    """Alpha over all items and raters, from a million items with two raters of their own each."""
    total = 1 + leniency**2 + 0.25 + REPEATS
    if level == "interval":
        return 1 / total
    rng = np.random.default_rng(0)
    item = rng.normal(size=1_000_000)
    one, other = (
        np.searchsorted(CUTS, item + rng.normal(0, (total - 1) ** 0.5, item.size)) for _ in "ab"
    )
    share = np.bincount(np.concatenate([one, other]), minlength=5) / (2 * item.size)
    if level == "nominal":
        return 1 - np.mean(one != other) / (1 - share @ share)
    rank = np.cumsum(share) - share / 2
    return 1 - np.mean((rank[one] - rank[other]) ** 2) / (2 * share @ (rank - share @ rank) ** 2)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_of_few_raters(level, ledger):
    seed = 20931
    for raters, leniency in ((2, 0.5), (3, 0.5), (5, 0.5), (8, 0.5), (2, 1.0), (5, 1.0)):
        rng = np.random.default_rng([seed, raters, int(10 * leniency), len(level)])
        truth = _truth(level, leniency)
        held = [
            truth
            in learn.rater_agreement(
                _on(level, _judgements(rng, 40, raters, leniency)), level=level
            ).alpha.interval
            for _ in range(STUDIES)
        ]
        ledger.add(
            "coverage",
            "Krippendorff's alpha",
            covers({0.95: held}, allowed=0.02, at_least=True),
            setting=f"{level} grades, 40 items, {raters} raters, leniency {leniency:g} (items 1)",
            seed=seed,
        )
    ledger.settle()


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_of_tables_with_gaps(level, ledger):
    """A third of the grades are not there, at random; every item keeps two raters."""
    seed = 20933
    for items, raters in ((20, 5), (100, 5), (40, 25)):
        rng = np.random.default_rng([seed, items, raters, len(level)])
        truth = _truth(level, 0.5)
        held = []
        for _ in range(STUDIES // 2):
            grades = _on(level, _judgements(rng, items, raters, 0.5))
            place = np.argsort(rng.random((items, raters)), axis=1).ravel()
            kept = (place < 2) | (rng.random(place.size) < 2 / 3)
            some = {name: values[kept] for name, values in grades.items()}
            held.append(truth in learn.rater_agreement(some, level=level).alpha.interval)
        ledger.add(
            "coverage",
            "Krippendorff's alpha",
            covers({0.95: held}, allowed=0.02, at_least=True),
            setting=f"{level} grades, {items} items, {raters} raters, leniency 0.5 (items 1), "
            "a third of the grades missing",
            seed=seed,
        )
    ledger.settle()


def test_self_agreement_of_few_raters(ledger):
    seed = 20932
    for raters in (3, 8):
        rng = np.random.default_rng([seed, raters])
        total = 1 + 0.25 + 0.25 + REPEATS
        held = []
        for _ in range(STUDIES):
            grades = _judgements(rng, 40, raters, 0.5, repeats=2)
            found = learn.rater_agreement(grades, level="interval").self_agreement
            held.append((total - REPEATS) / total in found.interval)
        ledger.add(
            "coverage",
            "self-agreement of raters",
            covers({0.95: held}, allowed=0.02, at_least=True),
            setting=f"40 items, {raters} raters, two grades each",
            seed=seed,
        )
    ledger.settle()


def test_the_ceiling_lies_between_its_ends(ledger):
    seed = 20934
    rng = np.random.default_rng(seed)
    # The mean of max(p, 1 - p) for p ~ Beta(2, 2).
    truth, held = 0.6875, []
    for _ in range(1_000):
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
