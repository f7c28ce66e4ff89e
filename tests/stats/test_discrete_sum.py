"""Means of discrete terms against outcomes listed by hand and by brute force."""

from itertools import product

import numpy as np
import pytest

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
    from scipy.stats import binom

    n = 3000
    law = discrete_mean(np.tile([0.0, 1.0], (n, 1)), np.tile([0.7, 0.3], (n, 1)))
    assert isinstance(law, DiscreteMean)
    heads = np.array([850, 880, 900, 930, 960])
    # Half way between two steps the smooth curve is right to the next order.
    assert law.cdf((heads + 0.5) / n) == pytest.approx(binom.cdf(heads, n, 0.3), abs=2e-5)
