"""Cumulant functions, contours and shared lines against laws that are known in closed form."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from howgood.stats.cumulant_functions import (
    GroupedCumulants,
    Path,
    SeriesCumulants,
    SharedLines,
    body_and_density,
    even_path,
    log1p_minus,
    stretched_path,
    tail_and_density,
)


def _derivative(
    function: Callable[[NDArray[np.complex128]], NDArray[np.complex128]], at: float, order: int
) -> float:
    """Cauchy's integral on a small circle."""
    turn = np.exp(2j * np.pi * np.arange(64) / 64)
    mean = np.mean(function(at + 0.05 * turn) * turn**-order)
    return float(mean.real * special.factorial(order) / 0.05**order)


@pytest.mark.parametrize("at", [-1.3, 0.0, 0.2])
def test_slopes_are_derivatives_of_the_textbook_cumulant_function(at: float) -> None:
    w, k, noncentrality = np.array([0.4, 1.1]), np.array([3.0, 2.0]), np.array([1.7, 0.6])
    function = GroupedCumulants.of(w, k, w * noncentrality, constant=0.0)
    variance = np.sum(w**2 * stats.ncx2.var(k, noncentrality))
    assert function.scale == pytest.approx(np.sqrt(variance), rel=1e-13)

    def textbook(s: NDArray[np.complex128]) -> NDArray[np.complex128]:
        t = s[:, None] / np.sqrt(variance)
        fall = 1 - 2 * w * t
        return np.asarray(np.sum(-k / 2 * np.log(fall) + noncentrality * w * t / fall, axis=1))

    for order, slope in enumerate(function.slopes(np.array([at])), start=1):
        assert slope[0] == pytest.approx(_derivative(textbook, at, order), rel=1e-9)


def test_weights_of_very_different_sizes_neither_over_nor_underflow() -> None:
    weights = np.array([1e-200, 1.0])
    function = GroupedCumulants.of(weights, np.full(2, 3.0), np.zeros(2), constant=0.0)
    assert function.scale == pytest.approx(np.sqrt(6.0), rel=1e-14)


def _gamma_series(shape: float, count: int = 12) -> SeriesCumulants:
    orders = np.arange(1, count + 1)
    return SeriesCumulants.of(shape * special.factorial(orders - 1), ratio=1.0 / np.sqrt(shape))


def test_series_slopes_are_those_of_a_gamma_law() -> None:
    shape, s = 400.0, np.array([-0.5, 0.3, 0.8])
    series = _gamma_series(shape)
    fall = 1.0 - s / np.sqrt(shape)
    expected = (np.sqrt(shape) / fall - np.sqrt(shape), fall**-2, 2.0 / np.sqrt(shape) * fall**-3)
    for ours, known in zip(series.slopes(s), expected, strict=True):
        np.testing.assert_allclose(ours, known, rtol=1e-11)


@pytest.mark.parametrize("shape", [30.0, 1e3, 1e12])
def test_within_its_reach_the_series_leaves_out_less_than_the_tolerance(shape: float) -> None:
    series = _gamma_series(shape)
    ratio = 1.0 / np.sqrt(shape)
    share = ratio * series.reach
    # The bound of the docstring: a geometric series from the last term on.
    last = abs(series.coefficients[-1]) * series.reach**12
    assert share < 0.75
    assert last * share / (1.0 - share) <= 1e-12


def test_a_gaussian_series_reaches_as_far_as_its_ratio_says() -> None:
    series = SeriesCumulants.of(np.array([2.0, 9.0, 0.0, 0.0]), ratio=0.1)
    # K'(s) = s, so x = s - 1/s at either end.
    lower, upper = series.resolved()
    assert upper == pytest.approx(series.reach - 1.0 / series.reach, rel=1e-14)
    assert lower == -upper
    # What is left out is bounded by a geometric series, which must converge.
    assert 0.1 * series.reach < 1.0


def test_an_even_path_is_straight_unless_told() -> None:
    assert even_path(3.0).slope == 0.0


@pytest.mark.parametrize("x", [-0.0399, -0.0201, -0.019, 1e-5, 0.019, 0.025, 0.0399, 3.0])
def test_log1p_minus_keeps_its_digits(x: float) -> None:
    if x == 3.0:
        known = np.log(4.0) - 3.0
    else:
        known = sum((-1.0) ** (j + 1) * x**j / j for j in range(30, 1, -1))
    assert log1p_minus(np.array([x]))[0] == pytest.approx(known, rel=2e-14, abs=0)


def test_the_body_of_a_gaussian() -> None:
    series = SeriesCumulants.of(np.array([0.0, 1.0, 0.0, 0.0]), ratio=0.1)
    x = np.linspace(-6.0, 6.0, 201)
    probability, density = body_and_density(series, x)
    np.testing.assert_allclose(probability, stats.norm.cdf(x), rtol=0, atol=2e-15)
    np.testing.assert_allclose(density, stats.norm.pdf(x), rtol=0, atol=2e-15)
    far = body_and_density(series, np.linspace(-9.0, 9.0, 2001))[0]
    assert far.min() >= 0.0
    assert far.max() <= 1.0


