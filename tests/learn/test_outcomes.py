"""Outcome probabilities per context."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import learn
from howgood.errors import InputError, MissingColumnError, UnknownNameError

ROWS = {
    "user": ["u", "u", "v", "v", "w", "w"],
    "room": ["x", "x", "x", "y", "y", "x"],
    "hour": [1, 1, 1, 2, 2, 1],
    "light": ["A", "A", "B", "C", "A", "C"],
    "times": [1.0, 2.0, 1.0, 3.0, 1.0, 0.0],
}
FRAMES = {
    "dict": dict,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda rows: duckdb.from_arrow(pa.table(rows)),
}


def _table(rows=ROWS, **settings):
    return learn.outcome_probabilities(rows, outcome="light", context=["room", "hour"], **settings)


@pytest.mark.parametrize("kind", FRAMES)
def test_every_frame_gives_the_shares_counted_by_hand(kind):
    table = _table(FRAMES[kind](ROWS))
    # Room x, hour 1: A twice, B once, C once. Room y, hour 2: A once, C once.
    found = table.lookup(FRAMES[kind]({"room": ["x", "y"], "hour": [1, 2]}))
    assert table.outcomes.tolist() == ["A", "B", "C"]
    np.testing.assert_allclose(found, [[0.5, 0.25, 0.25], [0.5, 0.0, 0.5]])
    assert (table.n_contexts, table.n_rows, table.rows.tolist()) == (2, 6, [4, 2])


def test_spark_gives_the_shares_counted_by_hand(spark):
    rows = spark.createDataFrame(list(zip(*ROWS.values(), strict=True)), list(ROWS))
    plain = _table(rows)
    weighted = _table(rows, weights="times")
    new = {"room": ["x", "y"], "hour": [1, 2]}
    np.testing.assert_allclose(plain.lookup(new), [[0.5, 0.25, 0.25], [0.5, 0.0, 0.5]])
    np.testing.assert_allclose(weighted.lookup(new), [[0.75, 0.25, 0.0], [0.25, 0.0, 0.75]])
    np.testing.assert_allclose(plain.lookup(rows), _table().lookup(ROWS))


@pytest.mark.parametrize("kind", FRAMES)
def test_a_weight_equals_the_row_that_many_times(kind):
    repeated = {
        name: np.repeat(values, np.array(ROWS["times"], dtype=int)) for name, values in ROWS.items()
    }
    weighted = _table(FRAMES[kind](ROWS), weights="times")
    np.testing.assert_allclose(weighted.lookup(repeated), _table(repeated).lookup(repeated))


def test_smoothing_adds_to_every_outcome_of_every_context():
    found = _table(smoothing=1.0).lookup({"room": ["x", "y"], "hour": [1, 2]})
    np.testing.assert_allclose(found, [[3 / 7, 2 / 7, 2 / 7], [2 / 5, 1 / 5, 2 / 5]])


def test_dropped_columns_are_no_part_of_the_context():
    table = learn.outcome_probabilities(
        ROWS, outcome="light", context=["user", "room", "hour"], drop=["user"]
    )
    assert (table.context, table.dropped) == (("room", "hour"), ("user",))
    np.testing.assert_array_equal(table.weights, _table().weights)
    assert table.provenance.settings["dropped"] == ["user"]


def test_a_context_never_seen_has_no_probabilities():
    # Each value is known, but not this combination; then a value never seen at all.
    found = _table().lookup({"room": ["y", "cellar"], "hour": [1, 1]})
    assert np.isnan(found).all()


def test_an_array_gives_the_contexts_in_the_order_of_the_columns():
    table = learn.outcome_probabilities(
        {"a": [0, 0, 1], "b": [5, 6, 5], "y": [1, 0, 1]}, outcome="y", context=["a", "b"]
    )
    assert table.encode(np.array([[1, 5], [0, 6], [1, 6]])).codes.tolist() == [2, 1, 3]


def test_the_printed_table_names_each_context_with_its_rows():
    rows = list(_table().to_table().rows())
    assert len(rows) == 6
    first = rows[0]
    assert (first["room"], first["hour"], first["outcome"], first["rows"]) == ("x", 1, "A", 4)
    assert first["lower"] < first["probability"] == 0.5 < first["upper"]


def test_intervals_hold_shares_of_none_and_all():
    table = learn.outcome_probabilities(
        {"c": [0] * 5 + [1] * 5, "y": [0] * 5 + [0, 1, 1, 1, 1]}, outcome="y", context=["c"]
    ).to_table()
    # Jeffreys for 5 of 5, 0 of 5, 1 of 5 and 4 of 5, from tables of the beta distribution.
    assert table["lower"] == pytest.approx([0.621, 0.0, 0.023, 0.371], abs=0.001)
    assert table["upper"] == pytest.approx([1.0, 0.379, 0.629, 0.977], abs=0.001)


@settings(max_examples=60, deadline=None)
@given(
    data=st.lists(
        st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=40
    )
)
def test_shares_match_a_count_with_dictionaries(data):
    a, b, y = (list(column) for column in zip(*data, strict=True))
    rows = {"a": a, "b": b, "y": y}
    table = learn.outcome_probabilities(rows, outcome="y", context=["a", "b"])
    found = table.lookup(rows)
    for i, row in enumerate(data):
        here = [other[2] for other in data if other[:2] == row[:2]]
        expected = [here.count(label) / len(here) for label in sorted(set(y))]
        np.testing.assert_allclose(found[i], expected)


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars lazy", "duckdb"])
@pytest.mark.parametrize(
    ("column", "values"),
    [("light", ["A", None, "B", "C", "A", "C"]), ("room", ["x", "x", None, "y", "y", "x"])],
)
def test_gaps_in_outcome_or_context_are_named(kind, column, values):
    with pytest.raises(InputError, match=rf"{column}'.*1 of \d values missing"):
        _table(FRAMES[kind]({**ROWS, column: values}))


def test_a_gap_in_numbers_is_named_too():
    with pytest.raises(InputError, match=r"'hour'.*missing"):
        _table({**ROWS, "hour": [1, 1, np.nan, 2, 2, 1]})


@pytest.mark.parametrize("kind", ["dict", "polars lazy", "duckdb"])
@pytest.mark.parametrize("times", [[1.0, -2, 5, 1, 1, 1], [1.0, np.nan, 1, 1, 1, 1], [0.0] * 6])
def test_weights_that_cannot_be_weights_are_refused(kind, times):
    with pytest.raises(InputError, match="times"):
        _table(FRAMES[kind]({**ROWS, "times": times}), weights="times")


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars lazy"])
def test_text_is_no_weight(kind):
    with pytest.raises(InputError, match=r"'room'.*not numbers"):
        _table(FRAMES[kind](ROWS), weights="room")


def test_wrong_calls_say_what_is_needed():
    with pytest.raises(MissingColumnError, match="Did you mean 'room'"):
        learn.outcome_probabilities(ROWS, outcome="light", context=["rooms"])
    with pytest.raises(UnknownNameError, match=r"drop: no 'usr'.*Did you mean 'user'"):
        _table(drop=["usr"])
    with pytest.raises(InputError, match="the outcome 'light' among the context columns"):
        learn.outcome_probabilities(ROWS, outcome="light", context=["room", "light"])
    with pytest.raises(InputError, match="no context columns left"):
        _table(drop=["room", "hour"])
    with pytest.raises(InputError, match="without rows"):
        _table({"room": [], "hour": [], "light": []})
    with pytest.raises(InputError, match="smoothing"):
        _table(smoothing=-1.0)
    with pytest.raises(UnknownNameError, match="reference"):
        _table(reference="test")
    with pytest.raises(InputError, match="folds belong"):
        _table(folds="user")
    with pytest.raises(InputError, match="Name a column of folds"):
        _table(weights="times", reference="cross-fit")
    with pytest.raises(InputError, match=r"numbers such as 3.*text such as 'x'"):
        _table().lookup({"room": [3], "hour": [1]})
    with pytest.raises(InputError, match="in this order: room, hour"):
        _table().lookup([["x"]])
    with pytest.raises(InputError, match="cannot be put in order"):
        _table({**ROWS, "room": np.array(["x", 1, "x", 1, "x", 1], dtype=object)})
    with pytest.raises(InputError, match="a table: pandas"):
        _table(object())


def test_many_columns_of_many_values_do_not_overflow():
    generator = np.random.default_rng(0)
    rows = {f"c{i}": generator.normal(size=500) for i in range(12)}
    table = learn.outcome_probabilities(
        {**rows, "y": np.arange(500) % 3}, outcome="y", context=list(rows)
    )
    assert table.n_contexts == 500
    assert len(np.unique(table.encode(rows).codes)) == 500


@pytest.mark.parametrize("kind", sorted(FRAMES))
def test_a_dropped_column_need_not_be_in_the_context(kind):
    table = _table(FRAMES[kind](ROWS), drop=["user"])
    assert table.dropped == ("user",)
    assert "user" not in table.context
    np.testing.assert_array_equal(table.weights, _table(FRAMES[kind](ROWS)).weights)


@pytest.mark.parametrize("column", ["room", "light"])
def test_nan_in_a_list_of_texts_is_missing(column):
    rows = {name: list(values) for name, values in ROWS.items()}
    rows[column][1] = float("nan")
    with pytest.raises(InputError, match=rf"'{column}'.*missing \(first: row 2\)"):
        _table(rows)


def test_gaps_in_a_lazy_frame_are_counted_in_rows():
    frame = pl.LazyFrame({"room": ["a", None, None, None], "light": ["x", "y", "y", "y"]})
    with pytest.raises(InputError, match=r"'room': 3 of 4 values missing;"):
        learn.outcome_probabilities(frame, outcome="light", context=["room"])


def test_rows_that_no_engine_can_read_are_named(tmp_path):
    (tmp_path / "ragged.csv").write_text("room,light\na,x\na,x,y,z\n")
    with pytest.raises(InputError, match="rows that cannot be read"):
        learn.outcome_probabilities(
            pl.scan_csv(tmp_path / "ragged.csv"), outcome="light", context=["room"]
        )
