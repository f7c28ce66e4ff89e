"""Estimates and intervals."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.errors import InputError
from howgood.records import Estimate, Interval


def test_quantile_interval_of_four_draws_by_hand():
    estimate = Estimate.from_draws([0.0, 1.0, 2.0, 3.0], probability=0.5, kind="quantile")
    assert estimate.mean == 1.5
    assert estimate.sd == pytest.approx(np.sqrt(1.25))
    assert (estimate.interval.lower, estimate.interval.upper) == (0.75, 2.25)


def test_highest_density_interval_is_shorter_than_the_quantile_interval_of_skewed_draws():
    draws = np.random.default_rng(1).exponential(size=20_000)
    shortest = Estimate.from_draws(draws).interval
    equal_tails = Estimate.from_draws(draws, kind="quantile").interval
    assert shortest.width < equal_tails.width
    # An exponential's shortest 95 % interval starts at zero and ends at -log(.05).
    assert shortest.lower == pytest.approx(0.0, abs=0.01)
    assert shortest.upper == pytest.approx(-np.log(0.05), abs=0.1)


@given(st.integers(0, 10_000), st.integers(2, 300), st.floats(0.05, 0.99))
def test_the_highest_density_interval_is_that_of_arviz(seed, size, probability):
    from arviz_stats.base import array_stats

    draws = np.random.default_rng(seed).gamma(2.0, size=size)
    interval = Estimate.from_draws(draws, probability=probability).interval
    expected = array_stats.hdi(draws, prob=probability)
    assert [interval.lower, interval.upper] == expected.tolist()


def test_an_interval_loads_neither_scipy_nor_xarray():
    program = (
        "from howgood.records import Estimate; import sys\n"
        "Estimate.from_draws([1., 2., 3.])\nprint(*sys.modules)"
    )
    loaded = subprocess.check_output([sys.executable, "-c", program], text=True).split()
    assert not {"scipy", "xarray", "pandas", "arviz_stats"} & set(loaded)


@given(st.floats(-1e6, 1e6), st.integers(1, 50))
def test_constant_draws_give_a_point(value, size):
    estimate = Estimate.from_draws([value] * size)
    assert estimate.interval.lower == estimate.interval.upper == value


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=60), st.floats(-50, 50))
def test_shifting_draws_shifts_mean_and_interval(draws, shift):
    before = Estimate.from_draws(draws, kind="quantile")
    after = Estimate.from_draws(np.asarray(draws) + shift, kind="quantile")
    assert after.mean == pytest.approx(before.mean + shift, abs=1e-9)
    assert after.interval.lower == pytest.approx(before.interval.lower + shift, abs=1e-9)


def test_probability_above_counts_ties_one_half():
    estimate = Estimate.from_draws([0.0, 1.0, 1.0, 2.0], kind="quantile")
    assert estimate.probability_above(1.0) == 0.5


@pytest.mark.parametrize("draws", [[], [1.0, float("nan")], [float("inf")]])
def test_draws_without_a_summary_are_refused(draws):
    with pytest.raises(InputError, match="draws"):
        Estimate.from_draws(draws)


def test_a_backwards_interval_is_refused():
    with pytest.raises(InputError, match="a lower end that does not exceed the upper"):
        Interval(lower=1.0, upper=0.0, probability=0.9, kind="quantile")


def test_membership_and_plain_values():
    interval = Interval(lower=0.0, upper=1.0, probability=0.9, kind="quantile")
    assert 0.5 in interval
    assert 1.5 not in interval
    assert interval.to_dict()["kind"] == "quantile"


def test_draws_whose_squares_no_number_holds_are_summed_up_all_the_same():
    found = Estimate.from_draws([1.5e308, 1.5e308, 1.5e308, -1.5e308], n_respondents=4)
    assert found.mean == pytest.approx(0.75e308)
    assert found.sd == pytest.approx(1.5e308 * np.sqrt(0.75))


def test_a_ratio_prints_its_median_which_lies_inside_its_interval():
    draws = np.concatenate([np.linspace(1.0, 3.0, 999), [1e6]])
    ratio = Estimate.from_draws(draws, probability=0.9, kind="quantile", centre="median")
    assert ratio.mean not in ratio.interval
    assert ratio.middle == np.median(draws)
    assert str(ratio).startswith("2 [")
    assert ratio.to_dict()["median"] == ratio.middle
    assert "median" not in Estimate.from_draws(draws).to_dict()
