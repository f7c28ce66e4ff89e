"""Each part of the search for a mode, by hand and by what theory promises of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.stats.optimise import (
    _accepted_step,
    _bfgs,
    _not_too_long,
    hessian,
    inverse_curvature,
    maximise,
)


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


def test_a_bowl_takes_one_step_whatever_its_scales():
    # One look at the start, two per parameter for the curvature, one at the top: Newton's step.
    function = Counted(_bowl(np.array([1.0, 1e4, 1e-3]), np.array([3.0, -0.2, 5.0])))
    top = maximise(function, np.zeros(3))
    np.testing.assert_allclose(top, [3.0, -0.2, 5.0], rtol=1e-6)
    assert function.calls == 1 + 2 * 3 + 1


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


def test_at_most_so_many_steps_are_taken():
    def climb(x):  # rises for ever, so every step is as long as it may be: 10 (1 + |x|)
        return float(x[0]), np.ones(1)

    assert maximise(climb, np.zeros(1), most=1) == pytest.approx(10)
    assert maximise(climb, np.zeros(1), most=2) == pytest.approx(10 + 10 * 11)


def test_the_search_ends_where_nothing_is_promised():
    function = Counted(_parabola)
    maximise(function, np.array([6e-6]))  # promises 2 x² = 7.2e-11 < 1e-10
    assert function.calls == 3
    maximise(function, np.array([9e-6]))  # promises 1.62e-10, and one more look is worth it
    assert function.calls == 3 + 4
    # With a value of 1e8, a promise of .02 is too little for a tolerance of 1e-4: 1 < 1e-8 * 1e8.
    high = Counted(lambda x: (1e8 - float(x[0] ** 2), -2.0 * x))
    assert maximise(high, np.array([0.1]), tolerance=1e-4) == pytest.approx(0.1)
    assert high.calls == 3


def test_a_gradient_that_is_no_number_ends_the_search():
    def hole(x):
        return 0.0, np.full(1, np.nan) if x[0] == 2.0 else -x

    function = Counted(hole)
    assert maximise(function, np.array([2.0])).tolist() == [2.0]
    assert function.calls == 3


def test_a_promise_that_is_not_kept_ends_the_search():
    function = Counted(lambda x: (0.0, np.ones(1)))  # flat, whatever its gradient says
    assert maximise(function, np.zeros(1)).tolist() == [0.0]
    assert function.calls == 1 + 2 + 40


def test_steps_are_cut_to_ten_times_the_point():
    np.testing.assert_allclose(_not_too_long(np.array([30.0, 40.0]), np.zeros(2)), [6, 8])
    # |(0, 3)| = 3: up to 40 long.
    np.testing.assert_allclose(_not_too_long(np.array([30.0, 40.0]), np.array([0.0, 3])), [24, 32])
    np.testing.assert_allclose(_not_too_long(np.array([3.0, 4.0]), np.zeros(2)), [3, 4])
    assert _not_too_long(np.zeros(2), np.zeros(2)).tolist() == [0, 0]


def test_a_step_is_halved_until_it_rises_enough():
    # From 1 towards -4: -3 is lower, -1 no higher, 0 is the top. 8 = gradient times direction.
    size, value, gradient = _accepted_step(
        _parabola, np.array([1.0]), -1.0, np.array([-4.0]), promised=8.0
    )
    assert (size, value, gradient.tolist()) == (0.25, 0.0, [0.0])


def test_enough_is_a_ten_thousandth_of_what_was_promised():
    def rises(by):
        return lambda x: (by, np.zeros(1))

    def size(by, promised):
        found = _accepted_step(rises(by), np.zeros(1), 0.0, np.ones(1), promised)
        return None if found is None else found[0]

    assert size(1.0, 1e4) == 1.0
    assert size(1.0, 1.5e4) == 0.5
    assert size(0.0, 1e4) is None  # never rises: given up


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_step_to_nowhere_is_taken_back(value):
    def edge(x):
        inside = x[0] <= 0.5
        return (1.0 if inside else value), np.array([1.0 if inside else np.nan])

    assert _accepted_step(edge, np.zeros(1), 0.0, np.ones(1), 1.0)[0] == 0.5

    def steep(x):  # the value is finite, the gradient is not
        return 1.0, np.array([1.0, 1.0 if x[0] <= 0.25 else value])

    assert _accepted_step(steep, np.zeros(2), 0.0, np.ones(2), 1.0)[0] == 0.25


def test_arithmetic_beyond_the_numbers_is_taken_back_without_a_warning():
    def overflows(x):
        return float(1.0 - np.exp(2000.0 * (x[0] - 0.5))), np.ones(1)

    def has_no_root(x):
        return float(np.sqrt(0.5 - x[0])), np.ones(1)

    assert _accepted_step(overflows, np.zeros(1), -1.0, np.ones(1), 1.0)[0] == 0.5
    assert _accepted_step(has_no_root, np.zeros(1), -1.0, np.ones(1), 1.0)[0] == 0.5


@given(st.integers(0, 10_000))
def test_an_update_maps_the_fall_of_the_gradient_to_the_move(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4))
    inverse, move = root @ root.T + np.eye(4), rng.normal(size=4)
    fall = move * rng.uniform(0.5, 2.0, 4)
    updated = _bfgs(inverse, move, fall)
    np.testing.assert_allclose(updated @ fall, move, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(updated, updated.T, atol=1e-8)
    assert np.linalg.eigvalsh(updated).min() > 0
    # A second update by the same pair has nothing to learn.
    np.testing.assert_allclose(_bfgs(updated, move, fall), updated, rtol=1e-6, atol=1e-8)


def test_an_update_leaves_directions_across_the_move_alone():
    updated = _bfgs(np.diag([1.0, 7.0]), np.array([2.0, 0.0]), np.array([0.5, 0.0]))
    np.testing.assert_allclose(updated, np.diag([4.0, 7.0]))


@pytest.mark.parametrize("fall", [[-1.0, 0.0], [0.0, 1.0], [1e-13, 1.0]])
def test_a_move_along_which_the_gradient_does_not_fall_teaches_nothing(fall):
    inverse = np.diag([1.0, 7.0])
    assert _bfgs(inverse, np.array([1.0, 0.0]), np.array(fall)) is inverse
    assert _bfgs(inverse, np.array([1.0, 0.0]), np.array([1.5e-12, 1.0])) is not inverse


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
