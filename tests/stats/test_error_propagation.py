"""First-order error propagation: hand cases, with and without a given gradient."""

import numpy as np
import pytest

from howgood.stats.moments import propagate_first_order


def test_a_product_by_hand():
    """f = x y at (2, 3) with sds .1 and .2: variance 3^2 .01 + 2^2 .04 = .25."""
    mean, variance = propagate_first_order(
        lambda x: float(x[0] * x[1]), np.array([2.0, 3.0]), np.array([0.1, 0.2])
    )
    assert mean == pytest.approx(6.0)
    assert variance == pytest.approx(0.25, rel=1e-6)


def test_a_given_gradient_is_used_and_no_spread_gives_none():
    mean, variance = propagate_first_order(
        lambda x: float(np.sqrt(x[0])),
        np.array([4.0]),
        np.array([0.4]),
        gradient=lambda x: 0.5 / np.sqrt(x),
    )
    assert (mean, variance) == pytest.approx((2.0, 0.01))
    still = propagate_first_order(lambda x: float(x.sum()), np.ones(3), np.zeros(3))
    assert still == pytest.approx((3.0, 0.0))


@pytest.mark.parametrize("sd", [0.1, 1e-13])
def test_a_bent_function_has_the_slope_at_the_point(sd):
    """f = x^3 at 2: slope 12, whether the spread is wide or far below the size of x."""
    _, variance = propagate_first_order(lambda x: float(x[0] ** 3), np.array([2.0]), np.array([sd]))
    assert np.sqrt(variance) / sd == pytest.approx(12, rel=1e-4)


def test_whole_numbers_are_moved_by_parts_and_arguments_one_at_a_time():
    location = np.array([2, 3, 4])
    _, variance = propagate_first_order(
        lambda x: float(x[0] * x[1] * x[2]), location, np.array([0.1, 0.0, 0.2])
    )
    assert variance == pytest.approx((12 * 0.1) ** 2 + (6 * 0.2) ** 2, rel=1e-6)
    assert location.tolist() == [2, 3, 4]
