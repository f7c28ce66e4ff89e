"""The Relevance Score inside scikit-learn."""

import pickle

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from howgood import ask, learn, score
from howgood.errors import InputError

CONTEXT = ["activity", "area", "time"]
ROWS = ask.simulate_lighting(random_state=1)


def _table(**settings):
    return learn.outcome_probabilities(ROWS, outcome="light", context=CONTEXT, **settings)


def _model():
    coder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_pipeline(coder, DecisionTreeClassifier(random_state=0))


@pytest.mark.parametrize("reference", ["all", "cross-fit"])
def test_frames_and_arrays_score_alike_in_cross_validation(reference):
    table = _table(reference=reference)
    by_name, by_place = (
        score.relevance_scorer(table),
        score.relevance_scorer(table, columns=[1, 2, 3]),
    )
    names = ["user", *CONTEXT, "company"]
    frame = ROWS.to_pandas()[names]
    polars = ROWS.to_polars().select(names)
    array = np.column_stack([ROWS[name] for name in names]).astype(object)
    found = [
        cross_validate(_model(), features, ROWS["light"], scoring={"rs": scorer}, cv=KFold(3))[
            "test_rs"
        ]
        for features, scorer in ((frame, by_name), (polars, by_name), (array, by_place))
    ]
    np.testing.assert_allclose(found[1], found[0])
    np.testing.assert_allclose(found[2], found[0])


def test_the_scorer_equals_the_score_of_the_predictions():
    frame = ROWS.to_pandas()
    model = _model().fit(frame[CONTEXT], ROWS["light"])
    scorer = score.relevance_scorer(_table(), alpha=1.0, beta=3.0)
    expected = score.relevance_score(
        ROWS["light"], model.predict(frame[CONTEXT]), contexts=ROWS, table=_table(), alpha=1, beta=3
    )
    assert scorer(model, frame[CONTEXT], ROWS["light"]) == pytest.approx(expected)


def test_a_grid_search_can_be_led_by_relevance():
    scorer = score.relevance_scorer(_table(reference="cross-fit"), columns=[2, 0, 1])
    array = np.column_stack([ROWS[name] for name in ("area", "time", "activity")]).astype(object)
    search = GridSearchCV(
        _model(), {"decisiontreeclassifier__max_depth": [1, 3, None]}, scoring=scorer, cv=KFold(3)
    ).fit(array, ROWS["light"])
    assert 0 < search.best_score_ <= 100


def test_the_scorer_travels_to_other_processes():
    scorer = pickle.loads(pickle.dumps(score.relevance_scorer(_table())))  # noqa: S301 - our own
    model = _model().fit(ROWS.to_pandas()[CONTEXT], ROWS["light"])
    assert scorer(model, ROWS.to_pandas()[CONTEXT], ROWS["light"]) > 0


def test_an_array_with_too_few_columns_is_refused():
    scorer = score.relevance_scorer(_table())
    array = np.column_stack([ROWS["area"]]).astype(object)
    model = _model().fit(array, ROWS["light"])
    with pytest.raises(InputError, match=r"columns \[0, 1, 2\] for activity, area, time"):
        scorer(model, array, ROWS["light"])
    with pytest.raises(InputError, match="not both 0"):
        score.relevance_scorer(_table(), alpha=0, beta=0)


def test_a_wider_array_needs_to_say_where_the_context_is():
    # Taking the first columns would meet unknown contexts only, and score every model 100.
    array = np.column_stack([ROWS[name] for name in ("user", *CONTEXT)]).astype(object)
    model = _model().fit(array, ROWS["light"])
    with pytest.raises(InputError, match="Say which columns of the array hold the context"):
        score.relevance_scorer(_table())(model, array, ROWS["light"])
    with pytest.raises(InputError, match=r"X of shape \(236, 4\)"):
        score.relevance_scorer(_table(), columns=[1, 2, 9])(model, array, ROWS["light"])


def test_columns_may_be_counted_from_the_end_and_no_further():
    array = np.column_stack([ROWS[name] for name in CONTEXT]).astype(object)
    model = _model().fit(array, ROWS["light"])
    plain = score.relevance_scorer(_table())(model, array, ROWS["light"])
    backwards = score.relevance_scorer(_table(), columns=[-3, -2, -1])
    assert backwards(model, array, ROWS["light"]) == plain
    for wrong in ([1, 2, 3], [-4, 1, 2]):
        with pytest.raises(InputError, match=r"X of shape \(236, 3\)"):
            score.relevance_scorer(_table(), columns=wrong)(model, array, ROWS["light"])


def test_what_becomes_of_unseen_contexts_is_the_scorers_choice():
    array = np.column_stack([ROWS[name] for name in CONTEXT]).astype(object)
    model = _model().fit(array, ROWS["light"])
    array[0, 0] = "juggling"
    with pytest.raises(InputError):
        score.relevance_scorer(_table(), unseen="error")(model, array, ROWS["light"])
    assert score.relevance_scorer(_table())(model, array, ROWS["light"]) > 0


def test_the_scorer_weighs_its_rows():
    frame = ROWS.to_pandas()
    model = _model().fit(frame[CONTEXT], ROWS["light"])
    predicted = model.predict(frame[CONTEXT])
    right = np.asarray(predicted) == np.asarray(ROWS["light"])
    assert 0 < right.sum() < len(right)
    scorer = score.relevance_scorer(_table())
    assert scorer(model, frame[CONTEXT], ROWS["light"], right.astype(float)) == pytest.approx(100.0)


def test_a_flat_array_holds_no_column():
    class Echo:
        def predict(self, features):
            return ["on"] * len(features)

    table = learn.outcome_probabilities(
        {"room": ["a", "b"], "light": ["on", "off"]}, outcome="light", context=["room"]
    )
    scorer = score.relevance_scorer(table)
    with pytest.raises(InputError, match=r"X of shape \(2,\)"):
        scorer(Echo(), np.array(["a", "b"]), ["on", "off"])
    assert scorer(Echo(), np.array([["a"], ["b"]]), ["on", "on"]) == 100.0
