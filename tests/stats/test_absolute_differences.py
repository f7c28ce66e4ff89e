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


@pytest.mark.parametrize("near", [4.0, 5.0, 6.0])
@pytest.mark.parametrize("width", [0.1, 1.0])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_points_far_from_the_mean_keep_the_digits_of_their_variance(near, width, side):
    # On that side |X - a| - |X - b| is -width + 2 Y, Y = X - a cut to 0 .. width.
    first, second = (
        integrate.quad(lambda x, k=k: min(x - near, width) ** k * stats.norm.pdf(x), *ends,
                       epsabs=0, epsrel=1e-10)[0]
        for k in (1, 2) for ends in [(near, near + 12)]
    )  # fmt: skip
    one = np.ones(1)
    found = absolute_difference_moments(
        np.zeros(1), one, side * near * one, side * (near + width) * one
    )
    assert found[0] == pytest.approx(-width + 2 * first, rel=1e-9)
    assert found[1] == pytest.approx(4 * (second - first**2), rel=1e-5, abs=0)


def test_the_moments_of_a_difference_by_hand():
    # Standard normal X, points -1 and 1: |X + 1| - |X - 1| is 2 X between and ±2 beyond.
    zero, one = np.zeros(1), np.ones(1)
    expected, variance = absolute_difference_moments(zero, one, -one, one)
    beyond = 2 * stats.norm.sf(1)
    inside = (1 - beyond) - 2 * stats.norm.pdf(1)  # E[X²; |X| < 1]
    assert expected[0] == pytest.approx(0, abs=1e-15)
    assert variance[0] == pytest.approx(4 * beyond + 4 * inside, rel=1e-12)