def test_tails_of_a_gaussian_series() -> None:
    series = SeriesCumulants.of(np.array([0.0, 1.0, 0.0, 0.0]), ratio=0.02)
    x = np.linspace(-0.5, 12.0, 26)
    tail, density = tail_and_density(series, x, upper=True)
    np.testing.assert_allclose(tail, stats.norm.sf(x), rtol=2e-13)
    np.testing.assert_allclose(density, stats.norm.pdf(x), rtol=2e-13)


class _Chosen(GroupedCumulants):
    """A chi-square law with paths of our own choice."""

    chosen: tuple[Path, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        return self.chosen


def _chosen(degrees: float, *paths: Path) -> GroupedCumulants:
    class Law(_Chosen):
        chosen = paths

    return Law.of(np.ones(1), np.full(1, degrees), np.zeros(1), constant=0.0)


def test_where_a_path_is_doubtful_the_next_is_tried_and_the_best_is_kept() -> None:
    coarse, fine = stretched_path(slope=0.8, step=1.2), stretched_path(slope=0.3)
    # At the last point the tail underflows to 0, which is beyond doubt on any path.
    x = np.array([5.0, 30.0, 120.0, 1e5])
    known, density = stats.chi2.sf(x, 10), stats.chi2.pdf(x, 10)
    alone, _ = tail_and_density(_chosen(10.0, coarse), x, upper=True)
    assert np.all(np.abs(alone / np.where(known > 0, known, 1.0) - 1.0)[:3] > 1e-6)
    for paths in [(coarse, fine), (coarse, fine, coarse), (fine, coarse), (coarse, coarse, fine)]:
        tail, slope = tail_and_density(_chosen(10.0, *paths), x, upper=True)
        np.testing.assert_allclose(tail, known, rtol=1e-12)
        np.testing.assert_allclose(slope, density, rtol=1e-12)


def test_a_path_that_explodes_is_passed_over_in_silence() -> None:
    class Law(_Chosen):
        chosen = (even_path(1e3, slope=5.0), stretched_path(slope=0.0))

    # One large term bends the path; the many small ones, nearly Gaussian, explode on it.
    small, degrees = 1e-5, 1e10
    law = Law.of(np.array([1.0, small]), np.array([2.0, degrees]), np.zeros(2), constant=0.0)
    noise = small * np.sqrt(2.0 * degrees)
    z = np.array([0.0, 3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tail, _ = tail_and_density(law, small * degrees + noise * z, upper=True)
    # Twice an exponential variable plus, but for a skewness of 3e-5, a Gaussian one.
    known = stats.exponnorm.sf(z, 2.0 / noise)
    np.testing.assert_allclose(tail, known, rtol=1e-4)


def test_tails_are_probabilities_where_nearly_all_of_the_law_lies() -> None:
    law = GroupedCumulants.of(np.ones(1), np.full(1, 40.0), np.zeros(1), constant=0.0)
    tail, _ = tail_and_density(law, np.linspace(0.5, 30.0, 301), upper=True)
    assert tail.max() <= 1.0


@pytest.mark.parametrize("degrees", [60.0, 400.0, 1e4])
def test_shared_lines_keep_the_digits_of_both_tails(degrees: float) -> None:
    law = GroupedCumulants.of(np.ones(1), np.full(1, degrees), np.zeros(1), constant=0.0)
    sd = np.sqrt(2.0 * degrees)
    # From the mean tilted by -10 standard units to ten standard deviations above the mean.
    first, last = degrees / (1.0 + 20.0 / sd), degrees + 10.0 * sd
    x = np.linspace(first, last, 403)[1:-1]
    lines = SharedLines(law)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        served, lower, upper, density = lines.evaluate(x)
    assert served.all()
    rtol = 1e-11 * max(1.0, degrees / 1e3)
    below = x < degrees
    np.testing.assert_allclose(lower[below], stats.chi2.cdf(x[below], degrees), rtol=rtol)
    np.testing.assert_allclose(upper[~below], stats.chi2.sf(x[~below], degrees), rtol=rtol)
    np.testing.assert_allclose(density, stats.chi2.pdf(x, degrees), rtol=rtol)
    assert not lines.evaluate(np.array([first - 0.1 * sd, last + 0.1 * sd]))[0].any()


@pytest.mark.parametrize("degrees", [2.0, 18.0])
def test_shared_lines_of_few_terms_would_need_too_many_nodes(degrees: float) -> None:
    law = GroupedCumulants.of(np.ones(1), np.full(1, degrees), np.zeros(1), constant=0.0)
    assert not SharedLines(law).evaluate(degrees * np.array([0.5, 1.0, 3.0]))[0].any()
