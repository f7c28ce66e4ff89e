"""Moments of differences of absolute deviations, against numerical integration."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from howgood.stats.absolute_differences import absolute_difference_moments

POINTS = st.floats(-4, 4)


def moments_by_quadrature(function, mean, sd, corners):
    edges = sorted({mean - 12 * sd, *np.clip(corners, mean - 12 * sd, mean + 12 * sd), mean,
                    mean + 12 * sd})  # fmt: skip
    first, second = (
        sum(
            integrate.quad(
                lambda x, power=power: function(x) ** power * stats.norm.pdf(x, mean, sd), low, high
            )[0]
            for low, high in pairwise(edges)
        )
        for power in (1, 2)
    )
    return first, second - first**2


@settings(max_examples=60, deadline=None)
@given(mean=POINTS, sd=st.floats(0.05, 3), first=POINTS, second=POINTS)
def test_the_difference_of_two_deviations(mean, sd, first, second):
    expected = moments_by_quadrature(
        lambda x: abs(x - first) - abs(x - second), mean, sd, [first, second]
    )
    found = absolute_difference_moments(*map(np.atleast_1d, (mean, sd, first, second)))
    assert found[0][0] == pytest.approx(expected[0], abs=1e-7)
    assert found[1][0] == pytest.approx(expected[1], abs=1e-7)


@pytest.mark.parametrize(("first", "second"), [(1.0, 5.0), (5.0, 1.0), (2.0, 2.0), (3.0, 3.0)])
def test_without_spread_nothing_varies(first, second):
    arrays = map(np.atleast_1d, (3.0, 0.0, first, second))
    expected, variance = absolute_difference_moments(*arrays)
    assert expected[0] == abs(3.0 - first) - abs(3.0 - second)
    assert variance[0] == 0.0


def test_a_spread_too_small_to_divide_by_is_no_spread():
    mean, points = np.array([3.0]), (np.array([1.0]), np.array([5.5]))
    for tiny in (1e-320, 5e-324):
        small, none = np.array([tiny]), np.array([0.0])
        found = absolute_difference_moments(mean, small, *points)
        assert found[0] == absolute_difference_moments(mean, none, *points)[0]
