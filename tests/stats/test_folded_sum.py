"""Means of absolute Gaussians against closed forms."""

import mpmath
import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

from howgood.stats.folded_normal import (
    FoldedCumulants,
    FoldedMean,
    _log_mills_real,
    _positive_part_moments,
)


@pytest.mark.parametrize(("location", "sd"), [(1.5, 2.0), (-0.4, 0.5), (0.0, 3.0)])
def test_one_term_is_a_folded_normal(location, sd):
    law = FoldedMean(np.array([location]), np.array([sd]))
    reference = stats.foldnorm(abs(location) / sd, scale=sd)
    x = np.array([0.1, 0.7, 2.0, 6.0])
    assert law.cdf(x) == pytest.approx(reference.cdf(x), rel=1e-10)
    assert law.sf(x) == pytest.approx(reference.sf(x), rel=1e-10, abs=0)
    assert law.pdf(x) == pytest.approx(reference.pdf(x), rel=1e-10, abs=0)


def test_two_terms_leave_no_density_at_zero():
    # That of their sum is the integral of the product of theirs over a stretch of length 0.
    law = FoldedMean(np.array([0.5, -1.0]), np.array([1.0, 2.0]))
    assert law.pdf(np.array([-0.1, 0.0])).tolist() == [0.0, 0.0]


def test_one_wide_term_among_many_narrow_ones_is_not_smoothed_away():
    # 400 terms far from the fold are Gaussian; |N(0, 1)| + N(0, .2²) is skew normal with shape 5.
    n = 401
    law = FoldedMean(np.append(np.full(400, 5.0), 0.0), np.append(np.full(400, 0.01), 1.0))
    reference = stats.skewnorm(5.0, loc=2000.0, scale=np.sqrt(1.04))
    x = np.array([1999.8, 2000.2, 2001.0, 2002.5, 2003.5])
    assert law.cdf(x / n) == pytest.approx(reference.cdf(x), rel=1e-7)
    assert law.sf(x / n) == pytest.approx(reference.sf(x), rel=1e-7)


@pytest.mark.parametrize("s", [-4.0, -0.3, 0.5, 3.0])
def test_the_cumulant_function_is_that_of_its_terms(s):
    distance, sd = np.array([0.3, 1.2]), np.array([0.5, 0.4])
    function = FoldedCumulants.of(distance, sd, constant=0.0, variance=1.0)
    moments = []
    for d, width in zip(distance, sd, strict=True):
        density = stats.foldnorm(d / width, scale=width).pdf
        tilted = [
            integrate.quad(lambda x, k=k, f=density: x**k * np.exp(s * x) * f(x), 0, 14)[0]
            for k in range(3)
        ]
        mean = integrate.quad(lambda x, f=density: x * f(x), 0, 14)[0]
        first = tilted[1] / tilted[0]
        moments.append((np.log(tilted[0]), mean, first, tilted[2] / tilted[0] - first**2))
    value, mean, first, second = np.sum(moments, axis=0)
    point = np.array([s])
    assert function.value(point + 0j)[0].real == pytest.approx(value, abs=1e-8)
    assert function.excess(point)[0] == pytest.approx(value - s * mean, abs=1e-8)
    assert function.slopes(point)[0][0] == pytest.approx(first, rel=1e-7)
    assert function.slopes(point)[1][0] == pytest.approx(second, rel=1e-6)


@pytest.mark.parametrize("z", [-400.0, -31.0, -29.0, -3.0, 0.0, 2.5])
def test_moments_of_the_positive_part_keep_their_digits_far_out(z):
    with mpmath.workdps(60):
        exact = mpmath.mpf(z)
        hazard = mpmath.npdf(exact) / mpmath.ncdf(exact)
        mean = exact + hazard
        square = 1 + exact * mean
    found = _positive_part_moments(np.array([z]))
    # Three terms of the expansion leave 74 / a^6 of the first, below 1e-7 from 30 on.
    assert found[0][0] == pytest.approx(float(mean), rel=1e-7)
    assert found[1][0] == pytest.approx(float(square), rel=1e-5)


@pytest.mark.parametrize("z", [-40.0, -3.0, 0.0, 4.9, 5.0, 5.1, 8.0, 12.0, 40.0])
def test_the_log_of_the_real_cumulant_function_keeps_its_digits(z):
    with mpmath.workdps(60):
        exact = mpmath.mpf(z) ** 2 / 2 + mpmath.log(mpmath.ncdf(z))
    assert _log_mills_real(np.array([z]))[0] == pytest.approx(float(exact), rel=1e-13, abs=0)


def _tail_of_a_sum_of_absolute_values(n, x):
    """The smaller tail of n standard ones at x: a fine sum up the line through the saddlepoint."""

    def transform(s):
        return special.wofz(-1j * s / np.sqrt(2.0))

    def slope(s):
        return n * (s + np.sqrt(2.0 / np.pi) / transform(s).real) - x - 1.0 / s

    upper = x > n * np.sqrt(2.0 / np.pi)
    start = optimize.brentq(slope, *((1e-6, 50.0) if upper else (-400.0, -1e-6)))
    line = start + 1j * np.arange(40_000) * 1e-3
    height = np.exp(n * np.log(transform(line)) - line * x) / line
    return (1.0 if upper else -1.0) * (height.real.sum() - height[0].real / 2) * 1e-3 / np.pi


@pytest.mark.parametrize("n", [40, 100, 400])
def test_sums_of_absolute_values_keep_their_digits_with_and_without_a_series(n):
    law = FoldedMean(np.zeros(n), np.ones(n))
    for score in (-4.0, -1.0, 1.0, 5.0, 8.0):
        x = law.mean + score * law.sd
        tail = law.cdf if score < 0.0 else law.sf
        reference = _tail_of_a_sum_of_absolute_values(n, n * x)
        assert tail(np.array([x]))[0] == pytest.approx(reference, rel=2e-11, abs=0)
