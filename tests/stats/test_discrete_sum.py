"""Means of discrete terms against outcomes listed by hand and by brute force."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from howgood.stats.discrete_sum import DiscreteCumulants, DiscreteLaw, DiscreteMean, discrete_mean

VALUES = np.array([[0.0, 1.0, 4.0], [1.0, 2.0, 3.0], [0.5, 1.5, 9.0]])
CHANCES = np.array([[0.2, 0.5, 0.3], [0.1, 0.6, 0.3], [0.7, 0.3, 0.0]])


def _outcomes():
    """Every combination with its mean and probability."""
    places = list(product(range(3), repeat=3))
    means = np.array([np.mean([VALUES[v, c] for v, c in enumerate(place)]) for place in places])
    chances = np.array([np.prod([CHANCES[v, c] for v, c in enumerate(p)]) for p in places])
    return means, chances


def test_a_listed_mean_has_every_outcome_with_its_probability():
    means, chances = _outcomes()
    law = discrete_mean(VALUES, CHANCES)
    assert isinstance(law, DiscreteLaw)
    for x in (0.4, 1.0, 2.0, 5.5):
        assert law.cdf(np.array(x)) == pytest.approx(chances[means <= x + 1e-12].sum())
        assert law.sf(np.array(x)) == pytest.approx(chances[means > x + 1e-12].sum())
    assert law.mean == pytest.approx(means @ chances)
    assert law.variance == pytest.approx((means - means @ chances) ** 2 @ chances)


def test_quantiles_are_the_smallest_outcomes_that_reach_the_probability():
    law = discrete_mean(np.array([[0.0, 1.0], [0.0, 1.0]]), np.full((2, 2), 0.5))
    levels = np.array([0.0, 0.2, 0.25, 0.26, 0.75, 0.76, 1.0])
    assert law.quantile(levels).tolist() == [0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0]
    assert law.cdf(np.array([-0.1, 0.0, 0.5, 1.0])).tolist() == [0.0, 0.25, 0.75, 1.0]
    assert law.sf(np.array([-0.1, 0.0, 0.5, 1.0])).tolist() == [1.0, 0.75, 0.25, 0.0]
    assert law.pdf(np.array([0.5, 0.6])).tolist() == [np.inf, 0.0]


def test_the_root_moves_the_outcomes_and_draws_come_from_them():
    law = discrete_mean(np.array([[0.0, 4.0], [0.0, 4.0]]), np.full((2, 2), 0.5)).root()
    assert law.points == pytest.approx(np.sqrt([0.0, 2.0, 4.0]))
    draws = law.sample(4000, np.random.default_rng(0))
    assert draws.mean() == pytest.approx(law.mean, abs=5 * np.sqrt(law.variance / 4000))


@pytest.mark.parametrize("s", [-3.0, -0.1, 0.4, 2.0])
def test_the_cumulant_function_is_that_of_all_outcomes(s):
    means, chances = _outcomes()
    function = DiscreteCumulants(values=VALUES / 3, probabilities=CHANCES, scale=1.0)
    log_mean = np.log(np.exp(s * means) @ chances)
    tilted = np.exp(s * means) * chances / np.exp(log_mean)
    first = tilted @ means
    assert function.value(np.array([s + 0j]))[0] == pytest.approx(log_mean)
    assert function.excess(np.array([s]))[0] == pytest.approx(log_mean - s * (means @ chances))
    slopes = function.slopes(np.array([s, s / 2]))
    assert slopes[0][0] == pytest.approx(first)
    assert slopes[1][0] == pytest.approx(tilted @ (means - first) ** 2)


def test_the_ends_of_a_mean_that_cannot_be_listed_are_those_of_possible_outcomes():
    law = DiscreteMean(VALUES, CHANCES)
    assert (law.lower_end, law.upper_end) == pytest.approx((0.5, 8.5 / 3))
    means, chances = _outcomes()
    assert law.mean == pytest.approx(means @ chances)
    assert law.variance == pytest.approx((means - means @ chances) ** 2 @ chances)


def test_few_terms_follow_the_exact_function_and_many_a_series():
    assert DiscreteMean(VALUES, CHANCES).series is None
    assert DiscreteMean(np.tile(VALUES, (200, 1)), np.tile(CHANCES, (200, 1))).series is not None


def test_many_coins_are_binomial_between_their_steps():
    n = 3000
    law = discrete_mean(np.tile([0.0, 1.0], (n, 1)), np.tile([0.7, 0.3], (n, 1)))
    assert isinstance(law, DiscreteMean)
    heads = np.array([850, 880, 900, 930, 960])
    # Half way between two steps the smooth curve is right to the next order.
    assert law.cdf((heads + 0.5) / n) == pytest.approx(binom.cdf(heads, n, 0.3), abs=2e-5)


def test_one_wide_coin_among_many_narrow_ones_makes_two_humps():
    n, leap = 800, 150
    values = np.append(np.tile([0.0, 1.0], (n, 1)), [[0.0, leap]], axis=0)
    law = DiscreteMean(values, np.full((n + 1, 2), 0.5))
    total = np.array([390, 420, 480, 560])
    humps = 0.5 * (binom.cdf(total, n, 0.5) + binom.cdf(total - leap, n, 0.5))
    # Half way between two steps a smooth curve is off by a 24th of the slope of its density.
    assert law.cdf((total + 0.5) / (n + 1)) == pytest.approx(humps, abs=0.5 * 0.242 / 200 / 24)


def test_whether_terms_are_many_does_not_depend_on_where_they_lie():
    values, chances = np.tile(VALUES, (200, 1)), np.tile(CHANCES, (200, 1))
    near, far = DiscreteMean(values, chances), DiscreteMean(values + 1000.0, chances)
    assert (near.series is None) == (far.series is None)
    assert DiscreteMean(values - 2.0, chances).series is not None


def test_there_is_no_density_at_the_end_of_a_mean_that_cannot_be_listed():
    law = DiscreteMean(VALUES, CHANCES)
    assert law.pdf(np.array([law.lower_end, law.lower_end - 0.1])).tolist() == [0.0, 0.0]


def test_terms_without_a_choice_move_the_others():
    values = np.array([[3.0, 5.0], [0.0, 2.0], [1.0, 7.0]])
    law = discrete_mean(values, np.array([[1.0, 0.0], [0.4, 0.6], [0.0, 1.0]]))
    assert law.points == pytest.approx([10 / 3, 4.0])
    assert law.probabilities == pytest.approx([0.4, 0.6])
    nothing = discrete_mean(np.zeros((3, 2)), np.full((3, 2), 0.5))
    assert (nothing.points.tolist(), nothing.probabilities.tolist()) == ([0.0], [1.0])


@pytest.mark.parametrize("unit", [1e-7, 1.0, 1e7])
def test_equal_sums_are_one_outcome_in_any_unit(unit):
    # Tenths do not add up exactly: 0.1 + 0.2 is not 0.3 in floating point.
    values = unit * np.array([[0.0, 0.1], [0.0, 0.2], [0.0, 0.3], [0.0, 0.7]])
    law = discrete_mean(values, np.full((4, 2), 0.5))
    sums = np.array([sum(choice) for choice in product((0, 1), (0, 2), (0, 3), (0, 7))])
    tenths, counts = np.unique(sums, return_counts=True)
    assert law.points == pytest.approx(unit * tenths / 40, rel=1e-12, abs=0)
    assert law.probabilities == pytest.approx(counts / 16)


def test_probabilities_that_do_not_quite_add_up_stay_probabilities():
    for grain in (1e-6, -1e-6):
        law = DiscreteLaw(
            points=np.array([1.0, 2.0, 3.0]), probabilities=np.array([0.5, 0.25, 0.25 + grain])
        )
        assert law.cdf(np.array(3.0)) == min(1.0, 1.0 + grain)
        assert law.sf(np.array(0.0)) == min(1.0, 1.0 + grain)
        assert law.quantile(np.array([0.0, 0.6, 1.0])).tolist() == [1.0, 2.0, 3.0]
        draws = law.sample(4000, np.random.default_rng(0))
        assert draws.mean() == pytest.approx(1.75, abs=5 * np.sqrt(law.variance / 4000))


def test_far_tilts_neither_overflow_nor_vanish():
    function = DiscreteCumulants(values=VALUES[:2], probabilities=CHANCES[:2], scale=1.0)
    # Far out only the lowest or the highest value of each term counts.
    expected = [-2000.0 + np.log(0.2 * 0.1), 0.0, 2000.0 * 7.0 + np.log(0.3 * 0.3)]
    found = function.value(np.array([-2000.0, 0.0, 2000.0]) + 0j)
    assert found.real == pytest.approx(expected, rel=1e-12, abs=1e-12)
