"""`howgood relevance` from files to text, JSON, picture and report."""

import json

import numpy as np
import polars as pl
import pytest

from howgood import ask, learn, score
from howgood.cli.main import run

CONTEXT = ["activity", "area", "time"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("relevance")
    rows = dict(ask.simulate_lighting(rows=300, random_state=5))
    generator = np.random.default_rng(0)
    rows["guess"] = generator.permutation(rows["light"])
    rows["copy"] = np.where(generator.random(300) < 0.6, rows["light"], rows["guess"])
    rows["twice"] = generator.integers(1, 3, 300)
    frame = pl.DataFrame(rows)
    frame.write_csv(folder / "test.csv")
    frame.write_parquet(folder / "test.parquet")
    judged = {name: rows[name] for name in [*CONTEXT, "light", "user"]}
    judged["shown"] = rows["guess"]
    table = learn.outcome_probabilities(rows, outcome="light", context=CONTEXT)
    shares = table.lookup(rows)
    place = {label: number for number, label in enumerate(table.outcomes.tolist())}
    p, a = (
        shares[np.arange(300), [place[label] for label in judged[side]]]
        for side in ("shown", "light")
    )
    judged["grade"] = 100 * (1 - 0.5 * (shares.max(axis=1) - p) - 0.25 * abs(p - a))
    pl.DataFrame(judged).write_csv(folder / "judged.csv")
    return folder, rows


def _arguments(folder, *extra, file="test.csv"):
    return [
        "relevance", str(folder / file), "--outcome", "light", "--predicted", "copy",
        "--context", "user,activity,area,time", "--drop", "user", *extra,
    ]  # fmt: skip


def _json(capsys, arguments):
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("file", ["test.csv", "test.parquet"])
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_the_command_gives_the_librarys_score(files, capsys, file, engine):
    folder, rows = files
    found = _json(capsys, _arguments(folder, "--engine", engine, file=file))["models"]["copy"]
    table = learn.outcome_probabilities(rows, outcome="light", context=CONTEXT)
    value = score.relevance_score(rows["light"], rows["copy"], contexts=rows, table=table)
    assert found["value"] == pytest.approx(value)
    assert found["interval"]["lower"] < value < found["interval"]["upper"]
    assert found["provenance"]["settings"]["dropped"] == ["user"]
    assert found["provenance"]["settings"]["alpha"] == 2.0


def test_spark_reads_the_file_too(files, capsys, spark):
    folder, _ = files
    found, expected = (
        _json(capsys, _arguments(folder, "--engine", engine, file="test.parquet"))
        for engine in ("spark", "polars")
    )
    assert found["models"]["copy"]["value"] == pytest.approx(expected["models"]["copy"]["value"])


def test_several_models_are_compared_in_plain_words(files, capsys):
    folder, _ = files
    assert run(_arguments(folder, "--predicted", "blind=guess", "--groups", "user")) == 0
    out = capsys.readouterr().out
    assert "points ahead of blind" in out
    assert "most frequent outcome of the context" in out
    assert "tie: predicted, actual and likeliest equal" in out
    assert "caution: A Relevance Score is not the share of satisfied people" in out


@pytest.mark.parametrize("reference", ["cross-fit", "file"])
def test_the_reference_can_be_other_rows(files, capsys, reference):
    folder, rows = files
    given = str(folder / "test.parquet") if reference == "file" else reference
    found = _json(capsys, _arguments(folder, "--reference", given, "--unseen", "marginal"))
    table = learn.outcome_probabilities(
        rows,
        outcome="light",
        context=CONTEXT,
        reference="train" if reference == "file" else reference,
    )
    value = score.relevance_score(
        rows["light"], rows["copy"], contexts=rows, table=table, unseen="marginal"
    )
    assert found["models"]["copy"]["value"] == pytest.approx(value)
    assert found["models"]["copy"]["reference"] == table.reference


def test_folds_and_weights_reach_the_score(files, capsys):
    folder, rows = files
    found = _json(
        capsys,
        _arguments(
            folder, "--reference", "cross-fit", "--folds", "user", "--weights", "twice",
            "--alpha", "1", "--beta", "inf",
        ),
    )  # fmt: skip
    table = learn.outcome_probabilities(
        rows, outcome="light", context=CONTEXT, weights="twice", reference="cross-fit",
        folds="user",
    )  # fmt: skip
    value = score.relevance_score(
        rows["light"], rows["copy"], contexts=rows, table=table, alpha=1, beta=float("inf"),
        sample_weight=rows["twice"],
    )  # fmt: skip
    assert found["models"]["copy"]["value"] == pytest.approx(value)


def test_alpha_and_beta_can_come_from_judgements(files, capsys):
    folder, _ = files
    found = _json(
        capsys,
        _arguments(
            folder, "--judgements", str(folder / "judged.csv"), "--judged-prediction", "shown",
            "--respondent", "user",
        ),
    )  # fmt: skip
    # Grades were made with slopes .5 and .25, so alpha is two thirds of the sum.
    assert found["learned"]["alpha_share"]["mean"] == pytest.approx(2 / 3, abs=1e-6)
    assert found["models"]["copy"]["alpha"] == pytest.approx(2 / 3, abs=1e-6)


def test_picture_and_report_are_written(files, capsys, tmp_path):
    folder, _ = files
    picture, page = tmp_path / "p.svg", tmp_path / "r.html"
    arguments = _arguments(
        folder, "--predicted", "guess", "--plot", str(picture), "--out", str(page)
    )
    assert run(arguments) == 0
    assert "alpha / (alpha + beta)" in picture.read_text(encoding="utf-8")
    html = page.read_text(encoding="utf-8")
    assert html.count("<svg") - html.count('class="for-phone"') == 3
    assert "What not to conclude" in html
    capsys.readouterr()


def test_a_gap_in_a_prediction_is_named_by_its_column(files, capsys, tmp_path):
    _, rows = files
    gaps = pl.DataFrame(rows).with_columns(
        copy=pl.when(pl.int_range(300) == 7).then(None).otherwise(pl.col("copy"))
    )
    gaps.write_csv(tmp_path / "test.csv")
    assert run(_arguments(tmp_path)) == 2
    assert "column 'copy': 1 of 300 values missing (first: row 9)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--outcome", "lights"], "Did you mean 'light'"),
        (["--drop", "mood"], "drop: no 'mood'"),
        (["--alpha", "0", "--beta", "0"], "not both 0"),
        (["--reference", "nowhere.csv"], "nowhere.csv: no such file"),
        (["--reference", "crossfit"], "Did you mean 'cross-fit'"),
        (["--weights", "area"], "not numbers"),
        (["--context", "user,area,light"], "the outcome 'light' among the context columns"),
        (["--context", "user,area,copy"], "the prediction 'copy' among the context columns"),
        (["--plot", "picture.bmp"], "picture.bmp"),
        (["--predicted", "x=copy", "--predicted", "x=guess"], "a name of its own"),
    ],
)
def test_wrong_input_is_told_without_a_traceback(files, capsys, change, message):
    folder, _ = files
    assert run(_arguments(folder, *change)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_a_dropped_column_may_stand_outside_the_context(files, capsys):
    folder, _ = files
    inside = _json(capsys, _arguments(folder))
    outside = _json(capsys, _arguments(folder, "--context", ",".join(CONTEXT)))
    assert outside["models"] == inside["models"]


def test_the_rows_of_another_file_need_no_column_that_is_dropped(files, capsys, tmp_path):
    folder, rows = files
    other = tmp_path / "train.csv"
    pl.DataFrame({name: rows[name] for name in [*CONTEXT, "light"]}).write_csv(other)
    found = _json(
        capsys, _arguments(folder, "--context", ",".join(CONTEXT), "--reference", str(other))
    )
    whole = _json(capsys, _arguments(folder))
    assert found["models"]["copy"]["value"] == pytest.approx(whole["models"]["copy"]["value"])


def test_gaps_and_ragged_rows_are_told_by_file_and_row(capsys, tmp_path):
    file = tmp_path / "test.csv"
    arguments = [
        "relevance", str(file), "--outcome", "y", "--predicted", "p", "--context", "a"
    ]  # fmt: skip
    file.write_text("a,y,p\n" + "x,A,A\n" * 5 + ",A,B\n" * 2)
    assert run(arguments) == 2
    assert f"{file}, column 'a': 2 of 7 values missing (first: row 7)" in capsys.readouterr().err
    file.write_text("a,y,p\nx,A,A\nx,A,A,B,B\n")
    assert run(arguments) == 2
    assert "row 3: found 5 fields, expected 3" in capsys.readouterr().err
    file.write_text("a,y,p\n")
    assert run(arguments) == 2
    assert f"{file}: a header without rows" in capsys.readouterr().err
    pl.DataFrame({"a": [], "y": [], "p": []}).write_parquet(tmp_path / "test.parquet")
    assert run([arguments[0], str(tmp_path / "test.parquet"), *arguments[2:]]) == 2
    assert "without rows" in capsys.readouterr().err
