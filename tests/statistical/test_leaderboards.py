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


@pytest.mark.parametrize(("raters", "least"), [(2, 0.08), (3, 0.03)])
def test_two_or_three_raters_give_rough_probabilities(raters, least, ledger):
    """How rough is said in the documentation: 95 % intervals may hold 87 % (2) or 92 % (3)."""
    seed, items = 20733, 40
    rng = np.random.default_rng([seed, raters])
    held, means = [], []
    for _ in range(3000):
        hard = rng.normal(0, 0.8, (items, 1, 1)) + rng.normal(0, 0.5, (items, 1, 2))
        who = rng.normal(0, 0.5, (1, raters, 1)) + rng.normal(0, 0.25, (1, raters, 2))
        ranking = rank_grades(_rows(4.0 + hard + who + rng.normal(0, 0.7, (items, raters, 2))))
        held.append(min(ranking.error("0", "1"), ranking.error("1", "0")) >= 0.025)
        means.append(abs(ranking.scores[0] - 4.0) < 1.959964 * ranking.score_sds[0])
    for name, found in (("difference of mean grades", held), ("mean grade", means)):
        ledger.add(
            "coverage",
            f"{name}, few raters",
            covers({0.95: found}, allowed=least),
            setting=f"2 systems; {raters} raters grade all of {items} items; leniency, taste, "
            f"items and noise vary; gaps of {least} allowed, and stated where it is printed",
            seed=seed,
        )
    ledger.settle()


def _rows(table):
    """Return grades (items, raters, systems) as one row each."""
    item, rater, system = (each.ravel() for each in np.indices(table.shape))
    return {"item": item, "rater": rater, "system": system, "grade": table.ravel()}


def _stars(rng, studies, items, *, widest):
    """Grades (studies, items, 2) from 1 to 5 by one rater, and by how much the second is better."""
    gap = rng.uniform(-widest, widest, studies)
    grades = (
        3.0 + gap[:, None, None] * np.array([-0.5, 0.5]) + rng.normal(0, 0.8, (studies, items, 1))
    )
    grades += rng.normal(0, np.hypot(0.5, 0.7), (studies, items, 2))
    return np.clip(np.round(grades), 1, 5), gap


def _said_and_wrong(grades, gap):
    """Return the error of each study's order, and whether the order was wrong; ties are tossed."""
    said, wrong = [], []
    for study, better_by in zip(grades, gap, strict=True):
        ranking = rank_grades(_rows(study[:, None, :]))
        better, worse = ranking.order
        said.append(ranking.error(better, worse))
        wrong.append((better == "1") != (better_by > 0))
    return said, wrong


@pytest.mark.parametrize("items", [2, 3, 5])
def test_few_items_are_wrong_no_more_often_than_said(items, ledger):
    """On five points the prior cannot be flat: the order may be right more often than said."""
    seed = 20734
    rng = np.random.default_rng([seed, items])
    stars = f"2 systems graded by one rater on {items} items, 1 to 5 points"
    grades, gap = _stars(rng, 40_000, items, widest=4.0)
    apart = grades[:, :, 1] - grades[:, :, 0]
    is_alike = (np.ptp(apart, axis=1) == 0) & (apart[:, 0] != 0)
    for words, chosen in (
        ("", np.arange(4000)),
        (" that look alike", np.flatnonzero(is_alike)[:4000]),
    ):
        said, wrong = _said_and_wrong(grades[chosen], gap[chosen])
        ledger.add(
            "probability",
            f"the order by mean grades is the opposite, few items{words}",
            expected_counts(wrong, said, what="order opposite", at_most=True),
            setting=f"{stars}; difference from -4 to 4"
            + (
                f"; the {len(chosen):,} of 40,000 studies whose items all differ alike"
                if words
                else ""
            ),
            seed=seed,
        )
    grades, gap = _stars(rng, 3000, items, widest=0.0)
    tails = np.array(_said_and_wrong(grades, gap)[0])
    for levels, allowed in (((0.8, 0.95), 0.0), ((0.5,), 0.05)):
        held = {level: tails >= (1 - level) / 2 for level in levels}
        ledger.add(
            "coverage",
            "difference of mean grades, few items",
            covers(held, at_least=True, allowed=allowed),
            setting=f"{stars}, equally good; grades come in steps, so intervals may hold more"
            + (f"; gaps of {allowed} allowed for the steps" if allowed else ""),
            seed=seed,
        )
    ledger.settle()
