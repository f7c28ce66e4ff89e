"""`howgood rank`, from the outside."""

import gzip
import json

import numpy as np
import polars as pl
import pytest

from howgood.cli.main import run
from howgood.decide import rank

N = 400
GENERATOR = np.random.default_rng(5)
FEEDBACK = pl.DataFrame(
    {
        "mu": GENERATOR.uniform(1, 5, N),
        "sigma": GENERATOR.uniform(0, 1, N),
    }
).with_columns(
    good=pl.col("mu") + GENERATOR.normal(0, 0.30, N),
    fair=pl.col("mu") + GENERATOR.normal(0, 0.32, N),
    poor=pl.Series(np.full(N, 3.0)),
)
SYSTEMS = ["--system", "good", "--system", "F=fair", "--system", "poor"]
COLUMNS = ["--mean", "mu", "--sd", "sigma"]


@pytest.fixture
def table(tmp_path):
    FEEDBACK.write_csv(tmp_path / "table.csv")
    FEEDBACK.write_parquet(tmp_path / "table.parquet")
    return tmp_path / "table.csv"


def _json(capsys, arguments):
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("engine", ["auto", "polars", "duckdb"])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_every_engine_gives_the_library_s_answer(table, capsys, engine, ending):
    path = table.with_suffix(ending)
    result = _json(capsys, ["rank", str(path), *COLUMNS, *SYSTEMS, "--engine", engine])
    expected = rank(
        {"good": FEEDBACK["good"], "F": FEEDBACK["fair"], "poor": FEEDBACK["poor"]},
        mean=FEEDBACK["mu"],
        sd=FEEDBACK["sigma"],
    )
    assert result["order"] == list(expected.order)
    assert result["errors"]["good"]["F"] == pytest.approx(expected.error("good", "F"), rel=1e-6)
    assert result["provenance"]["rows_used"] == N


