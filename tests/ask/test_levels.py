"""Scenarios: the published ones, exact rounding, and levels that cannot be told in counts."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood import ask
from howgood.errors import InputError

# Kay et al. 2015, Study 1: recall level -> TP, FN, FP at precision 1/2, 2/3, 5/6, 1.
PUBLISHED = {
    Fraction(1, 2): (5, 5, [5, 3, 1, 0]),
    Fraction(2, 3): (7, 3, [7, 4, 1, 0]),
    Fraction(5, 6): (8, 2, [8, 4, 2, 0]),
    Fraction(1): (10, 0, [10, 5, 2, 0]),
}


def test_the_sixteen_published_scenarios_in_order():
    expected = [
        (tp, fn, fp) for tp, fn, false_positives in PUBLISHED.values() for fp in false_positives
    ]
    found = [(s.true_positives, s.false_negatives, s.false_positives) for s in ask.scenarios()]
    assert found == expected


def test_the_weather_study_counts_dry_days_too():
    rainy = ask.scenarios(real_positives=15, cases=30)
    assert rainy[8].true_positives == 13  # recall 5/6 of 15 is 12.5, rounded half up
    assert all(
        s.true_positives + s.false_negatives + s.false_positives + s.true_negatives == 30
        for s in rainy
    )


def test_floats_mean_the_fractions_people_write():
    assert ask.scenarios(precision=[0.6667], recall=[0.8333]) == ask.scenarios(
        precision=[Fraction(2, 3)], recall=[Fraction(5, 6)]
    )


levels = st.fractions(min_value=Fraction(1, 10), max_value=1, max_denominator=50)


@given(levels, levels, st.integers(10, 200))
def test_counts_come_as_close_as_whole_numbers_can(precision, recall, positives):
    (scenario,) = ask.scenarios(precision=[precision], recall=[recall], real_positives=positives)
    assert scenario.real_positives == positives
    assert abs(scenario.true_positives - positives * recall) <= Fraction(1, 2)
    wanted = scenario.true_positives / precision
    assert abs(scenario.true_positives + scenario.false_positives - wanted) <= Fraction(1, 2)
    assert scenario.desired_recall == float(recall)


@given(levels, levels)
def test_order_is_recall_outer_precision_inner(first, second):
    study = ask.scenarios(precision=[1, Fraction(1, 2)], recall=[first, second])
    assert [s.desired_recall for s in study] == [float(first)] * 2 + [float(second)] * 2
    assert [s.desired_precision for s in study] == [1.0, 0.5] * 2


@pytest.mark.parametrize("level", [0, -0.1, 1.2, float("nan"), "half", "1/0", 1e-300])
def test_a_level_outside_zero_to_one_is_refused(level):
    with pytest.raises(InputError, match="above 0 and up to 1"):
        ask.scenarios(precision=[level])


def test_levels_may_be_written_as_text():
    assert ask.scenarios(precision=["2/3"], recall=["0.5"]) == ask.scenarios(
        precision=[Fraction(2, 3)], recall=[Fraction(1, 2)]
    )


@pytest.mark.parametrize("level", ["1e-999999999", "1e-5000", "1/" + "9" * 5000])
def test_a_level_of_a_gigabyte_is_refused_at_once(level):
    with pytest.raises(InputError, match="above 0 and up to 1"):
        ask.scenarios(recall=[level])


def test_too_few_cases_are_refused_with_the_number_needed():
    with pytest.raises(InputError, match="at least 30 cases"):
        ask.scenarios(precision=[0.5], recall=[1], real_positives=15, cases=29)


def test_a_recall_that_rounds_to_nothing_is_refused():
    with pytest.raises(InputError, match="at least one true positive"):
        ask.scenarios(recall=[0.01])


@pytest.mark.parametrize("count", [0, 2.5])
def test_real_positives_are_a_whole_number(count):
    with pytest.raises(InputError, match="whole number"):
        ask.scenarios(real_positives=count)
