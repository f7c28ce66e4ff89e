"""Ibis and Dask tables go wherever a frame goes, and give what pandas gives.

DuckDB, Polars, PyArrow and Spark are in the tests of the functions themselves.
"""

import numpy as np
import pandas as pd
import pytest

from howgood import ask, decide, learn, score

_REASON = "not among the packages of make test-library"
dd = pytest.importorskip("dask.dataframe", reason=_REASON)
ibis = pytest.importorskip("ibis", reason=_REASON)
# Ibis asks pandas for an option that pandas is about to drop.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string'")
SYSTEMS = {"a": "pi1", "b": "pi2"}


def _ratings():
    rng = np.random.default_rng(1)
    mean = rng.normal(3, 1, 60)
    return pd.DataFrame(
        {
            "mu": mean,
            "sigma": rng.uniform(0.2, 0.8, 60),
            "pi1": mean + rng.normal(0, 0.3, 60),
            "pi2": mean + rng.normal(0, 0.9, 60),
        }
    )


@pytest.fixture(params=["ibis", "dask"])
def as_engine(request):
    if request.param == "ibis":
        return lambda frame: ibis.memtable(frame)
    return lambda frame: dd.from_pandas(frame, npartitions=2)


def test_sums_and_the_ranking_are_those_of_pandas(as_engine):
    frame = _ratings()
    names = {"mean": "mu", "sd": "sigma", "predictions": SYSTEMS}
    sums = score.squared_error_sums(as_engine(frame), **names)
    expected = score.squared_error_sums(frame, **names)
    np.testing.assert_allclose(sums.deviation_powers, expected.deviation_powers, rtol=1e-10)
    ranking, reference = decide.rank_sums(sums), decide.rank_sums(expected)
    assert ranking.order == reference.order
    assert ranking.error("a", "b") == pytest.approx(reference.error("a", "b"), rel=1e-8)


def test_repeated_ratings_are_gathered_alike(as_engine):
    frame = pd.DataFrame(
        {"user": [1, 1, 1, 2, 2], "item": [7, 7, 7, 7, 7], "rating": [3.0, 4.0, 5.0, 2.0, 2.0]}
    )
    lazy = learn.rating_uncertainty(as_engine(frame))  # stays in its engine
    found = (lazy.compute() if hasattr(lazy, "compute") else lazy.execute()).sort_values("user")
    assert found["mean"].tolist() == [4.0, 2.0]
    assert found["trials"].tolist() == [3, 2]


def test_outcomes_are_counted_alike(as_engine):
    frame = pd.DataFrame({"room": ["x"] * 4, "light": list("AABC")})
    table = learn.outcome_probabilities(as_engine(frame), outcome="light", context=["room"])
    np.testing.assert_allclose(np.sort(table.to_table()["probability"]), [0.25, 0.25, 0.5])


def test_answers_are_read_alike(as_engine):
    alarm = {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}
    answers = ask.simulate_answers(alarm, people=5, random_state=1).to_pandas()
    read = ask.read_answers(as_engine(answers))
    expected = ask.read_answers(answers)
    assert len(read) == len(expected)


def test_grades_are_ranked_alike(as_engine):
    rng = np.random.default_rng(2)
    grades = pd.DataFrame(
        {
            "item": np.repeat(np.arange(12), 4),
            "system": ["a", "a", "b", "b"] * 12,
            "rater": ["x", "y"] * 24,
            "grade": rng.normal(size=48),
        }
    )
    names = {name: name for name in grades.columns}
    found = decide.rank_grades(as_engine(grades), **names)
    expected = decide.rank_grades(grades, **names)
    assert found.order == expected.order
    assert found.error("a", "b") == pytest.approx(expected.error("a", "b"), abs=1e-6)
