"""Answers out of tables: names, labels, gaps."""

import numpy as np
import pytest

from howgood import ask
from howgood.errors import (
    DroppedRowsWarning,
    FileFormatError,
    InputError,
    MissingColumnError,
    MissingValueError,
    RepeatedRowsWarning,
    UnknownScaleWarning,
)


def _rows(**changes):
    rows = {
        "participant": ["a", "a", "b"],
        "application": ["alarm"] * 3,
        "precision": [0.5, 1.0, 1.0],
        "recall": [1.0, 1.0, 0.5],
        "rating": [2, 7, 5],
    }
    return {**rows, **changes}


def test_numbers_labels_and_text_numbers_mean_the_same():
    labels = ["Quite unlikely", "Extremely likely", " slightly LIKELY "]
    for rating in ([2, 7, 5], labels, ["2", "7", "5"]):
        assert ask.read_answers(_rows(rating=rating))["rating"].tolist() == [2, 7, 5]


def test_agreement_is_read_as_well_as_likelihood():
    rating = ["Strongly disagree", "Neither agree nor disagree", "Strongly agree"]
    assert ask.read_answers(_rows(rating=rating))["rating"].tolist() == [1, 4, 7]


def test_columns_are_mapped_by_our_name_first():
    frame = _rows()
    frame["ppv"] = frame.pop("precision")
    answers = ask.read_answers(frame, columns={"precision": "ppv"})
    assert answers["precision"].tolist() == [0.5, 1.0, 1.0]
    assert answers.provenance.settings["columns"] == {"precision": "ppv"}


def test_other_columns_are_read_where_they_are():
    answers = ask.read_answers(_rows(usefulness=[1, 2, 3], other=[0, 0, 0]))
    assert "usefulness" in answers
    assert "other" not in answers


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_every_frame_reads_the_same(kind):
    library = pytest.importorskip(kind)
    make = library.table if kind == "pyarrow" else library.DataFrame
    answers = ask.read_answers(make(_rows()))
    assert answers["participant"].tolist() == ["a", "a", "b"]
    assert answers["rating"].tolist() == [2, 7, 5]


def test_a_csv_file_is_read(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("participant,application,precision,recall,rating\na,x,1,0.5,Quite likely\n")
    assert ask.read_answers(path)["rating"].tolist() == [6]


def test_a_missing_file_is_an_error_in_words(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        ask.read_answers(tmp_path / "nowhere.csv")


def test_accepted_may_stand_for_a_rating():
    frame = _rows(accepted=["TRUE", "no", True])
    del frame["rating"]
    assert ask.read_answers(frame)["accepted"].tolist() == [1, 0, 1]


# -- gaps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [None, float("nan"), "NA", ""])
def test_rows_without_an_answer_are_left_out_and_counted(gap):
    rating = np.array([2, gap, 6], dtype=object)
    with pytest.warns(DroppedRowsWarning, match="1 with no rating of 3 rows"):
        answers = ask.read_answers(_rows(rating=rating))
    assert len(answers) == 2
    assert answers.provenance.rows_dropped == {"no rating": 1}
    assert answers.provenance.rows_used == 2


def test_a_gap_elsewhere_is_an_error_unless_dropped_by_name():
    frame = _rows(recall=[1.0, np.nan, 0.5])
    with pytest.raises(MissingValueError, match="row 2"):
        ask.read_answers(frame)
    with pytest.warns(DroppedRowsWarning, match="no recall"):
        assert len(ask.read_answers(frame, missing="drop")) == 2


def test_missing_error_refuses_every_gap():
    with pytest.raises(MissingValueError, match="rating"):
        ask.read_answers(_rows(rating=[2, None, 6]), missing="error")


def test_only_gaps_is_an_error():
    with pytest.raises(InputError, match="at least one complete answer"):
        ask.read_answers(_rows(rating=[None] * 3))


# -- wrong values --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rating": [0, 7, 5]}, "rating 0; expected whole numbers from 1 to 7"),
        ({"rating": [2, 8, 5]}, "rating 8"),
        ({"rating": [2.5, 7, 5]}, "rating 2.5"),
        ({"rating": ["fine", "good", "bad"]}, "'fine'.*Extremely unlikely"),
        ({"precision": [85, 90, 95]}, "row 1: 85; expected a precision between 0 and 1"),
        ({"recall": [-0.1, 0.5, 0.5]}, "between 0 and 1"),
        ({"recall": ["high", "low", "low"]}, "numbers between 0 and 1"),
    ],
)
def test_values_outside_the_scale_are_errors_that_say_where(changes, words):
    with pytest.raises(InputError, match=words):
        ask.read_answers(_rows(**changes))


