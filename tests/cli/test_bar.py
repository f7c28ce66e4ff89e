"""`howgood fit --model failures` and `howgood bar`, from a table of answers to a verdict."""

import json

import pytest

from howgood import ask
from howgood.cli.main import run

WEIGHTS = {"wrong": 0.2, "invented": 0.8}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("failures")
    table = ask.simulate_failure_answers(WEIGHTS, people=40, level=5.0, random_state=1)
    lines = [",".join(table.columns)]
    lines += [",".join(str(value) for value in row.values()) for row in table.rows()]
    answers = folder / "answers.csv"
    answers.write_text("\n".join(lines))
    fit, report = folder / "fit.npz", folder / "report.html"
    kinds = ["--kind", "wrong", "--kind", "invented"]
    out = ["--save", str(fit), "--out", str(report)]
    assert run(["fit", str(answers), "--model", "failures", *kinds, *out]) == 0
    assert "What one failure costs" in report.read_text()
    return fit


def _log(path, wrong, invented, cases=400):
    rows = [
        {
            "success": not (number < wrong + invented),
            "score": 1,
            "vars": {"q": number},
            "namedScores": {"wrong": number < wrong, "sourced": number >= wrong + invented},
        }
        for number in range(cases)
    ]
    path.write_text(json.dumps({"results": {"results": rows}}))
    return path


def test_the_bar_is_said_and_written(saved, tmp_path, capsys):
    config = tmp_path / "bar.yaml"
    assert run(["bar", str(saved), "--share", ".5", "--promptfoo", str(config)]) == 0
    assert "Together, these rates are low enough" in capsys.readouterr().out
    assert '"invented": 0.' in config.read_text()
    assert run(["bar", str(saved), "--share", ".5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["bar"]["together"]) == set(WEIGHTS)


def test_a_log_is_held_against_it(saved, tmp_path, capsys):
    metrics = ["--metric", "wrong=wrong", "--metric", "invented=!sourced"]
    good = _log(tmp_path / "good.json", wrong=2, invented=0)
    assert run(["bar", str(saved), "--share", ".5", "--log", str(good), *metrics]) == 0
    assert "pass: enough people" in capsys.readouterr().out
    bad = _log(tmp_path / "bad.json", wrong=100, invented=200)
    assert run(["bar", str(saved), "--share", ".5", "--log", str(bad), *metrics]) == 1
    assert "fail: too few people" in capsys.readouterr().out


def test_wrong_input_is_one_line(saved, tmp_path, capsys):
    log = _log(tmp_path / "log.json", wrong=2, invented=0)
    assert run(["bar", str(saved), "--log", str(log), "--metric", "wrong=absent"]) == 2
    assert "absent" in capsys.readouterr().err
    assert run(["bar", str(tmp_path / "nothing.npz")]) == 2
    assert run(["bar", str(saved), "--share", ".9999", "--promptfoo", str(tmp_path / "x")]) == 2
    assert "low enough" in capsys.readouterr().err
    assert run(["fit", str(saved), "--model", "failures"]) == 2
