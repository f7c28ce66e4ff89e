"""The interview as a user types it."""

import io
import json

import numpy as np
import pytest

from howgood import ask
from howgood.cli.main import run


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    rng = np.random.default_rng(1)
    chance = rng.beta(0.5, 0.9, 500)
    truth = rng.random(500) < chance
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    rows = [f"{'ill' if t else 'well'},{s:.4f}" for t, s in zip(truth, chance, strict=True)]
    path.write_text("\n".join(["y,s", *rows]))
    return path


def columns(scores):
    return ["elicit", str(scores), "--truth", "y", "--score", "s", "--positive", "ill"]


def test_a_simulated_respondent_is_recovered_with_all_outputs(scores, tmp_path, capsys):
    log, report, picture = tmp_path / "log.json", tmp_path / "r.html", tmp_path / "p.svg"
    simulate = ["--simulate", "a0=.2,noise=.05", "--seed", "3", "--held-out", "5"]
    files = ["--log", str(log), "--out", str(report), "--plot", str(picture)]
    assert run([*columns(scores), *simulate, *files, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert abs(result["a0"]["mean"] - 0.2) < 0.08
    assert result["agreement"]["n_questions"] <= 5
    assert "What one miss is worth" in report.read_text()
    assert picture.read_text().startswith("<?xml")

    assert run(["elicit", "--replay", str(log), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == result


def test_keys_undo_and_stopping_resume_from_the_log(scores, tmp_path, capsys, monkeypatch):
    log = tmp_path / "log.json"
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n?\nx\n2\nu\n0\nq\n"))
    assert run([*columns(scores), "--seed", "1", "--log", str(log)]) == 0
    shown = capsys.readouterr()
    assert "Question 3 of at most 48" in shown.err
    assert "[1] A" in shown.err
    answers = [each["choice"] for each in json.loads(log.read_text())["answers"]]
    assert answers == ["first", "same"]

    monkeypatch.setattr("sys.stdin", io.StringIO("2\n"))  # then the input ends
    assert run([*columns(scores), "--log", str(log)]) == 0
    assert "resuming" in capsys.readouterr().err
    assert [each["choice"] for each in json.loads(log.read_text())["answers"]] == [
        "first",
        "same",
        "second",
    ]


def test_the_study_owners_words_are_used(scores, tmp_path, capsys, monkeypatch):
    words = tmp_path / "words.json"
    words.write_text(json.dumps(ask.CANCER_WORDING.to_dict()))
    monkeypatch.setattr("sys.stdin", io.StringIO("?\nq\n"))
    assert run([*columns(scores), "--wording", str(words), "--seed", "1"]) == 0
    shown = capsys.readouterr()
    assert "Which system would you prefer your doctor to use?" in shown.err
    assert "biopsy" in shown.err
    assert "missed cancer" in shown.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--truth", "z", "--score", "s"], "no column 'z'"),
        (["--truth", "y", "--score", "s"], "--positive"),
        (["--truth", "y", "--score", "s", "--positive", "ill", "--simulate", "size=3"], "a0="),
        (["--truth", "y", "--score", "s", "--positive", "ill", "--simulate", "a0=2"], "between 0"),
        (["--truth", "y", "--score", "s", "--positive", "ill", "--direct", "-1"], "direct_ratio"),
        (["--replay", "nowhere.json"], "no such file"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_two(scores, arguments, words, capsys):
    assert run(["elicit", str(scores), *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error


@pytest.mark.parametrize("content", ["", "[]", '{"format": "x"}', "not json"])
def test_a_file_that_is_no_log_is_refused(content, tmp_path, capsys):
    path = tmp_path / "log.json"
    path.write_text(content)
    assert run(["elicit", "--replay", str(path)]) == 2
    assert "log" in capsys.readouterr().err


def test_scores_beyond_probabilities_can_be_recalibrated(tmp_path, capsys):
    rng = np.random.default_rng(1)
    raw = rng.normal(size=300)
    truth = rng.random(300) < 1 / (1 + np.exp(-2 * raw))
    path = tmp_path / "scores.csv"
    path.write_text(
        "\n".join(["y,s", *(f"{int(t)},{s:.4f}" for t, s in zip(truth, raw, strict=True))])
    )
    simulate = ["--truth", "y", "--score", "s", "--simulate", "cap=.05", "--seed", "1"]
    assert run(["elicit", str(path), *simulate]) == 2
    assert "--recalibrate" in capsys.readouterr().err
    assert run(["elicit", str(path), *simulate, "--recalibrate", "--held-out", "0"]) == 0
    assert "at most 5 misses" in capsys.readouterr().out


def test_gaps_in_the_truth_are_not_taken_as_negatives(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("y,s\n1,0.9\n,0.3\n0,0.2\n1,0.4\n0,0.5\n")
    assert run(["elicit", str(path), "--truth", "y", "--score", "s", "--simulate", "a0=.2"]) == 2
    assert "missing" in capsys.readouterr().err
