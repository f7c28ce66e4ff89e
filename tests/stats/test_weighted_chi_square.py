"""Means of squared Gaussians: hand cases, edges, and the parts the inversion is made of."""

import pickle

import numpy as np
import pytest
from scipy.stats import chi2, kstest

from howgood.stats.cumulant_functions import GroupedCumulants
from howgood.stats.moments import power_sums
from howgood.stats.weighted_chi_square import (
    Groups,
    WeightedChiSquare,
    condense,
    group_terms,
    series_allowed,
)

ZERO = np.zeros(1)


def _law(deviation, sd):
    return WeightedChiSquare.from_terms(np.array(deviation, float), np.array(sd, float), ZERO)


def test_power_sums_equal_their_definition():
    rng = np.random.default_rng(1)
    deviation, sd = rng.normal(size=20_000), rng.uniform(0, 2, 20_000)
    sums = power_sums(deviation + 3.0, sd, np.full(20_000, 3.0))
    for s in range(1, 13):
        expected = np.sum(sd ** (2 * s) + s * sd ** (2 * s - 2) * deviation**2)
        assert sums.sums[s - 1] == pytest.approx(expected, rel=1e-11)
    assert sums.variance_sum == pytest.approx(np.sum(sd**2), rel=1e-13)
    assert sums.largest_variance == sd.max() ** 2


def test_two_equal_terms_are_exponential():
    law = _law([0.0, 0.0], [1.0, 1.0])
    x = np.array([1e-12, 0.3, 1.0, 5.0, 300.0])
    assert law.sf(x) == pytest.approx(np.exp(-x), rel=1e-12)
    assert law.pdf(x) == pytest.approx(np.exp(-x), rel=1e-12)
    # Far out, below any absolute tolerance: a last bit of x is there 300 of the result.
    for far in (law.sf(x[-1:]), law.pdf(x[-1:])):
        assert far == pytest.approx(np.exp(-x[-1:]), rel=1e-11, abs=0)
    assert law.pdf(np.array([0.0]))[0] == pytest.approx(1.0, rel=1e-12)
    assert law.quantile(np.array([0.5]))[0] == pytest.approx(np.log(2.0), rel=1e-13)


def test_one_term_has_an_infinite_density_at_zero_and_none_below():
    law = _law([0.0], [1.0])
    assert law.pdf(np.array([-1.0, 0.0])).tolist() == [0.0, np.inf]
    assert law.pdf(np.array([0.7])) == pytest.approx(chi2.pdf(0.7, 1), rel=1e-12)


def test_two_terms_alone_leave_a_density_at_zero():
    # (1² Z² + 3² Z'²) / 2 has density 1 / (1 * 3) at 0; a deviation of 1 of sd 1 costs exp(-1/2).
    zero = np.zeros(1)
    assert _law([0, 0], [1, 3]).pdf(zero) == pytest.approx(1 / 3)
    assert _law([1, 0], [1, 3]).pdf(zero) == pytest.approx(np.exp(-0.5) / 3)
    assert _law([0, 0], [2, 2]).pdf(zero) == pytest.approx(1 / 4)
    assert _law([0, 0, 0], [1, 2, 3]).pdf(zero) == 0.0
    assert _law([0], [2]).pdf(zero) == np.inf


def test_no_spread_is_a_point_and_nothing_warns():
    law = _law([1.0, 2.0], [0.0, 0.0])
    assert law.cdf(np.array([2.4999, 2.5, np.inf, -np.inf])).tolist() == [0.0, 1.0, 1.0, 0.0]
    assert law.quantile(np.array([0.0, 0.3, 1.0])).tolist() == [2.5, 2.5, 2.5]
    assert law.root_moments() == (2.5**0.5, 0.0)
    assert set(law.sample(5, np.random.default_rng(0))) == {2.5}


def test_terms_without_spread_only_shift_the_rest():
    shifted = _law([3.0, 0.5], [0.0, 1.0])
    alone = _law([0.5], [1.0])
    x = np.array([0.01, 0.4, 3.0])
    assert shifted.cdf(4.5 + x / 2) == pytest.approx(alone.cdf(x), rel=1e-11)
    assert shifted.cdf(np.array([4.5, 4.0])).tolist() == [0.0, 0.0]


