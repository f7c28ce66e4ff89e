"""What an interface changes: by hand, and against the tests of scipy."""

import numpy as np
import pytest
from scipy import stats

from howgood.learn.interface import interface_effects

LEVELS = ("plain", "certainty")


def test_within_people_it_is_the_paired_t_test():
    rng = np.random.default_rng(1)
    plain, sure = rng.normal(4, 1, 12), rng.normal(4.6, 1, 12)
    person = [*range(12), *range(12)]
    level = ["plain"] * 12 + ["certainty"] * 12
    (effect,) = interface_effects(person, ["s"] * 24, level, np.r_[plain, sure], levels=LEVELS)
    reference = stats.ttest_rel(sure, plain).confidence_interval(0.95)
    assert (effect.lower, effect.upper) == pytest.approx(tuple(reference))
    assert effect.is_within
    assert effect.people == 12


def test_between_people_it_is_welchs_error_with_the_freedom_of_imbens_and_kolesar():
    """Their closed form for two groups (2016, Review of Economics and Statistics 98, p. 704)."""
    rng = np.random.default_rng(2)
    plain, sure = rng.normal(4, 1, 9), rng.normal(4.6, 2, 14)
    level = ["plain"] * 9 + ["certainty"] * 14
    (effect,) = interface_effects(range(23), ["s"] * 23, level, np.r_[plain, sure], levels=LEVELS)
    error = stats.ttest_ind(sure, plain, equal_var=False)
    standard_error = (sure.mean() - plain.mean()) / error.statistic
    freedom = 23**2 * 8 * 13 / (14**2 * 13 + 9**2 * 8)
    half = stats.t.ppf(0.975, freedom) * standard_error
    assert effect.difference == pytest.approx(sure.mean() - plain.mean())
    assert effect.upper - effect.difference == pytest.approx(half)
    assert not effect.is_within


def test_scenarios_that_are_easier_do_not_count_for_the_interface_they_were_shown_in():
    """By hand: everybody rates s1 with 2 and s2 with 6, and certainty adds nothing."""
    person = ["a", "a", "b", "b", "c", "c"]
    scenario = ["s1", "s2"] * 3
    level = ["plain", "certainty"] * 2 + ["certainty", "plain"]
    (effect,) = interface_effects(person, scenario, level, np.array([2.0, 6.0] * 3), levels=LEVELS)
    assert effect.difference == pytest.approx(0, abs=1e-9)


def test_too_few_people_give_no_number():
    assert (
        interface_effects(
            ["a", "b"], ["s", "s"], ["plain", "certainty"], np.array([1.0, 2.0]), levels=LEVELS
        )
        == ()
    )


def test_calling_the_interfaces_the_other_way_round_turns_the_sign():
    rng = np.random.default_rng(3)
    person, scenario = np.repeat(np.arange(8), 4), np.tile(np.arange(4), 8)
    level = rng.permuted(np.tile(LEVELS, (8, 2)), axis=1).ravel()
    rating = rng.normal(size=32)
    (one,) = interface_effects(person, scenario, level, rating, levels=LEVELS)
    (other,) = interface_effects(person, scenario, level, rating, levels=LEVELS[::-1])
    assert one.difference == pytest.approx(-other.difference)
    assert one.lower == pytest.approx(-other.upper)
