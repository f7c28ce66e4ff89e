import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.svm import LinearSVC

from howgood import learn
from howgood.errors import InputError, LengthMismatchError, MissingValueError
from howgood.records.confusion import ConfusionMatrix


def scores_and_truth(seed=0, n=2000):
    rng = np.random.default_rng(seed)
    probability = rng.beta(0.5, 0.9, n)
    return (rng.random(n) < probability).astype(int), probability


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 20).map(lambda k: k / 20)), min_size=4, max_size=60
    ),
    st.floats(0, 1),
)
def test_every_threshold_gives_the_matrix_scikit_learn_counts(cases, threshold):
    truth, scores = (np.array(each) for each in zip(*cases, strict=True))
    assume(0 < truth.sum() < len(truth) and len(set(scores)) > 5)
    try:
        matrices = learn.threshold_matrices(truth, scores)
    except InputError:
        assume(False)
    tn, fp, fn, tp = confusion_matrix(truth, scores >= threshold, labels=[False, True]).ravel()
    expected = ConfusionMatrix(
        true_positives=tp, false_negatives=fn, false_positives=fp, true_negatives=tn
    ).displayed()
    assert matrices.at(threshold) == expected


def test_no_matrix_is_listed_twice_and_ranges_touch():
    matrices = learn.threshold_matrices(*scores_and_truth())
    assert len(set(matrices)) == len(matrices)
    for earlier, later in zip(matrices.ranges, matrices.ranges[1:], strict=False):
        assert earlier.upper == later.lower
    assert matrices.ranges[0].lower == 0
    assert matrices.ranges[-1].upper == np.inf


def test_a_fitted_classifier_gives_the_matrices_of_its_probabilities():
    truth, scores = scores_and_truth()
    model = LogisticRegression().fit(scores[:, None], truth)
    probability = model.predict_proba(scores[:, None])[:, 1]
    assert learn.classifier_matrices(model, scores[:, None], truth) == learn.threshold_matrices(
        truth, probability
    )


def test_a_classifier_without_probabilities_is_refused():
    truth, scores = scores_and_truth()
    model = LinearSVC().fit(scores[:, None], truth)
    with pytest.raises(InputError, match="CalibratedClassifierCV"):
        learn.classifier_matrices(model, scores[:, None], truth)


def test_missing_values_are_an_error_unless_dropped_by_name():
    truth, scores = scores_and_truth(n=200)
    gappy = np.append(scores, np.nan)
    with pytest.raises(MissingValueError, match="scores"):
        learn.threshold_matrices(np.append(truth, 1), gappy)
    dropped = learn.threshold_matrices(np.append(truth, 1), gappy, missing="drop")
    assert dropped.rows_dropped == 1
    assert dropped.matrices == learn.threshold_matrices(truth, scores).matrices


@pytest.mark.parametrize(
    ("truth", "scores", "words"),
    [
        ([0, 0, 0, 0], [0.1, 0.2, 0.3, 0.4], "two classes"),
        ([0, 1, 2, 1], [0.1, 0.2, 0.3, 0.4], "two classes"),
        ([0, 1, 0, 1], [0.1, 1.2, 0.3, 0.4], "between 0 and 1"),
        ([0, 1, 0, 1], [-3, 1.2, 0.3, 0.4], "fit_recalibration"),
        ([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5], "at least 3"),
    ],
)
def test_what_cannot_be_asked_about_is_refused_in_words(truth, scores, words):
    with pytest.raises(InputError, match=words):
        learn.threshold_matrices(truth, scores)


def test_arrays_of_different_lengths_are_refused():
    with pytest.raises(LengthMismatchError):
        learn.threshold_matrices([0, 1], [0.1, 0.2, 0.3])


def test_systems_on_different_cases_are_refused():
    counts = {
        "true_positives": [9, 8, 2],
        "false_negatives": [1, 2, 3],
        "false_positives": [9, 4, 1],
        "true_negatives": [11, 16, 19],
    }
    with pytest.raises(InputError, match="same cases"):
        learn.table_matrices(counts)


def test_the_calibration_report_finds_what_is_wrong_and_recalibration_cures_it():
    truth, scores = scores_and_truth(n=6000)
    distorted = scores**3
    honest = learn.calibration_report(truth, scores, random_state=0)
    wrong = learn.calibration_report(truth, distorted, random_state=0)
    cured = learn.calibration_report(
        truth, learn.fit_recalibration(truth, distorted, method="isotonic")(distorted)
    )
    assert not honest.is_suspicious
    assert wrong.is_suspicious
    assert cured.error < 0.02 < wrong.error


def test_the_calibration_error_by_hand():
    # Two bins of 4: scores .25 with 2 of 4 positive, .75 with 3 of 4 positive.
    report = learn.calibration_report([1, 1, 0, 0, 1, 1, 1, 0], [0.25] * 4 + [0.75] * 4, bins=2)
    assert report.error == pytest.approx(0.125)


def test_logistic_recalibration_agrees_with_scikit_learn():
    truth, scores = scores_and_truth(n=3000)
    raw = 5 * scores - 9
    reference = LogisticRegression(C=1e6).fit(raw[:, None], truth)
    ours = learn.fit_recalibration(truth, raw)(raw)
    # Platt's targets differ from the labels by 1 / (n + 2).
    assert np.abs(ours - reference.predict_proba(raw[:, None])[:, 1]).max() < 0.005


def test_a_separable_score_still_gives_a_finite_map():
    recalibrate = learn.fit_recalibration([0, 0, 0, 1, 1, 1], [-3, -2, -1, 1, 2, 3])
    assert np.all(np.diff(recalibrate([-3, -1, 1, 3])) > 0)
