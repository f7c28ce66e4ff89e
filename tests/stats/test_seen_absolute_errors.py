"""Absolute errors of ratings of which only mean, sd and number are seen."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from howgood.stats.absolute_differences import (
    absolute_difference_moments,
    absolute_error_noise,
    seen_absolute_error,
    unbiased_sd_factor,
)


def test_two_ratings_are_known_from_their_mean_and_sd():
    ratings, p, q = np.array([[2.0, 1.0], [5.0, 2.0]]), np.array([3.0, 4.0]), np.array([4.5, 1.5])
    seen = ratings.mean(axis=0), ratings.std(axis=0), np.array([2.0, 2.0])
    np.testing.assert_allclose(seen_absolute_error(*seen, p), np.abs(ratings - p).mean(axis=0))
    # |x - p| - |x - q|: 1 - 2.5 and 2 - .5; 3 - .5 and 2 - .5.
    gaps = np.array([[-1.5, 2.5], [1.5, 1.5]])
    one_more, of_both = absolute_error_noise(*seen, [p, q])
    assert one_more[0, 1] == pytest.approx(gaps.var(axis=0, ddof=1).sum())
    assert of_both[0, 1] == pytest.approx(gaps.var(axis=0, ddof=1).sum() / 2)


def test_one_of_four_ratings_is_anywhere_within_its_reach():
    # Density (1 - b²)^0: uniform between the mean plus and minus √3 sds.
    mean, sd, p = 2.0, 0.5, 2.3
    low, high = mean - math.sqrt(3) * sd, mean + math.sqrt(3) * sd
    expected = ((p - low) ** 2 + (high - p) ** 2) / 2 / (high - low)
    seen = np.array([mean]), np.array([sd]), np.array([4.0])
    assert seen_absolute_error(*seen, p)[0] == pytest.approx(expected)
    assert seen_absolute_error(*seen, 9.0)[0] == pytest.approx(7.0)  # beyond reach of any rating


@pytest.mark.parametrize("n", [3, 5, 40])
def test_ratings_with_the_same_mean_and_sd_err_so_far_on_average(n):
    rng = np.random.default_rng(n)
    noise = rng.standard_normal((100_000, n))
    noise -= noise.mean(axis=1, keepdims=True)
    noise /= noise.std(axis=1, keepdims=True)
    for p, q in ((0.1, 0.9), (-1.5, 0.4)):
        first, second = np.abs(1.2 + 0.7 * noise - p), np.abs(1.2 + 0.7 * noise - q)
        seen = np.array([1.2]), np.array([0.7]), np.array([float(n)])
        se = first.mean(axis=1).std() / math.sqrt(len(noise)) + 1e-9
        assert seen_absolute_error(*seen, p)[0] == pytest.approx(first.mean(), abs=5 * se)
        expected = (first - second)[:, 0].var() * n / (n - 1)
        found = absolute_error_noise(*seen, [np.array([p]), np.array([q])])[0]
        assert found[0, 1] == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("opinion", [0.0, 0.6, 2.0])
def test_what_is_seen_of_few_ratings_is_right_on_average(n, opinion):
    rng = np.random.default_rng([n, round(10 * opinion)])
    p, q = 0.0, 0.4
    ratings = opinion + rng.standard_normal((n, 40_000))
    seen = ratings.mean(axis=0), ratings.std(axis=0), np.full(40_000, float(n))
    found = seen_absolute_error(*seen, p)
    expected = quad(lambda x: abs(x) * norm.pdf(x - opinion), -9, 9, points=[0.0])[0]
    assert found.mean() == pytest.approx(expected, abs=5 * found.std() / 200)
    noise = absolute_error_noise(*seen, [np.full(40_000, p), np.full(40_000, q)])[0][0, 1]
    one = (np.array([each]) for each in (opinion, 1.0, p, q))
    truth = float(absolute_difference_moments(*one)[1][0])
    # Exact for two; for more no less, and by at most 1 / n more.
    assert 0.97 * truth < noise / 40_000 < (1.03 if n == 2 else 1.03 + 1 / n) * truth


@pytest.mark.parametrize("gap", [0.1, 1.0, 12.0])
@pytest.mark.parametrize("opinion", [0.0, 0.5, 1.0, 2.0])
def test_one_rating_shows_no_less_noise_than_there_is(gap, opinion):
    """On average over ratings, by integration; in the middle of two predictions exactly."""
    points = [np.full(401, -gap / 2), np.full(401, gap / 2)]
    x = opinion + np.linspace(-7, 7, 401)
    weight = norm.pdf(x - opinion) * (x[1] - x[0])
    noise = sum(
        weight[each] * absolute_error_noise(*_row(x[each]), [p[:1] for p in points])[0][0, 1]
        for each in range(401)
    )
    ends = (np.array([each]) for each in (opinion, 1.0, -gap / 2, gap / 2))
    truth = float(absolute_difference_moments(*ends)[1][0])
    assert noise > truth * 0.995
    if opinion == 0.0 or gap == 12.0:
        assert noise == pytest.approx(truth, rel=0.01)


def _row(x):
    return np.array([x]), np.array([1.0]), np.array([1.0])


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6), n_points=st.integers(2, 5), trials=st.sampled_from([1.0, 2.0, 5.0])
)
def test_noise_is_that_of_a_joint_distribution(seed, n_points, trials):
    rng = np.random.default_rng(seed)
    n = 12
    mean, sd = rng.uniform(1, 5, n), rng.gamma(2.0, 0.4, n)
    points = [mean + rng.normal(0, 0.8, n) for _ in range(n_points)]
    one_more, seen = absolute_error_noise(mean, sd, np.full(n, trials), points)
    np.testing.assert_allclose(seen, one_more / trials, rtol=1e-9, atol=1e-12)
    assert (one_more >= 0).all()
    # Variances of differences: no vector whose entries sum to zero makes them positive.
    centre = np.eye(n_points) - 1 / n_points
    assert np.linalg.eigvalsh(-centre @ one_more @ centre)[0] > -1e-9 * one_more.max()
    # Shifted and scaled feedback: variances scale with the square.
    again, _ = absolute_error_noise(
        3 * mean + 7, 3 * sd, np.full(n, trials), [3 * each + 7 for each in points]
    )
    np.testing.assert_allclose(again, 9 * one_more, rtol=1e-6, atol=1e-9)


def test_sds_of_few_ratings_are_too_small_on_average():
    rng = np.random.default_rng(3)
    for n in (2, 3, 10):
        sds = rng.standard_normal((n, 200_000)).std(axis=0, ddof=1)
        assert sds.mean() * unbiased_sd_factor(n) == pytest.approx(1.0, abs=0.01)
