"""Which sum of absolute deviations is larger: against closed forms and counted draws."""

import numpy as np
import pytest
from scipy.special import ndtr

from howgood.stats import absolute_differences as clipped_sum
from howgood.stats.absolute_differences import absolute_difference_moments, difference_tail


def case(n, *, seed, loud=1.0):
    rng = np.random.default_rng(seed)
    mean, sd = rng.uniform(1, 5, n), rng.gamma(2, 0.2, n)
    sd = np.where(np.arange(n) % 20 == 0, loud * sd, sd)
    first = mean + rng.normal(0, 0.6, n)
    return mean, sd, first, first + rng.normal(0, 0.6 * np.sqrt(loud), n)


def test_far_predictions_leave_a_sum_of_gaussians():
    # Both points so far out that nothing is clipped: 2 X - p - q, whose sum is Gaussian.
    rng, n = np.random.default_rng(1), 60
    mean, sd = rng.uniform(1, 5, n), rng.uniform(0.5, 1, n)
    first, second = np.full(n, -50.0), np.full(n, 56.0)
    total, spread = np.sum(2 * mean - 6.0), 2 * np.sqrt(np.sum(sd**2))
    for z in (-7.0, -5.0, -1.0, 0.0, 0.3, 2.0, 5.0, 7.0):
        found, error = difference_tail(mean, sd, first, second, above=total + z * spread)
        assert found == pytest.approx(ndtr(-z), rel=1e-7)
        assert error < 1e-6


@pytest.mark.parametrize(("n", "loud"), [(15, 1.0), (50, 10.0), (50, 30.0), (200, 10.0)])
def test_tails_are_those_of_counted_draws(n, loud):
    mean, sd, first, second = case(n, seed=n, loud=loud)
    rng, repeats = np.random.default_rng(2), 200_000
    expected, variance = absolute_difference_moments(mean, sd, first, second)
    total = np.zeros(repeats)
    for v in range(n):
        x = mean[v] + sd[v] * rng.standard_normal(repeats)
        total += np.abs(x - first[v]) - np.abs(x - second[v])
    for z in (-2.0, -0.5, 0.0, 1.0, 2.0, 2.8):
        point = expected.sum() + z * np.sqrt(variance.sum())
        found, _ = difference_tail(mean, sd, first, second, above=float(point))
        happened = np.mean(total > point)
        se = np.sqrt(max(happened * (1 - happened), 1e-5) / repeats)
        assert found == pytest.approx(happened, abs=4 * se)


@pytest.mark.parametrize("z", [-4.5, -2.0, -1e-4, 0.5, 3.0, 5.0])
def test_many_terms_agree_on_both_roads(z, monkeypatch):
    mean, sd, first, second = case(3000, seed=5)
    expected, variance = absolute_difference_moments(mean, sd, first, second)
    point = float(expected.sum() + z * np.sqrt(variance.sum()))
    exact, _ = difference_tail(mean, sd, first, second, above=point)
    monkeypatch.setattr(clipped_sum, "MOST_EXACT", 0)
    saddle, error = difference_tail(mean, sd, first, second, above=point)
    assert saddle == pytest.approx(exact, rel=1e-3)
    assert error < 1e-3


def test_the_two_orders_add_up_to_one():
    for n, loud in ((5, 1.0), (50, 30.0)):
        mean, sd, first, second = case(n, seed=8, loud=loud)
        both = [difference_tail(mean, sd, *pair)[0] for pair in ((first, second), (second, first))]
        assert sum(both) == pytest.approx(1.0, abs=1e-6)


def test_what_cannot_vary_is_certain():
    one = np.ones(3)
    assert difference_tail(one, 0 * one, 0 * one, 3 * one) == (0.0, 0.0)  # nearer to the first
    assert difference_tail(one, one, 2 * one, 2 * one, above=-1.0) == (1.0, 0.0)
    # Beyond all edges.
    assert difference_tail(one, one, 0 * one, one, above=3.1) == (0.0, 0.0)
    assert difference_tail(one, one, 0 * one, one, above=-3.5) == (1.0, 0.0)


def test_what_is_equal_counts_one_half():
    one = np.ones(3)
    assert difference_tail(one, one, 2 * one, 2 * one) == (0.5, 0.0)  # identical predictions
    assert difference_tail(one, 0 * one, 0 * one, 2 * one) == (0.5, 0.0)  # as near, and certain
    # Three answers, each above 1 with probability 1/2: the sum of differences is then 3.
    for above, expected in ((3.0, 0.5 / 8), (-3.0, 1 - 0.5 * ndtr(-1) ** 3)):
        assert difference_tail(one, one, 0 * one, one, above=above)[0] == pytest.approx(expected)
