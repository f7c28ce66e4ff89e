"""What people stumbled over at the command line, and no longer should."""

import json

import pytest

from howgood.cli.main import run

SCORES = "y,s\n1,0.9\n0,0.2\n,0.5\n1,0.7\n0,0.4\n1,\n"
CARD = "kay2015-answers-electricity"


@pytest.fixture
def folder(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content)
        return str(path)

    return write


def test_threshold_refuses_or_leaves_out_rows_with_gaps(folder, capsys):
    arguments = ["threshold", folder("s.csv", SCORES), "--truth", "y", "--score", "s"]
    arguments += ["--alpha", "0.5", "--json"]
    assert run(arguments) == 2
    assert "--missing drop" in capsys.readouterr().err
    assert run([*arguments, "--missing", "drop"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["provenance"]["rows_dropped"] == {"missing or not finite": 2}
    assert "2 of 6 rows left out" in said.err


def test_relevance_refuses_or_leaves_out_rows_with_gaps(folder, capsys):
    rows = "y,yhat,room\n" + "on,on,a\noff,on,a\non,off,b\noff,off,b\n" * 4
    arguments = ["--outcome", "y", "--predicted", "yhat", "--context", "room", "--json"]
    clean, gappy = folder("clean.csv", rows), folder("gappy.csv", rows + "on,,a\n,on,b\n")
    assert run(["relevance", clean, *arguments]) == 0
    expected = json.loads(capsys.readouterr().out)
    assert run(["relevance", gappy, *arguments]) == 2
    assert "missing" in capsys.readouterr().err
    assert run(["relevance", gappy, *arguments, "--missing", "drop"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["models"] == expected["models"]
    assert "2 of 18 rows left out" in said.err
    assert run(["relevance", clean, *arguments, "--missing", "drop", "--reference", gappy]) == 0
    assert "gappy.csv: 1 of 18 rows left out" in capsys.readouterr().err  # one without outcome


def test_gate_leaves_out_rows_with_gaps_when_told(folder, capsys):
    rows = "y_true,y_pred\n" + "1,1\n0,0\n" * 50 + ",1\n"
    labels = folder("labels.csv", rows)
    assert run(["gate", CARD, labels]) == 2
    assert "--missing drop" in capsys.readouterr().err
    assert run(["gate", CARD, labels, "--missing", "drop"]) in (0, 1)


def test_a_learning_curve_s_columns_may_be_renamed(folder, capsys):
    curve = folder("curve.csv", "n,ppv,tpr\n10,0.5,0.5\n100,0.99,0.99\n")
    arguments = ["go-live", CARD, curve, "--share", "0.5", "--json"]
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert "curve.csv" in said
    assert "--map size=" in said
    names = ["--map", "size=n", "--map", "precision=ppv", "--map", "recall=tpr"]
    assert run([*arguments, *names]) in (0, 1)
    assert len(json.loads(capsys.readouterr().out)["table"]) > 0
    assert run([*arguments, "--map", "sise=n"]) == 2
    assert "'size'" in capsys.readouterr().err


def test_percents_are_refused_with_what_to_write(folder, capsys):
    curve = folder("curve.csv", "size,precision,recall\n10,83,90\n")
    assert run(["go-live", CARD, curve]) == 2
    said = capsys.readouterr().err
    assert "such as 83" in said
    assert "0.85" in said


def test_a_name_alone_renames_nothing_and_is_refused(folder, capsys):
    answers = folder("a.csv", "participant,rating\np,1\n")
    assert run(["fit", answers, "--map", "rating"]) == 2
    assert "rating=COLUMN" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["electricity", "kay2015-electricity"])
def test_the_card_that_is_suggested_works(name, capsys):
    assert run(["target", name]) == 2
    said = capsys.readouterr().err
    assert f"{CARD!r}" in said
    assert run(["target", CARD]) == 0


def test_messages_name_the_file_that_was_given(folder, capsys):
    pairs = folder("pairs.csv", "mu,sigma,a,b\n1,0.5,1,2\n2,,2,3\n")
    systems = ["--system", "a", "--system", "b"]
    assert run(["rank", pairs, "--mean", "mu", "--sd", "sigma", *systems]) == 2
    assert capsys.readouterr().err.startswith(f"howgood: {pairs}: values missing")
    ratings = folder("ratings.csv", "user,item,rating,a,b\nu,i,1,2,3\nu,i,,2,3\n")
    assert run(["rank", ratings, "--repeated", *systems]) == 2
    assert capsys.readouterr().err.startswith(f"howgood: {ratings}: values missing")
    full = folder("full.csv", "user,item,rating\nu,i,1\nu,i,2\n")
    other = folder("other.csv", "user,item,a\nu,i,1\n")
    assert run(["rank", full, "--predictions", other, *systems]) == 2
    assert f"{other}: no column 'b'" in capsys.readouterr().err


@pytest.mark.parametrize("engine", ["polars", "duckdb", "built-in"])
def test_a_prediction_missing_in_part_of_a_pair_is_refused_or_told(folder, capsys, engine):
    rows = "user,item,rating,a,b\nu,1,1,2,3\nu,1,2,,3\nu,2,4,4,3\nu,2,5,4,3\n"
    arguments = ["rank", folder("r.csv", rows), "--repeated", "--system", "a", "--system", "b"]
    arguments += ["--engine", engine]
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert "1 pairs with a value in some of their rows only" in said
    assert "--missing drop" in said
    assert run([*arguments, "--missing", "drop"]) == 0
    assert "it counts for the whole pair" in capsys.readouterr().err


@pytest.mark.parametrize("half", ["--precision", "--recall"])
def test_half_of_where_a_classifier_is_now_is_refused(half, capsys):
    """The other half was silently the needed one."""
    assert run(["target", CARD, half, "0.85"]) == 2
    assert "go together" in capsys.readouterr().err
