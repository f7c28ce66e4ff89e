"""Metrics in scikit-learn 1.9's own tools: curves over thresholds, tuned thresholds, callbacks."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV

from howgood import score

METRICS = [score.PowerMean(p=0, alpha=0.3), score.LinearMetric(a0=0.2), score.FBetaMetric(beta=2)]


@pytest.fixture(scope="module")
def data():
    return make_classification(200, weights=[0.7], flip_y=0.1, random_state=1)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_the_curve_over_thresholds_holds_the_metric_at_each(metric, data):
    at_thresholds = getattr(metrics, "metric_at_thresholds", None)
    if at_thresholds is None:
        pytest.skip("scikit-learn before 1.9 has no metric_at_thresholds")
    features, truth = data
    scores = LogisticRegression().fit(features, truth).predict_proba(features)[:, 1]
    values, thresholds = at_thresholds(truth, scores, metric)
    expected = [metric(truth, (scores >= threshold).astype(int)) for threshold in thresholds]
    np.testing.assert_allclose(values, expected, rtol=1e-12)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_a_tuned_threshold_is_the_best_of_those_tried(metric, data):
    features, truth = data
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(), scoring=metric.scorer(), cv=3, store_cv_results=True
    ).fit(features, truth)
    assert tuned.best_score_ == pytest.approx(max(tuned.cv_results_["scores"]))


def test_a_callback_watches_the_metric_while_a_model_is_fitted(data):
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has none")
    features, truth = data
    metric = score.LinearMetric(a0=0.2)
    monitor = callback.ScoringMonitor(scoring=metric.scorer())
    model = LogisticRegression(max_iter=3).set_callbacks(monitor)
    with pytest.warns(ConvergenceWarning):
        model.fit(features, truth)
    whole, *steps = monitor.get_logs().data
    assert len(steps) == 3
    assert whole["score"] == pytest.approx(metric(truth, model.predict(features)))
