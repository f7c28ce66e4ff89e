"""Names that come from data never decide where a file is written."""

import json
from pathlib import Path

import pytest

from howgood import ask
from howgood.cli.main import run
from howgood.errors import InputError
from howgood.records.card import ModelCard
from howgood.records.record import read_record

EVIL = ["../../evil", "/tmp/evil", "a/../../evil", "..\\evil"]  # noqa: S108 - never written


@pytest.fixture
def inside(tmp_path, monkeypatch):
    """Return a folder some levels deep; what is written beside or above it shows."""
    folder = tmp_path / "above" / "inside"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def _written(inside):
    """Return every file of the test's world, relative to the inner folder's own world."""
    root = inside.parents[1]
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", EVIL)
def test_systems_with_names_like_paths_write_only_what_was_named(inside, name, capsys):
    rows = [
        f"q{item},{system},r{rater},{1 + (item * rater + len(system)) % 5}"
        for item in range(4)
        for rater in range(3)
        for system in (name, "other")
    ]
    (inside / "grades.csv").write_text("\n".join(["item,system,rater,grade", *rows]))
    before = _written(inside)
    named = ["--out", "report.html", "--plot", "plot.svg"]
    assert run(["leaderboard", "grades.csv", *named]) == 0
    new = {"above/inside/report.html", "above/inside/plot.svg"}
    assert _written(inside) - before == new
    assert not Path("/tmp/evil").exists()  # noqa: S108 - looked for, not written


def test_applications_with_names_like_paths_write_only_what_was_named(inside, capsys):
    people = {name: {"alpha": 0.3, "intercept": -13.0, "slope": 16.0} for name in EVIL[:2]}
    answers = ask.simulate_answers(people, people=20, per_person=8, random_state=1)
    lines = [",".join(answers.columns)]
    lines += [",".join(str(value) for value in row.values()) for row in answers.rows()]
    (inside / "answers.csv").write_text("\n".join(lines))
    before = _written(inside)
    assert run(["fit", "answers.csv", "--save", "fit.npz", "--out", "report.json"]) == 0
    new = {"above/inside/fit.npz", "above/inside/report.json"}
    assert _written(inside) - before == new
    arguments = ["registry", "add", "fit.npz", "--application", EVIL[0], "--description", "x"]
    assert run([*arguments, "--name", EVIL[0]]) == 2
    assert "file name" in capsys.readouterr().err
    assert _written(inside) - before == new


@pytest.mark.parametrize("name", [*EVIL, "..", "", "a b", "a\0b"])
def test_a_card_cannot_be_named_like_a_path(name):
    # Of several things that are wrong the first is said, and that others are.
    needed = "character zero.*and 1 more" if "\0" in name else "file name"
    with pytest.raises(InputError, match=needed):
        read_record(
            ModelCard,
            {"name": name, "application": "alarm", "description": "x", "source": "fit",
             "citation": "x", "licence": "x", "model": "binary"},
            where="card",
        )  # fmt: skip


def test_a_card_file_whose_name_inside_is_a_path_is_refused(inside, capsys):
    card = {"name": EVIL[0], "application": "alarm", "description": "x", "citation": "x"}
    (inside / "card.json").write_text(json.dumps(card))
    before = _written(inside)
    assert run(["registry", "show", "card.json"]) == 2
    assert _written(inside) == before
