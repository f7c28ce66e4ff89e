"""Names as codes, made by the engine: the same as row by row, or left to the checks of rows."""

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.decide import rank_grades
from howgood.records.engine_codes import coded_columns

NAMES = st.lists(
    st.text(alphabet="aäZ q1", min_size=1, max_size=3).filter(str.strip), min_size=2, max_size=30
)


def test_three_names_by_hand():
    frame = pl.DataFrame({"who": ["q3", "q1", "q3", "a"], "n": [7, 5, 7, 9], "g": [1, 2, 3, 4]})
    found = coded_columns(frame, ["who", "n"], ["g"], where="grades")
    assert found["who"].levels.tolist() == ["a", "q1", "q3"]
    assert found["who"].codes.tolist() == [2, 1, 2, 0]
    assert found["n"].levels.tolist() == [5, 7, 9]
    assert found["n"].codes.tolist() == [1, 0, 1, 2]
    assert found["g"].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert found["who"][np.array([0, 3])].codes.tolist() == [2, 0]


@settings(max_examples=20, deadline=None)
@given(names=NAMES)
def test_codes_are_places_among_sorted_names(names):
    frame = pl.LazyFrame({"who": names, "g": np.arange(len(names), dtype=float)})
    found = coded_columns(frame, ["who"], ["g"], where="grades")["who"]
    assert found.levels.tolist() == sorted(set(names))
    assert found.levels[found.codes].tolist() == names


@pytest.mark.parametrize(
    "column", [["a", None, "b"], ["a", " ", "b"], [1.5, 2.0, 2.5], [True, False, True]]
)
def test_gaps_and_other_types_are_left_to_the_checks_of_rows(column):
    frame = pl.DataFrame({"who": column, "g": [1.0, 2.0, 3.0]})
    assert coded_columns(frame, ["who"], ["g"], where="grades") is None
    assert coded_columns({"who": column, "g": [1, 2, 3]}, ["who"], ["g"], where="grades") is None
    good = pl.DataFrame({"who": ["a", "b", "c"], "g": [1.0, None, 3.0]})
    assert coded_columns(good, ["who"], ["g"], where="grades") is None


def test_boards_are_the_same_on_every_road():
    rng = np.random.default_rng(4)
    item, rater, system = (codes.ravel() for codes in np.indices((12, 3, 3)))
    columns = {
        "item": [f"q{number}" for number in item],
        "rater": [f"r{number}" for number in rater],
        "system": np.array(["b", "a", "c"])[system],
        "grade": rng.integers(1, 6, item.size).astype(float),
    }
    expected = rank_grades(columns)
    frame = pl.DataFrame(columns)
    for table in (frame, frame.lazy(), duckdb.sql("select * from frame")):
        found = rank_grades(table)
        assert found.systems == expected.systems
        np.testing.assert_allclose(found.errors, expected.errors, atol=1e-9)
