"""The logistic curve averaged over normal spread."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit, ndtr
from scipy.stats import norm

from howgood.stats.logistic import FLATTENING, location_for_mean, logistic_normal_mean

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


def _step_and_rest(location, sd):
    """Return the mean: that of a step at 0, which is exact, and what the curve adds to it."""

    def rest(u):
        below, above = (norm.pdf(sign * u, location, sd) for sign in (-1, 1))
        return expit(-u) * (below - above)

    corners = [u for u in (abs(location) - sd, abs(location), abs(location) + sd) if 0 < u < 40]
    left, _ = quad(rest, 0, 40, epsabs=1e-14, epsrel=1e-13, limit=500, points=corners or None)
    return ndtr(location / sd) + left


@pytest.mark.parametrize("location", [-9.0, -4.0, -1.0, 0.4, 3.0])
# Up to a spread of 1 the step is half of what accuracy near 1e-8 asks for; in the wide spread of
# 150 the curve is nearly a step, and the error shrinks with its share.
@pytest.mark.parametrize(("sd", "error"), [(0.3, 1e-10), (0.7, 1e-10), (1.0, 1e-10), (150.0, 1e-9)])
def test_narrow_and_wide_spreads_are_more_accurate_still(location, sd, error):
    found = float(logistic_normal_mean(location, sd))
    assert found == pytest.approx(_step_and_rest(location, sd), rel=0, abs=error)


def test_nothing_has_no_means():
    assert logistic_normal_mean(np.zeros(0), np.zeros(0)).shape == (0,)
    assert location_for_mean(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)
