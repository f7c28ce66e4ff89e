"""A t with bends: its density integrates to one, it resembles a banana, it leaves a bell alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import dblquad

from howgood.stats.importance import BentT, StudentT, WeightedDraws, weighted


def _equal(draws):
    return WeightedDraws(draws, np.full(len(draws), 1.0 / len(draws)), 0.0, 0.0)


def _banana(n, rng, bend=0.8):
    z = rng.standard_normal((n, 2))
    return np.column_stack([0.5 * z[:, 0] + bend * z[:, 1] ** 2, z[:, 1]])


def test_density_integrates_to_one():
    bent = BentT.around(_equal(_banana(3000, np.random.default_rng(1))), dof=20.0)
    assert np.count_nonzero(bent.bends) == 1
    total, _ = dblquad(
        lambda y, x: float(np.exp(bent.log_density(np.array([[x, y]])))[0]),
        -12, 20, -9, 9, epsabs=1e-4,
    )  # fmt: skip
    assert total == pytest.approx(1.0, abs=2e-3)


def test_a_banana_is_met_far_better_than_by_a_t():
    rng = np.random.default_rng(2)

    def log_density(points):
        x, y = points.T
        return -2.0 * (x - 0.8 * y**2) ** 2 - 0.5 * y**2

    sample = _equal(_banana(4000, rng))
    share = {}
    for kind in (BentT, StudentT):
        proposal = kind.around(sample, dof=20.0)
        draws = proposal.sample(4000, rng)
        found = weighted(draws, log_density(draws) - proposal.log_density(draws))
        share[kind] = found.efficiency
    # The normalising constant by hand: a normal of sd 1/2 times one of sd 1.
    assert found.log_evidence == pytest.approx(np.log(2 * np.pi * 0.5), abs=0.1)
    assert share[BentT] > 0.8 > share[StudentT]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_a_bell_has_no_bends_and_the_density_of_a_t(seed, size):
    rng = np.random.default_rng(seed)
    draws = rng.standard_normal((800, size)) @ rng.standard_normal((size, size))
    bent = BentT.around(_equal(draws), dof=20.0)
    assert np.count_nonzero(bent.bends) <= 1  # four standard errors: hardly ever one of thirty
    assert np.all(np.isfinite(bent.log_density(bent.sample(50, rng))))


def test_draws_have_the_density_that_is_said():
    """Weighing draws of one bent t as if they were of another gives that one's constant, 1."""
    rng = np.random.default_rng(4)
    one = BentT.around(_equal(_banana(3000, rng)), dof=20.0)
    other = BentT.around(_equal(_banana(3000, rng, bend=0.7)), dof=10.0)
    draws = other.sample(20_000, rng)
    ratio = one.log_density(draws) - other.log_density(draws)
    assert np.exp(ratio).mean() == pytest.approx(1.0, abs=0.03)


def test_a_shape_moved_to_another_centre_has_the_density_of_its_image():
    rng = np.random.default_rng(5)
    bent = BentT.around(_equal(_banana(3000, rng)), dof=20.0)
    size = len(bent.centre)
    start = StudentT.from_moments(bent.centre + 0.1, np.eye(size) * 2.0)
    end = StudentT.from_moments(bent.centre - 1.0, np.diag(np.arange(1.0, size + 1)))
    moved, points = bent.moved(start, end), bent.sample(50, rng)
    turn = end.root @ np.linalg.inv(start.root)
    images = end.centre + (points - start.centre) @ turn.T
    expected = bent.log_density(points) - np.log(np.linalg.det(turn))
    np.testing.assert_allclose(moved.log_density(images), expected, rtol=1e-9)


def test_a_shape_moved_to_more_dimensions_keeps_those_it_has():
    rng = np.random.default_rng(6)
    bent = BentT.around(_equal(_banana(3000, rng)), dof=20.0)
    size = len(bent.centre)
    start = StudentT.from_moments(np.zeros(size), np.eye(size))
    end = StudentT.from_moments(np.zeros(size + 1), np.eye(size + 1))
    drawn = bent.moved(start, end).sample(40_000, rng)
    alone = bent.sample(40_000, rng)
    np.testing.assert_allclose(drawn[:, :size].mean(axis=0), alone.mean(axis=0), atol=0.04)
    np.testing.assert_allclose(np.cov(drawn[:, :size].T), np.cov(alone.T), atol=0.15)
    assert abs(drawn[:, size].mean()) < 0.04
