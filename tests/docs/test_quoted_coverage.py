"""What sentences say about how often intervals hold the truth is what the proofs measured."""

import json
import re
from pathlib import Path

import pytest

from howgood.show import leaderboard, ranking

ROOT = Path(__file__).parents[2]
LEDGER = json.loads((ROOT / "docs/_data/calibration.json").read_text(encoding="utf-8"))


def _held(quantity: str, setting: str) -> list[float]:
    """Return the measured coverage, in per cent, of all 95 % intervals of such proofs."""
    found = [
        re.search(r"95%: ([\d.]+)%", row["found"])
        for row in LEDGER
        if row["quantity"].startswith(quantity) and setting in row["setting"]
    ]
    return [float(each[1]) for each in found if each]


@pytest.mark.parametrize(
    ("quoted", "measured"),
    [
        *((ranking.HELD[n], _held("RMSE of a re-rating", f"of {n} ratings")) for n in (2, 3)),
    ],
)
def test_warnings_quote_the_worst_case(quoted, measured):
    # A warning may be a little darker than the proof; the proofs' own error is a point.
    assert min(measured) - 3 <= quoted <= min(measured) + 1


@pytest.mark.parametrize("n", [2, 3])
def test_a_leaderboard_of_few_raters_quotes_what_was_allowed_and_held(n):
    (row,) = (
        row
        for row in LEDGER
        if row["quantity"] == "orders told apart at 5 %, few raters"
        and f"{n} raters" in row["setting"]
    )
    assert f"at most {leaderboard.WRONG[n]}% wrong orders allowed" in row["setting"]
    assert row["verdict"] == "holds"


def test_four_promise_no_more_than_the_three_that_were_measured():
    assert ranking.HELD[4] <= ranking.HELD[3]
    assert leaderboard.WRONG[4] >= leaderboard.WRONG[3]


def test_the_page_about_few_people_quotes_the_proofs():
    page = (ROOT / "docs/howto/acceptability-study.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"share accepting held (.*?) \(\[checked\]", page)
    quoted = [(int(share), people) for share, people in re.findall(r"(\d+) % with (\d+)", sentence)]
    assert [people for _, people in quoted] == ["3", "5", "10"]
    for share, people in quoted:
        (measured,) = _held(f"prediction, fixed truth, {people} people", "")
        assert share == pytest.approx(measured, abs=1.5)
