"""Weighted power means: by hand, by property, at the edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.stats.power_mean import power_mean, power_mean_slopes

numbers = st.floats(0.001, 1.0)
weights = st.floats(0.0, 1.0)
orders = st.floats(-30.0, 30.0)


def test_three_orders_worked_by_hand():
    # P = 1/2, R = 1, alpha = 1/4: harmonic 1/(1/2 + 3/4), geometric 2^(-1/4), arithmetic 7/8.
    means = power_mean(0.5, 1.0, p=[-1, 0, 1], alpha=0.25)
    np.testing.assert_allclose(means, [0.8, 2**-0.25, 0.875], rtol=1e-14)
    assert power_mean(1.0, 0.5, p=0, alpha=0.25) == pytest.approx(2**-0.75, rel=1e-14)


@given(numbers, numbers, st.floats(1e-9, 1.0))
def test_order_minus_one_is_f_beta(precision, recall, alpha):
    beta_squared = 1 / alpha - 1
    f_beta = (1 + beta_squared) * precision * recall / (beta_squared * precision + recall)
    assert power_mean(precision, recall, p=-1, alpha=alpha) == pytest.approx(f_beta, rel=1e-9)


@given(numbers, numbers, orders, weights)
def test_a_mean_lies_between_its_numbers(first, second, p, alpha):
    mean = power_mean(first, second, p=p, alpha=alpha)
    assert min(first, second) * (1 - 1e-12) <= mean <= max(first, second) * (1 + 1e-12)


@given(numbers, numbers, orders, orders, weights)
def test_a_mean_grows_with_its_order(first, second, p, q, alpha):
    low, high = power_mean(first, second, p=[min(p, q), max(p, q)], alpha=alpha)
    assert low <= high * (1 + 1e-12)


@given(numbers, numbers, orders, st.integers(0, 1024).map(lambda parts: parts / 1024))
def test_swapping_the_numbers_swaps_the_weight(first, second, p, alpha):
    mean = power_mean(first, second, p=p, alpha=alpha)
    assert power_mean(second, first, p=p, alpha=1 - alpha) == pytest.approx(mean, rel=1e-9)


@given(numbers, numbers, weights, st.floats(-1e-3, 1e-3))
def test_order_zero_is_approached_smoothly(first, second, alpha, p):
    log_ratio = np.log(first / second)
    series = second * np.exp(alpha * log_ratio + p * alpha * (1 - alpha) * log_ratio**2 / 2)
    # The next term of the series is of order p² log_ratio³.
    assert power_mean(first, second, p=p, alpha=alpha) == pytest.approx(series, rel=2e-4)


def test_tiny_orders_lose_no_digits():
    means = power_mean(0.3, 0.9, p=[1e-9, 1e-11, 1e-13, 0, -1e-13, -1e-11], alpha=0.4)
    np.testing.assert_allclose(means, 0.3**0.4 * 0.9**0.6, rtol=1e-8)


@pytest.mark.parametrize(
    ("first", "second", "p", "alpha", "expected"),
    [
        (0.0, 0.8, -1, 0.3, 0.0),
        (0.0, 0.8, 0, 0.3, 0.0),
        (0.8, 0.0, -2, 0.3, 0.0),
        (0.8, 0.0, 1e-13, 0.3, 0.0),
        (0.0, 0.8, 1e-13, 0.3, 0.0),
        (0.0, 0.8, 1, 0.25, 0.6),
        (0.0, 0.8, 0, 0.0, 0.8),
        (0.8, 0.0, -1, 1.0, 0.8),
        (0.0, 0.0, 0, 0.5, 0.0),
        (0.0, 0.0, 1, 0.5, 0.0),
        (0.2, 0.8, np.inf, 0.5, 0.8),
        (0.2, 0.8, -np.inf, 0.5, 0.2),
        (0.2, 0.8, np.inf, 1.0, 0.2),
        (1e-300, 1.0, 5000, 0.5, 0.5 ** (1 / 5000)),
    ],
)
def test_zeros_infinities_and_huge_orders(first, second, p, alpha, expected):
    assert power_mean(first, second, p=p, alpha=alpha) == pytest.approx(expected, rel=1e-12)


@given(numbers, numbers, st.floats(-5, 5), st.floats(0.01, 0.99))
def test_slopes_are_those_of_finite_differences(first, second, p, alpha):
    arrays = np.array([first]), np.array([second])
    mean, by_alpha, by_p = power_mean_slopes(*arrays, p=p, alpha=np.array([alpha]))
    step = 1e-5
    around_alpha = power_mean(*arrays, p=p, alpha=[alpha - step, alpha + step])
    around_p = power_mean(*arrays, p=[p - step, p + step], alpha=alpha)
    assert mean[0] == power_mean(first, second, p=p, alpha=alpha)
    scale = 1e-4 * (1 + np.abs(np.log(first / second))) ** 3
    assert by_alpha[0] == pytest.approx(np.diff(around_alpha)[0] / (2 * step), abs=scale)
    assert by_p[0] == pytest.approx(np.diff(around_p)[0] / (2 * step), abs=scale)


@pytest.mark.parametrize(("a", "b", "alpha"), [(0.1, 0.9, 0.3), (0.8, 0.2, 0.75)])
def test_slopes_of_the_geometric_mean_have_closed_forms(a, b, alpha):
    found = power_mean_slopes(np.array([a]), np.array([b]), p=0.0, alpha=np.array([alpha]))
    mean, gap = a**alpha * b ** (1 - alpha), np.log(a / b)
    expected = [mean, mean * gap, mean * alpha * (1 - alpha) * gap**2 / 2]
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-12)


@pytest.mark.parametrize("p", [-9e-5, 9e-5])
@pytest.mark.parametrize(("a", "b", "alpha"), [(0.1, 0.9, 0.3), (0.8, 0.2, 0.75)])
def test_slopes_near_order_zero_keep_their_digits(a, b, alpha, p):
    mpmath = pytest.importorskip("mpmath")
    found = power_mean_slopes(np.array([a]), np.array([b]), p=p, alpha=np.array([alpha]))
    with mpmath.workdps(40):

        def mean(share, order):
            total = share * mpmath.mpf(a) ** order + (1 - share) * mpmath.mpf(b) ** order
            return total ** (1 / order)

        by_alpha = mpmath.diff(lambda share: mean(share, mpmath.mpf(p)), alpha)
        by_p = mpmath.diff(lambda order: mean(alpha, order), p, h=mpmath.mpf("1e-12"))
    # The series leaves out terms of order p² in the one and p in the other.
    assert found[1][0] == pytest.approx(float(by_alpha), rel=1e-7)
    assert found[2][0] == pytest.approx(float(by_p), rel=3e-4)


@pytest.mark.parametrize("p", [-1.0, -1e-5, 0.0, 1e-5, 0.5, 1.0])
def test_slopes_are_finite_where_precision_or_recall_is_zero(p):
    zeros = np.array([0.0, 0.8, 0.0]), np.array([0.7, 0.0, 0.0])
    for values in power_mean_slopes(*zeros, p=p, alpha=np.full(3, 0.4)):
        assert np.all(np.isfinite(values))


@pytest.mark.parametrize("p", [0.003, 0.05, 0.3, 2.0])
def test_slopes_where_one_side_is_zero_have_closed_forms(p):
    alpha = 0.6
    # With b = 0 the mean is a alpha^(1/p); with a = 0 it is b (1 - alpha)^(1/p).
    for sides, share, sign in (((0.8, 0.0), alpha, 1.0), ((0.0, 0.8), 1.0 - alpha, -1.0)):
        first, second = (np.array([side]) for side in sides)
        mean, by_alpha, by_p = power_mean_slopes(first, second, p=p, alpha=np.array([alpha]))
        expected = 0.8 * share ** (1.0 / p)
        assert mean[0] == pytest.approx(expected, rel=1e-9, abs=0)
        assert by_alpha[0] == pytest.approx(sign * expected / (p * share), rel=1e-9, abs=0)
        assert by_p[0] == pytest.approx(-expected * np.log(share) / p**2, rel=1e-9, abs=0)
