"""What the command line says to do: options of the command, not keyword arguments of Python."""

import pytest

from howgood.ask import read_answers
from howgood.cli.main import run
from howgood.errors import AlikeNamesWarning

HEADER = "participant,application,precision,recall,rating"
ROWS = ["a,alarm,0.5,1,2", "a,alarm,1,1,6", "b,alarm,1,0.5,3"]


def _said(capsys, tmp_path, lines, *options, command="fit"):
    table = tmp_path / "table.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run([command, str(table), *options]) == 2
    return capsys.readouterr().err


def test_all_missing_columns_come_at_once_with_the_options_to_type(capsys, tmp_path):
    header = "Participant ID,application,Precision (%),Recall (%),How acceptable?"
    said = _said(capsys, tmp_path, [header, *ROWS])
    assert "expected 'rating', 'participant', 'precision', 'recall'" in said
    assert "--map rating=COLUMN --map participant='Participant ID'" in said
    assert "--map precision='Precision (%)'" in said


@pytest.mark.parametrize(
    ("row", "options", "expected"),
    [
        (",alarm,1,1,6", [], "--missing drop"),
        ("c,alarm,1,1,9", [], "row 5: the rating 9"),
        ("c,alarm,1,1,9", [], "(--scale ...)"),
        ("c,alarm,1,1,Quite likley", [], "column 'rating', row 5: the answer 'Quite likley'"),
        ("c,alarm,half,1,6", [], "column 'precision', row 5: 'half'"),
    ],
)
def test_a_wrong_cell_is_named_by_its_row_and_cured_by_an_option(
    capsys, tmp_path, row, options, expected
):
    assert expected in _said(capsys, tmp_path, [HEADER, *ROWS, row], *options)


def test_a_wrong_cell_is_named_by_the_column_of_the_file(capsys, tmp_path):
    lines = [HEADER.replace("precision", "ppv"), "a,alarm,85,1,2"]
    said = _said(capsys, tmp_path, lines, "--map", "precision=ppv")
    assert "column 'ppv', row 2: 85" in said


def test_cells_that_say_not_available_are_gaps(capsys, tmp_path):
    lines = [HEADER, "a,alarm,1,1,N/A", "b,alarm,1,1,#N/A"]
    assert "no row without a gap" in _said(capsys, tmp_path, lines)


def test_an_option_that_names_a_column_is_found_by_its_default(capsys, tmp_path):
    said = _said(capsys, tmp_path, ["y,s", "1,0.9", "0,0.1"], "--alpha", ".5", command="threshold")
    assert "Write --truth COLUMN --score COLUMN" in said


def test_scores_that_are_no_numbers_are_shown_as_they_stand(capsys, tmp_path):
    lines = ["y_true,score", "1,90%", "0,10%"]
    said = _said(capsys, tmp_path, lines, "--alpha", ".5", command="threshold")
    assert "such as '90%'" in said


def test_a_missing_score_is_named_by_its_row(capsys, tmp_path):
    lines = ["y_true,score", "1,0.9", "0,", "0,0.1"]
    said = _said(capsys, tmp_path, lines, "--alpha", ".5", command="threshold")
    assert "1 of 3 values missing or not finite (first: row 3)" in said


def test_names_that_differ_in_case_or_spaces_are_announced(tmp_path):
    table = tmp_path / "table.csv"
    rows = [*ROWS, "b,Alarm ,1,1,6"]
    table.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    with pytest.warns(AlikeNamesWarning, match="'alarm', 'Alarm ' differ only in case or spaces"):
        read_answers(str(table))


def test_one_word_among_numbers_is_shown(capsys, tmp_path):
    lines = ["user,item,rating,a,b", "u,i,4,3,2", "u,i,four,3,2"]
    options = ["--repeated", "--system", "a", "--system", "b"]
    said = _said(capsys, tmp_path, lines, *options, command="rank")
    assert "column 'rating': text such as 'four'" in said
