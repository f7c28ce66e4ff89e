"""Means shrunk by their own variances: against a posterior integrated without eigenvectors."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from howgood.stats.joint_means import own_shrinking

DRAWS = 4096


def _applied(means, covariance, factor=1.0):
    k = len(means)
    centring = np.eye(k) - 1 / k
    uniform = (np.arange(DRAWS) + 0.5) / DRAWS
    found = own_shrinking(means, centring @ covariance @ centring, np.full(DRAWS, factor), uniform)
    middle, _ = found.applied(means, np.zeros((DRAWS, k)), np.arange(DRAWS))
    return middle.mean(axis=0)


def _integrated(means, covariance):
    """Posterior means of differences to the first, by Bayes' rule for each tau, tau flat."""
    k = len(means)
    contrasts = np.hstack([-np.ones((k - 1, 1)), np.eye(k - 1)])
    seen, noise = contrasts @ means, contrasts @ covariance @ contrasts.T
    taus = np.linspace(1e-3, 60.0, 30_000)
    weights, values = [], []
    for tau in taus:
        prior = tau**2 * contrasts @ contrasts.T
        weights.append(multivariate_normal.pdf(seen, cov=prior + noise))
        values.append(prior @ np.linalg.solve(prior + noise, seen))
    return np.average(values, axis=0, weights=weights)


@pytest.mark.parametrize(
    "variances", [(0.01, 0.01, 0.01, 4.0), (0.2, 0.5, 1.0, 2.0), (0.3, 0.3, 0.3, 0.3)]
)
def test_it_is_the_posterior_under_a_flat_spread(variances):
    means = np.array([-1.0, 0.2, 0.7, 2.5])
    covariance = np.diag(variances) + 0.05
    found = _applied(means, covariance)
    expected = _integrated(means, covariance)
    np.testing.assert_allclose(found[1:] - found[0], expected, atol=0.01)


def test_a_common_error_changes_nothing():
    means, covariance = np.array([0.0, 1.0, 3.0, 3.5]), np.diag([0.1, 0.4, 0.2, 3.0])
    one, other = _applied(means, covariance), _applied(means + 7, covariance + 11.0)
    np.testing.assert_allclose(one - one.mean(), other - other.mean(), atol=1e-9)


def test_means_without_any_error_stay():
    means = np.array([0.0, 1.0, 3.0])
    np.testing.assert_allclose(_applied(means, np.zeros((3, 3))), means, atol=1e-12)
