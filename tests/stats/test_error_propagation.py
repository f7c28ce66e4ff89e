"""First-order error propagation: hand cases, with and without a given gradient."""

import numpy as np
import pytest

from howgood.stats.error_propagation import propagate_first_order


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
