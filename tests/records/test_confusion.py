import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.errors import InputError
from howgood.records.confusion import ConfusionMatrix, Range

COUNT = st.integers(min_value=0, max_value=5000)


def matrix(tp, fn, fp, tn):
    return ConfusionMatrix(
        true_positives=tp, false_negatives=fn, false_positives=fp, true_negatives=tn
    )


def test_rates_follow_from_counts():
    one = matrix(30, 10, 5, 55)
    assert (one.total, one.recall, one.precision) == (100, 0.75, 30 / 35)
    assert one.specificity == 55 / 60


def test_half_a_case_is_rounded_up():
    # 1 of 8 positive: 12.5 -> 13; 1 of 8 missed: 12.5 -> 13; negatives are the rest.
    assert matrix(0, 1, 0, 7).displayed() == matrix(0, 13, 0, 87)


@given(COUNT, COUNT, COUNT, COUNT)
def test_displayed_numbers_are_whole_and_add_up(tp, fn, fp, tn):
    if tp + fn + fp + tn == 0:
        return
    shown = matrix(tp, fn, fp, tn).displayed()
    values = list(shown.to_dict().values())
    assert shown.total == 100
    assert all(isinstance(value, int) and value >= 0 for value in values)
    exact = 100 * (tp + fn) / (tp + fn + fp + tn)
    assert abs(shown.positives - exact) <= 0.5
    assert abs(shown.false_negatives - 100 * fn / (tp + fn + fp + tn)) <= 0.5


@given(COUNT, COUNT, COUNT, COUNT)
def test_no_matrix_dominates_itself_and_dominance_is_one_sided(tp, fn, fp, tn):
    if tp + fn + fp + tn == 0:
        return
    one = matrix(tp, fn, fp, tn)
    better = matrix(tp + 1, fn, fp, tn)
    assert not one.dominates(one)
    assert better.dominates(one)
    assert not one.dominates(better)


@pytest.mark.parametrize("cells", [(-1, 0, 0, 5), (float("nan"), 1, 1, 1), (0, 0, 0, 0)])
def test_impossible_counts_are_refused(cells):
    with pytest.raises(InputError, match="ConfusionMatrix"):
        matrix(*cells)


def test_a_range_knows_what_lies_in_it():
    assert 0.2 in Range(0.1, 0.3)
    assert 0.4 not in Range(0.1, 0.3)
    assert Range(0.1, 0.3).middle == pytest.approx(0.2)
