"""Rows without a gap: refused or left out, counted, and announced where howgood was called."""

import warnings

import numpy as np
import pytest

from howgood import decide, learn
from howgood.errors import DroppedRowsWarning, InputError
from howgood.records.missing import complete_rows

GAPS = {
    "y": np.array(["a", None, "b", " "], dtype=object),
    "s": np.array([1.0, 2.0, np.inf, 4.0]),
}


def test_a_gap_is_refused_with_its_row():
    with pytest.raises(InputError, match=r"scores, column 'y': 2 of 4 values .* row 2"):
        complete_rows(GAPS, missing="error", where="scores", numbers=["s"])


def test_rows_with_gaps_are_left_out_and_counted():
    with pytest.warns(DroppedRowsWarning, match="3 of 4 rows left out.*2 in 'y', 1 in 's'"):
        rows, n_dropped = complete_rows(GAPS, missing="drop", where="scores", numbers=["s"])
    assert n_dropped == 3
    assert rows["y"].tolist() == ["a"]


def test_nothing_left_is_refused():
    with pytest.raises(InputError, match="no complete row among 1"):
        complete_rows({"y": np.array([np.nan])}, missing="drop", where="scores")


RATINGS = {"user": [1, 1, 2, 2, 3], "item": [1] * 5, "rating": [3.0, 4.0, 2.0, 3.0, 5.0]}


@pytest.mark.parametrize(
    "call",
    [
        lambda: learn.rating_uncertainty(RATINGS, missing="drop"),
        lambda: decide.rank_ratings(
            {**RATINGS, "a": [3.0] * 5, "b": [4.0] * 5}, predictions=["a", "b"], missing="drop"
        ),
        lambda: learn.rater_consistency(
            {**RATINGS, "rating": [3.0, 4.0, 2.0, 3.0, np.nan]}, missing="drop"
        ),
    ],
)
def test_a_note_points_at_the_line_that_called_howgood(call):
    """However many functions of howgood lie between."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert {note.filename for note in caught} == {__file__}
