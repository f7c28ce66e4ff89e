"""Kay et al. (2015) on the public answers."""

import os
from pathlib import Path

import pytest

from howgood.cli.main import run
from howgood.reproduce import kay2015 as paper

FOLDER = Path(os.environ.get("HOWGOOD_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
DATA = FOLDER / "kay2015_study1.csv"
needs_data = pytest.mark.skipif(not DATA.is_file(), reason=f"{DATA} is not at hand")


@pytest.fixture
def without_simulation(monkeypatch):
    monkeypatch.setattr(paper, "simulated_results", lambda **settings: ([], {}))


@needs_data
def test_every_number_of_study_one_holds_but_the_sample_size(without_simulation):
    result = paper.reproduce(data=DATA)
    failing = {
        (check.item, check.claim) for check in result.checks if check.verdict == "does not hold"
    }
    assert {item for item, _ in failing} == {"S0-21", "S0-22", "S0-42"}
    assert sum(check.verdict == "holds" for check in result.checks) >= 20
    assert set(result.figures) == {"s0-fig2-acceptance", "s0-fig3-alpha"}
    assert "Alarm (police)" in result.figures["s0-fig3-alpha"]


def test_without_the_file_it_says_what_cannot_be_checked(without_simulation, capsys):
    assert run(["reproduce", "s0"]) == 0
    out = capsys.readouterr().out
    assert "--data" in out
    assert "erratum: The priors read Normal(0, 1000)" in out
    assert "cannot be checked here" in out


def test_a_file_of_something_else_is_refused(without_simulation, tmp_path, capsys):
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    assert run(["reproduce", "s0", "--data", str(other)]) == 2
    assert "participant" in capsys.readouterr().err


def test_simulated_checks_are_labelled_as_such():
    checks, figures = paper.simulated_results(random_state=1, progress=lambda share, step: None)
    assert all(check.note.startswith("On simulated people") for check in checks)
    assert all(check.verdict == "holds" for check in checks)
    assert "Simulated with its parameters" in figures["s0-fig5-alpha-simulated"]
