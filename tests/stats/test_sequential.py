"""Bounds and warnings that stay valid at every look: by hand, by brute force, as properties."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom

from howgood.stats.sequential import bet_against_uniform, rank_among, share_bounds


def test_bounds_of_one_success_by_hand():
    """k = n = 1: the mixture is B(3/2, 1/2) / B(1/2, 1/2) = 1/2; outside where q <= level / 2."""
    lower, upper = share_bounds(1, 1, level=0.05)
    assert (round(lower, 12), upper) == (0.025, 1.0)


def test_bounds_of_one_in_two_by_hand():
    """B(3/2, 3/2) / B(1/2, 1/2) = 1/8: inside where q (1 - q) > level / 8."""
    lower, upper = share_bounds(1, 2, level=0.08)
    root = math.sqrt(1 - 4 * 0.01)
    assert (lower, upper) == pytest.approx(((1 - root) / 2, (1 + root) / 2))


@pytest.mark.parametrize(("successes", "trials"), [(3, 4), (17, 20), (0, 7), (40, 100)])
def test_bounds_agree_with_the_mixture_integrated_numerically(successes, trials):
    def jeffreys(share):
        return 1 / (math.pi * math.sqrt(share * (1 - share)))

    mixed, _ = quad(
        lambda share: jeffreys(share) * share**successes * (1 - share) ** (trials - successes),
        0, 1, limit=200,
    )  # fmt: skip
    for end in share_bounds(successes, trials, level=0.05):
        if 0 < end < 1:
            alone = end**successes * (1 - end) ** (trials - successes)
            assert mixed / alone == pytest.approx(20, rel=1e-6)


@given(st.integers(0, 200), st.integers(0, 200), st.floats(0.001, 0.5))
def test_bounds_mirror_hold_the_share_and_widen_with_certainty(successes, others, level):
    trials = successes + others
    lower, upper = share_bounds(successes, trials, level=level)
    below, above = share_bounds(others, trials, level=level)
    assert (lower, upper) == pytest.approx((1 - above, 1 - below), abs=1e-9)
    assert trials == 0 or lower <= successes / trials <= upper
    wider = share_bounds(successes, trials, level=level / 2)
    assert wider[0] <= lower + 1e-12
    assert wider[1] >= upper - 1e-12


def test_bounds_hold_a_share_at_every_look_as_often_as_promised_exactly():
    """Every path of 12 trials, by its probability: at most `level` ever leave the bounds."""
    share, level, n = 0.7, 0.2, 12
    inside = {0: 1.0}
    for trials in range(1, n + 1):
        moved = {}
        for successes, weight in inside.items():
            for more, chance in ((1, share), (0, 1 - share)):
                moved[successes + more] = moved.get(successes + more, 0) + weight * chance
        inside = {
            successes: weight
            for successes, weight in moved.items()
            if share_bounds(successes, trials, level=level)[0] <= share
            <= share_bounds(successes, trials, level=level)[1]
        }  # fmt: skip
    assert 1 - sum(inside.values()) <= level
    # A fixed interval looked at so often would not.
    assert binom.cdf(6, n, share) < 0.2


def test_a_rank_by_hand():
    """Two higher, one the same and itself: from 2/4 to 4/4."""
    assert rank_among(1, np.array([0.0, 1.0, 2.0]), 0.0) == 0.5
    assert rank_among(1, np.array([0.0, 1.0, 2.0]), 1.0) == 1.0


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.floats(0, 1))
def test_ranks_lie_between_zero_and_one_and_lower_values_rank_higher(values, chance):
    counts = np.bincount(values, minlength=4).astype(float)
    ranks = [rank_among(code, counts, chance) for code in range(4)]
    assert all(0 <= rank <= 1 for rank in ranks)
    assert ranks == sorted(ranks, reverse=True)


def _brute_force(ranks):
    """Return the wealth after all ranks: every bet and every beginning written out."""
    cuts = [Fraction(place, 10) for place in range(1, 10)]
    odds = [Fraction(2, 5), Fraction(2, 3), Fraction(3, 2), Fraction(5, 2)]

    def waiting(place):
        return math.log(2) / math.log(place + 2)

    total = waiting(len(ranks))
    for begin in range(len(ranks)):
        for cut in cuts:
            for odd in odds:
                above = odd * (1 - cut) / (odd * (1 - cut) + cut)
                won = 1.0
                for rank in ranks[begin:]:
                    won *= float(above / (1 - cut) if rank > cut else (1 - above) / cut)
                total += (waiting(begin) - waiting(begin + 1)) * won / 36
    return total


@pytest.mark.parametrize("seed", range(3))
def test_wealth_agrees_with_every_bet_written_out(seed):
    ranks = np.random.default_rng(seed).random(12)
    assert bet_against_uniform(ranks).wealth[-1] == pytest.approx(_brute_force(list(ranks)))


def test_a_bet_costs_nothing_on_average():
    """The wealth after one rank, averaged over a uniform rank, is what it was before: 1."""
    grid = (np.arange(10_000) + 0.5) / 10_000
    wealth = [bet_against_uniform([rank]).wealth[0] for rank in grid[::50]]
    assert np.mean(wealth) == pytest.approx(1.0, abs=0.005)
    assert bet_against_uniform([]).wealth.size == 0
