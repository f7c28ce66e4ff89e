"""Commands about systems in use, and every picture of a fit: watch, gate --part, fit --plots."""

import csv
import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from tests.learn.test_measure_weights import people

from howgood import ask
from howgood.cli.main import run

START = datetime(2026, 3, 2, tzinfo=UTC)


def _write(path, columns):
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


def _stream(path, chances, **more):
    rng = np.random.default_rng(1)
    n = len(chances)
    return _write(
        path,
        {
            "participant": [f"user {number}" for number in range(n)],
            "at": [(START + timedelta(hours=number)).isoformat() for number in range(n)],
            "accepted": (rng.random(n) < np.array(chances)).astype(int),
            **more,
        },
    )


def _said(capsys):
    return " ".join(capsys.readouterr().out.split())


# -- howgood watch -------------------------------------------------------------------------------


def test_watch_passes_while_enough_accept(tmp_path, capsys):
    answers = _stream(tmp_path / "good.csv", [0.95] * 300)
    assert run(["watch", answers, "--share", "0.8"]) == 0
    assert "Enough people accept it" in _said(capsys)
    assert run(["watch", answers, "--share", "0.8", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["verdict"] == "pass"
    assert values["changes"] == []


def test_watch_fails_when_too_few_accept_and_says_so(tmp_path, capsys):
    answers = _stream(tmp_path / "bad.csv", [0.4] * 300)
    assert run(["watch", answers, "--share", "0.8"]) == 1
    assert "Too few people accept it" in _said(capsys)


def test_watch_fails_when_acceptance_fell_though_the_first_answers_are_enough(tmp_path, capsys):
    answers = _stream(tmp_path / "fell.csv", [0.98] * 500 + [0.3] * 400)
    assert run(["watch", answers, "--share", "0.5"]) == 1
    assert "fell" in _said(capsys)


def test_watch_is_strict_about_investigate_where_asked(tmp_path):
    answers = _stream(tmp_path / "few.csv", [1.0] * 5)
    assert run(["watch", answers]) == 0
    assert run(["watch", answers, "--strict"]) == 1


def test_watch_reads_other_names_and_refuses_what_it_cannot_read(tmp_path, capsys):
    answers = _write(
        tmp_path / "other.csv",
        {
            "user": [f"u{number}" for number in range(200)],
            "at": [(START + timedelta(days=number)).isoformat() for number in range(200)],
            "rating": [7] * 200,
        },
    )
    assert run(["watch", answers, "--map", "participant=user", "--period", "month"]) == 0
    capsys.readouterr()
    assert run(["watch", answers]) == 2
    assert "participant" in capsys.readouterr().err
    assert run(["watch", answers, "--map", "participant=user", "--share", "1.5"]) == 2


# -- howgood gate --part -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Answers about imagined systems and, more lenient, from inside a product."""
    folder = tmp_path_factory.mktemp("parts")
    table = ask.simulate_ordinal_answers(
        people=50,
        parts={
            "hypothetical": {"shift": 0.0, "log_scale": 0.0},
            "in use": {"shift": 2.0, "log_scale": 0.0},
        },
        random_state=1,
    )
    answers = _write(folder / "answers.csv", dict(table.items()))
    rng = np.random.default_rng(2)
    truth = (rng.random(400) < 0.3).astype(int)
    predicted = np.where(rng.random(400) < 0.85, truth, 1 - truth)
    _write(folder / "predictions.csv", {"y_true": truth, "y_pred": predicted})
    fit = str(folder / "fit.npz")
    assert run(["fit", answers, "--model", "ordinal", "--save", fit]) == 0
    return folder, fit


def _gate(parts, part, capsys, *more):
    folder, fit = parts
    command = ["gate", fit, str(folder / "predictions.csv"), "--part", part, "--share", "0.5"]
    code = run([*command, "--json", *more])
    return code, json.loads(capsys.readouterr().out)


def test_a_gate_by_people_in_use_is_another_than_by_imagined_ones(parts, capsys):
    capsys.readouterr()
    real, in_use = _gate(parts, "in use", capsys)
    _, imagined = _gate(parts, "hypothetical", capsys)
    assert in_use["acceptance"]["mean"] > imagined["acceptance"]["mean"]
    assert real == (1 if in_use["verdict"] == "fail" else 0)


def test_a_gate_of_an_ordinal_fit_needs_its_part(parts, capsys):
    folder, fit = parts
    capsys.readouterr()
    assert run(["gate", fit, str(folder / "predictions.csv")]) == 2
    assert "in use" in capsys.readouterr().err
    assert run(["gate", fit, str(folder / "predictions.csv"), "--part", "last year"]) == 2
    assert "last year" in capsys.readouterr().err


# -- howgood fit --plots and --specificity -------------------------------------------------------


def test_every_picture_of_a_fit_is_a_file_of_its_own(tmp_path, capsys):
    answers = _write(tmp_path / "answers.csv", people((0.1, 0.3, 0.6), n=40))
    folder = tmp_path / "plots"
    command = ["fit", answers, "--specificity", "--means", "0", "--plots", str(folder)]
    assert run([*command, "--out", str(tmp_path / "report.html")]) == 0
    said = capsys.readouterr()
    pictures = sorted(path.name for path in folder.iterdir())
    assert pictures
    assert all(name.endswith(".svg") for name in pictures)
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") >= len(pictures)
    for name in pictures:
        assert "<svg" in (folder / name).read_text()
    assert f"wrote {len(pictures)} pictures" in said.err
    assert any("specificity" in name for name in pictures)
    assert "of a weight of 1, precision" in " ".join(said.out.split())


def test_specificity_needs_to_be_known(tmp_path, capsys):
    table = people((0.1, 0.3, 0.6), n=15, others=(3.0,))
    answers = _write(
        tmp_path / "answers.csv", {k: v for k, v in table.items() if k != "specificity"}
    )
    assert run(["fit", answers, "--specificity", "--means", "0"]) == 2
    assert "specificity" in capsys.readouterr().err
    assert run(["fit", answers, "--prevalence", "0.25"]) == 2
    assert "--specificity" in capsys.readouterr().err
    assert run(["fit", answers, "--model", "ordinal", "--specificity"]) == 2
    assert "--model binary" in capsys.readouterr().err
    command = ["fit", answers, "--specificity", "--prevalence", "0.25", "--means", "0", "--json"]
    assert run(command) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["measures"]["prevalence"] == 0.25