def test_infinity_and_missing_points_have_the_obvious_values():
    law = _law([0.5, 1.0], [1.0, 0.3])
    assert law.cdf(np.array([-np.inf, 0.0, np.inf])).tolist() == [0.0, 0.0, 1.0]
    assert law.sf(np.array([-np.inf, np.inf])).tolist() == [1.0, 0.0]
    assert np.isnan(law.cdf(np.array([np.nan]))[0])
    assert law.quantile(np.array([0.0, 1.0])).tolist() == [0.0, np.inf]


def test_fifty_terms_may_not_use_the_series_but_thousands_may():
    assert not series_allowed(power_sums(np.full(50, 1.0), np.ones(50), ZERO))
    assert series_allowed(power_sums(np.full(5000, 1.0), np.ones(5000), ZERO))


def test_series_and_exact_function_agree():
    rng = np.random.default_rng(2)
    law = _law(rng.normal(size=5000), rng.uniform(0.2, 2, 5000))
    other = _law(law._gather.args[0], law._gather.args[1])
    other.series = None
    x = law.mean + law.sd * np.linspace(-7, 7, 29)
    assert law.cdf(x) == pytest.approx(other.cdf(x), abs=1e-11)
    assert law.sf(x) == pytest.approx(other.sf(x), rel=1e-8, abs=0.0)
    assert law.pdf(x) == pytest.approx(other.pdf(x), rel=1e-7, abs=1e-9)


def test_condensing_keeps_the_cumulants():
    rng = np.random.default_rng(3)
    groups = group_terms(rng.normal(size=4000), rng.uniform(0.001, 2, 4000), ZERO)
    few = condense(groups)
    assert len(few) < 800
    for power in range(1, 8):
        full = groups.weights**power
        assert few.weights**power @ few.counts == pytest.approx(full @ groups.counts, rel=1e-12)
        assert few.weights**power @ few.noncentral == pytest.approx(
            full @ groups.noncentral, rel=1e-12
        )


@pytest.mark.parametrize("spread", ["many sizes", "close to the top"])
def test_condensing_keeps_the_cumulant_function_close_to_its_singularity(spread):
    rng = np.random.default_rng(9)
    weights = {
        "many sizes": np.exp(rng.uniform(np.log(1e-9), 0.0, 6000)),
        "close to the top": 1.0 - np.exp(rng.uniform(np.log(1e-6), 0.0, 6000)) / 2,
    }[spread]
    groups = Groups(
        weights=7.0 * weights,
        counts=np.ones(6000),
        noncentral=rng.exponential(size=6000),
        constant=0.0,
    )
    few = condense(groups)
    assert len(few) < 1200
    full, short = (
        GroupedCumulants.of(each.weights, each.counts, each.noncentral, constant=0.0)
        for each in (groups, few)
    )
    assert short.scale == pytest.approx(full.scale, rel=1e-13)
    edge = np.append(1 - np.logspace(-4, -0.5, 8), [0.1, -0.5, -5.0, -50.0]) * full.upper_limit
    for s in (edge, edge + 1j * full.upper_limit, edge + 30j * full.upper_limit):
        assert short.value(s + 0j) == pytest.approx(full.value(s + 0j), rel=1e-11)
    for ours, theirs in zip(short.slopes(edge), full.slopes(edge), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-9)


def test_power_sums_alone_give_the_same_body_and_say_when_they_cannot():
    rng = np.random.default_rng(4)
    law = _law(rng.normal(size=3000), rng.uniform(0.2, 2, 3000))
    alone = WeightedChiSquare.from_sums(law.sums)
    x = law.mean + law.sd * np.linspace(-5, 5, 21)
    assert alone.cdf(x) == pytest.approx(law.cdf(x), abs=1e-11)
    few = WeightedChiSquare.from_sums(power_sums(np.zeros(5), np.ones(5), ZERO))
    assert few.series is None
    assert few.cdf(np.array([1.0])) == pytest.approx(chi2.cdf(5.0, 5), rel=1e-12)
    few = WeightedChiSquare.from_sums(power_sums(np.zeros(5), np.full(5, 3.0), ZERO))
    assert few.cdf(np.array([4.5, 18.0])) == pytest.approx(chi2.cdf([2.5, 10.0], 5), rel=1e-12)


