"""Predictions compared with several raters' ratings: other raters, hundreds of times."""

import numpy as np
import pytest
from tests.statistical.judging import covers, expected_counts

from howgood.decide import rank_ratings

pytestmark = pytest.mark.slow

ITEMS = 60
# Name -> raters, and how many of them rate an item; 0: the first and one of the others.
UNEQUAL = "one of 6 raters rates everything, each other 12 items"
DESIGNS = {
    "the same 2 raters rate everything": (2, 2),
    "the same 3 raters rate everything": (3, 3),
    "the same 5 raters rate everything": (5, 5),
    "the same 8 raters rate everything": (8, 8),
    "3 of 12 raters per item": (12, 3),
    UNEQUAL: (6, 0),
}


def _study(rng, design, *, systems, biases):
    """Return ratings with predictions, and every system's true mean squared error but a constant.

    Raters differ in leniency (sd .6) and in how much they spread their ratings (sd .2).
    """
    n_raters, each = DESIGNS[design]
    truth = rng.normal(0, 1, ITEMS)
    noise = rng.uniform(0.05, 3.0, systems)
    shift = rng.normal(0, biases, systems)
    predicted = truth[:, None] + shift + rng.normal(0, np.sqrt(noise), (ITEMS, systems))
    wide, lenient = 1 + rng.normal(0, 0.2, n_raters), rng.normal(0, 0.6, n_raters)
    ratings = truth[:, None] * wide + lenient + rng.normal(0, 0.7, (ITEMS, n_raters))
    is_rated = rng.random((ITEMS, n_raters)).argsort(axis=1) < each
    if each == 0:
        is_rated[:, 0] = is_rated[np.arange(ITEMS), 1 + np.arange(ITEMS) % (n_raters - 1)] = True
    item, rater = np.nonzero(is_rated)
    table = {"item": item, "rater": rater, "rating": ratings[item, rater]}
    table |= {f"s{k}": predicted[item, k] for k in range(systems)}
    return table, shift**2 + noise


def _ranked(table, systems):
    names = [f"s{k}" for k in range(systems)]
    return rank_ratings(table, predictions=names, rater="rater")


@pytest.mark.parametrize("design", DESIGNS)
def test_two_systems_are_in_the_other_order_as_often_as_said(design, ledger):
    """Their true difference lies anywhere within what a study can miss, and far beyond."""
    seed = 20741
    rng = np.random.default_rng([seed, list(DESIGNS).index(design)])
    said, wrong, held = [], [], []
    for _ in range(400):
        table, truth = _study(rng, design, systems=2, biases=0.4)
        ranking = _ranked(table, 2)
        better, worse = (ranking.index(name) for name in ranking.order)
        said.append(ranking.errors[better, worse])
        wrong.append(truth[better] > truth[worse])
        away = ranking.differences[0, 1] - (truth[0] - truth[1])
        held.append(abs(away) <= 1.959964 * np.sqrt(ranking.difference_variances[0, 1]))
    setting = f"2 systems' squared errors on {ITEMS} items; {design}; leniency and noise vary"
    ledger.add(
        "coverage",
        "difference of errors, raters as a sample",
        covers({0.95: held}, at_least=True, allowed=0.02),
        setting=f"{setting}; intervals may hold more",
        seed=seed,
    )
    is_unequal = design == UNEQUAL
    ledger.add(
        "probability",
        "the order by errors is the opposite, raters as a sample",
        expected_counts(wrong, said, what="order opposite", at_most=is_unequal),
        setting=setting + ("; orders may be right more often than said" if is_unequal else ""),
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize("raters", [3, 8])
def test_five_systems_are_in_the_other_order_no_more_often_than_said(raters, ledger):
    """Nothing is pooled over systems: three raters leave orders more open than need be."""
    seed = 20742
    design = f"the same {raters} raters rate everything"
    rng = np.random.default_rng([seed, raters])
    said, wrong = [], []
    for _ in range(250):
        table, truth = _study(rng, design, systems=5, biases=0.4)
        ranking = _ranked(table, 5)
        better, worse = sorted(rng.choice(5, 2, replace=False), key=lambda k: ranking.scores[k])
        said.append(ranking.errors[better, worse])
        wrong.append(truth[better] > truth[worse])
    ledger.add(
        "probability",
        "the order by errors is the opposite, raters as a sample",
        expected_counts(wrong, said, what="order opposite", at_most=True),
        setting=f"two of 5 systems' squared errors on {ITEMS} items; {design}; leniency and noise "
        "vary; orders may be right more often than said",
        seed=seed,
    )
    ledger.settle()


def _rated(rng, truth):
    """Return the ratings of all items by three raters drawn anew."""
    item, rater = (each.ravel() for each in np.indices((ITEMS, 3)))
    lenient = rng.normal(0, 0.6, 3)
    rating = truth[item] + lenient[rater] + rng.normal(0, 0.7, item.size)
    return {"item": item, "rater": rater, "rating": rating}


def test_claims_from_three_raters_against_other_raters(ledger):
    """Judges who differ in leniency alone: three raters seem certain, three others disagree."""
    seed = 20743
    rng = np.random.default_rng(seed)
    repeats, flips, said, wrong = [], [], [], []
    for _ in range(300):
        truth, shift = rng.normal(0, 1, ITEMS), rng.normal(0, 0.6, 2)
        judged = (truth + rng.normal(0, 0.5, ITEMS))[:, None] + shift
        tables = [_rated(rng, truth) for _ in range(2)]
        for table in tables:
            table |= {f"s{k}": judged[table["item"], k] for k in range(2)}
        ranking, later = (_ranked(table, 2) for table in tables)
        # The item's name as the user's: three raters count as one who rated three times.
        copied = {**tables[0], "user": tables[0]["item"]}
        repeats.append(rank_ratings(copied, predictions=["s0", "s1"]).error(*ranking.order))
        flips.append(later.order != ranking.order)
        better, worse = (ranking.index(name) for name in ranking.order)
        said.append(ranking.errors[better, worse])
        wrong.append(abs(shift[better]) > abs(shift[worse]))
    sure = np.array(repeats) < 0.001
    ledger.add(
        "probability",
        "the order by errors is the opposite, close systems",
        expected_counts(wrong, said, what="order opposite"),
        setting=f"2 systems that differ in leniency alone (sd .6), as do 3 raters; {sure.sum()} "
        "orders were said to flip with less than .001 when raters counted as repeats, and "
        f"{np.mean(np.array(flips)[sure]):.0%} of these flipped with 3 other raters",
        seed=seed,
    )
    ledger.settle()
