"""The distribution of RMSE against independent exact methods, in the body and in far tails.

Closed forms (one pair), Ruben's mixture of chi-squares (few pairs), Imhof's integral by adaptive
quadrature (many pairs), and the Bromwich integral along a straight line in 25 digits (tails).
"""

import itertools

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import ncx2

from howgood import score

RATINGS_SD = np.sqrt(np.unique(np.round([np.var(c) for c in np.ndindex(*(5,) * 5)], 12)))


def _pairs(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-2, 2, n), np.sqrt(rng.uniform(0.16, 3.84, n))


def _imhof_sf(x, weights, counts, noncentral):
    """P(Q > x): Imhof (1961), with groups of equal weight."""

    def integrand(u):
        wu = weights * u
        ratio = 1.0 + wu**2
        theta = 0.5 * np.sum(counts * np.arctan(wu) + noncentral * u / ratio) - 0.5 * x * u
        log_rho = np.sum(
            0.25 * counts * np.log1p(wu**2) + 0.5 * noncentral * weights * u**2 / ratio
        )
        return np.sin(theta) * np.exp(-log_rho) / u

    sd = np.sqrt(np.sum(2 * counts * weights**2 + 4 * weights * noncentral))
    edges = np.concatenate([[1e-12], np.linspace(0.1, 30.0, 60) * 2.0 / sd])
    parts = [
        quad(integrand, a, b, epsabs=1e-14, epsrel=1e-13, limit=200)[0]
        for a, b in itertools.pairwise(edges)
    ]
    return 0.5 + sum(parts) / np.pi


def _ruben_cdf(x, deviation, sd):
    """P(mean of squares <= x): Ruben (1962), all terms positive, 50 digits."""
    with mp.workdps(50):
        n = len(sd)
        w = [mp.mpf(float(s)) ** 2 / n for s in sd]
        noncentral = [
            (mp.mpf(float(d)) / mp.mpf(float(s))) ** 2 for d, s in zip(deviation, sd, strict=True)
        ]
        beta = min(w)
        gamma = [1 - beta / wj for wj in w]
        a = [mp.exp(-sum(noncentral) / 2) * mp.fprod(mp.sqrt(beta / wj) for wj in w)]
        g = []
        total, covered, k = mp.mpf(0), mp.mpf(0), 0
        while 1 - covered > mp.mpf(10) ** -40 and k < 900:
            if k:
                g.append(
                    sum(gj**k for gj in gamma)
                    + k
                    * sum(
                        lj * (1 - gj) * gj ** (k - 1)
                        for lj, gj in zip(noncentral, gamma, strict=True)
                    )
                )
                a.append(sum(g[r] * a[k - 1 - r] for r in range(k)) / (2 * k))
            total += a[k] * mp.gammainc(
                mp.mpf(n) / 2 + k, 0, mp.mpf(x) / (2 * beta), regularized=True
            )
            covered += a[k]
            k += 1
        return total  # fmt: skip


def _line_tail(x, weights, counts, noncentral, *, upper):
    """P(Q > x) or P(Q <= x) by the Bromwich integral on a vertical line, 25 digits."""
    with mp.workdps(25):
        groups = [
            (mp.mpf(float(w)), mp.mpf(float(k)), mp.mpf(float(d)))
            for w, k, d in zip(weights, counts, noncentral, strict=True)
        ]
        x = mp.mpf(float(x))

        def exponent(t):
            return (
                sum(-k / 2 * mp.log(1 - 2 * w * t) + d * t / (1 - 2 * w * t) for w, k, d in groups)
                - t * x
            )

        def slope(t):
            return sum(w * k / (1 - 2 * w * t) + d / (1 - 2 * w * t) ** 2 for w, k, d in groups) - x

        limit = 1 / (2 * max(w for w, _, _ in groups))
        low, high = (mp.mpf(0), limit) if upper else (-(mp.mpf(10) ** 9), mp.mpf(0))
        for _ in range(70):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(middle) < 0 else (low, middle)
        t0 = (low + high) / 2
        curvature = sum(
            2 * w**2 * k / (1 - 2 * w * t0) ** 2 + 4 * w * d / (1 - 2 * w * t0) ** 3
            for w, k, d in groups
        )
        peak = exponent(t0)

        def integrand(y):
            t = t0 + 1j * y
            return (mp.exp(exponent(t) - peak) / t).real

        width = 1 / mp.sqrt(curvature)
        value = mp.quad(integrand, [width * j for j in (0, 1, 2, 4, 6, 9, 13)], maxdegree=4)
        tail = mp.exp(peak) * value / mp.pi
        return tail if upper else -tail


