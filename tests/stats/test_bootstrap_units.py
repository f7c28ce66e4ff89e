"""The mean over units: exact where the Bayesian bootstrap is known in closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, t

from howgood.learn.elicitation.group import group_mean, spread_between
from howgood.records.estimate import Estimate
from howgood.stats.bootstrap import ratio_draws, widened


def _known(*values):
    return [Estimate.from_draws(np.full(200, value), kind="quantile") for value in values]


def _mean_draws(values, draws, sizes=1.0):
    sizes = np.broadcast_to(sizes, np.shape(values))[:, None]
    above = sizes * np.array(values)[:, None]
    return ratio_draws(above, sizes, draws=draws, generator=np.random.default_rng(1))[:, 0]


def test_means_have_the_moments_of_the_bayesian_bootstrap():
    values = np.array([0.1, 0.2, 0.6, 0.9])
    draws = _mean_draws(values, 200_000)
    # Rubin (1981): mean of the values; variance = population variance / (n + 1).
    assert draws.mean() == pytest.approx(values.mean(), abs=0.001)
    assert draws.var() == pytest.approx(values.var() / (len(values) + 1), rel=0.02)


def test_a_unit_that_stands_for_more_rows_counts_as_often():
    draws = _mean_draws([0.2, 0.8], 100_000, sizes=np.array([3.0, 1.0]))
    # With two units the weight of the first is uniform: the median has both at one half.
    assert np.median(draws) == pytest.approx((3 * 0.2 + 0.8) / 4, abs=0.003)
    assert draws.min() >= 0.2
    assert draws.max() <= 0.8


def test_a_unit_that_counts_for_nothing_changes_nothing():
    # Only the first unit counts in the first column: whatever its weight, the ratio is 3 / 2.
    above, below = np.array([[3.0, 1.0], [0.0, 4.0]]), np.array([[2.0, 1.0], [0.0, 1.0]])
    found = ratio_draws(above, below, draws=50, generator=np.random.default_rng(3))
    assert found[:, 0] == pytest.approx(1.5)
    # The second column is uniform between the ratios of its units.
    assert np.all((found[:, 1] > 1.0) & (found[:, 1] < 4.0))
    assert np.ptp(found[:, 1]) > 1.5


@pytest.mark.parametrize("n_units", [4000, 12_000])
def test_ratios_of_many_units_have_the_moments_of_the_delta_method(n_units):
    rng = np.random.default_rng(4)
    below = rng.uniform(1, 3, size=(n_units, 2))
    above = below * np.array([0.5, 2.0]) + rng.normal(size=(n_units, 2))
    found = ratio_draws(above, below, draws=5_000, generator=rng)
    ratio = above.sum(axis=0) / below.sum(axis=0)
    sd = np.sqrt(((above - ratio * below) ** 2).sum(axis=0)) / below.sum(axis=0)
    assert found.mean(axis=0) == pytest.approx(ratio, abs=5 * sd.max() / np.sqrt(5_000))
    assert found.std(axis=0) == pytest.approx(sd, rel=0.05)


@pytest.mark.parametrize("n_units", [4000, 12_000])
def test_draws_of_two_calls_are_paired_however_many_units(n_units):
    rng = np.random.default_rng(7)
    shared, own = rng.normal(size=(2, n_units, 1))
    once = np.ones((n_units, 1))
    first, second = (
        ratio_draws(each, once, draws=4_000, generator=np.random.default_rng(8))
        for each in (shared, shared + own)
    )
    # The gap of two means is the mean of the gaps: it varies as they do.
    assert np.std(second - first) == pytest.approx(own.std() / np.sqrt(n_units), rel=0.06)


def test_stretching_keeps_the_draws_of_other_numbers_of_units_paired():
    draws = np.random.default_rng(9).normal(size=2000)
    five, four = (
        widened(draws, 0.0, n_units=n, n_fitted=1, generator=np.random.default_rng(10))
        for n in (5, 4)
    )
    assert np.corrcoef(five / draws, four / draws)[0, 1] > 0.5
    assert np.argmax(np.abs(five / draws)) == np.argmax(np.abs(four / draws))


def test_one_person_alone_is_known_as_well_as_that_person_is():
    person = Estimate.from_draws(np.linspace(0.1, 0.3, 1001), probability=0.9, kind="quantile")
    found = group_mean([person], draws=20_000, random_state=1)
    assert found.interval.lower == pytest.approx(0.11, abs=0.003)
    assert found.interval.upper == pytest.approx(0.29, abs=0.003)


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=8), st.integers(0, 100))
def test_the_mean_lies_between_the_extremes_whoever_comes_first(values, seed):
    people = _known(*values)
    found = group_mean(people, draws=200, random_state=seed)
    assert min(values) - 1e-12 <= found.mean <= max(values) + 1e-12
    assert spread_between(people) == pytest.approx(spread_between(people[::-1]))


def test_doubt_about_each_person_is_not_taken_for_a_difference_between_people():
    rng = np.random.default_rng(5)
    # Everybody has the same weight, each known only roughly.
    people = [
        Estimate.from_draws(rng.normal(0.3 + rng.normal(0, 0.05), 0.05, 2000)) for _ in range(200)
    ]
    assert np.std([each.mean for each in people]) > 0.04
    assert spread_between(people) < 0.025


def test_widened_draws_of_a_mean_are_students_t():
    """Eight values: the posterior of a normal mean is t with 7 degrees of freedom."""
    rng = np.random.default_rng(5)
    values = np.array([1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.5])
    weights = rng.dirichlet(np.ones(8), size=100_000)
    draws = widened(weights @ values, values.mean(), n_units=8, n_fitted=1, generator=rng)
    z = (draws - values.mean()) / (values.std(ddof=1) / np.sqrt(8))
    # Bootstrap weights are not quite normal: a twentieth is left for that.
    for level in (0.75, 0.9, 0.975):
        assert np.quantile(z, level) == pytest.approx(t.ppf(level, 7), rel=0.05)


def test_widening_many_units_changes_nothing_and_one_unit_is_no_error():
    rng = np.random.default_rng(6)
    draws = rng.normal(size=50)
    many = widened(draws, 0.0, n_units=10**8, n_fitted=3, generator=rng)
    np.testing.assert_allclose(many, draws, rtol=0.01)
    few = widened(draws, 0.0, n_units=2, n_fitted=3, generator=rng)
    assert np.isfinite(few).all()
    assert np.std(few) > np.std(draws)


@pytest.mark.parametrize("n_fitted", [1, 2, 5])
def test_two_units_are_stretched_by_one_degree_of_freedom_at_least(n_fitted):
    rng = np.random.default_rng(11)
    wide = widened(np.ones(40_000), 0.0, n_units=2, n_fitted=n_fitted, generator=rng)
    levels = [0.25, 0.5, 0.75]
    assert np.quantile(3 / wide**2, levels) == pytest.approx(chi2.ppf(levels, 1), rel=0.04)


def test_columns_of_one_draw_are_stretched_alike_and_draws_are_not():
    draws = np.full((50, 2), [1.0, -3.0])
    wide = widened(draws, 0.0, n_units=4, n_fitted=1, generator=np.random.default_rng(12))
    np.testing.assert_allclose(wide[:, 1], -3 * wide[:, 0])
    assert len(np.unique(wide[:, 0])) == 50
