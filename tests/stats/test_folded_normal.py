"""Absolute values of Gaussians, against quadrature and identities."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from howgood.stats.folded_normal import (
    absolute_error_covariance,
    folded_normal_cumulants,
    folded_normal_mean,
    folded_normal_variance,
)

numbers = st.floats(-5.0, 5.0)
spreads = st.floats(0.05, 3.0)


def _expectation(function, mean, sd, *kinks):
    ends = sorted([mean - 12 * sd, mean + 12 * sd, *np.clip(kinks, mean - 12 * sd, mean + 12 * sd)])
    return sum(
        quad(
            lambda x: function(x) * np.exp(-0.5 * ((x - mean) / sd) ** 2), left, right, epsabs=1e-14
        )[0]
        for left, right in itertools.pairwise(ends)
        if right > left
    ) / (sd * np.sqrt(2 * np.pi))


def test_half_normal_has_the_textbook_mean_and_variance():
    assert folded_normal_mean(0.0, 2.0) == pytest.approx(2.0 * np.sqrt(2 / np.pi), rel=1e-15)
    assert folded_normal_variance(0.0, 2.0) == pytest.approx(4.0 * (1 - 2 / np.pi), rel=1e-14)


def test_without_spread_the_distance_itself_remains():
    assert folded_normal_mean([-2.0, 3.0], 0.0).tolist() == [2.0, 3.0]
    assert folded_normal_variance([-2.0, 3.0], 0.0).tolist() == [0.0, 0.0]
    assert absolute_error_covariance(1.0, 0.0, 2.0, 3.0) == 0.0


@given(mean=numbers, sd=spreads, p1=numbers, p2=numbers)
def test_covariance_of_two_distances_equals_quadrature(mean, sd, p1, p2):
    product = _expectation(lambda x: abs(x - p1) * abs(x - p2), mean, sd, p1, p2, mean)
    first = _expectation(lambda x: abs(x - p1), mean, sd, p1, mean)
    second = _expectation(lambda x: abs(x - p2), mean, sd, p2, mean)
    ours = absolute_error_covariance(mean, sd, p1, p2)
    assert ours == pytest.approx(product - first * second, abs=2e-10)


@given(mean=numbers, sd=spreads, p=numbers)
def test_covariance_with_itself_is_the_variance(mean, sd, p):
    own = absolute_error_covariance(mean, sd, p, p)
    assert own == pytest.approx(folded_normal_variance(mean - p, sd), rel=1e-9, abs=1e-12)


@given(mean=numbers, sd=spreads, p1=numbers, p2=numbers)
def test_covariance_is_symmetric_and_bounded(mean, sd, p1, p2):
    forth = absolute_error_covariance(mean, sd, p1, p2)
    assert forth == pytest.approx(absolute_error_covariance(mean, sd, p2, p1), abs=1e-13)
    bound = np.sqrt(folded_normal_variance(mean - p1, sd) * folded_normal_variance(mean - p2, sd))
    assert abs(forth) <= bound + 1e-12


@pytest.mark.parametrize("ratio", [0.0, 0.3, 1.0, 2.5, 4.0])
def test_cumulants_equal_those_of_the_moment_generating_function(ratio):
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):

        def log_transform(t):
            return t * t / 2 + mpmath.log(
                mpmath.exp(ratio * t) * mpmath.ncdf(ratio + t)
                + mpmath.exp(-ratio * t) * mpmath.ncdf(t - ratio)
            )

        coefficients = mpmath.taylor(log_transform, 0, 12)
        expected = [float(c * mpmath.factorial(k)) for k, c in enumerate(coefficients)][1:]
    ours = folded_normal_cumulants(np.array([2.0 * ratio]), np.array([2.0]), orders=12)[:, 0]
    assert ours / 2.0 ** np.arange(1, 13) == pytest.approx(expected, rel=1e-8, abs=1e-12)
