"""Half-normal quantities on the whole line: against SciPy's distribution, and there and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howgood.stats.half_normal import half_normal_point, half_normal_slope, half_normal_value


def test_values_are_the_quantiles_of_the_half_normal_distribution():
    points = np.array([-3.0, -1.0, 0.0, 0.5, 2.0, 5.0])
    expected = stats.halfnorm(scale=2.5).isf(stats.norm.sf(points))
    np.testing.assert_allclose(half_normal_value(points, 2.5), expected, rtol=1e-9)


@given(st.floats(-5, 30), st.floats(0.1, 20))
def test_there_and_back(point, scale):
    value = half_normal_value(point, scale)
    assert value >= 0
    assert half_normal_point(value, scale) == pytest.approx(point, rel=1e-6, abs=1e-6)


@given(st.floats(-4, 20), st.floats(0.1, 20))
def test_slopes_are_those_of_finite_differences(point, scale):
    above, below = (half_normal_value(point + step, scale) for step in (1e-5, -1e-5))
    slope = half_normal_slope(point, scale)
    assert slope == pytest.approx((above - below) / 2e-5, rel=1e-4, abs=1e-7)
    assert slope > 0


def test_far_points_stay_finite():
    points = np.array([-400.0, -40.0, 40.0, 400.0])
    values = half_normal_value(points, 3.0)
    assert np.all(np.isfinite(values))
    assert np.all(np.diff(values) >= 0)
    assert np.all(np.isfinite(half_normal_slope(points, 3.0)))
