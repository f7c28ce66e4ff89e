"""Orders of Gaussian scores against independent integrators and closed cases."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from howgood.stats.gaussian_ranks import (
    lower_orthant,
    order_errors,
    rank_probabilities,
    ranks_of_draws,
)


def distances(covariance):
    own = np.diag(covariance)
    return own[:, None] + own[None, :] - 2 * covariance


def orthant_by_quadrature(means, covariance):
    """P(X < 0, Y < 0) as one integral over the first coordinate, by an adaptive rule."""
    s1, s2 = np.sqrt(np.diag(covariance))
    rho = covariance[0, 1] / (s1 * s2)

    def inner(z):
        second = (-means[1] / s2 - rho * z) / math.sqrt(1 - rho**2)
        return stats.norm.pdf(z) * stats.norm.cdf(second)

    top = -means[0] / s1
    return integrate.quad(inner, min(-12.0, top - 1), top, epsabs=1e-13, limit=200)[0]


def test_means_whose_product_underflows_keep_their_side():
    assert lower_orthant(np.array([1e-200, 1e-200]), np.eye(2)) == pytest.approx(0.25, abs=1e-15)


@settings(max_examples=60, deadline=None)
@given(m1=st.floats(-3, 3), m2=st.floats(-3, 3), rho=st.floats(-0.99, 0.99), s=st.floats(0.2, 5))
def test_the_orthant_equals_an_adaptive_integral(m1, m2, rho, s):
    covariance = np.array([[1.0, rho * s], [rho * s, s * s]])
    expected = orthant_by_quadrature(np.array([m1, m2]), covariance)
    assert lower_orthant(np.array([m1, m2]), covariance) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("means", "covariance", "expected"),
    [
        ([0, 0], [[1, 0.5], [0.5, 1]], 1 / 4 + math.asin(0.5) / (2 * math.pi)),
        ([0, 1], [[1, 0], [0, 1]], 0.5 * stats.norm.cdf(-1)),
        ([0.0, -1.0], [[1, 0], [0, 1]], 0.5 * stats.norm.cdf(1)),
        ([1, 2], [[1, 1], [1, 1]], stats.norm.cdf(-2)),
        ([-1, 0.5], [[1, -1], [-1, 1]], stats.norm.cdf(1) + stats.norm.cdf(-0.5) - 1),
        ([-1, 0.5], [[0, 0], [0, 1]], stats.norm.cdf(-0.5)),
        ([1, 0.5], [[0, 0], [0, 1]], 0.0),
        ([0, 0.5], [[0, 0], [0, 1]], 0.5 * stats.norm.cdf(-0.5)),
        ([1.0, 2.2e-311], [[1, 0], [0, 1]], 0.5 * stats.norm.cdf(-1)),
        ([3.4e-38, 2.2e-311], [[1, 0], [0, 1]], 0.25),
    ],
)
def test_closed_and_singular_orthants(means, covariance, expected):
    found = lower_orthant(np.array(means, dtype=float), np.array(covariance, dtype=float))
    assert found == pytest.approx(expected, abs=1e-14)


def test_exchangeable_scores_have_equal_chances():
    for n_scores in (2, 3, 4, 7):
        found = rank_probabilities(
            np.zeros(n_scores), distances(np.eye(n_scores)), generator=np.random.default_rng(0)
        )
        allowed = 1e-12 if n_scores <= 3 else 5 * found.mcse
        assert np.abs(found.ranks - 1 / n_scores).max() <= allowed
        assert found.mcse < 0.002


def test_three_scores_agree_with_sampling_many_more():
    rng = np.random.default_rng(3)
    factor = rng.normal(size=(3, 3))
    means, covariance = np.array([0.0, 0.3, -0.2]), factor @ factor.T
    found = rank_probabilities(means, distances(covariance), generator=rng)
    draws = rng.multivariate_normal(means, covariance, 200_000)
    sampled, orderings = ranks_of_draws(draws, generator=rng)
    assert np.abs(found.ranks - sampled).max() < 4 * math.sqrt(0.25 / 200_000)
    exact = dict(found.orderings)
    assert all(abs(exact[order] - share) < 0.005 for order, share in orderings)
    assert sum(exact.values()) == pytest.approx(1)


def test_scores_that_share_one_source_of_noise_keep_a_certain_order():
    """Rank one covariance in four dimensions: a + z, a + 2z, ... with z the only noise."""
    slopes = np.array([1.0, 2.0, 3.0, 4.0])
    covariance = np.outer(slopes, slopes)
    found = rank_probabilities(
        np.zeros(4), distances(covariance), generator=np.random.default_rng(1)
    )
    chances = dict(found.orderings)
    assert set(chances) == {(0, 1, 2, 3), (3, 2, 1, 0)}
    assert chances[(0, 1, 2, 3)] == pytest.approx(0.5, abs=0.002)


def test_certain_scores_have_certain_ranks():
    found = rank_probabilities(
        np.array([3.0, 1.0, 2.0, 0.0, 5.0]), np.zeros((5, 5)), generator=np.random.default_rng(0)
    )
    assert found.orderings == (((3, 1, 2, 0, 4), 1.0),)


def test_far_tails_keep_their_digits():
    errors = order_errors(np.array([0.0, 10.0]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert errors[0, 1] == pytest.approx(stats.norm.sf(10), rel=1e-12)


def test_scores_that_always_tie_share_their_ranks_evenly_among_others():
    covariance = np.diag([1.0, 1.0, 0.5, 2.0, 1.0])
    covariance[0, 1] = covariance[1, 0] = 1.0  # the first two are one and the same
    means = np.array([0.2, 0.2, 0.0, 0.5, 0.1])
    found = rank_probabilities(means, distances(covariance), generator=np.random.default_rng(4))
    np.testing.assert_allclose(found.ranks.sum(axis=0), 1.0)
    np.testing.assert_allclose(found.ranks.sum(axis=1), 1.0)
    assert found.ranks[0].tolist() == found.ranks[1].tolist()
    # Alone, the pair is first as often as it would be as one score, and each of them half of that.
    single = rank_probabilities(
        means[1:], distances(covariance[1:, 1:]), generator=np.random.default_rng(5)
    )
    assert found.ranks[0, 0] == pytest.approx(single.ranks[0, 0] / 2, abs=4 * found.mcse)


def test_the_sampling_error_is_that_of_independent_scrambles():
    covariance = np.diag([1.0, 0.5, 2.0, 1.5])
    means = np.array([0.0, 0.1, 0.3, -0.2])
    runs = [
        rank_probabilities(means, distances(covariance), generator=np.random.default_rng(seed))
        for seed in range(12)
    ]
    spread = np.std([run.ranks for run in runs], axis=0, ddof=1).max()
    claimed = np.mean([run.mcse for run in runs])
    assert 0.3 * claimed < spread < 2 * claimed