def test_the_text_names_the_winner_and_the_barrier_first(table, capsys):
    assert run(["rank", str(table), *COLUMNS, *SYSTEMS]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("- ")
    assert any("magic barrier" in line for line in lines)


def test_unpaired_is_the_paper_s_equation(table, capsys):
    result = _json(capsys, ["rank", str(table), *COLUMNS, *SYSTEMS, "--unpaired"])
    assert result["paired"] is False


@pytest.mark.parametrize("metric", ["mse", "mae"])
def test_other_metrics_rank_too(table, capsys, metric):
    result = _json(capsys, ["rank", str(table), *COLUMNS, *SYSTEMS, "--metric", metric])
    assert result["order"][-1] == "poor"


def test_one_sd_for_all(table, capsys):
    result = _json(capsys, ["rank", str(table), "--mean", "mu", "--sd", "0.5", *SYSTEMS])
    assert result["barrier"] == pytest.approx(0.5)


def test_pictures_and_reports_are_written(table, tmp_path, capsys):
    plot, out = tmp_path / "plot.svg", tmp_path / "report.html"
    arguments = [*COLUMNS, *SYSTEMS, "--plot", str(plot), "--out", str(out)]
    assert run(["rank", str(table), *arguments]) == 0
    assert "magic barrier" in plot.read_text()
    html = out.read_text()
    assert "Which places in this leaderboard are real?" in html
    assert "<svg" in html


def _repeated(path):
    generator = np.random.default_rng(2)
    rows = [
        {"user": user, "item": item, "trial": trial, "rating": int(generator.integers(2, 5)),
         "three": 3.0, "four": 4.0}
        for user in range(20) for item in range(3) for trial in range(5)
    ]  # fmt: skip
    pl.DataFrame(rows).write_csv(path)


def test_raw_repeated_ratings_give_both_probabilities(tmp_path, capsys):
    path = tmp_path / "ratings.csv"
    _repeated(path)
    arguments = ["rank", str(path), "--repeated", "--system", "three", "--system", "four"]
    result = _json(capsys, [*arguments, "--trial", "trial"])
    assert result["n"] == 60
    assert result["true_errors"]["three"]["four"] < result["errors"]["three"]["four"]
    assert run([*arguments]) == 0
    assert "mean opinions order them the other way" in capsys.readouterr().out


def test_absolute_errors_rank_repeated_ratings_too(tmp_path, capsys):
    path = tmp_path / "ratings.csv"
    _repeated(path)
    arguments = ["rank", str(path), "--repeated", "--system", "three", "--system", "four"]
    result = _json(capsys, [*arguments, "--metric", "mae"])
    assert result["n"] == 60
    assert result["order"] == ["three", "four"]


def test_predictions_may_live_in_a_second_file(tmp_path, capsys):
    path = tmp_path / "ratings.csv"
    _repeated(path)
    ratings = pl.read_csv(path)
    ratings.select("user", "item", "three", "four").unique().write_csv(tmp_path / "systems.csv")
    ratings.drop("three", "four").write_csv(path)
    arguments = ["rank", str(path), "--repeated", "--predictions", str(tmp_path / "systems.csv")]
    result = _json(capsys, [*arguments, "--system", "three", "--system", "four"])
    assert result["n"] == 60


def _broken(tmp_path, **changes):
    FEEDBACK.with_columns(**changes).write_csv(tmp_path / "broken.csv")
    return tmp_path / "broken.csv"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mu": pl.lit(float("nan"))}, ["mu", "missing"]),
        ({"sigma": pl.lit(float("inf"))}, ["sigma"]),
        ({"sigma": pl.lit(-0.5)}, ["sigma", "negative"]),
        ({"good": pl.lit("text")}, ["good", "number"]),
    ],
)
def test_wrong_values_get_one_line_that_names_the_column(tmp_path, capsys, changes, words):
    path = _broken(tmp_path, **changes)
    assert run(["rank", str(path), *COLUMNS, *SYSTEMS]) == 2
    error = capsys.readouterr().err
    assert len(error.strip().splitlines()) == 1
    for word in words:
        assert word in error


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mean", "mean_rating", "--sd", "sigma", *SYSTEMS], ["mean_rating", "mu"]),
        ([*COLUMNS, "--system", "A=nope", "--system", "good"], ["nope"]),
        ([*COLUMNS, *SYSTEMS, "--engine", "excel"], ["excel", "polars"]),
        ([*COLUMNS, *SYSTEMS, "--level", "7"], ["level", "7"]),
        ([*COLUMNS, *SYSTEMS, "--plot", "plot.bmp"], [".bmp", ".svg"]),
        ([*COLUMNS, *SYSTEMS, "--out", "report.doc"], [".doc", ".html"]),
        ([*COLUMNS, "--system", "good"], ["two systems"]),
    ],
)
def test_wrong_arguments_are_refused_kindly(table, capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(table.parent)
    assert run(["rank", str(table), *arguments]) == 2
    error = capsys.readouterr().err
    assert "Traceback" not in error
    for word in words:
        assert word in error


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n\x00\x00", b"mu,sigma,good,fair,poor\n"]
)
def test_a_file_that_is_no_table_is_refused(tmp_path, capsys, content):
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    assert run(["rank", str(path), *COLUMNS, *SYSTEMS]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_missing_value_may_be_left_out_by_name(tmp_path, capsys):
    values = FEEDBACK["mu"].to_list()
    values[3] = None
    path = _broken(tmp_path, mu=pl.Series(values))
    result = _json(capsys, ["rank", str(path), *COLUMNS, *SYSTEMS, "--missing", "drop"])
    assert result["n"] == N - 1
    assert sum(result["provenance"]["rows_dropped"].values()) == 1


@pytest.mark.parametrize("engine", ["auto", "polars", "duckdb", "built-in"])
def test_semicolons_a_byte_order_mark_compression_and_odd_names_are_read(tmp_path, capsys, engine):
    text = "mu;sigma;my système;b b\n3;1;2;4\n4;0.5;4;4.2\n2;0.1;3;1\n"
    plain, packed = tmp_path / "plain.csv", tmp_path / "packed.csv.gz"
    plain.write_text(text, encoding="utf-8-sig")
    packed.write_bytes(gzip.compress(text.encode()))
    systems = ["--system", "S=my système", "--system", "T=b b", "--engine", engine]
    results = [_json(capsys, ["rank", str(path), *COLUMNS, *systems]) for path in (plain, packed)]
    # By hand: S is 1, 0, -1 away from the means, T is -1, -0.2, 1: S has the smaller squares.
    assert [result["order"] for result in results] == [["S", "T"], ["S", "T"]]


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("rows.csv", b"mu,sigma,good,fair\n", "header without rows"),
        ("blank.csv", b"\n\n", "empty file"),
        ("packed.csv.gz", b"not gzip at all", "not gzip"),
    ],
)
def test_tables_without_rows_are_refused_in_one_line(tmp_path, capsys, name, content, complaint):
    (tmp_path / name).write_bytes(content)
    assert (
        run(["rank", str(tmp_path / name), *COLUMNS, "--system", "good", "--system", "fair"]) == 2
    )
    (line,) = capsys.readouterr().err.splitlines()
    assert complaint in line


@pytest.mark.parametrize("sd", ["-1", "nan", "inf"])
def test_a_constant_sd_must_be_one(table, capsys, sd):
    assert run(["rank", str(table), "--mean", "mu", f"--sd={sd}", *SYSTEMS]) == 2
    assert "howgood: sd: " in capsys.readouterr().err


