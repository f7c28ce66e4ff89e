"""Our own table, and columns out of anybody's."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from howgood import decide
from howgood.errors import InputError, LengthMismatchError, MissingColumnError
from howgood.records import Table
from howgood.records.table import check_sizes, frame_column_names, frame_columns

COLUMNS = {"user": ["a", "b", "c"], "rating": [1.0, 2.5, 4.0], "other": [7, 8, 9]}


def _duckdb(columns):
    arrow = pa.table(columns)
    return duckdb.from_arrow(arrow)


FRAMES = {
    "dict": lambda columns: columns,
    "Table": Table,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": _duckdb,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_columns_come_out_of_every_kind_of_frame(make):
    columns = frame_columns(make(COLUMNS), ["rating", "user"], where="ratings")
    assert list(columns) == ["rating", "user"]
    np.testing.assert_array_equal(columns["rating"], COLUMNS["rating"])
    assert list(columns["user"]) == COLUMNS["user"]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_names_come_without_reading_rows(make):
    assert frame_column_names(make(COLUMNS)) == list(COLUMNS)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_missing_column_is_named_with_the_nearest_one(make):
    with pytest.raises(MissingColumnError, match="Did you mean 'rating'") as caught:
        frame_columns(make(COLUMNS), ["ratings"], where="ratings")
    assert caught.value.column == "ratings"


def test_what_is_not_a_table_is_refused():
    with pytest.raises(InputError, match="a table: pandas"):
        frame_columns(3, ["a"], where="ratings")


def test_a_table_counts_rows_and_becomes_any_frame():
    table = Table(COLUMNS)
    assert len(table) == 3
    assert isinstance(table.to_pandas(), pd.DataFrame)
    assert isinstance(table.to_polars(), pl.DataFrame)
    assert isinstance(table.to_frame("pyarrow"), pa.Table)
    assert list(pd.DataFrame(table)["other"]) == COLUMNS["other"]
    assert pl.DataFrame(table).height == 3
    assert next(table.rows()) == {"user": "a", "rating": 1.0, "other": 7}


def test_an_empty_table_has_no_rows_and_is_still_a_table():
    assert len(Table({})) == 0
    assert bool(Table({"a": []}))


def test_unequal_columns_are_refused():
    with pytest.raises(LengthMismatchError, match="a has 1, b has 2"):
        Table({"a": [1], "b": [1, 2]})


def test_print_shows_the_first_rows_in_columns():
    shown = str(Table({"user": ["a", "bcd"] * 15, "rating": [1 / 3, 4.0] * 15})).splitlines()
    assert shown[:3] == ["user  rating", "a     0.3333", "bcd   4"]
    assert shown[-1] == "... 30 rows"
    assert len(shown) == 22


def test_print_of_nothing_is_nothing():
    assert str(Table({})) == ""
    assert str(Table({"a": []})) == "a"


def test_tables_and_results_speak_arrow():
    table = Table({"user": ["a", "b"], "rating": [4.5, 5.0]})
    assert pa.table(table).to_pydict() == {"user": ["a", "b"], "rating": [4.5, 5.0]}
    ranking = decide.rank({"a": [3.0, 4.0], "b": [1.0, 5.0]}, mean=[3.0, 4.0], sd=0.5)
    assert pa.table(ranking)["system"].to_pylist() == list(ranking.order)


@pytest.mark.parametrize("number", [1e200, -1e101])
def test_a_number_whose_square_overflows_is_refused_with_its_row(number):
    with pytest.raises(InputError, match="row 3"):
        check_sizes(np.array([1.0, np.nan, number]), where="grades")


def test_gaps_infinity_and_no_rows_at_all_are_no_large_numbers():
    for numbers in ([], [np.nan, np.nan], [1e100, np.inf]):
        check_sizes(np.array(numbers), where="grades")
