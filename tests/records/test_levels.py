"""Values coded by their place among known values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.errors import InputError
from howgood.records.levels import as_column, codes_of, distinct, numbered, places

INTEGERS = st.lists(st.integers(-(2**40), 2**40) | st.integers(-5, 5), min_size=1, max_size=20)


@given(known=INTEGERS, values=INTEGERS)
def test_places_agree_with_a_dictionary(known, values):
    levels = np.unique(known)
    expected = [levels.tolist().index(v) if v in levels.tolist() else -1 for v in values]
    assert places(np.array(values), levels).tolist() == expected


@given(keys=st.lists(st.integers(0, 2**45) | st.integers(0, 9), max_size=20))
def test_numbering_agrees_with_unique(keys):
    found, place = numbered(np.array(keys, dtype=np.int64))
    expected = np.unique(np.array(keys, dtype=np.int64))
    assert found.tolist() == expected.tolist()
    assert found[place].tolist() == keys


@pytest.mark.parametrize(
    "values",
    [
        np.array([3, 1, 3], dtype=np.uint8),
        np.array([True, False, True]),
        np.array([0.5, -1.0, 0.5]),
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
        np.array(["2026-01-02", "2026-01-01", "2026-01-02"], dtype="datetime64[D]"),
    ],
    ids=lambda values: str(values.dtype),
)
def test_every_kind_of_column_is_coded_in_sorted_order(values):
    levels = distinct(values, where="test")
    assert codes_of(values, levels, where="test").tolist() == [1, 0, 1]


@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA, pd.NaT])
def test_every_kind_of_gap_is_named(gap):
    with pytest.raises(InputError, match=r"1 of 3 values missing \(first: row 2\)"):
        as_column(np.array(["a", gap, "b"], dtype=object), where="test")
    with pytest.raises(InputError, match="missing"):
        as_column(np.array(["2026-01-01", "NaT"], dtype="datetime64[D]"), where="test")


def test_a_column_has_one_dimension():
    with pytest.raises(InputError, match="one value per row"):
        as_column(np.zeros((2, 2)), where="test")


def test_nothing_is_among_no_levels():
    assert codes_of(np.array([1.5]), np.array([]), where="test").tolist() == [-1]
