"""Quantiles: found in a few steps, to the digits of the tail asked for."""

import mpmath
import numpy as np
import pytest
from scipy import stats

from howgood.stats.inversion import (
    _keep_inside,
    _log_gamma_root,
    draws_by_inversion,
    solve_quantiles,
)


def test_newtons_steps_reach_quantiles_of_all_sizes_in_a_few_evaluations():
    law, calls = stats.gamma(3.0, loc=2.0, scale=1.5), []

    def evaluate(x):
        calls.append(x.size)
        return law.cdf(x), law.sf(x), law.pdf(x)

    levels = np.array([1e-30, 1e-4, 0.2, 0.5, 0.9, 1 - 1e-9])
    found = solve_quantiles(evaluate, levels, mean=law.mean(), sd=law.std(), lower_end=2.0)
    assert found == pytest.approx(law.ppf(levels), rel=1e-10)
    calls.clear()
    solve_quantiles(evaluate, levels[1:], mean=law.mean(), sd=law.std(), lower_end=2.0)
    assert len(calls) == 1  # the start is exact here
    # A start that is off needs a few Newton steps, not fifty bisections.
    calls.clear()
    found = solve_quantiles(evaluate, levels[1:], mean=6.0, sd=4.0, lower_end=2.0)
    assert found == pytest.approx(law.ppf(levels[1:]), rel=1e-10)
    assert len(calls) <= 10


def test_certain_and_missing_probabilities_have_the_obvious_quantiles():
    def evaluate(x):
        return stats.expon.cdf(x), stats.expon.sf(x), stats.expon.pdf(x)

    levels = np.array([[0.0, 1.0], [np.nan, 0.5]])
    found = solve_quantiles(evaluate, levels, mean=1.0, sd=1.0, lower_end=0.0)
    expected = np.array([[0.0, np.inf], [np.nan, np.log(2)]])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_draws_by_inversion_follow_the_law():
    draws = draws_by_inversion(stats.expon.ppf, 20_000, np.random.default_rng(2))
    assert stats.kstest(draws, "expon").pvalue > 0.001
    assert draws.max() > 8.0


@pytest.mark.parametrize("shape", [0.3, 2.0, 39.9, 40.0, 41.5, 300.0, 1e6])
def test_the_root_of_a_gamma_variable_keeps_its_digits(shape):
    with mpmath.workdps(40):
        a = mpmath.mpf(shape)
        exact = mpmath.loggamma(a + 0.5) - mpmath.loggamma(a) - mpmath.log(a) / 2
    # Below 40 two log gammas of up to 100 are subtracted; above, a series has no cancellation.
    allowed = {"abs": 1e-13} if shape < 40 else {"rel": 1e-15, "abs": 0.0}
    assert _log_gamma_root(shape) == pytest.approx(float(exact), **allowed)


@pytest.mark.parametrize("share", [0.5, 0.01, 0.99])
def test_a_law_in_two_far_pieces_is_solved_by_its_bracket_where_newton_leaps(share):
    near, far = stats.gamma(50, scale=0.02), stats.gamma(50, scale=20.0)

    def mixed(function):
        return lambda x: (
            share * getattr(near, function)(x) + (1 - share) * getattr(far, function)(x)
        )

    def evaluate(x):
        return mixed("cdf")(x), mixed("sf")(x), mixed("pdf")(x)

    mean = share * near.mean() + (1 - share) * far.mean()
    square = share * (near.var() + near.mean() ** 2) + (1 - share) * (far.var() + far.mean() ** 2)
    levels = np.array([1e-6, share * 0.4, share * 0.999, share + 0.3 * (1 - share), 1 - 1e-6])
    found = solve_quantiles(
        evaluate, levels, mean=mean, sd=float(np.sqrt(square - mean**2)), lower_end=0.0
    )
    assert mixed("cdf")(found) == pytest.approx(levels, rel=1e-9, abs=0.0)


def test_a_quantile_is_not_evaluated_again_after_a_small_step():
    levels = np.linspace(0.01, 0.99, 99)
    exact, near = -np.log1p(-levels), []

    def evaluate(x):
        near.extend(np.min(np.abs(np.log(x[:, None] / exact)), axis=1) < 1e-9)
        return stats.expon.cdf(x), stats.expon.sf(x), stats.expon.pdf(x)

    found = solve_quantiles(evaluate, levels, mean=1.3, sd=0.9, lower_end=0.0)
    assert found == pytest.approx(exact, rel=1e-14)
    assert sum(near) <= levels.size


def test_probabilities_in_single_precision_have_quantiles_in_double():
    def evaluate(x):
        return stats.expon.cdf(x), stats.expon.sf(x), stats.expon.pdf(x)

    levels = np.array([0.1, 0.7], dtype=np.float32)
    found = solve_quantiles(evaluate, levels, mean=1.0, sd=1.0, lower_end=0.0)
    assert found == pytest.approx(-np.log1p(-levels.astype(float)), rel=1e-13)


def test_a_start_with_hardly_any_density_leads_to_the_quantile_without_a_warning():
    law = stats.norm(10.0, 0.01)  # and a start 38 standard deviations above its median

    def evaluate(x):
        return law.cdf(x), law.sf(x), law.pdf(x)

    assert 0.0 < law.pdf(10.381) < 1e-308
    found = solve_quantiles(evaluate, np.array([0.5]), mean=10.381, sd=0.01, lower_end=0.0)
    assert found == pytest.approx([10.0], rel=1e-12)


def test_steps_stay_in_the_bracket_or_go_boldly_where_it_is_open():
    # Columns: proposal, the point just tried, whether that is too low, bracket, what is to follow.
    cases = [
        (1.5, 1.0, True, 1.0, 2.0, 1.5),  # inside
        (1.5, 2.0, False, 1.0, 2.0, 1.5),
        (3.0, 1.0, True, 1.0, 2.0, 1.5),  # above: the middle
        (0.0, 2.0, False, 1.0, 2.0, 1.5),  # below: the middle
        (np.nan, 1.0, True, 1.0, 2.0, 1.5),  # no slope at all: the middle
        (0.5, 1.0, True, 1.0, np.inf, 3.0),  # the wrong way, nothing known above: two up
        (2.5, 2.0, False, -np.inf, 2.0, 0.0),  # the wrong way, nothing known below: two down
        (70.0, 10.0, True, 10.0, np.inf, 12.0),  # a leap of sixty
        (45.0, 20.0, True, 20.0, np.inf, 45.0),  # 25 is none
    ]
    proposal, here, too_low, low, high, expected = map(np.array, zip(*cases, strict=True))
    assert _keep_inside(proposal, here, too_low, low, high).tolist() == expected.tolist()


def test_a_probability_within_a_jump_is_found_at_the_jump_when_the_bracket_has_closed():
    calls = []

    def evaluate(x):
        calls.append(x)
        lower = np.where(x < 150.0, 0.2, 0.8)
        return lower, 1.0 - lower, np.zeros_like(x)

    found = solve_quantiles(evaluate, np.array([0.5]), mean=100.0, sd=50.0, lower_end=0.0)
    assert found == pytest.approx([150.0], rel=1e-13)
    assert len(calls) <= 55  # a bracket of 2, halved to 1e-14: 48 times
