"""Commands about people who differ: fit by a column, one threshold or several, a gate for all."""

import csv
import json

import numpy as np
import pytest
from tests.learn.test_segments import divided_answers

from howgood.cli.main import run


def _write(path, columns):
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    _write(folder / "answers.csv", divided_answers())
    rng = np.random.default_rng(1)
    truth = (rng.random(400) < 0.3).astype(int)
    scores = rng.standard_normal(400) + 1.5 * truth
    _write(folder / "scores.csv", {"y_true": truth, "score": scores})
    _write(folder / "labels.csv", {"y_true": truth, "y_pred": (scores > 1).astype(int)})
    return folder


def test_a_fit_by_a_column_is_shown_saved_and_used(folder, capsys):
    saved = str(folder / "fit.npz")
    command = ["fit", str(folder / "answers.csv"), "--by", "climate", "--save", saved]
    assert run([*command, "--out", str(folder / "report.html")]) == 0
    assert "differ by climate" in " ".join(capsys.readouterr().out.split())
    page = (folder / "report.html").read_text()
    assert "How people differ" in page
    assert "By climate" in page
    command = ["threshold", str(folder / "scores.csv"), "--model", saved, "--segments", "--json"]
    assert run(command) == 0
    values = json.loads(capsys.readouterr().out)
    assert set(values["own"]) == {"cold", "warm"}
    assert run(["gate", saved, str(folder / "labels.csv"), "--share", "0.99"]) == 1
    assert "least satisfied segment" in " ".join(capsys.readouterr().out.split())


def test_segments_need_the_binary_model_and_a_fit(folder, capsys):
    answers = str(folder / "answers.csv")
    assert run(["fit", answers, "--model", "ordinal", "--by", "climate"]) == 2
    assert "--by belongs to" in capsys.readouterr().err
    command = ["threshold", str(folder / "scores.csv"), "--alpha", "0.4", "--segments"]
    assert run(command) == 2
    assert "--model" in capsys.readouterr().err
    assert run(["fit", answers, "--by", "weather"]) == 2
    assert "weather" in capsys.readouterr().err
