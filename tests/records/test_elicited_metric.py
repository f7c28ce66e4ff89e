import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score
from sklearn.model_selection import TunedThresholdClassifierCV, cross_val_score

from howgood import score
from howgood.errors import HowgoodError, InputError

LABELS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def test_the_linear_metric_by_hand():
    # 2 TP, 1 FN, 1 FP, 6 TN of 10: .2 * .6 + .8 * .2
    truth, predicted = [1] * 3 + [0] * 7, [1, 1, 0, 1] + [0] * 6
    assert score.LinearMetric(a0=0.2)(truth, predicted) == pytest.approx(0.28)


@given(LABELS)
def test_equal_weights_are_half_the_accuracy(pairs):
    truth, predicted = np.array(pairs).T
    accuracy = np.mean(truth == predicted)
    assert score.LinearMetric(a0=0.5)(truth, predicted) == pytest.approx(accuracy / 2)


@given(LABELS, st.floats(0.2, 8))
def test_f_beta_is_scikit_learns(pairs, beta):
    truth, predicted = np.array(pairs).T
    expected = fbeta_score(truth, predicted, beta=beta, zero_division=0)
    assert score.FBetaMetric(beta=beta)(truth, predicted) == pytest.approx(expected)


def test_weights_count_as_that_many_cases():
    metric = score.LinearMetric(a0=0.3)
    twice = metric([1, 1, 0], [1, 1, 1])
    assert metric([1, 0], [1, 1], sample_weight=[2, 1]) == pytest.approx(twice)


def test_a_system_within_the_cap_beats_any_beyond_it():
    metric = score.CappedMetric(cap=0.03)
    within, beyond = metric.of_counts([33, 31], [2, 4], [64, 0], [1, 65])
    assert within > beyond


def test_costs_and_threshold_follow_from_the_weight():
    metric = score.LinearMetric(a0=0.125)
    assert metric.ratio == 7.0
    assert metric.threshold == 0.125
    assert metric.cost_matrix().tolist() == [[0, 0.125], [0.875, 0]]


def test_ten_false_alarms_in_a_thousand_cases_cost_what_the_docs_say():
    """The page about gates gives this margin where a miss is worth four false alarms."""
    metric = score.LinearMetric(a0=1 / (1 + 4))
    before, alarms, misses = metric.of_counts(
        [90, 90, 87.5], [10, 10, 12.5], [20, 30, 20], [880, 870, 880]
    )
    assert before - alarms == pytest.approx(0.002, abs=1e-12)
    assert before - misses == pytest.approx(0.002, abs=1e-12)


@pytest.mark.parametrize(
    "metric", [score.LinearMetric(a0=0.1), score.FBetaMetric(beta=2), score.CappedMetric(cap=0.02)]
)
def test_metrics_tune_thresholds_in_scikit_learn(metric):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2))
    y = (x[:, 0] + rng.normal(size=400) > 0.5).astype(int)
    scorer = metric.scorer()
    assert repr(metric) in repr(scorer)
    assert np.isfinite(cross_val_score(LogisticRegression(), x, y, scoring=scorer)).all()
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=3).fit(x, y)
    assert 0 < tuned.best_threshold_ < 0.5  # misses weigh more than false alarms in all three


@pytest.mark.parametrize(
    ("maker", "bad"),
    [
        (score.LinearMetric, {"a0": 1.2}),
        (score.LinearMetric, {"a0": float("nan")}),
        (score.FBetaMetric, {"beta": 0}),
        (score.CappedMetric, {"cap": -0.1}),
    ],
)
def test_impossible_parameters_are_refused(maker, bad):
    with pytest.raises(InputError):
        maker(**bad)


def test_labels_of_different_lengths_are_refused():
    with pytest.raises(HowgoodError, match="y_true has 2"):
        score.LinearMetric(a0=0.5)([1, 0], [1])
