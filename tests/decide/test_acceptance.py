"""The accepting share of a classifier, and gates built on it."""

import numpy as np
import pytest
from scipy.special import expit

from howgood import decide
from howgood.errors import InputError


def _labels(tp, fn, fp, tn):
    truth = np.repeat([1, 1, 0, 0], [tp, fn, fp, tn])
    return truth, np.repeat([1, 0, 1, 0], [tp, fn, fp, tn])


def test_a_huge_test_set_leaves_the_known_share(make_people):
    people = make_people(
        {"a": {"alpha": 0.5, "intercept": -10.0, "slope": 14.0, "person_sd": 0.0}}, n_draws=1
    )
    share = decide.acceptance(people, *_labels(81_000, 9_000, 9_000, 900_000), random_state=1)
    assert share.mean == pytest.approx(expit(-10 + 14 * 0.9), abs=0.002)
    assert share.n_respondents == 25


def test_a_small_test_set_widens_the_interval(known):
    wide = decide.acceptance(
        known, *_labels(9, 1, 1, 20), application="recall first", random_state=1
    )
    narrow = decide.acceptance(
        known, *_labels(900, 100, 100, 2000), application="recall first", random_state=1
    )
    assert wide.interval.width > 5 * narrow.interval.width


def test_no_errors_in_ten_cases_is_not_proof_of_perfection(known):
    share = decide.acceptance(
        known, *_labels(10, 0, 0, 10), application="recall first", random_state=1
    )
    assert share.interval.width > 0.02


def test_a_classifier_strong_in_recall_belongs_where_recall_counts(known):
    choice = decide.best_application(known, *_labels(190, 10, 90, 700), random_state=1)
    assert choice.best == "recall first"
    assert sum(choice.best_probability.values()) == pytest.approx(1.0)
    assert choice.acceptance["recall first"].mean > choice.acceptance["precision first"].mean
    balanced = decide.best_application(known, *_labels(18, 2, 2, 70), random_state=1)
    assert balanced.best is None


def test_relabelling_applications_relabels_the_choice(make_people):
    one = {"alpha": 0.2, "intercept": -12.0, "slope": 16.0}
    two = {"alpha": 0.8, "intercept": -12.0, "slope": 16.0}
    labels = _labels(190, 10, 90, 700)
    assert decide.best_application(make_people({"x": one, "y": two}), *labels).best == "x"
    assert decide.best_application(make_people({"y": one, "x": two}), *labels).best == "y"


@pytest.mark.parametrize(
    ("cells", "verdict"),
    [
        ((980, 20, 20, 5000), "pass"),
        ((600, 400, 400, 5000), "fail"),
        ((17, 3, 3, 70), "investigate"),
    ],
)
def test_the_gate_passes_fails_or_says_it_does_not_know(known, cells, verdict):
    found = decide.gate(known, "recall first", *_labels(*cells), share=0.75, random_state=1)
    assert found.verdict == verdict
    assert found.p_enough == pytest.approx(np.mean(found.acceptance.draws >= 0.75))
    assert found.to_dict()["acceptance"]["mean"] == found.acceptance.mean


def test_shares_in_percent_are_refused_with_the_cure(known):
    with pytest.raises(InputError, match="Divide percentages by 100"):
        decide.gate(known, "recall first", [1, 0], [1, 0], share=80)


@pytest.mark.parametrize("gap", ["y_true", "y_pred"])
def test_a_gate_takes_no_missing_label_for_a_negative(known, gap):
    labels = {"y_true": [1.0, 0.0, 1.0], "y_pred": [1.0, 0.0, 0.0]}
    labels[gap][1] = float("nan")
    with pytest.raises(InputError, match=rf"{gap}: 1 of 3 labels missing"):
        decide.gate(known, "recall first", labels["y_true"], labels["y_pred"])
