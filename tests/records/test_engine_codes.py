"""Names as codes, made by the engine: the same as row by row, or left to the checks of rows."""

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.decide import rank_grades
from howgood.records import engine_codes
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


@pytest.mark.parametrize("kind", ["Int8", "Int16", "Int64"])
def test_whole_numbers_below_zero_keep_their_places(kind):
    numbers = np.arange(-100, 101)
    frame = pl.DataFrame({"n": pl.Series(numbers, dtype=getattr(pl, kind)), "g": numbers * 1.0})
    found = coded_columns(frame, ["n"], ["g"], where="grades")["n"]
    assert found.codes.tolist() == list(range(201))


def test_whole_numbers_too_large_for_a_sign_stay_distinct():
    numbers = [1, 2**63 + 1, 2**63 + 2]
    frame = pl.DataFrame({"n": pl.Series(numbers, dtype=pl.UInt64), "g": [1.0, 2.0, 3.0]})
    found = coded_columns(frame, ["n"], ["g"], where="grades")["n"]
    assert found.levels[found.codes].tolist() == numbers


@pytest.mark.parametrize("n_rows", [2, 4])
def test_a_table_that_changes_while_it_is_read_is_read_anew(monkeypatch, n_rows):
    frame = pl.DataFrame({"n": [1, 2, 3], "g": [1.0, 2.0, 3.0]})
    other = pl.DataFrame({"n": [1, 2, 3, 1][:n_rows], "g": [1.0] * n_rows})
    readings = iter([frame, other])
    opened = nw.from_native(frame).schema, lambda: [next(readings)]
    monkeypatch.setattr(engine_codes, "_opened", lambda *_: opened)
    assert coded_columns(frame, ["n"], ["g"], where="grades") is None


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