@pytest.mark.parametrize("unit", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("kept", ["terms", "sums"])
def test_thousands_of_equal_terms_are_a_scaled_chi_square(unit, kept):
    law = _law(np.zeros(4000), np.full(4000, unit))
    law = law if kept == "terms" else WeightedChiSquare.from_sums(law.sums)
    assert law.series is not None
    reference = chi2(4000, scale=unit**2 / 4000)
    x = reference.ppf([1e-9, 0.001, 0.3, 0.5, 0.99, 1 - 1e-9])
    assert law.cdf(x) == pytest.approx(reference.cdf(x), rel=1e-8, abs=0.0)
    assert law.sf(x) == pytest.approx(reference.sf(x), rel=1e-8, abs=0.0)
    assert law.pdf(x) == pytest.approx(reference.pdf(x), rel=1e-8, abs=0.0)
    assert law.pdf(np.array([0.0, -1.0])).tolist() == [0.0, 0.0]
    assert law.quantile(np.array([0.001, 0.5])) == pytest.approx(reference.ppf([0.001, 0.5]))
    draws = law.sample(4000, np.random.default_rng(8))
    assert kstest(draws, reference.cdf).pvalue > 0.001


@pytest.mark.parametrize("unit", [1e-30, 1e30])
def test_units_whose_powers_no_number_holds_do_without_the_series(unit):
    law = _law(np.zeros(1000), np.full(1000, unit))
    assert law.series is None
    x = np.array([0.9, 1.0, 1.1])
    assert law.cdf(x * unit**2) == pytest.approx(chi2.cdf(1000 * x, 1000), rel=1e-9)


@pytest.mark.parametrize("n", [3000, 100_000])
@pytest.mark.parametrize("unit", [0.1, 1.0, 30.0])
def test_the_series_is_trusted_as_far_as_what_it_leaves_out_is_negligible(n, unit):
    # For n equal terms K(s) = -n/2 log(1 - 2 s / (n sd)): in standard units, with r = sqrt(2/n),
    # the term of order j is s^j r^(j-2) / j. All beyond the twelfth may come to 1e-12.
    reach = _law(np.zeros(n), np.full(n, unit)).series.reach
    ratio, orders = np.sqrt(2 / n), np.arange(13, 200)
    left_out = np.sum(reach**orders * ratio ** (orders - 2.0) / orders)
    assert 0.4e-12 < left_out <= 1e-12


def test_points_in_single_precision_have_probabilities_in_double():
    x = np.array([0.3, 1.7], dtype=np.float32)
    assert _law([0.0, 0.0], [1.0, 1.0]).sf(x) == pytest.approx(np.exp(-x.astype(float)), rel=1e-12)


def test_a_point_where_two_contours_meet_is_served_by_one():
    law = _law([0.0, 0.0], [1.0, 1.0])  # mean and sd are 1: a quarter of a sd above the mean
    law.has_lines = False
    assert law.sf(np.array([1.25])) == pytest.approx(np.exp([-1.25]), rel=1e-12)
    assert law.cdf(np.array([1.25])) == pytest.approx(-np.expm1([-1.25]), rel=1e-12)


def test_progress_of_draws_is_told_for_every_fiftieth_of_the_groups_and_the_last():
    law, told = _law(np.zeros(101), np.arange(1.0, 102.0)), []
    law.sample_groups(3, np.random.default_rng(0), told.append)
    assert told == [number / 101 for number in [*range(2, 101, 2), 101]]


def test_a_law_survives_pickling():
    law = _law([0.5, 1.0], [1.0, 0.3])
    again = pickle.loads(pickle.dumps(law))  # noqa: S301 - our own bytes
    assert again.cdf(np.array([0.7])) == law.cdf(np.array([0.7]))


def test_draws_have_the_laws_mean_and_variance():
    law = _law([0.5, 1.0, 0.0, 2.0], [1.0, 0.3, 0.3, 0.0])
    draws = law.sample(200_000, np.random.default_rng(5))
    assert draws.mean() == pytest.approx(law.mean, abs=4 * law.sd / np.sqrt(200_000))
    assert np.mean(draws <= law.mean) == pytest.approx(law.cdf(np.array([law.mean]))[0], abs=0.005)


def test_powers_that_no_number_holds_are_infinite_without_a_warning():
    sums = power_sums(np.zeros(1), np.full(1, 1e30), np.zeros(1))
    assert sums.sums[0] == pytest.approx(1e60)
    assert sums.sums[-1] == np.inf
