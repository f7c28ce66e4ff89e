"""`howgood judge`, from the outside."""

import json

import numpy as np
import polars as pl
import pytest

from howgood import score
from howgood.cli.main import run

RNG = np.random.default_rng(6)
N = 300
QUALITY = RNG.uniform(0, 1, N)
TABLE = pl.DataFrame(
    {
        "task": [f"t{each}" for each in range(N)],
        "who": [f"p{each % 8}" for each in range(N)],
        "verdict": [
            ("pass" if QUALITY[each] + RNG.normal(0, 0.2) > 0.5 else "fail") if each < 120 else None
            for each in range(N)
        ],
        "model": np.clip(QUALITY + 0.15, 0, 1),
        "chars": RNG.integers(100, 900, N),
    }
)
COLUMNS = ["--item", "task", "--rater", "who", "--label", "verdict", "--judge", "model"]


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.csv"
    TABLE.write_csv(path)
    return path


def test_the_command_gives_the_library_s_answer(labels, capsys):
    assert run(["judge", str(labels), *COLUMNS, "--json", "--plan", "0.1"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = score.judge(TABLE, item="task", rater="who", label="verdict", judge="model")
    assert found["corrected"]["all"]["mean"] == pytest.approx(expected.corrected["all"].mean)
    assert found["n_labels"] == 120
    assert found["plan"]["raters"] >= 2


def test_it_says_what_people_would_say_and_writes_a_report(labels, tmp_path, capsys):
    page = tmp_path / "judge.html"
    run(["judge", str(labels), *COLUMNS, "--bias", "chars", "--out", str(page)])
    said = capsys.readouterr().out
    assert "would pass with people" in said
    assert "The judge alone says" in said
    assert "<svg" in page.read_text(encoding="utf-8")


def test_the_same_scores_again_have_not_drifted(labels, capsys):
    assert run(["judge", str(labels), *COLUMNS, "--drift", str(labels)]) == 0
    assert "No change of the judge was found" in capsys.readouterr().out


def test_a_wrong_column_is_said_with_its_option(labels, capsys):
    assert run(["judge", str(labels), "--item", "task", "--rater", "who", "--judge", "model"]) == 2
    assert "no column 'label'" in capsys.readouterr().err


def test_intervals_of_few_labels_end_at_what_shares_can_be_and_the_text_says_so(tmp_path, capsys):
    path = tmp_path / "few.csv"
    path.write_text(
        "item,rater,label,judge\n1,a,1,1\n1,b,1,1\n2,a,0,1\n2,c,1,1\n3,b,1,0\n3,c,1,0\n"
        "4,a,1,1\n4,b,0,1\n"
    )
    assert run(["judge", str(path), "--json"]) == 0
    off = json.loads(capsys.readouterr().out)["off"]["all"]["interval"]
    assert -1 <= off["lower"] <= off["upper"] <= 1
    assert run(["judge", str(path)]) == 0
    assert "Not enough evidence" in capsys.readouterr().out


def test_n_a_is_no_label_and_the_word_that_is_none_is_shown(tmp_path, capsys):
    path = tmp_path / "labels.csv"
    rows = [f"q{n},r{n % 4},{('pass', 'N/A', 'fail')[n % 3]},{n % 2}" for n in range(60)]
    path.write_text("\n".join(["item,rater,label,judge", *rows]))
    assert run(["judge", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_labels"] == 40
    path.write_text("\n".join(["item,rater,label,judge", *rows, "q60,r1,maybe,1"]))
    assert run(["judge", str(path)]) == 2
    assert "such as 'maybe'" in capsys.readouterr().err


def test_nobody_is_better_where_all_agree(tmp_path, capsys):
    path = tmp_path / "labels.csv"
    rows = [f"q{n},r{(n + m) % 5},pass,1" for n in range(60) for m in range(1 + n % 2)]
    path.write_text("\n".join(["item,rater,label,judge", *rows]))
    run(["judge", str(path)])
    assert "better than people" not in capsys.readouterr().out


def test_off_by_is_what_the_table_says_of_corrected_and_judge_alone():
    rng = np.random.default_rng(1)
    judged = (rng.random(300) < 0.9).astype(float)
    labels = {"item": np.arange(40), "rater": np.arange(40) % 8, "label": np.ones(40)}
    labels["judge"] = np.where(np.arange(40) < 30, 0.0, 1.0)
    report = score.judge(labels, scores={"item": np.arange(300), "judge": np.concatenate(
        [labels["judge"], judged[40:]])})  # fmt: skip
    off = report.judge_alone["all"].mean - report.corrected["all"].mean
    assert report.corrected["all"].mean <= 1
    assert report.off["all"].mean == pytest.approx(off)
