"""Each part of the search for a mode, by hand and by what theory promises of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.stats.importance import hessian, inverse_curvature, maximise


class Counted:
    """A function that counts how often it was asked."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, point):
        self.calls += 1
        return self.function(point)


def _bowl(scales, centre):
    def value_and_gradient(x):
        away = x - centre
        return -0.5 * float(scales @ away**2), -scales * away

    return value_and_gradient


def _parabola(x):
    return -float(x[0] ** 2), -2.0 * x


@given(st.integers(0, 10_000))
def test_the_top_of_a_bowl_is_found_whatever_its_scales(seed):
    rng = np.random.default_rng(seed)
    centre, scales = rng.normal(0, 3, 3), 10.0 ** rng.uniform(-2, 4, 3)
    top = maximise(_bowl(scales, centre), np.zeros(3))
    # The curvature at the start is exact, so the first step is Newton's.
    np.testing.assert_allclose(top, centre, atol=1e-4)


def test_a_curved_valley_takes_few_looks():
    def banana(x):
        a, b = x
        value = -((1 - a) ** 2) - 100 * (b - a * a) ** 2
        return value, np.array([2 * (1 - a) + 400 * a * (b - a * a), -200 * (b - a * a)])

    function = Counted(banana)
    top = maximise(function, np.array([-1.2, 1.0]))
    np.testing.assert_allclose(top, [1, 1], atol=1e-5)
    # Textbooks report about 35 iterations of BFGS from here, with at most two looks each.
    assert function.calls <= 70


def test_the_start_is_kept_and_may_be_whole_numbers():
    start = np.array([3, -4])
    assert maximise(_bowl(np.ones(2), np.array([0.5, 0.25])), start) == pytest.approx([0.5, 0.25])
    assert start.tolist() == [3, -4]


def test_at_the_top_nothing_is_left_to_do():
    function = Counted(_parabola)
    assert maximise(function, np.zeros(1)).tolist() == [0.0]
    assert function.calls == 2 + 1  # the curvature, and one look


def test_arithmetic_beyond_the_numbers_is_taken_back_without_a_warning():
    def cliff(x):  # rises gently, and ends in a wall that overflows
        over = np.exp(2000.0 * (x[0] - 0.5))
        return float(x[0] - over), np.array([1.0 - 2000.0 * over])

    top = maximise(cliff, np.zeros(1))
    assert top == pytest.approx([0.5 - np.log(2000) / 2000], abs=1e-3)


def test_second_derivatives_by_hand():
    def function(x):  # a³ b + 2 b²: aa 6ab, ab 3a², bb 4
        a, b = x
        return float(a**3 * b + 2 * b**2), np.array([3 * a**2 * b, a**3 + 4 * b])

    np.testing.assert_allclose(hessian(function, np.array([2.0, 5.0])), [[60, 12], [12, 4]])


def test_second_derivatives_far_from_zero_keep_their_digits():
    # Steps grow with the point: 1e-4 alone would be lost beside 1e13.
    np.testing.assert_allclose(hessian(_parabola, np.array([-1e13])), [[-2.0]], rtol=1e-6)


def test_second_derivatives_are_made_symmetric():
    def twisted(x):  # gradients that are no gradients: the mean of both is returned
        return 0.0, np.array([x[1], 3.0 * x[0]])

    np.testing.assert_allclose(hessian(twisted, np.zeros(2)), [[0, 2], [2, 0]])


def test_curvature_is_turned_where_it_is_wrong_and_bounded_where_it_is_flat():
    np.testing.assert_allclose(inverse_curvature(np.diag([-4.0, 2.0])), np.diag([0.25, 0.5]))
    np.testing.assert_allclose(inverse_curvature(np.zeros((1, 1))), [[1e6]])
    np.testing.assert_allclose(inverse_curvature(np.zeros((1, 1)), largest=10.0), [[100.0]])
    # Rotated by 45 degrees: eigenvalues -1 along (1, 1) and -3 along (1, -1).
    rotated = -np.array([[2.0, -1.0], [-1.0, 2.0]])
    np.testing.assert_allclose(inverse_curvature(rotated), np.linalg.inv(-rotated))
