"""Other items and raters, thousands of times: is an order by grades wrong as often as said?"""

import numpy as np
import pytest
from tests.statistical.judging import COVERAGES, covers, expected_counts

from howgood.decide import rank_grades

pytestmark = pytest.mark.slow

# Design -> items, raters, raters per output, and whether an item's outputs share their raters.
DESIGNS = {
    "all 8 raters grade all of 40 items": (40, 8, 8, True),
    "3 of 12 raters per item, 60 items": (60, 12, 3, True),
    "3 of 20 raters per output, 60 items": (60, 20, 3, False),
    "each of 12 raters grades 10 items of their own": (120, 12, 1, True),
}


def _study(rng, design, *, gap=0.0, systems=2):
    """Grades of systems whose expected grades lie `gap` apart; leniency and taste differ."""
    n_items, n_raters, n_each, is_shared = DESIGNS[design]
    item_effects = rng.normal(0, 0.8, (n_items, 1)) + rng.normal(0, 0.5, (n_items, systems))
    raters = rng.normal(0, 0.5, (n_raters, 1)) + rng.normal(0, 0.25, (n_raters, systems))
    item, place, system = (each.ravel() for each in np.indices((n_items, n_each, systems)))
    if n_each == 1:
        who = np.broadcast_to((np.arange(n_items) % n_raters)[:, None, None], (n_items, 1, systems))
    else:
        keys = rng.random((n_items, n_raters, 1 if is_shared else systems))
        who = np.broadcast_to(keys.argsort(axis=1)[:, :n_each], (n_items, n_each, systems))
    rater = who[item, place, system]
    noise = rng.normal(0, 0.7, item.size)
    grade = 4.0 + gap * system + item_effects[item, system] + raters[rater, system] + noise
    return {"item": item, "system": system, "rater": rater, "grade": grade}


def _name(design):
    return f"2 systems; {design}; leniency, taste, items and noise vary"


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_of_mean_grades_and_their_differences_hold_the_truth(design, ledger):
    seed = 20731
    rng = np.random.default_rng([seed, list(DESIGNS).index(design)])
    hits = {level: [] for level in COVERAGES}
    means = []
    for _ in range(3000):
        ranking = rank_grades(_study(rng, design))
        # Both are equally good: an interval of the difference holds 0 if no tail is smaller.
        least = min(ranking.error("0", "1"), ranking.error("1", "0"))
        for level, found in hits.items():
            found.append(least >= (1 - level) / 2)
        means.append(abs(ranking.scores[0] - 4.0) < 1.959964 * ranking.score_sds[0])
    for name, found in (("difference of mean grades", hits), ("mean grade", {0.95: means})):
        ledger.add(
            "coverage",
            name,
            covers(found, allowed=0.02),
            setting=f"{_name(design)}; gaps of .02 allowed for the approximate t",
            seed=seed,
        )
    ledger.settle()


@pytest.mark.parametrize("design", DESIGNS)
def test_the_order_is_the_opposite_as_often_as_said(design, ledger):
    """Flat prior over the difference of the systems, far beyond what a study can miss."""
    seed = 20732
    rng = np.random.default_rng([seed, list(DESIGNS).index(design)])
    said, wrong = [], []
    for _ in range(4000):
        gap = rng.uniform(-2.0, 2.0)
        ranking = rank_grades(_study(rng, design, gap=gap))
        better, worse = ranking.order
        said.append(ranking.error(better, worse))
        wrong.append((better == "1") != (gap > 0))
    ledger.add(
        "probability",
        "the order by mean grades is the opposite",
        expected_counts(wrong, said, what="order opposite"),
        setting=f"{_name(design)}; flat prior over their difference",
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize(("raters", "least"), [(2, 0.06), (3, 0.03)])
def test_two_or_three_raters_give_rough_probabilities(raters, least, ledger):
    """How rough is said in the documentation: 95 % intervals may hold 89 % (2) or 92 % (3)."""
    seed = 20733
    rng = np.random.default_rng([seed, raters])
    items = 40
    hits = {level: [] for level in COVERAGES}
    for _ in range(3000):
        taste = rng.normal(0, 0.25 * rng.choice([0.0, 0.5, 1.0]), (1, raters, 2))
        table = rng.normal(0, 0.5, (items, 1, 2)) + taste + rng.normal(0, 0.7, (items, raters, 2))
        item, rater, system = (each.ravel() for each in np.indices(table.shape))
        found = {"item": item, "rater": rater, "system": system, "grade": table.ravel()}
        ranking = rank_grades(found)
        tail = min(ranking.error("0", "1"), ranking.error("1", "0"))
        for level, held in hits.items():
            held.append(tail >= (1 - level) / 2)
    ledger.add(
        "coverage",
        "difference of mean grades, few raters",
        covers({0.95: hits[0.95]}, allowed=least),
        setting=f"2 systems; {raters} raters grade all of {items} items; gaps of {least} allowed",
        seed=seed,
    )
    ledger.settle()
