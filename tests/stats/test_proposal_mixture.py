"""A mixture of t distributions: its density beside SciPy's, its fit beside the truth."""

import numpy as np
import pytest
from scipy import stats

from howgood.stats.importance import StudentMixture, StudentT, WeightedDraws

CENTRES = np.array([[-10.0, 0.0], [10.0, 5.0]])
SCALES = np.array([[[1.0, 0.3], [0.3, 0.5]], [[0.6, -0.2], [-0.2, 2.0]]])
SHARES = np.array([0.3, 0.7])


def _mixture(shares=SHARES, dof=5.0):
    parts = [
        StudentT(centre, np.linalg.cholesky(scale), np.ones(2), np.ones(2), dof)
        for centre, scale in zip(CENTRES, SCALES, strict=True)
    ]
    return StudentMixture(tuple(parts), shares)


def _density(points, dof=5.0):
    return sum(
        share * stats.multivariate_t(centre, scale, dof).pdf(points)
        for share, centre, scale in zip(SHARES, CENTRES, SCALES, strict=True)
    )


def test_the_density_is_the_weighted_sum_of_those_of_the_parts():
    points = np.random.default_rng(1).normal(0, 8, (50, 2))
    np.testing.assert_allclose(np.exp(_mixture().log_density(points)), _density(points))


def test_a_part_without_a_share_has_no_density():
    points = np.random.default_rng(2).normal(0, 8, (20, 2))
    alone = stats.multivariate_t(CENTRES[1], SCALES[1], 5.0).logpdf(points)
    np.testing.assert_allclose(_mixture(np.array([0.0, 1.0])).log_density(points), alone)


def test_draws_come_from_the_parts_by_their_shares_in_any_order():
    draws = _mixture().sample(20_000, np.random.default_rng(3))
    assert draws.shape == (20_000, 2)
    first = draws[:, 0] < 0
    assert first.mean() == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / 20_000))
    assert first[:10_000].mean() == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / 10_000))
    np.testing.assert_allclose(np.median(draws[first], axis=0), CENTRES[0], atol=0.05)


def _fitted(weights=None, n_components=2):
    """Fit to draws whose weights say what the counts do not."""
    rng = np.random.default_rng(4)
    parts = [
        stats.multivariate_t(centre, scale, 5.0).rvs(8000, random_state=rng)
        for centre, scale in zip(CENTRES, SCALES, strict=True)
    ]
    weights = np.repeat(SHARES / 8000, 8000) if weights is None else weights
    sample = WeightedDraws(np.concatenate(parts), weights, 0.0, 0.0)
    found = StudentMixture.around(sample, n_components=n_components, dof=5.0, rng=rng)
    return found, sample


def test_the_parts_of_a_mixture_are_recovered():
    found, sample = _fitted()
    wide, *parts = found.components
    # A fifth is kept for the wide part; the rest is shared as the weights say.
    order = np.argsort([part.centre[0] for part in parts])
    parts = [parts[index] for index in order]
    assert found.shares[0] == 0.2
    np.testing.assert_allclose(found.shares[1:][order], [0.24, 0.56], atol=1e-4)
    assert [part.dof for part in parts] == [5.0, 5.0]
    assert wide.dof == 5.0
    np.testing.assert_allclose(wide.centre, StudentT.around(sample).centre)
    anchor, covariance = 2 / sample.effective, sample.moments()[1]
    for part, centre, scale, share in zip(parts, CENTRES, SCALES, SHARES, strict=True):
        np.testing.assert_allclose(part.centre, centre, atol=0.05)
        expected = (share * scale + anchor * covariance) / (share + anchor)
        # A scale estimated from 8000 draws of a t has a standard error of about 2 %.
        np.testing.assert_allclose(part.root @ part.root.T, expected, rtol=0.08, atol=0.03)


def test_one_part_of_few_draws_is_anchored_to_the_covariance_of_all():
    # A square and its middle: the centre is 0 and the scale s times the identity. A corner is
    # d² = 2 / s away and counts (5 + 2) / (5 + 2 / s); the covariance of all is .8, the anchor of
    # two dimensions and five draws 2 / 5. So s = (.8 * 7 / (5 + 2 / s) + .4 * .8) / (1 + .4), or
    # 7 s² - 4.4 s - .64 = 0.
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0], [0.0, 0.0]])
    sample = WeightedDraws(square, np.full(5, 0.2), 0.0, 0.0)
    rng = np.random.default_rng(5)
    part = StudentMixture.around(sample, n_components=1, dof=5.0, rng=rng).components[1]
    s = max(np.roots([7.0, -4.4, -0.64]).real)
    np.testing.assert_allclose(part.centre, [0, 0], atol=1e-3)
    np.testing.assert_allclose(part.root @ part.root.T, s * np.eye(2), atol=1e-3)


def test_parts_far_from_every_draw_do_no_harm():
    # All weight on one draw: other parts may lose everything, and nothing becomes infinite.
    weights = np.zeros(16_000)
    weights[0] = 1.0
    found, _ = _fitted(weights, n_components=3)
    assert np.isfinite(found.shares).all()
    assert found.shares.sum() == pytest.approx(1)