def test_missing_columns_are_named():
    frame = _rows()
    del frame["application"]
    with pytest.raises(MissingColumnError, match="application"):
        ask.read_answers(frame)
    frame = _rows()
    del frame["rating"]
    with pytest.raises(MissingColumnError, match="rating"):
        ask.read_answers(frame)


def test_unknown_names_in_the_mapping_are_refused():
    with pytest.raises(InputError, match="one of our names"):
        ask.read_answers(_rows(), columns={"ppv": "precision"})


def test_unknown_policies_are_refused():
    with pytest.raises(InputError, match="unanswered, drop, error"):
        ask.read_answers(_rows(), missing="ignore")


def test_labels_belong_to_seven_points():
    with pytest.raises(InputError, match="numbers 1 to 5"):
        ask.read_answers(_rows(rating=["Quite likely"] * 3), scale=5)


def test_something_that_is_no_table_is_refused():
    with pytest.raises(InputError, match="table"):
        ask.read_answers(42)


def test_no_rows_are_refused():
    with pytest.raises(InputError, match="at least one answer"):
        ask.read_answers({name: [] for name in _rows()})


def test_surveys_write_useful_and_it_is_read_as_usefulness():
    read = ask.read_answers(_rows(useful=[1, 6, 7]))
    assert read["usefulness"].tolist() == [1, 6, 7]
    both = ask.read_answers(_rows(useful=[1, 6, 7], usefulness=[2, 2, 2]))
    assert both["usefulness"].tolist() == [2, 2, 2]


def _rated(*ratings):
    levels = np.linspace(0.5, 1.0, len(ratings))
    return {
        "participant": [f"p{k}" for k in range(len(ratings))],
        "application": ["alarm"] * len(ratings),
        "precision": levels,
        "recall": levels,
        "rating": list(ratings),
    }


def test_five_points_are_not_read_as_seven_without_a_word():
    with pytest.raises(InputError, match=r"7 ratings of 5, and none above.*scale=5"):
        ask.read_answers(_rated(1, 2, 3, 4, *[5] * 7))
    with pytest.warns(UnknownScaleWarning, match="no rating above 5"):
        ask.read_answers(_rated(1, 2, 3, 4, *[5] * 6))
    with pytest.warns(UnknownScaleWarning, match="no rating above 4; read as a scale of 7"):
        assert ask.read_answers(_rated(1, 2, 4)).provenance.settings["scale"] == 7
    assert ask.read_answers(_rated(1, 2, 3, 4, 5), scale=5).provenance.settings["scale"] == 5
    assert ask.read_answers(_rated(1, 2, 3, 4, 5), scale=7).provenance.settings["scale"] == 7
    assert len(ask.read_answers(_rated(1, 2, 6))) == 3
    told = {**_rated(*[4] * 7, *[5] * 7), "accepted": [False] * 7 + [True] * 7}
    assert len(ask.read_answers(told)) == 14  # what accepts says which scale it is
    told["accepted"] = [True] * 14
    with pytest.raises(InputError, match="7 ratings of 5"):
        ask.read_answers(told)
    assert len(ask.read_answers(_rated("Slightly unlikely", "Neither"))) == 2  # labels say it


def test_rows_that_repeat_an_earlier_one_are_counted():
    twice = {name: [*values, *values] for name, values in _rows().items()}
    with pytest.warns(RepeatedRowsWarning, match="3 of 6 rows repeat an earlier one"):
        assert len(ask.read_answers(twice)) == 6
    twice["rating"] = [2, 7, 5, 3, 6, 6]  # asked again, answered otherwise
    assert len(ask.read_answers(twice)) == 6


def test_a_renamed_column_that_is_missing_keeps_our_name():
    with pytest.raises(MissingColumnError) as found:
        ask.read_answers(_rows(), columns={"precision": "nope"})
    assert found.value.ours == {"nope": "precision"}
