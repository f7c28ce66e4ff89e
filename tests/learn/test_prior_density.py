"""Prior densities against SciPy's, with their change of variable and their slopes."""

import numpy as np
import pytest
from scipy import stats

from howgood.learn import prior_density
from howgood.records.priors import Beta, GammaPrecision, HalfNormal, JointNormal, LogNormal, Normal

X = np.array([[-2.5, -0.7, 0.0, 0.4, 1.8]])


def _log_spread(density):
    """Density of the log of a standard deviation: that of the sd times the sd."""
    return lambda x: density(np.exp(x)) + x


CASES = {
    "normal": (prior_density.normal, Normal(1.0, 2.5), stats.norm(1.0, 2.5).logpdf),
    "beta": (
        prior_density.beta_logit,
        Beta(2.7, 3.5),
        lambda x: (
            stats.beta(2.7, 3.5).logpdf(1 / (1 + np.exp(-x)))
            + np.log(1 / (1 + np.exp(-x)))
            + np.log(1 / (1 + np.exp(x)))
        ),
    ),
    "log-normal": (
        prior_density.log_spread,
        LogNormal(0.3, 0.8),
        _log_spread(stats.lognorm(0.8, scale=np.exp(0.3)).logpdf),
    ),
    "half-normal": (
        prior_density.log_spread,
        HalfNormal(1.7),
        _log_spread(stats.halfnorm(scale=1.7).logpdf),
    ),
    # Precision 1 / sd² is gamma: with d precision / d log sd = -2 precision.
    "gamma precision": (
        prior_density.log_spread,
        GammaPrecision(1.5, 0.7),
        lambda x: stats.gamma(1.5, scale=1 / 0.7).logpdf(np.exp(-2 * x)) + np.log(2) - 2 * x,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_density_and_slope(name):
    function, prior, reference = CASES[name]
    value, slope = function(prior, X)
    np.testing.assert_allclose(value, reference(X), rtol=1e-12, atol=1e-12)
    change = (reference(X + 1e-6) - reference(X - 1e-6)) / 2e-6
    np.testing.assert_allclose(slope, change, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("prior", [HalfNormal(2.0), GammaPrecision(1.5, 0.7)])
def test_far_out_nothing_overflows(prior):
    value, slope = prior_density.log_spread(prior, np.array([[-400.0, 400.0]]))
    assert np.all(np.isfinite(slope))
    assert np.all(value < -100)


def test_what_is_known_together_is_a_joint_normal():
    mean = (1.0, 5.0, -0.5)
    covariance = ((2.0, 0.5, 0.1), (0.5, 1.5, -0.2), (0.1, -0.2, 0.8))
    points = np.array([[0.0, 4.0, 0.3], [2.0, 6.0, -1.0]])
    value, slope = prior_density.joint_normal(JointNormal(mean, covariance), points)
    reference = stats.multivariate_normal(mean, covariance)
    np.testing.assert_allclose(value, reference.logpdf(points))
    for column in range(3):
        step = 1e-6 * np.eye(3)[column]
        change = (reference.logpdf(points + step) - reference.logpdf(points - step)) / 2e-6
        np.testing.assert_allclose(slope[:, column], change, rtol=1e-6, atol=1e-6)
