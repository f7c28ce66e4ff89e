"""Other items and raters, thousands of times: is an order by grades wrong as often as said?"""

import numpy as np
import pytest
from tests.statistical.judging import COVERAGES, covers, expected_counts, unbiased

from howgood.decide import rank_grades

pytestmark = pytest.mark.slow

# Design -> items, raters, raters per output, and whether an item's outputs share their raters.
DESIGNS = {
    "all 8 raters grade all of 40 items": (40, 8, 8, True),
    "3 of 12 raters per item, 60 items": (60, 12, 3, True),
    "3 of 20 raters per output, 60 items": (60, 20, 3, False),
    "each of 12 raters grades 10 items of their own": (120, 12, 1, True),
    "2 of 10 raters per item, 45 items: two raters share about one": (45, 10, 2, True),
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
    for _ in range(600):
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
    for _ in range(600):
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


def _board(rng, raters, *, systems=8, items=40, spread, taste, is_even):
    """Return true means and grades (items, raters, systems); NaN where nobody graded."""
    truth = rng.normal(0, spread, systems)
    table = (
        4.0 + truth + rng.normal(0, 0.5, (items, 1, 1)) + rng.normal(0, 0.3, (items, 1, systems))
    )
    table = table + rng.normal(0, 0.5, (1, raters, 1)) + rng.normal(0, taste, (1, raters, systems))
    table = table + rng.normal(0, 0.3, (items, raters, 1))
    table = table + rng.normal(0, 0.6, (items, raters, systems))
    if not is_even:
        # One grade in four is missing, the first rater has two in three; each output keeps one.
        gone = rng.random(table.shape) < np.where(np.arange(raters) == 0, 0.67, 0.25)[:, None]
        kept = rng.integers(raters, size=(items, 1, systems))
        table[gone & (np.arange(raters)[:, None] != kept)] = np.nan
    return truth, table


EVEN = {True: "all grade all", False: "one grade in four missing, two in three of the first rater"}


@pytest.mark.parametrize("is_even", EVEN)
@pytest.mark.parametrize("raters", [2, 3, 5, 8])
def test_boards_of_eight_systems(raters, is_even, ledger):
    """How far systems and tastes differ is drawn anew for every study."""
    seed = 20735
    rng = np.random.default_rng([seed, raters, is_even])
    held, means, said, wrong = [], [], [], []
    for _ in range(200):
        spread, taste = rng.uniform(0.0, 1.0), rng.uniform(0.1, 0.6)
        truth, table = _board(rng, raters, spread=spread, taste=taste, is_even=is_even)
        ranking = rank_grades(_rows(table))
        a, b = rng.choice(8, 2, replace=False)
        away = ranking.differences[a, b] - (truth[a] - truth[b])
        held.append(abs(away) <= 1.959964 * np.sqrt(ranking.difference_variances[a, b]))
        means.append(abs(ranking.scores[a] - 4.0 - truth[a]) <= 1.959964 * ranking.score_sds[a])
        is_ahead = ranking.scores[:, None] > ranking.scores
        said.append(ranking.errors[is_ahead].mean())
        wrong.append((truth[:, None] < truth)[is_ahead].mean())
    few = ", few raters" if raters < 5 else ", 8 systems"
    setting = (
        f"8 systems; {raters} raters, 40 items, {EVEN[is_even]}; spreads of systems and tastes vary"
    )
    gap = np.array(wrong) - said + np.mean(said)
    for kind, name, judged in (
        ("coverage", "difference of mean grades", covers({0.95: held}, allowed=0.02)),
        ("coverage", "mean grade", covers({0.95: means}, at_least=True, allowed=0.02)),
        (
            "probability",
            "the order by mean grades is the opposite",
            unbiased({"share of wrong orders": gap}, {"share of wrong orders": np.mean(said)}),
        ),
    ):
        ledger.add(kind, f"{name}{few}", judged, setting=setting, seed=seed)
    ledger.settle()


# Raters -> how many of 100 orders told apart at 5 % may be wrong where systems hardly differ more
# than tastes; said where two or three raters are.
TOLD_APART = {2: 0.12, 3: 0.08, 5: 0.05, 8: 0.05}


@pytest.mark.parametrize("raters", TOLD_APART)
def test_orders_told_apart_where_systems_are_close(raters, ledger):
    """The hardest case of the spec: systems with sd .3, tastes with sd .5, both fixed."""
    seed = 20736
    rng = np.random.default_rng([seed, raters])
    right = []
    for _ in range(250):
        truth, table = _board(rng, raters, spread=0.3, taste=0.5, is_even=True)
        ranking = rank_grades(_rows(table))
        pairs = np.argwhere(ranking.errors < 0.05)
        if len(pairs):
            ahead, behind = pairs[rng.integers(len(pairs))]
            right.append(truth[ahead] > truth[behind])
    ledger.add(
        "coverage",
        "orders told apart at 5 %, few raters" if raters < 5 else "orders told apart at 5 %",
        covers({1 - TOLD_APART[raters]: right}, at_least=True),
        setting=f"8 systems whose means have sd .3; {raters} raters with tastes of sd .5 grade all "
        f"of 40 items; at most {TOLD_APART[raters]:.0%} wrong orders allowed",
        seed=seed,
    )
    ledger.settle()


def _rows(table):
    """Return grades (items, raters, systems) as one row each; NaN is no grade."""
    item, rater, system = np.nonzero(np.isfinite(table))
    grade = table[item, rater, system]
    return {"item": item, "rater": rater, "system": system, "grade": grade}


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
    grades, gap = _stars(rng, 10_000, items, widest=4.0)
    apart = grades[:, :, 1] - grades[:, :, 0]
    is_alike = (np.ptp(apart, axis=1) == 0) & (apart[:, 0] != 0)
    for words, chosen in (
        ("", np.arange(500)),
        (" that look alike", np.flatnonzero(is_alike)[:500]),
    ):
        said, wrong = _said_and_wrong(grades[chosen], gap[chosen])
        ledger.add(
            "probability",
            f"the order by mean grades is the opposite, few items{words}",
            expected_counts(wrong, said, what="order opposite", at_most=True),
            setting=f"{stars}; difference from -4 to 4"
            + (
                f"; the {len(chosen):,} of 10,000 studies whose items all differ alike"
                if words
                else ""
            ),
            seed=seed,
        )
    grades, gap = _stars(rng, 500, items, widest=0.0)
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


@pytest.mark.parametrize("what", ["items", "raters"])
def test_as_many_items_or_raters_as_needed_are_enough(what, ledger):
    """Were the difference seen the true one: how often does a study of that size miss its sign?"""
    seed = 20738
    rng = np.random.default_rng([seed, len(what)])
    missed = []
    while len(missed) < 150:
        taste = rng.uniform(0.1, 0.4)
        _, table = _board(rng, 5, systems=3, items=15, spread=0.3, taste=taste, is_even=True)
        ranking = rank_grades(_rows(table))
        found = ranking.needed(ranking.order[0], ranking.order[-1])
        total = getattr(found, what)
        if found.status != "needed" or total is None or total > 500:
            continue
        items, raters = (total, 5) if what == "items" else (15, total)
        variance = 2 * (0.3**2 / items + taste**2 / raters + 0.6**2 / (items * raters))
        lead = np.ptp(ranking.scores)
        missed.append(rng.normal(lead, np.sqrt(variance)) < 0)
    ledger.add(
        "planning",
        f"needed {what}, grades",
        expected_counts(missed, np.full(150, 0.05), what="sign missed", at_most=True),
        setting="best and worst of 3 systems graded by 5 raters on 15 items, told apart at 5 % by "
        f"more {what}; fewer misses than asked for are allowed",
        seed=seed,
    )
    ledger.settle()


def _documents(rng, raters, *, documents=20, each=4, systems=2):
    """Equal systems; documents, and raters within a document, do something to systems."""
    shape = (documents, each, raters, systems)
    table = rng.normal(0, 0.4, (documents, 1, 1, systems)) + rng.normal(0, 0.6, shape)
    table = table + rng.normal(0, 0.3, (1, 1, raters, systems))
    table = table + rng.normal(0, 0.25, (documents, 1, raters, systems))
    table = table + rng.normal(0, 0.5, (documents, each, 1, 1)) + rng.normal(0, 0.5, (raters, 1))
    document, sentence, rater, system = (codes.ravel() for codes in np.indices(shape))
    return {"document": document, "item": sentence, "rater": rater, "system": system,
            "grade": table.ravel()}  # fmt: skip


@pytest.mark.parametrize("raters", [2, 3, 5, 8, 25])
def test_items_in_clusters(raters, ledger):
    seed = 20751
    rng = np.random.default_rng([seed, raters])
    hits = {level: [] for level in (0.8, 0.95)}
    for _ in range(400):
        ranking = rank_grades(_documents(rng, raters), cluster="document")
        least = min(ranking.error("0", "1"), ranking.error("1", "0"))
        for level, held in hits.items():
            held.append(least >= (1 - level) / 2)
    ledger.add(
        "coverage",
        "difference of mean grades, items in clusters",
        covers(hits, at_least=True, allowed=0.02),
        setting=f"2 systems; {raters} raters grade 4 sentences of each of 20 documents",
        seed=seed,
    )
    ledger.settle()