def test_a_picture_in_a_folder_that_is_not_there_is_refused(table, tmp_path, capsys):
    target = tmp_path / "nowhere" / "picture.png"
    assert run(["rank", str(table), *COLUMNS, *SYSTEMS, "--plot", str(target)]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_picture_asked_for_changes_no_number(table, capsys, tmp_path):
    without = _json(capsys, ["rank", str(table), *COLUMNS, *SYSTEMS])
    drawn = ["rank", str(table), *COLUMNS, *SYSTEMS, "--plot", str(tmp_path / "p.svg")]
    with_picture = _json(capsys, drawn)
    assert with_picture["order"] == without["order"]
    for name, errors in without["errors"].items():
        assert with_picture["errors"][name] == pytest.approx(errors, rel=1e-9)


@pytest.fixture
def annotated(tmp_path):
    """Twelve answers of a model, each rated once by three annotators."""
    generator = np.random.default_rng(3)
    item = np.repeat(np.arange(12), 3)
    quality = np.repeat(generator.uniform(2, 4, 12), 3)
    frame = pl.DataFrame(
        {
            "annotator": np.tile(["x", "y", "z"], 12),
            "prompt": item,
            "score": np.clip(np.round(quality + generator.normal(0, 0.7, 36)), 1, 5),
            "large": quality + 0.1,
            "small": quality + 0.6,
        }
    )
    frame.write_csv(tmp_path / "annotated.csv")
    return frame, tmp_path / "annotated.csv"


JUDGES = ["--system", "large", "--system", "small"]


def test_naming_a_column_of_raw_ratings_says_that_they_are_raw(annotated, capsys):
    frame, path = annotated
    # The same annotator, who rated every answer three times.
    frame.with_columns(pl.lit("x").alias("annotator")).write_csv(path)
    columns = ["--user", "annotator", "--item", "prompt", "--rating", "score"]
    result = _json(capsys, ["rank", str(path), *columns, *JUDGES])
    per_item = frame.group_by("prompt", maintain_order=True).agg(
        pl.col("score").mean().alias("mean"),
        pl.col("score").std(ddof=0).alias("sd"),
        pl.col("large").first(),
        pl.col("small").first(),
    )
    expected = rank(
        per_item.select("large", "small"), mean=per_item["mean"], sd=per_item["sd"], trials=3
    )
    assert result["provenance"]["rows_used"] == 12
    assert result["errors"]["large"]["small"] == pytest.approx(expected.error("large", "small"))


def test_annotators_who_rated_once_are_pointed_to_raters(annotated, capsys):
    columns = ["--user", "annotator", "--item", "prompt", "--rating", "score"]
    assert run(["rank", str(annotated[1]), *columns, *JUDGES]) == 2
    assert "rank with them as a sample: --rater ..." in capsys.readouterr().err


def test_means_that_are_given_and_raw_ratings_are_not_mixed(annotated, capsys):
    """Else the sd would be passed over in silence, and its absence complained of."""
    given = ["--mean", "score", "--sd", "0.8", "--trials", "1"]
    assert run(["rank", str(annotated[1]), *given, "--user", "annotator", *JUDGES]) == 2
    said = capsys.readouterr().err
    assert "--mean and --sd and --trials: --user too" in said
    assert "else leave out --user" in said


def _rated_by_three(path):
    rng = np.random.default_rng(4)
    truth, lenient = rng.normal(3, 1, 30), rng.normal(0, 0.6, 3)
    rows = ["prompt,who,stars,a,b"]
    for item in range(30):
        for rater in range(3):
            stars = truth[item] + lenient[rater] + rng.normal(0, 0.5)
            rows.append(
                f"{item},{rater},{stars:.3f},{truth[item] + 0.4:.3f},{truth[item] - 0.4:.3f}"
            )
    path.write_text("\n".join(rows))
    return [str(path), "--item", "prompt", "--rating", "stars", "--system", "a", "--system", "b"]


def test_raters_are_a_sample_and_few_of_them_are_spoken_of(tmp_path, capsys):
    command = ["rank", *_rated_by_three(tmp_path / "rated.csv"), "--rater", "who"]
    out, plot = tmp_path / "report.html", tmp_path / "plot.svg"
    assert run([*command, "--out", str(out), "--plot", str(plot)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "over items and raters like these" in said
    assert "Only 3 raters: " in said
    # Simulated were boards of grades, not predictions of ratings.
    assert "of 100 orders" not in said
    assert "re-rating" not in said
    assert "RMSE against 90 ratings by 3 raters" in out.read_text()
    assert "RMSE over items and raters like these" in plot.read_text()
    assert run([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["doubt"], found["n"], found["metric"]) == ("items and raters", 30, "rmse")


def test_a_rater_who_gave_most_ratings_is_spoken_of(tmp_path, capsys):
    rows = ["item,who,rating,a,b"]
    rows += [f"{each},{int(each < 3)},{each % 5},{each % 4},{each % 3}" for each in range(30)]
    (tmp_path / "rated.csv").write_text("\n".join(rows))
    command = ["rank", str(tmp_path / "rated.csv"), "--system", "a", "--system", "b"]
    assert run([*command, "--rater", "who"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    # 1 / (.1² + .9²)
    assert "Only 2 raters, who count as 1.2 because one rater gave most ratings: " in said


def test_the_item_is_not_the_user_and_a_rater_is_not_one_either(tmp_path, capsys):
    command = ["rank", *_rated_by_three(tmp_path / "rated.csv")]
    for metric in ("rmse", "mae"):
        assert run([*command, "--user", "prompt", "--metric", metric]) == 2
        assert "--rater" in capsys.readouterr().err
    assert run([*command, "--rater", "who", "--user", "prompt"]) == 2
    assert "Leave out --user, or --rater" in capsys.readouterr().err


def test_several_ratings_of_one_rater_are_combined_by_name(tmp_path, capsys):
    path = tmp_path / "rated.csv"
    command = ["rank", *_rated_by_three(path), "--rater", "who"]
    path.write_text(path.read_text() + "\n" + path.read_text().splitlines()[1])
    assert run(command) == 2
    assert "--combine mean" in capsys.readouterr().err
    assert run([*command, "--combine", "last"]) == 0
    assert "2 rows are several of one rater for one output" in capsys.readouterr().out


@pytest.mark.parametrize("unused", [["--once", "drop"], ["--trials", "2"], ["--unpaired"]])
def test_options_without_a_use_beside_raters_are_refused(unused, tmp_path, capsys):
    command = ["rank", *_rated_by_three(tmp_path / "rated.csv"), "--rater", "who"]
    assert run([*command, *unused]) == 2
    assert f"{unused[0]} too" in " ".join(capsys.readouterr().err.split())


def test_combining_rows_needs_raters(tmp_path, capsys):
    command = ["rank", *_rated_by_three(tmp_path / "rated.csv"), "--user", "who"]
    assert run([*command, "--combine", "mean"]) == 2
    assert "name the column that says who rated: --rater" in capsys.readouterr().err


def _lists(path):
    rows = ["user,item,rating,good,bad"]
    for user in range(60):
        rows += [f"{user},{item},{(user + item) % 5 + 1},{(user + item) % 5},{-item}"
                 for item in range(6)]  # fmt: skip
    path.write_text("\n".join(rows))
    return [str(path), "--system", "good", "--system", "bad"]


def test_lists_are_ranked_with_their_report_and_picture(tmp_path, capsys):
    command = ["rank", *_lists(tmp_path / "lists.csv"), "--sd", "0.5"]
    out, plot = tmp_path / "report.html", tmp_path / "plot.svg"
    assert run([*command, "--metric", "ndcg@3", "--out", str(out), "--plot", str(plot)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "good is best" in said
    assert "NDCG@3" in said
    assert "NDCG@3 of their lists for 60 users (360 ratings" in out.read_text()
    assert "NDCG@3 (higher is better)" in plot.read_text()
    assert run([*command, "--metric", "map", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["n"], found["metric"], found["order"]) == (60, "map", ["good", "bad"])
    assert found["provenance"]["settings"]["draws"] == 4096
    assert run([*command, "--metric", "hit@2", "--about", "users"]) == 0
    assert "Relevant is what was rated 4 or more, above the middle" in " ".join(
        capsys.readouterr().out.split()
    )


def test_options_of_lists_and_of_errors_are_not_mixed(tmp_path, capsys):
    command = ["rank", *_lists(tmp_path / "lists.csv")]
    assert run([*command, "--metric", "ndcg@3"]) == 2
    assert "Say it: --sd 0.7" in " ".join(capsys.readouterr().err.split())
    assert run([*command, "--metric", "ndcg@3", "--sd", "1", "--mean", "rating"]) == 2
    assert "--mean too" in " ".join(capsys.readouterr().err.split())
    assert run([*command, "--metric", "rmse", "--relevant", "3"]) == 2
    assert "--relevant too" in " ".join(capsys.readouterr().err.split())
    assert run([*command, "--metric", "accuracy"]) == 2
    assert "is not one of rmse" in " ".join(capsys.readouterr().err.split())
