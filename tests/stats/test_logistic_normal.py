"""The logistic curve averaged over normal spread."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from howgood.stats.logistic_normal import FLATTENING, location_for_mean, logistic_normal_mean

locations = st.floats(-15, 15)
spreads = st.floats(0, 8)


@pytest.mark.parametrize("location", [-7.0, -1.0, 0.0, 0.4, 5.0])
@pytest.mark.parametrize("sd", [0.0, 0.3, 2.4, 6.0, 15.0])
def test_the_mean_agrees_with_adaptive_quadrature(location, sd):
    expected, _ = quad(
        lambda z: expit(location + sd * z) * norm.pdf(z), -9, 9, epsabs=1e-12, limit=400
    )
    assert float(logistic_normal_mean(location, sd)) == pytest.approx(expected, abs=1e-7)


def test_without_spread_it_is_the_logistic_curve_and_at_zero_one_half():
    grid = np.linspace(-4, 4, 9)
    np.testing.assert_allclose(logistic_normal_mean(grid, 0.0), expit(grid), rtol=1e-12)
    np.testing.assert_allclose(logistic_normal_mean(0.0, [0.5, 3.0]), 0.5, rtol=1e-14)


@settings(deadline=None)
@given(locations, spreads)
def test_the_curve_is_symmetric_and_spread_pulls_towards_one_half(location, sd):
    value = float(logistic_normal_mean(location, sd))
    assert value + float(logistic_normal_mean(-location, sd)) == pytest.approx(1.0)
    assert abs(value - 0.5) <= abs(expit(location) - 0.5) + 1e-9


@settings(deadline=None)
@given(st.floats(0.001, 0.999), spreads)
def test_the_inverse_gives_the_mean_back(mean, sd):
    assert float(logistic_normal_mean(location_for_mean(mean, sd), sd)) == pytest.approx(
        mean, abs=1e-7
    )


def test_arrays_broadcast_draws_by_scenarios():
    draws = np.array([[0.0], [1.0], [2.0]])
    assert logistic_normal_mean(draws, np.ones((3, 4))).shape == (3, 4)


@pytest.mark.parametrize("location", [-3.0, 0.5, 2.0])
@pytest.mark.parametrize("sd", [0.5, 1.5, 4.0])
def test_spread_flattens_the_curve_about_as_much_as_the_constant_says(location, sd):
    flatter = expit(location / np.sqrt(1 + FLATTENING * sd**2))
    assert flatter == pytest.approx(float(logistic_normal_mean(location, sd)), abs=0.012)
