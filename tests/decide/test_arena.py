"""The board of an arena: what is settled, what ties, what is open."""

from itertools import permutations

import numpy as np
import pytest

from howgood.decide.arena import board


def _votes(strengths, n, seed=1):
    rng = np.random.default_rng(seed)
    k = len(strengths)
    left = rng.integers(k, size=n)
    right = (left + 1 + rng.integers(k - 1, size=n)) % k
    gap = np.array(strengths)[left] - np.array(strengths)[right]
    won = rng.random(n) < 1 / (1 + np.exp(-gap))
    names = np.array([f"s{place}" for place in range(k)])
    return {"left": names[left], "right": names[right], "winner": np.where(won, "left", "right"),
            "item": rng.integers(200, size=n), "rater": rng.integers(100, size=n)}  # fmt: skip


def test_systems_far_apart_are_settled_and_need_no_votes():
    made = board(_votes([1.5, 0.0, -1.5], 1500))
    assert made.verdict == "settled"
    assert made.ties == {"s0": (), "s1": (), "s2": ()}
    assert made.more_votes is None
    assert made.is_settled("s0", "s2")
    assert not made.is_settled("s2", "s0")


def test_twins_tie_for_good_when_votes_are_many():
    made = board(_votes([0.0, 0.0], 6000))
    assert made.verdict == "tied"
    assert made.ties == {name: (other,) for name, other in permutations(made.ranking.order)}


def test_few_votes_leave_it_open_and_say_how_many_more():
    made = board(_votes([0.3, 0.0, 0.0], 120))
    assert made.verdict == "open"
    assert made.more_votes is None or made.more_votes > 120


def test_what_is_settled_is_settled_by_the_ranking_too():
    made = board(_votes([0.6, 0.2, 0.0, -0.5], 1200))
    for first in made.ranking.systems:
        for second in made.ranking.systems:
            if made.is_settled(first, second):
                assert made.ranking.error(first, second) < made.ranking.level


def test_intervals_hold_zero_where_a_system_meets_itself():
    made = board(_votes([0.5, 0.0], 100))
    assert np.diag(made.lower) == pytest.approx(0)
    assert np.diag(made.upper) == pytest.approx(0)


def test_a_pair_that_is_not_settled_keeps_the_board_open_whoever_stands_in_front():
    """The first is settled apart from the third, yet each ties with the one between them."""
    for seed in range(1, 30):
        made = board(_votes([0.9, 0.45, 0.0], 260, seed=seed))
        first, middle, last = made.ranking.order
        if made.ties == {first: (middle,), middle: (first, last), last: (middle,)}:
            break
    assert made.is_settled(first, last)
    assert made.verdict == "open"
    assert made.more_votes is None or made.more_votes > 0