@pytest.mark.parametrize(("deviation", "sd"), [(0.0, 1.0), (1.0, 1.0), (-3.0, 0.5), (30.0, 0.5)])
def test_one_pair_is_a_folded_normal(deviation, sd):
    ours = score.rmse([deviation], [sd], [0.0])
    top = abs(deviation) + 12 * sd
    for x in [1e-9, 1e-3, abs(deviation) * 0.7 + 0.01, abs(deviation) + sd, top]:
        with mp.workdps(40):
            delta, sigma, at = mp.mpf(deviation), mp.mpf(sd), mp.mpf(x)
            above = mp.ncdf(-(at - delta) / sigma) + mp.ncdf(-(at + delta) / sigma)
            below = mp.ncdf((at - delta) / sigma) - mp.ncdf((-at - delta) / sigma)
        for probability, expected in ((ours.cdf(x), below), (ours.sf(x), above)):
            assert abs(probability - expected) < 1e-13
            if expected > 1e-290:
                assert abs(probability / expected - 1) < 1e-10


def test_five_pairs_equal_rubens_series_to_ten_digits():
    deviation, sd = np.array([0.3, -1.2, 0.0, 2.0, 0.7]), np.array([0.8, 1.0, 1.3, 0.9, 1.1])
    ours = score.mse(deviation, sd, 0.0)
    for x in [1e-6, 0.01, 0.3, ours.mean, 4.0, 7.0]:
        expected = _ruben_cdf(x, deviation, sd)
        assert abs(ours.cdf(x) - expected) < 1e-12
        assert abs(ours.cdf(x) / expected - 1) < 1e-10
        assert ours.sf(x) == pytest.approx(float(1 - expected), rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 5, 50, 1000, 100_000])
def test_equal_sigmas_are_one_noncentral_chi_square(n):
    deviation = np.linspace(-1.0, 2.0, n) if n > 1 else np.array([0.4])
    ours = score.mse(deviation, 0.9, 0.0)
    weight, noncentral = 0.81 / n, np.sum(deviation**2) / 0.81
    x = ours.quantile([1e-6, 0.01, 0.3, 0.5, 0.9, 0.9999])
    assert ours.cdf(x) == pytest.approx(ncx2.cdf(x / weight, n, noncentral), abs=1e-11)


