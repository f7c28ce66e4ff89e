"""Mistakes people make at the command line: each answer says what it is and what to do."""

import pytest

from howgood import ask, learn
from howgood.cli.main import run

ALARM = {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answers = ask.simulate_answers(ALARM, people=12, per_person=8, random_state=1)
    answers.to_pandas().to_csv(tmp_path / "answers.csv", index=False)
    return tmp_path


def _said(capsys, *typed):
    assert run(typed) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [(["thresholds"], "threshold"), (["leaderbord", "x.csv"], "leaderboard"),
     (["registry", "lst"], "list")],
)  # fmt: skip
def test_a_misspelt_command_is_answered_with_the_nearest(capsys, typed, meant):
    assert f"Did you mean '{meant}'?" in _said(capsys, *typed)


@pytest.mark.parametrize(
    "typed",
    [["export", "alarm"], ["export", "alarm", "--format", "html"], ["links", "alarm"],
     ["import", "answers.csv", "--study", "alarm"], ["erase", "alarm", "3"],
     ["reset-password", "ada"], ["backup", "copy.sqlite"]],
)  # fmt: skip
def test_a_command_in_the_wrong_folder_makes_no_empty_database(folder, capsys, typed):
    said = _said(capsys, *typed)
    assert "howgood.sqlite: no such file" in said
    assert "where `howgood serve` runs" in said
    assert [path.name for path in folder.iterdir()] == ["answers.csv"]


def test_a_name_where_there_are_none_is_refused_in_words(folder, capsys):
    assert run(["worker", "--once"]) == 0  # makes the database
    assert "no 'alarm', nor any other; expected a name that exists" in _said(
        capsys, "export", "alarm"
    )


def test_a_saved_fit_of_another_kind_is_called_what_it_is(folder, capsys):
    fit = learn.fit_acceptability("answers.csv", draws=200, means=(0,), random_state=1)
    fit.save("fit.npz")
    assert "fit.npz: a saved acceptability fit; expected a saved" in _said(capsys, "bar", "fit.npz")
    (folder / "fit.npz").rename("fit.zip")
    assert "a file ending in '.zip'; expected a saved fit (.npz)" in _said(
        capsys, "target", "fit.zip"
    )


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (["fit", "answers.csv", "--save", "fit.zip"], "Call it fit.npz."),
        (["criteria", "answers.csv", "--criterion", "rating=max", "--save", "w"], "Call it w.json"),
        (["fit", "answers.csv", "--specificity"], "or give --prevalence"),
        (["watch", "answers.csv", "--map", "at=rating"], "a time such as 2026-05-03T14:00:00Z"),
        (["ship", "answers.csv", "answers.csv", "--item", "participant", "--bar", "none.json"],
         "(No such file or directory)"),
        (["target", "nothing"], "model cards (no file has this name): no 'nothing'"),
        (["study-size", "--application", "a:alpha=3,intercept=-13,slope=16"],
         "alpha = 3; expected a weight of precision between 0 and 1"),
        (["registry", "system", "kay2015-answers-location", "--name", "x", "--precision", "80",
          "--recall", ".7", "--source", "y"], "80.0; expected at most 1"),
        (["--server", "http://127.0.0.1:9", "listStudies"], "Connection refused"),
    ],
)  # fmt: skip
def test_mistakes_are_answered_with_what_to_type(folder, capsys, typed, answer):
    said = _said(capsys, *typed)
    assert answer in said
    assert "np." not in said
    assert "Errno 2" not in said


def test_an_application_that_has_to_be_named_is_written_as_a_shell_takes_it(folder, capsys):
    two = {"smart alarm": ALARM["alarm"], "text": ALARM["alarm"]}
    answers = ask.simulate_answers(two, people=12, per_person=8, random_state=1)
    fit = learn.fit_acceptability(answers, draws=200, means=(0,), random_state=1)
    fit.save("two.npz")
    assert "Name one: --application 'smart alarm'." in _said(capsys, "target", "two.npz")


def test_a_probability_counted_in_draws_is_never_certain(folder, capsys):
    answers = ask.simulate_answers(
        {"alarm": {"alpha": 0.05, "intercept": -13.0, "slope": 16.0}}, people=40, random_state=1
    )
    answers.to_pandas().to_csv("clear.csv", index=False)
    assert run(["fit", "clear.csv", "--model", "ordinal", "--means", "0"]) == 0
    assert "> 99 % probability that recall weighs more" in capsys.readouterr().out
