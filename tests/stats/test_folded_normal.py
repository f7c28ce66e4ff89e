"""Absolute values of Gaussians, against quadrature and identities."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from howgood.stats.folded_normal import (
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


@given(location=numbers, sd=spreads)
def test_moments_equal_those_of_another_library(location, sd):
    folded = stats.foldnorm(abs(location) / sd, scale=sd)
    assert folded_normal_mean(location, sd) == pytest.approx(folded.mean(), rel=1e-9)
    assert folded_normal_variance(location, sd) == pytest.approx(folded.var(), rel=1e-6, abs=1e-9)


@given(location=numbers, sd=spreads)
def test_moments_equal_quadrature(location, sd):
    first = _expectation(abs, location, sd, 0.0, location)
    second = _expectation(np.square, location, sd, location)
    assert folded_normal_mean(location, sd) == pytest.approx(first, abs=2e-10)
    assert folded_normal_variance(location, sd) == pytest.approx(second - first**2, abs=2e-9)


@pytest.mark.parametrize("location", [1e3, -1e6, 1e9, 1e15])
def test_far_from_the_fold_the_variance_keeps_its_digits(location):
    assert folded_normal_variance(location, 0.5) == 0.25


@pytest.mark.parametrize("tiny", [1e-320, 5e-324])
def test_a_spread_too_small_to_divide_by_is_no_spread(tiny):
    assert folded_normal_mean(-2.0, tiny) == 2.0
    assert folded_normal_variance(-2.0, tiny) == 0.0


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