@pytest.mark.parametrize("n", [50, 1000])
def test_many_pairs_equal_imhofs_integral(n):
    deviation, sd = _pairs(n)
    sd[: n // 3] = 0.0
    ours = score.mse(deviation, sd, 0.0)
    noisy = sd > 0
    constant = np.sum(deviation[~noisy] ** 2) / n
    weights, noncentral = sd[noisy] ** 2 / n, deviation[noisy] ** 2 / n
    for z in (-3.5, -2.0, -0.7, 0.0, 0.4, 1.5, 3.0, 5.0):
        x = ours.mean + z * ours.sd
        expected = _imhof_sf(x - constant, weights, np.ones(weights.size), noncentral)
        assert abs(ours.sf(x) - expected) < 1e-10


@pytest.fixture(scope="module")
def netflix_size():
    rng = np.random.default_rng(5)
    n = 2_800_000
    sd = RATINGS_SD[rng.integers(0, RATINGS_SD.size, n)]
    deviation = rng.normal(0.0, 0.9, n)
    label = np.searchsorted(RATINGS_SD, sd)
    counts = np.bincount(label).astype(float)
    squares = np.bincount(label, weights=deviation**2)
    constant = squares[0] / n
    return deviation, sd, (RATINGS_SD[1:] ** 2 / n, counts[1:], squares[1:] / n), constant


def test_as_many_pairs_as_the_netflix_prize_equal_imhofs_integral(netflix_size):
    deviation, sd, groups, constant = netflix_size
    ours = score.mse(deviation, sd, 0.0)
    for z in (-3.0, -1.0, 0.0, 0.5, 2.0, 4.0):
        x = ours.mean + z * ours.sd
        assert abs(ours.sf(x) - _imhof_sf(x - constant, *groups)) < 1e-10


@pytest.mark.parametrize(("z", "upper"), [(-9.0, False), (4.0, True), (12.0, True)])
def test_tails_of_as_many_pairs_keep_their_digits(netflix_size, z, upper):
    deviation, sd, groups, constant = netflix_size
    ours = score.mse(deviation, sd, 0.0)
    x = ours.mean + z * ours.sd
    expected = _line_tail(x - constant, *groups, upper=upper)
    found = ours.sf(x) if upper else ours.cdf(x)
    assert abs(found / expected - 1) < 1e-8


@pytest.mark.parametrize(("factor", "upper"), [(0.15, False), (9.0, True)])
def test_far_tails_of_fifty_pairs_keep_their_digits(factor, upper):
    deviation, sd = _pairs(50, seed=3)
    ours = score.mse(deviation, sd, 0.0)
    x = factor * ours.mean
    groups = sd**2 / 50, np.ones(50), deviation**2 / 50
    expected = _line_tail(x, *groups, upper=upper)
    found = ours.sf(x) if upper else ours.cdf(x)
    assert expected < 1e-9
    assert abs(found / expected - 1) < 1e-8


def test_thousands_of_distinct_sigmas_are_condensed_without_loss():
    deviation, sd = _pairs(3000, seed=4)
    sd[0] = 12.0  # one giant keeps the cumulant series out and its pole near
    ours = score.mse(deviation, sd, 0.0)
    assert "12 cumulants" not in ours.provenance.method
    groups = sd**2 / 3000, np.ones(3000), deviation**2 / 3000
    for z in (-2.0, 0.0, 1.0, 3.0):
        x = ours.mean + z * ours.sd
        assert abs(ours.sf(x) - _imhof_sf(x, *groups)) < 1e-10


@pytest.mark.parametrize("n", [30, 50, 300])
def test_equal_sigmas_stay_exact_across_the_edges_of_the_shared_lines(n):
    deviation = np.linspace(-1.0, 2.0, n)
    ours = score.mse(deviation, 0.9, 0.0)
    lines = ours.law.lines
    weight, noncentral = 0.81 / n, np.sum(deviation**2) / 0.81
    edges = lines._edges * lines.function.scale
    x = np.ravel([edges * (1 - 1e-9), edges * (1 + 1e-9)])
    below, above = ours.cdf(x), ours.sf(x)
    assert lines._lines[0] is not None
    for at, lower, upper in zip(x, below, above, strict=True):
        small, is_upper = (upper, True) if upper < lower else (lower, False)
        expected = _line_tail(at, [weight], [n], [weight * noncentral], upper=is_upper)
        assert abs(small / expected - 1) < 1e-9


@pytest.mark.parametrize("giant", [False, True])
@pytest.mark.parametrize("n", [25, 60, 700])
def test_shared_lines_join_the_contour_without_a_step(n, giant):
    deviation, sd = _pairs(n, seed=n)
    if giant:
        sd[0] = 8.0
    ours = score.mse(deviation, sd, 0.0)
    lines = ours.law.lines
    edges = lines._edges * lines.function.scale
    left, right = edges * (1 - 1e-11), edges * (1 + 1e-11)
    drift = ours.pdf(edges) * (right - left)
    for tail in (ours.cdf, ours.sf):
        step = np.abs(tail(right) - tail(left)) - drift
        assert np.all(step <= 1e-12)
        assert np.all(step <= 3e-9 * np.minimum(ours.cdf(edges), ours.sf(edges)) + 1e-15)
    assert ours.pdf(left) == pytest.approx(ours.pdf(right), rel=1e-8)


@pytest.mark.parametrize("n", [1, 3, 10, 400, 20_000])
def test_moments_of_the_root_equal_the_laguerre_closed_form(n):
    ours = score.rmse(np.full(n, 0.7), 0.9, 0.0)
    with mp.workdps(40):
        noncentral = n * mp.mpf(0.7) ** 2 / mp.mpf(0.9) ** 2
        root = mp.sqrt(mp.pi / 2) * mp.laguerre(
            mp.mpf(1) / 2, mp.mpf(n) / 2 - 1, -noncentral / 2, maxterms=10**6
        )
        mean = root * mp.mpf(0.9) / mp.sqrt(n)
        variance = mp.mpf(0.7) ** 2 + mp.mpf(0.9) ** 2 - mean**2
    assert abs(ours.mean / mean - 1) < 1e-13
    assert abs(ours.variance / variance - 1) < 1e-10
