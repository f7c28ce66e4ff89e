import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.svm import LinearSVC

from howgood import learn, score
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


def rare(share, n=4800, seed=3):
    """Cases of which a share is positive, and calibrated scores that tell them well apart."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) < round(share * n)
    logit = np.log(share / (1 - share)) + 3 * (rng.normal(size=n) + 3 * truth) - 4.5
    return truth, 1 / (1 + np.exp(-logit))


def best_misses(truth, scores, a0):
    """How many positives the best threshold misses, by trying every one of them."""
    tried = [
        (a0 * np.sum(~truth & (scores < cut)) + (1 - a0) * np.sum(truth & (scores >= cut)),
         np.sum(truth & (scores < cut)))
        for cut in np.append(np.unique(scores), np.inf)
    ]  # fmt: skip
    return max(tried)[1]


@pytest.mark.parametrize(
    ("share", "out_of"),
    [(0.35, 100), (0.1, 100), (0.0998, 1000), (0.01, 1000), (0.0099, 10_000), (0.004, 10_000),
     (0.0005, 10_000), (0.95, 1000)],
)  # fmt: skip
def test_the_rarer_class_is_always_visible(share, out_of):
    truth, scores = rare(share, n=10_000)
    matrices = learn.threshold_matrices(truth, scores, out_of="auto")
    assert matrices.out_of == out_of
    assert {each.total for each in matrices} == {out_of}
    assert min(matrices[0].positives, matrices[0].negatives) >= min(10, 10_000 * share)


@pytest.mark.parametrize("out_of", [100, "auto"])
@pytest.mark.parametrize(
    "seed", [3, *[pytest.param(seed, marks=pytest.mark.slow) for seed in (5, 8)]]
)
def test_a_recommended_threshold_is_the_best_by_the_counts_themselves(seed, out_of):
    """At 1 % positives, matrices out of 100 show one positive: found unless 24 of 48 are missed.

    Chosen by them, thresholds missed 16, 23 and 21 where the best ones miss 4, 9 and 12.
    """
    truth, scores = rare(0.01, seed=seed)
    matrices = learn.threshold_matrices(truth, scores, out_of=out_of)
    learner = learn.Elicitor(matrices, random_state=1, catch_pairs=0, repeats=0)
    result = learn.ask_oracle(learner, score.LinearMetric(a0=0.05).prefers)
    missed = int(np.sum(truth & (scores < result.thresholds.middle)))
    assert missed == result.counts.false_negatives == best_misses(truth, scores, result.metric.a0)


def test_at_four_in_a_thousand_people_can_still_be_asked():
    truth, scores = rare(0.004, n=5000)
    with pytest.raises(InputError, match='out_of="auto"'):
        learn.Elicitor(learn.threshold_matrices(truth, scores))
    matrices = learn.threshold_matrices(truth, scores, out_of="auto")
    learner = learn.Elicitor(matrices, random_state=1)
    result = learn.ask_oracle(learner, score.LinearMetric(a0=0.05).prefers)
    assert 0.05 in result.interval
    assert result.counts.false_negatives == best_misses(truth, scores, result.metric.a0)
    assert result.checks.catch_wrong == 0
    for each in learner.answers:
        if each.query.kind == "catch":
            gap = abs(each.query.first.false_positives - each.query.second.false_positives)
            found = abs(each.query.first.true_positives - each.query.second.true_positives)
            # Three cases in ten thousand would be nothing to see.
            assert found >= 1 or gap >= 3 * 99


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 20).map(lambda k: k / 20)), min_size=4, max_size=60
    ),
    st.floats(0.001, 0.999),
)
def test_no_threshold_is_better_than_the_best_of_those_kept(cases, a0):
    truth, scores = (np.array(each) for each in zip(*cases, strict=True))
    assume(0 < truth.sum() < len(truth) and len(set(scores)) > 5)
    try:
        counts = learn.threshold_matrices(truth, scores).counts
    except InputError:
        assume(False)
    metric = score.LinearMetric(a0=a0)
    tried = [metric(truth, scores >= cut) for cut in (*np.unique(scores), 2.0)]
    best = counts.best(metric)
    assert metric.of(counts.matrix(best)) == pytest.approx(max(tried), abs=1e-12)
    assert metric(truth, scores >= min(counts.ranges[best].upper, 2.0)) == pytest.approx(
        max(tried), abs=1e-12
    )
    ends = counts.optimal_range(best)
    assert ends.lower - 1e-12 <= a0 <= ends.upper + 1e-12
    assert ends == pytest.approx(
        learn.optimal_range(
            counts.matrix(best), [counts.matrix(index) for index in range(len(counts.missed))]
        )
    )
    again = type(counts).from_dict(counts.to_dict())
    assert again == counts


@pytest.mark.parametrize("out_of", [1, 0, -5, 2.5, True, "many", None])
def test_an_impossible_number_of_imagined_cases_is_refused(out_of):
    with pytest.raises(InputError, match="whole number of imagined cases"):
        learn.threshold_matrices(*scores_and_truth(n=100), out_of=out_of)


def test_a_table_of_systems_with_a_rare_class_shows_it_too():
    counts = {
        "true_positives": [45, 40, 20], "false_negatives": [5, 10, 30],
        "false_positives": [900, 300, 20], "true_negatives": [9050, 9650, 9930],
    }  # fmt: skip
    shown = learn.table_matrices(counts, out_of="auto")
    assert [(each.positives, each.false_negatives) for each in shown] == [
        (50, 5),
        (50, 10),
        (50, 30),
    ]
    assert {each.total for each in shown} == {10_000}


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
