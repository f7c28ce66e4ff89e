"""Jasberg & Sizov (2018), recomputed."""

import json

import pytest

from howgood.cli.main import run
from howgood.reproduce import papers

# Known before we computed anything (misprints of the paper): these do not hold.
DO_NOT_HOLD = {
    "The variance falls with N as a power",
    "Deviations' effect on the variance, high uncertainty",
    "Deviations' effect on the variance, low uncertainty",
}

# Somebody else's program and computer.
NOT_HERE = "Monte Carlo of the RMSE for N = 2.8 million takes too long"


@pytest.fixture(scope="module")
def reproduction():
    return papers.reproduce("s3")


def test_every_claim_but_the_known_misprints_holds(reproduction):
    by_verdict = {"does not hold": set(), "cannot be checked here": set(), "holds": set()}
    for check in reproduction.checks:
        by_verdict[check.verdict].add(check.claim)
    assert by_verdict["does not hold"] == DO_NOT_HOLD
    assert by_verdict["cannot be checked here"] == {NOT_HERE}


def test_every_check_says_by_which_rule_it_was_judged(reproduction):
    assert all(check.paper and check.ours for check in reproduction.checks)
    assert all(check.rule for check in reproduction.checks if check.claim != NOT_HERE)


def test_every_figure_of_the_paper_is_drawn(reproduction):
    drawn = " ".join(reproduction.figures)
    for number in ("1", "2", "3", "4", "5", "6a", "6b", "7"):
        assert f"figure-{number}-" in drawn
    assert all(svg.startswith("<svg") for svg in reproduction.figures.values())


def test_the_command_prints_verdicts_and_saves_pictures(
    reproduction, monkeypatch, capsys, tmp_path
):
    monkeypatch.setattr(papers, "reproduce", lambda *_, **__: reproduction)
    assert run(["reproduce", "s3", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "does not hold" in out
    assert out.count("erratum:") == 10
    assert "550 data points" in " ".join(out.split())
    assert len(list(tmp_path.glob("*.svg"))) == len(reproduction.figures)
    assert run(["reproduce", "s3", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["checks"]) == len(reproduction.checks)
