"""`howgood leaderboard`, from the outside."""

import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from howgood.cli.main import run
from howgood.decide import rank_grades, rank_votes

RNG = np.random.default_rng(8)
ITEM, RATER, SYSTEM = (each.ravel() for each in np.indices((30, 6, 3)))
GRADES = pl.DataFrame(
    {
        "prompt": [f"q{each}" for each in ITEM],
        "model": np.array(["large", "medium", "small"])[SYSTEM],
        "who": RATER,
        "score": np.round(RNG.normal(4.0 - np.array([0.0, 0.05, 1.0])[SYSTEM], 0.8)),
    }
)
COLUMNS = ["--item", "prompt", "--system", "model", "--rater", "who", "--grade", "score"]


@pytest.fixture
def grades(tmp_path):
    path = tmp_path / "grades.csv"
    GRADES.write_csv(path)
    return path


def test_lengths_without_a_sign_are_subtracted_as_numbers(tmp_path, capsys):
    rng = np.random.default_rng(2)
    left, right = rng.integers(20, 200, (2, 300))
    longer = np.where(rng.random(300) < 0.8, left > right, left < right)
    columns = {"left": ["a", "b"] * 150, "right": ["b", "a"] * 150}
    columns["winner"] = np.where(longer, "left", "right")
    said = []
    for kind in (np.int64, np.uint32):
        lengths = {"left_length": left.astype(kind), "right_length": right.astype(kind)}
        path = tmp_path / f"{np.dtype(kind)}.parquet"
        pl.DataFrame(columns | lengths).write_parquet(path)
        assert run(["leaderboard", str(path), "--style", "left_length,right_length"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert "more of style wins" in said[0]
    text = {"left_length": left, "right_length": ["long", *right.astype(str)[1:]]}
    pl.DataFrame(columns | text).write_csv(tmp_path / "text.csv")
    words = ["leaderboard", str(tmp_path / "text.csv"), "--style", "left_length,right_length"]
    assert run(words) == 2
    assert "'right_length': String, not numbers" in capsys.readouterr().err


def test_less_penalty_is_better_also_where_somebody_names_the_column(tmp_path, capsys):
    rows = [
        f"{name},{doc},{part},{who},{penalty + doc % 2}"
        for name, penalty in (("A", 5), ("C", 1))
        for doc in range(4)
        for part in range(3)
        for who in "xy"
    ]
    path = tmp_path / "penalties.csv"
    path.write_text("\n".join(["system,doc,segment,rater,penalty", *rows]), encoding="utf-8")
    for more in ([], ["--grade", "penalty"]):
        assert run(["leaderboard", str(path), *more]) == 0
        printed = capsys.readouterr().out
        assert "less penalty is better" in printed
        assert "C is best" in printed
    assert run(["leaderboard", str(path), "--higher-is-better"]) == 0
    assert "A is best" in capsys.readouterr().out


def test_the_command_gives_the_library_s_answer(grades, capsys):
    assert run(["leaderboard", str(grades), *COLUMNS, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = rank_grades(GRADES, item="prompt", system="model", rater="who", grade="score")
    assert found["order"] == list(expected.order)
    assert found["errors"]["large"]["small"] == pytest.approx(expected.error("large", "small"))
    assert found["doubt"] == "items and raters"


def test_the_text_says_what_is_certain_and_what_is_not(grades, capsys):
    assert run(["leaderboard", str(grades), *COLUMNS]) == 0
    said = capsys.readouterr().out
    assert "over items and raters like these" in said
    assert "mean grade" in said
    assert "barrier" not in said
    assert run(["leaderboard", str(grades), *COLUMNS, "--no-rater"]) == 2
    assert "--combine mean" in capsys.readouterr().err
    assert run(["leaderboard", str(grades), *COLUMNS, "--no-rater", "--combine", "mean"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Who graded is not known" in said
    assert "540 rows are several of one output: their mean counts" in said


def test_few_raters_are_spoken_of(grades, tmp_path, capsys):
    path = tmp_path / "few.csv"
    GRADES.filter(pl.col("who") < 3).write_csv(path)
    assert run(["leaderboard", str(path), *COLUMNS]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Only 3 raters" in said
    assert "More raters help more than more items" in said
    assert "simulated boards of 8 systems and 40 items" in said


def test_a_tie_says_what_would_tell_its_systems_apart(tmp_path, capsys):
    rng = np.random.default_rng(5)
    item, rater, system = (each.ravel() for each in np.indices((30, 4, 2)))
    path = tmp_path / "tie.csv"
    tastes = rng.normal(0, 0.1, (4, 2))
    grade = 4 + 0.15 * system + tastes[rater, system] + rng.normal(0, 1.0, item.size)
    pl.DataFrame({"item": item, "rater": rater, "system": system, "grade": grade}).write_csv(path)
    assert run(["leaderboard", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "No clear winner" in said
    assert "To tell" in said or "would not tell" in said
    assert "rater narrows this as much as" in said or "What limits this" in said


def test_counts_of_errors_are_summed_when_that_is_said(tmp_path, capsys):
    """Three errors of one rater in one output are three, not their mean of one."""
    path = tmp_path / "errors.csv"
    rows = [
        f"{item},{system},{rater},1"
        for item in range(6)
        for system, n in (("a", 1), ("b", 2 + item % 2))
        for rater in ("ann", "bob", "eve")
        for _ in range(n)
    ]
    path.write_text("item,system,rater,grade\n" + "\n".join(rows))
    command = ["leaderboard", str(path), "--lower-is-better"]
    assert run(command) == 2
    said = capsys.readouterr().err
    assert "18 times several rows of one rater for one output (up to 3)" in said
    assert "--combine sum" in said
    assert run([*command, "--combine", "sum", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["order"] == ["a", "b"]
    assert [row["score"] for row in found["systems"]] == pytest.approx([1.0, 2.5])
    assert run([*command, "--combine", "mean", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"][1]["score"] == pytest.approx(1.0)


def test_few_items_are_spoken_of_and_nothing_is_certain(tmp_path, capsys):
    path = tmp_path / "two.csv"
    path.write_text("item,system,grade\n1,a,4\n1,b,3\n2,a,4\n2,b,3\n")
    assert run(["leaderboard", str(path), "--no-rater"]) == 0
    said = capsys.readouterr().out
    assert "Only 2 items" in said
    assert "No clear winner" in said
    assert "probability of 0" not in said


def test_two_with_the_same_mean_share_the_front(tmp_path, capsys):
    path = tmp_path / "level.csv"
    rows = "".join(f"{item},a,{4 + item % 2}\n{item},b,{5 - item % 2}\n" for item in range(6))
    path.write_text("item,system,grade\n" + rows)
    assert run(["leaderboard", str(path), "--no-rater"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "No clear winner. a and b share the best mean grade; a is best over items" in said
    assert "50 % and cannot be told apart from b" in said


def test_pictures_and_reports_are_written(grades, tmp_path):
    plot, out = tmp_path / "plot.svg", tmp_path / "report.html"
    assert run(["leaderboard", str(grades), *COLUMNS, "--plot", str(plot), "--out", str(out)]) == 0
    assert "higher is better" in plot.read_text()
    report = out.read_text()
    assert "Leaderboard of 3 systems" in report
    assert "random effects" in report


def test_grade_one_may_be_the_best(grades, capsys):
    assert run(["leaderboard", str(grades), *COLUMNS, "--lower-is-better", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["order"][0] == "small"


def test_cures_are_options_and_messages_name_the_file(grades, tmp_path, capsys):
    assert run(["leaderboard", str(grades), *COLUMNS[:4], "--grade", "score"]) == 2
    said = capsys.readouterr().err
    assert str(grades) in said
    assert "--rater COLUMN" in said
    path = tmp_path / "single.csv"
    GRADES.with_columns(who=pl.col("model")).write_csv(path)
    assert run(["leaderboard", str(path), *COLUMNS]) == 2
    said = capsys.readouterr().err
    assert "--no-rater" in said
    assert "rater=None" not in said


def test_votes_between_two_outputs(tmp_path, capsys):
    rng = np.random.default_rng(1)
    left = rng.integers(3, size=600)
    right = (left + 1 + rng.integers(2, size=600)) % 3
    is_better = rng.random(600) < 1 / (1 + np.exp(left - right))
    path, page = tmp_path / "votes.csv", tmp_path / "votes.html"
    pl.DataFrame(
        {
            "a": np.array(["large", "medium", "small"])[left],
            "b": np.array(["large", "medium", "small"])[right],
            "won": np.where(is_better, "left", "right"),
            "prompt": rng.integers(40, size=600),
        }
    ).write_csv(path)
    columns = ["--left", "a", "--right", "b", "--winner", "won", "--item", "prompt"]
    assert run(["leaderboard", str(path), *columns, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["order"] == ["large", "medium", "small"]
    assert run(["leaderboard", str(path), *columns, "--out", str(page)]) == 0
    assert "Which raters votes belong to is not known" in capsys.readouterr().out
    assert "by votes" in page.read_text(encoding="utf-8")


def test_several_criteria_and_segments_are_boards_of_one_run(tmp_path, capsys):
    path, plot, page = tmp_path / "grades.csv", tmp_path / "boards.svg", tmp_path / "boards.html"
    table = GRADES.with_columns(
        fluent=6 - pl.col("score"), kind=pl.Series(np.where(ITEM < 15, "long", "short"))
    )
    table.write_csv(path)
    columns = [*COLUMNS[:-1], "score,fluent", "--segment", "kind"]
    assert run(["leaderboard", str(path), *columns, "--plot", str(plot), "--out", str(page)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "First places." in said
    assert "score, long" in said
    assert "large is better than small on score, and worse on fluent" in said
    assert "6 boards" in said
    assert plot.read_text().startswith("<?xml")
    assert "6 leaderboards of 3 systems" in page.read_text()
    assert run(["leaderboard", str(path), *columns, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["criteria"]
    assert set(found) == {"score", "fluent"}
    expected = rank_grades(
        table.filter(kind="long"), item="prompt", system="model", rater="who", grade="score"
    )
    assert found["score"]["segments"]["long"]["order"] == list(expected.order)


def test_json_says_what_the_printed_board_says(tmp_path, capsys):
    """Two systems and three raters: what their numbers take for granted, and how often they err."""
    path = tmp_path / "two.csv"
    table = GRADES.filter((pl.col("model") != "small") & (pl.col("who") < 3))
    is_long = table["prompt"].str.slice(1).cast(int) < 15
    table.with_columns(kind=is_long.replace_strict({True: "long", False: "short"})).write_csv(path)
    for options in ([], ["--segment", "kind"]):
        assert run(["leaderboard", str(path), *COLUMNS, *options, "--json"]) == 0
        board = json.loads(capsys.readouterr().out)
        assert run(["leaderboard", str(path), *COLUMNS, *options]) == 0
        printed = " ".join(capsys.readouterr().out.split())
        boards = [board, *board.get("segments", {}).values()]
        assert len(boards) == (3 if options else 1)
        for said in (" ".join(board["findings"]) for board in boards):
            assert "If you expect them to be nearly equal, the probability is larger" in said
            assert "8 of 100 orders said to be wrong with less than 5 % were wrong" in said
        assert all(finding in printed for board in boards for finding in board["findings"])


def test_clusters_are_named_and_counted(grades, tmp_path, capsys):
    path = tmp_path / "clusters.csv"
    GRADES.with_columns(topic=pl.Series(ITEM // 6)).write_csv(path)
    assert run(["leaderboard", str(path), *COLUMNS, "--cluster", "topic", "--json"]) == 0
    provenance = json.loads(capsys.readouterr().out)["provenance"]
    assert provenance["settings"]["clusters"] == 5
    assert run(["leaderboard", str(path), *COLUMNS, "--cluster", "chapter"]) == 2
    assert "no column 'chapter'" in capsys.readouterr().err


def _vote_rows(n=400):
    rng = np.random.default_rng(21)
    left = rng.integers(3, size=n)
    right = (left + 1 + rng.integers(2, size=n)) % 3
    won = rng.random(n) < 1 / (1 + np.exp(left - right))
    names = np.array(["large", "medium", "small"])
    return names[left], names[right], won, rng.integers(30, size=n), rng.integers(12, size=n)


def test_files_of_arenas_need_no_options(tmp_path, capsys):
    """Votes as other programs write them: read, and said what was taken as what."""
    left, right, won, prompt, who = _vote_rows()
    expected = rank_votes(
        {"left": left, "right": right, "winner": np.where(won, "left", "right"), "item": prompt,
         "rater": who}, item="item", rater="rater"
    )  # fmt: skip
    arena = {"question_id": prompt, "model_a": left, "model_b": right,
             "winner": np.where(won, "model_a", "model_b"), "judge": who}  # fmt: skip
    alpaca = {"instruction": prompt, "generator_1": left, "generator_2": right,
              "preference": np.where(won, 1, 2), "annotator": who}  # fmt: skip
    for number, columns in enumerate((arena, alpaca)):
        path = tmp_path / f"{number}.csv"
        pl.DataFrame(columns).write_csv(path)
        assert run(["leaderboard", str(path), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["order"] == list(expected.order)
        assert found["doubt"] == "items and raters"
        read = found["provenance"]["settings"]["read as"]
        assert [read[role] for role in ("left", "right", "winner", "item", "rater")] == [
            *list(columns)[1:4], next(iter(columns)), list(columns)[4]
        ]  # fmt: skip
        assert f"prompt is {next(iter(columns))!r}" in found["findings"][-1]


@pytest.mark.parametrize("words", [("true", "false"), ("TRUE", "FALSE"), ("1", "0")])
def test_votes_of_excluded_people_are_left_out_and_no_others(tmp_path, capsys, words):
    """Whatever program wrote the table, and where cells are empty, as after joining two tables."""
    left, right, won, prompt, who = _vote_rows()
    yes, no = words
    table = pl.DataFrame({
        "participant": who, "prompt": prompt, "left": left, "right": right,
        "winner": np.where(won, "left", "right"), "repeats": [None] * len(who),
        "excluded": np.where(who == 3, yes, np.where(who % 2, no, "")),
        "pilot": np.where(who == 5, yes, no),
    })  # fmt: skip
    path = tmp_path / "votes.csv"
    table.write_csv(path)
    assert run(["leaderboard", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["provenance"]["rows_used"] == np.sum((who != 3) & (who != 5))


def test_a_column_that_only_looks_like_pairs_asked_again_says_what_to_do(tmp_path, capsys):
    """The command has no option for it: the way out is another name."""
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner,repeats\na,b,left,1\nb,a,left,2\n")
    assert run(["leaderboard", str(path)]) == 2
    assert "rename it" in " ".join(capsys.readouterr().err.split())


def test_a_file_of_votes_without_a_winner_is_refused_with_the_options(tmp_path, capsys):
    left, right, won, *_ = _vote_rows(20)
    path = tmp_path / "kaggle.csv"
    pl.DataFrame({"model_a": left, "model_b": right, "winner_model_a": won.astype(int),
                  "winner_model_b": 1 - won.astype(int)}).write_csv(path)  # fmt: skip
    assert run(["leaderboard", str(path)]) == 2
    said = capsys.readouterr().err
    assert "the winner in several columns: 'winner_model_a', 'winner_model_b'" in said
    assert "--left model_a --right model_b --winner COLUMN" in said


def test_a_tie_of_votes_says_what_would_settle_it(tmp_path, capsys):
    rng = np.random.default_rng(22)
    left = rng.integers(2, size=60)
    path = tmp_path / "votes.csv"
    pl.DataFrame({"left": np.array(["a", "b"])[left], "right": np.array(["b", "a"])[left],
                  "winner": np.where(rng.random(60) < 0.5 + 0.08 * (1 - 2 * left), "left", "right"),
                  "prompt": rng.integers(40, size=60), "worker": rng.integers(10, size=60)}
                 ).write_csv(path)  # fmt: skip
    assert run(["leaderboard", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "No clear winner" in said
    assert "To tell" in said
    assert "raters" in said.partition("To tell")[2].partition(".")[0]
    assert "rater narrows this as much as" in said or "What limits this" in said


def test_level_systems_are_said_to_be_level(tmp_path, capsys):
    """As many wins as losses: no number of prompts would be honest."""
    path = tmp_path / "level.csv"
    rows = "".join(f"{n},w{n % 4},a,b,{'left' if n % 2 else 'right'}\n" for n in range(24))
    path.write_text("prompt,worker,left,right,winner\n" + rows)
    assert run(["leaderboard", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "so far: only more votes on them can tell" in said


def test_grades_with_usual_names_are_read_and_said(tmp_path, capsys):
    path = tmp_path / "grades.csv"
    GRADES.rename({"who": "annotator"}).write_csv(path)
    assert run(["leaderboard", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "Read as grades: system is 'model', item is 'prompt', rater is 'annotator' and grade is "
        "'score'." in said
    )


def test_penalties_of_segments_in_documents_need_no_options(tmp_path, capsys):
    """As the shared tasks of translation write them: segments numbered within documents."""
    path = tmp_path / "mqm.csv"
    table = pl.DataFrame({
        "system": GRADES["model"], "doc": ITEM // 5, "segment": ITEM % 5, "rater": RATER,
        "penalty": 5 - GRADES["score"],
    })  # fmt: skip
    table.write_csv(path)
    assert run(["leaderboard", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = rank_grades(
        table, item="segment", cluster="doc", grade="penalty", greater_is_better=False
    )
    assert found["order"] == list(expected.order)
    assert found["order"][-1] == "small"
    assert found["provenance"]["settings"]["clusters"] == 6
    assert "less penalty is better" in found["findings"][-1]


def test_every_tie_comes_with_what_would_settle_it(grades, tmp_path, capsys):
    """Printed for each set of neighbours; in JSON and on the page for each pair."""
    page = tmp_path / "board.html"
    assert run(["leaderboard", str(grades), *COLUMNS, "--out", str(page)]) == 0
    printed = capsys.readouterr().out.partition("What would settle each tie")[2]
    expected = rank_grades(GRADES, item="prompt", system="model", rater="who", grade="score")
    first, second = expected.order[:2]
    assert expected.ties[first] == (second,)
    assert first in printed
    assert second in printed
    assert "What would settle each tie" in page.read_text(encoding="utf-8")
    assert run(["leaderboard", str(grades), *COLUMNS, "--json"]) == 0
    needed = json.loads(capsys.readouterr().out)["needed"]
    assert [(pair["first"], pair["second"]) for pair in needed] == [(first, second)]
    assert needed[0]["items"] == expected.needed(first, second).items


def test_votes_have_boards_per_segment_and_a_style_of_two_columns(tmp_path, capsys):
    left, right, won, prompt, who = _vote_rows()
    length = np.random.default_rng(23).integers(10, 90, size=(2, len(won)))
    table = pl.DataFrame({
        "left": left, "right": right, "winner": np.where(won, "left", "right"), "prompt": prompt,
        "participant": who, "language": np.where(prompt < 15, "de", "en"),
        "left_length": length[0], "right_length": length[1],
    })  # fmt: skip
    path, plot, page = (tmp_path / name for name in ("votes.csv", "votes.svg", "votes.html"))
    table.write_csv(path)
    columns = ["leaderboard", str(path), "--segment", "language"]
    assert run([*columns, "--plot", str(plot), "--out", str(page)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "First places." in said
    assert "--style left_length,right_length" in said
    assert "Strengths with " in page.read_text(encoding="utf-8")
    style = ["--style", "left_length,right_length"]
    assert run([*columns, *style, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    german = table.filter(language="de").with_columns(longer=pl.Series(length[0] - length[1])
                                                      .filter(pl.Series(prompt < 15)))  # fmt: skip
    expected = rank_votes(german, item="prompt", rater="participant", style="longer")
    board = found["segments"]["de"]
    assert board["order"] == list(expected.order)
    assert board["errors"]["large"]["small"] == pytest.approx(expected.error("large", "small"))
    assert run([*columns, "--lower-is-better"]) == 2
    assert "--lower-is-better is for grades, and this file holds votes" in capsys.readouterr().err


def test_halves_of_the_same_data_are_compared(grades, tmp_path, capsys):
    out = tmp_path / "board.html"
    assert run(["leaderboard", str(grades), *COLUMNS, "--halves", "3", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "Do two halves of these data agree?" in said
    assert "items and raters" in said
    assert "Do two halves of these data agree?" in out.read_text()
    assert run(["leaderboard", str(grades), *COLUMNS, "--halves", "3", "--json"]) == 0
    halves = json.loads(capsys.readouterr().out)["halves"]
    assert list(halves) == ["items", "raters", "items and raters"]
    # Three splits of three pairs; of two pairs one model is far behind, and every half sees it.
    assert {found["pairs"] for found in halves.values()} == {9}
    assert halves["items"]["settled"] >= 6
    assert {found["contradicted"] for found in halves.values()} == {0}


def test_halves_of_votes_need_something_to_split_by(tmp_path, capsys):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n" + "a,b,left\nb,a,right\n" * 20)
    assert run(["leaderboard", str(path), "--halves", "2"]) == 2
    assert "Name it with --item or --rater" in capsys.readouterr().err


def test_halves_take_one_criterion(grades, capsys):
    words = ["leaderboard", str(grades), *COLUMNS[:-1], "score,score", "--halves", "2"]
    assert run(words) == 2
    assert "--halves takes one column of grades" in capsys.readouterr().err


def test_a_reader_that_has_gone_takes_no_file_away(grades, tmp_path):
    """`howgood leaderboard grades.csv --out board.html | true`: the report is written."""
    report, (reading, writing) = tmp_path / "board.html", os.pipe()
    os.close(reading)
    words = ["leaderboard", str(grades), *COLUMNS, "--out", str(report)]
    ran = subprocess.run(
        [sys.executable, "-m", "howgood", *words], stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert "</html>" in report.read_text(encoding="utf-8")
    assert (ran.returncode, "Traceback" in ran.stderr) == (141, False)


def test_a_rater_or_system_spelt_in_two_ways_is_said(tmp_path, capsys):
    path = tmp_path / "grades.csv"
    rows = [
        f"q{item},{system},{rater}{' ' * (item % 2)},{(item + len(system)) % 5}"
        for item in range(6) for system in ("Large", "large", "tiny") for rater in ("ann", "bob")
    ]  # fmt: skip
    path.write_text("\n".join(["item,system,rater,grade", *rows]))
    run(["leaderboard", str(path)])
    said = capsys.readouterr().err
    assert "grades, column 'system': 'Large', 'large' differ only in case or spaces" in said
    assert "column 'rater': 'ann', 'ann '; 'bob', 'bob ' differ only in case or spaces" in said
    assert "column 'item'" not in said


def test_votes_say_it_of_systems_in_both_columns_and_of_prompts_only_for_spaces(tmp_path, capsys):
    path = tmp_path / "votes.csv"
    rows = [f"{prompt},GPT,gpt,left,u{n}" for n in range(3) for prompt in ("hi", "Hi", "hi ")]
    rows += [f"hi,gpt,other,right,u{n}" for n in range(3)]
    path.write_text("\n".join(["prompt,model_a,model_b,winner,judge", *rows]))
    run(["leaderboard", str(path)])
    said = capsys.readouterr().err
    assert "columns 'model_a' and 'model_b': 'GPT', 'gpt' differ only in case or spaces" in said
    assert "column 'prompt': 'hi', 'hi ' differ only in spaces" in said


@pytest.mark.parametrize("engine", ["polars", "duckdb", "built-in"])
def test_n_a_among_grades_is_a_gap(tmp_path, capsys, engine):
    path = tmp_path / "grades.csv"
    rows = [
        f"q{item},{system},{rater},{'N/A' if item == 3 else len(system) + item % 2}"
        for item in range(6) for system in ("ab", "b") for rater in ("x", "y")
    ]  # fmt: skip
    path.write_text("\n".join(["item,system,rater,grade", *rows]))
    words = ["leaderboard", str(path), "--engine", engine]
    assert run(words) == 2
    assert "4 of 24 values missing" in capsys.readouterr().err
    assert run([*words, "--missing", "drop", "--json"]) == 0
    printed = capsys.readouterr()
    assert "4 of 24 rows left out" in printed.err
    found = json.loads(printed.out)
    kept = [len("ab") + item % 2 for item in range(6) if item != 3]
    assert found["systems"][0]["score"] == pytest.approx(np.mean(kept))


@pytest.mark.parametrize(
    ("words", "says"),
    [(("model_1", "model_2", "tie"), ""), (("system_b", "system_a", "bothbad"), ""),
     (("1.0001", "1.9", "1.5"), "round them to 1 (left), 2 (right), or 1.5 (a tie)")],
)  # fmt: skip
def test_winners_are_called_as_their_columns(tmp_path, capsys, words, says):
    path = tmp_path / "votes.csv"
    rows = [f"q{number},a,b,{words[number % 3]}" for number in range(9)]
    path.write_text("\n".join(["prompt,model_1,model_2,winner", *rows]))
    assert run(["leaderboard", str(path)]) == (2 if says else 0)
    assert says in capsys.readouterr().err
