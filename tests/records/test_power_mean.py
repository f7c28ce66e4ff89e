"""The weighted power mean as a metric on labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.errors import InputError, LengthMismatchError
from howgood.records.power_mean import PowerMean

labels = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


@settings(deadline=None)  # the first example imports scikit-learn
@given(labels, st.floats(0.1, 10.0))
def test_the_harmonic_mean_is_scikit_learns_f_beta(pairs, beta):
    metrics = pytest.importorskip("sklearn.metrics")
    truth, predicted = np.array(pairs, dtype=int).T
    ours = PowerMean(p=-1, alpha=1 / (1 + beta**2))(truth, predicted)
    theirs = metrics.fbeta_score(truth, predicted, beta=beta, zero_division=0)
    assert ours == pytest.approx(theirs, abs=1e-12)


@given(labels)
def test_weights_of_two_equal_doubled_rows(pairs):
    truth, predicted = np.array(pairs, dtype=int).T
    metric = PowerMean(p=0, alpha=0.3)
    doubled = metric(np.repeat(truth, 2), np.repeat(predicted, 2))
    assert metric(truth, predicted, sample_weight=np.full(truth.size, 2.0)) == doubled


def test_other_labels_can_be_the_positive_ones():
    assert PowerMean(p=1, alpha=0.5)(["yes", "no"], ["yes", "yes"], pos_label="yes") == 0.75


def test_it_says_which_weight_is_allowed():
    with pytest.raises(InputError, match="between 0 and 1"):
        PowerMean(p=0, alpha=1.2)


def test_it_refuses_labels_of_different_length():
    with pytest.raises(LengthMismatchError, match="y_pred has 1"):
        PowerMean()([1, 0], [1])


def test_counts_and_labels_give_the_same_mean_and_empty_columns_count_as_zero():
    metric = PowerMean(p=0, alpha=0.3)
    means = metric.of_counts([2, 0, 0], [1, 3, 0], [2, 0, 4])
    np.testing.assert_allclose(means, [0.5**0.3 * (2 / 3) ** 0.7, 0.0, 0.0])
    assert metric([1, 1, 1, 0, 0], [1, 1, 0, 1, 1]) == pytest.approx(means[0])


def test_labels_of_two_kinds_are_refused_not_scored_as_all_wrong():
    with pytest.raises(InputError, match=r"1 in y_true and fraud in y_pred"):
        PowerMean(p=0, alpha=0.5)([1, 0], ["fraud", "fine"])
