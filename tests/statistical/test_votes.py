"""Votes of few people on few prompts: do intervals of strengths hold, is an order wrong as said?"""

import numpy as np
import pytest
from tests.statistical.judging import covers, expected_counts

from howgood import decide

pytestmark = pytest.mark.slow


def _study(rng, *, systems=6, n=900, items=30, raters=25):
    """Strengths, tastes of raters and strengths on prompts are drawn anew."""
    strength = rng.normal(0, 0.5, systems)
    on_items = rng.normal(0, 0.5, (items, systems))
    of_raters = rng.normal(0, 0.5, (raters, systems))
    left = rng.integers(systems, size=n)
    right = (left + 1 + rng.integers(systems - 1, size=n)) % systems
    item, rater = rng.integers(items, size=n), rng.integers(raters, size=n)
    value = strength + on_items[item] + of_raters[rater]
    rows = np.arange(n)
    d = value[rows, left] - value[rows, right] + 0.2
    weights = np.column_stack([np.exp(d / 2), np.exp(-d / 2), np.full(n, 0.6)])
    chances = weights / weights.sum(axis=1, keepdims=True)
    outcome = np.minimum((rng.random(n)[:, None] > chances.cumsum(axis=1)).sum(axis=1), 2)
    votes = {"left": left.astype(str), "right": right.astype(str), "item": item, "rater": rater,
             "winner": np.array(["left", "right", "tie"])[outcome]}  # fmt: skip
    return strength, votes


def _with_newcomer(rng, votes_of_newcomer):
    """Five systems with 900 votes, and a sixth of the same kind with few; tastes differ less."""
    systems, n = 6, 900 + votes_of_newcomer
    strength = rng.normal(0, 0.7, systems)
    on_items, of_raters = rng.normal(0, 0.3, (30, systems)), rng.normal(0, 0.3, (25, systems))
    left = rng.integers(5, size=n)
    right = (left + 1 + rng.integers(4, size=n)) % 5
    is_left = rng.random(votes_of_newcomer) < 0.5
    left[900:] = np.where(is_left, 5, left[900:])
    right[900:] = np.where(is_left, right[900:], 5)
    item, rater, rows = rng.integers(30, size=n), rng.integers(25, size=n), np.arange(n)
    value = strength + on_items[item] + of_raters[rater]
    d = value[rows, left] - value[rows, right]
    weights = np.column_stack([np.exp(d / 2), np.exp(-d / 2), np.full(n, 0.5)])
    chances = weights / weights.sum(axis=1, keepdims=True)
    outcome = np.minimum((rng.random(n)[:, None] > chances.cumsum(axis=1)).sum(axis=1), 2)
    return strength, {
        "left": left.astype(str), "right": right.astype(str), "item": item, "rater": rater,
        "winner": np.array(["left", "right", "tie"])[outcome],
    }  # fmt: skip


def test_a_newcomer_with_few_votes(ledger):
    """It is first as often as said, and others are no less sure because it is there."""
    for seed, few, studies in ((21821, 1, 300), (21822, 8, 300)):
        rng = np.random.default_rng(seed)
        best, is_best, said, wrong = [], [], [], []
        for _ in range(studies):
            strength, votes = _with_newcomer(rng, few)
            ranking = decide.rank_votes(votes, item="item", rater="rater")
            best.append(ranking.best_probability["5"])
            is_best.append(int(strength.argmax()) == 5)
            first, second = [name for name in ranking.order if name != "5"][:2]
            said.append(ranking.error(first, second))
            wrong.append(strength[int(first)] < strength[int(second)])
        setting = f"5 systems with 900 votes, a newcomer with {few}, 30 prompts, 25 raters"
        for what, happened, told in (
            ("the newcomer is the best", is_best, best),
            ("the order by votes is the opposite, next to a newcomer", wrong, said),
        ):
            ledger.add("probability", what, expected_counts(happened, told, what=what),
                       setting=setting, seed=seed)  # fmt: skip
    ledger.settle()


def test_strengths_and_orders(ledger):
    seed, studies = 20821, 120
    rng = np.random.default_rng(seed)
    held, plain, said, wrong = [], [], [], []
    # Prompts and tastes flatten the average curve: gaps are compared with those of many votes.
    shrink = []
    for _ in range(3):
        strength, many = _study(rng, n=60_000, items=3000, raters=3000)
        found = decide.rank_votes(many)
        shrink.append(np.polyfit(strength - strength.mean(), found.scores, 1)[0])
    for _ in range(studies):
        strength, votes = _study(rng)
        ranking = decide.rank_votes(votes, item="item", rater="rater")
        alone = decide.rank_votes(votes)
        gap = np.mean(shrink) * (strength[0] - strength[1])
        for each, hits in ((ranking, held), (alone, plain)):
            away = abs(each.differences[0, 1] - gap)
            hits.append(away <= 1.959964 * np.sqrt(each.difference_variances[0, 1]))
        first, second = ranking.order[:2]
        said.append(ranking.error(first, second))
        wrong.append(strength[int(first)] < strength[int(second)])
    assert np.mean(plain) < np.mean(held)
    ledger.add(
        "coverage",
        "difference of strengths by votes",
        covers({0.95: held}, allowed=0.02, at_least=True),
        setting="900 votes, 30 prompts, 25 raters, tastes differ; votes taken as independent held "
        f"{np.mean(plain):.1%}",
        seed=seed,
    )
    ledger.add(
        "probability",
        "the order by votes is the opposite",
        expected_counts(wrong, said, what="order of the first two opposite"),
        setting="900 votes, 30 prompts, 25 raters, 6 systems of sd .5",
        seed=seed,
    )
    ledger.settle()
