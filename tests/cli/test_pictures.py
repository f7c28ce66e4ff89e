"""Commands that draw what they say, and refuse where there is nothing to draw."""

import csv
import re

import numpy as np
import pytest

from howgood import ask
from howgood.cli.main import run

ALARM = {"alarm": {"alpha": 0.25, "intercept": -10.0, "slope": 14.0}}


def _write(path, table):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


@pytest.fixture
def answers(tmp_path):
    table = dict(ask.simulate_answers(ALARM, people=12, per_person=8, random_state=1))
    number = [int(name.removeprefix("p")) for name in table["participant"]]
    _write(tmp_path / "answers.csv", table | {"climate": [("cold", "warm")[n % 2] for n in number]})
    return str(tmp_path / "answers.csv")


def _drawn(words, picture):
    assert run([*words.split(), "--plot", str(picture)]) in (0, 1)
    return picture.read_text()


def test_a_gate_draws_the_share_and_what_is_needed(answers, tmp_path):
    picture = _drawn(f"gate {answers} --counts 85,15,10,890 --share .6", tmp_path / "gate.svg")
    assert "needed: 60 %" in picture
    assert "share of people" in picture


def test_people_by_segment_are_drawn_in_a_panel_each(answers, tmp_path):
    picture = _drawn(f"fit {answers} --by climate", tmp_path / "people.svg")
    assert "alarm: cold" in picture
    assert "alarm: warm" in picture


def test_agreement_draws_raters_and_the_ceiling(tmp_path):
    rng = np.random.default_rng(1)
    item, rater = (part.ravel() for part in np.meshgrid(range(20), range(3), indexing="ij"))
    grade = np.clip(np.round(rng.normal(3, 1, 20)[item] + rng.normal(0, 0.5, 60)), 1, 5)
    _write(tmp_path / "grades.csv", {"item": item, "rater": rater, "grade": grade.astype(int)})
    picture = _drawn(f"agreement {tmp_path / 'grades.csv'}", tmp_path / "agreement.svg")
    assert "raters with each other (alpha)" in picture
    assert "raters with themselves" not in picture  # nobody graded anything twice
    assert "3 raters, 20 items" in picture


def test_a_quantile_is_drawn_where_the_answers_settle_one(tmp_path, capsys):
    sold = np.random.default_rng(1).normal(100, 15, 100).round(1)
    _write(tmp_path / "sales.csv", {"sold": sold, "baked": [100.0] * 100})
    words = (
        f"quantile {tmp_path / 'sales.csv'} --truth sold --predicted baked --seed 1 --unit loaves"
    )
    picture = _drawn(f"{words} --simulate 4", tmp_path / "quantile.svg")
    assert "quantile to predict" in picture
    said = capsys.readouterr().out
    assert "10 loaves too low are as bad as" in said
    middle, lower, upper = map(
        int, re.search(r"as bad as (\d+) loaves .*interval (\d+) to (\d+)", said).groups()
    )
    assert lower <= middle <= upper
    quantile = float(re.search(r"Predict the quantile (0\.\d+)", said)[1])
    assert middle == pytest.approx(10 * quantile / (1 - quantile), rel=0.1)
    assert run([*words.split(), "--simulate", "4", "--questions", "1", "--held-out", "0",
                "--plot", str(tmp_path / "none.svg")]) == 0  # fmt: skip
    assert "no picture" in capsys.readouterr().err
    assert not (tmp_path / "none.svg").exists()
