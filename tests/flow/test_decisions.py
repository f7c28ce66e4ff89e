"""Labels of files on their way to decisions."""

import numpy as np
import pandas as pd
import pytest

from howgood.cli.main import run
from howgood.errors import InputError
from howgood.flow import acceptability
from howgood.flow.decisions import positives


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.0, np.nan, 0.0]),
        np.array([1, None, 0], dtype=object),
        np.array(["1", " ", "0"], dtype=object),
        np.array([1, pd.NA, 0], dtype=object),
    ],
)
def test_a_missing_label_is_neither_positive_nor_negative(values):
    with pytest.raises(InputError, match=r"1 of 3 labels missing \(first: row 2\)"):
        positives(values, "1", where="scores.csv, column 'y'")


def test_a_gap_in_the_truth_stops_the_command(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("y,s\n1,.9\n,.4\n0,.2\n")
    arguments = ["--truth", "y", "--score", "s", "--alpha", "0.5"]
    assert run(["threshold", str(path), *arguments]) == 2
    assert "1 of 3 values missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    "ending", [".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".xlsx", ".csv.gz"]
)
def test_answers_stand_for_a_model_in_every_format_that_fit_reads(monkeypatch, ending):
    read = []
    monkeypatch.setattr(
        acceptability.learn, "fit_acceptability", lambda path, **_: read.append(path)
    )
    monkeypatch.setattr(acceptability, "of_part", lambda model, part, where: model)
    acceptability.open_model(f"answers{ending}")
    assert read == [f"answers{ending}"]


def test_json_is_a_model_card():
    with pytest.raises(InputError, match="no such file"):
        acceptability.open_model("nobody.json")
