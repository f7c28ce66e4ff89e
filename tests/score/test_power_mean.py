"""The weighted power mean as a function and as a scikit-learn metric."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_validate

from howgood import score
from howgood.errors import InputError

shares = st.floats(0.0, 1.0)


def test_means_by_hand():
    np.testing.assert_allclose(
        score.power_mean(0.9, 0.4, p=[-1, 0, 1], alpha=0.25),
        [1 / (0.25 / 0.9 + 0.75 / 0.4), 0.9**0.25 * 0.4**0.75, 0.25 * 0.9 + 0.75 * 0.4],
    )


@settings(deadline=None)
@given(shares, shares, st.floats(-5, 5), shares)
def test_a_mean_lies_between_its_parts(precision, recall, p, alpha):
    value = float(score.power_mean(precision, recall, p=p, alpha=alpha))
    assert min(precision, recall) - 1e-9 <= value <= max(precision, recall) + 1e-9


@settings(deadline=None)
@given(shares, shares, st.floats(-5, 5), st.integers(0, 64))
def test_swapping_precision_and_recall_swaps_the_weight(precision, recall, p, sixty_fourths):
    alpha = sixty_fourths / 64  # 1 - alpha is exact
    assert float(score.power_mean(precision, recall, p=p, alpha=alpha)) == pytest.approx(
        float(score.power_mean(recall, precision, p=p, alpha=1 - alpha)), abs=1e-9
    )


@pytest.mark.parametrize(
    "wrong", [{"precision": 85}, {"recall": -0.1}, {"alpha": 2}, {"p": np.nan}]
)
def test_impossible_values_are_refused_with_the_name(wrong):
    values = {"precision": 0.8, "recall": 0.8, "alpha": 0.5, "p": 0} | wrong
    with pytest.raises(InputError, match=next(iter(wrong))):
        score.power_mean(
            values["precision"], values["recall"], p=values["p"], alpha=values["alpha"]
        )


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(1, 9)), min_size=1, max_size=30),
    st.floats(0.2, 5.0),
)
def test_the_harmonic_mean_is_f_beta_as_scikit_learn_has_it(rows, beta):
    truth, predicted, weight = (np.array(column) for column in zip(*rows, strict=True))
    ours = score.PowerMean(p=-1, alpha=1 / (1 + beta**2))(truth, predicted, sample_weight=weight)
    theirs = fbeta_score(truth, predicted, beta=beta, sample_weight=weight, zero_division=0)
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_another_positive_label_can_be_named():
    metric = score.PowerMean(p=1, alpha=1.0)
    assert metric(["spam", "ham"], ["spam", "spam"], pos_label="spam") == 0.5


@pytest.fixture(scope="module")
def data():
    return make_classification(300, weights=[0.8], flip_y=0.1, random_state=3)


def test_the_scorer_works_in_cross_validation_and_search(data):
    scorer = score.PowerMean(p=0, alpha=0.35).scorer()
    found = cross_validate(LogisticRegression(), *data, scoring={"acceptability": scorer}, cv=3)
    assert np.all(found["test_acceptability"] > 0.3)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, scoring=scorer, cv=3)
    search.fit(*data)
    assert search.best_score_ > 0.3
    assert "PowerMean" in repr(search)


def test_the_scorer_tunes_a_threshold_towards_what_counts(data):
    chosen = {
        alpha: TunedThresholdClassifierCV(
            LogisticRegression(), scoring=score.PowerMean(p=0, alpha=alpha).scorer(), cv=3
        )
        .fit(*data)
        .best_threshold_
        for alpha in (0.1, 0.9)
    }
    assert chosen[0.1] < chosen[0.9]


def test_metric_and_scorer_survive_pickling(data):
    metric = score.PowerMean(p=-1, alpha=0.3)
    assert pickle.loads(pickle.dumps(metric)) == metric  # noqa: S301 - our own bytes
    model = LogisticRegression().fit(*data)
    scorer = pickle.loads(pickle.dumps(metric.scorer()))  # noqa: S301 - our own bytes
    assert scorer(model, *data) == metric(data[1], model.predict(data[0]))


def test_an_order_that_is_no_number_is_refused_among_others():
    with pytest.raises(InputError, match="expected a number"):
        score.power_mean(0.5, 1.0, p=[1.0, np.nan], alpha=0.5)


def test_text_labels_without_a_positive_one_are_refused_with_what_to_write(data):
    features, labels = data
    words = np.where(labels == 1, "fraud", "fine")
    metric = score.PowerMean(p=0, alpha=0.35)
    with pytest.raises(InputError, match="pos_label='fraud'"):
        metric(words, words)
    grid = {"C": [1.0]}
    search = GridSearchCV(
        LogisticRegression(), grid, scoring=metric.scorer(), cv=3, error_score="raise"
    )
    with pytest.raises(InputError, match=r"scorer\(pos_label='fraud'\)"):
        search.fit(features, words)
    named = GridSearchCV(LogisticRegression(), grid, scoring=metric.scorer(pos_label="fraud"), cv=3)
    numbered = GridSearchCV(LogisticRegression(), grid, scoring=metric.scorer(), cv=3)
    expected = numbered.fit(features, labels).best_score_
    assert named.fit(features, words).best_score_ == pytest.approx(expected)
