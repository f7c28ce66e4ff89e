"""How README says howgood compares is what the last run of the benchmarks measured."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = json.loads((ROOT / "docs/_data/performance.json").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = README.partition("## How it compares")[2].partition("\n\nWhat the tools")[0]
# README's peer and the row: its benchmark, and what its subject, size and peer begin with.
MEASURED = {
    "PyMC with nutpie": [("fit", "effective draws", "1,644", "PyMC + nutpie")],
    "JAGS; with its module glm": [
        ("fit", "effective draws", "1,644", "JAGS"),
        ("fit", "effective draws", "1,644", "JAGS, module glm"),
    ],
    "random pairs": [("questions", "questions to an error of 0.03", "12", "random pairs")],
    "NumPy Monte Carlo, 1,000 draws": [("ranking", "RMSE", "N = 1e5", "NumPy Monte Carlo, 1000")],
    "NumPy bootstrap, 200 resamples": [("ranking", "ranking of 20", "N = 1e5", "NumPy bootstrap")],
    "sums written by hand, in Polars": [
        ("aggregation", "rank two systems from Parquet, on p", "1e+08", "sums by hand, on p")
    ],
}  # fmt: skip
# Sizes on disk, which tests/packaging weighs.
ELSEWHERE = {"installed size"}


def _cells():
    lines = [line for line in TABLE.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _ratio(benchmark, *begins):
    (ratio, *_) = (
        row["ratio"]
        for row in ROWS[benchmark]
        if all(
            row[key].startswith(begin)
            for key, begin in zip(("subject", "size", "peer"), begins, strict=True)
        )
    )
    return ratio


def _said(ratio):
    """Return a ratio as README says it: two digits."""
    if ratio <= 0.9:
        return f"{1 / ratio:.2g} × slower"
    return "as fast" if ratio < 1.1 else f"{float(f'{ratio:.2g}'):,.0f} ×"


@pytest.mark.parametrize(("task", "peer", "said"), _cells())
def test_the_readme_says_what_was_measured(task, peer, said):
    if task in ELSEWHERE:
        return
    expected = [_said(_ratio(*row)) for row in MEASURED[peer]]
    assert re.findall(r"[\d,.]+ ×(?: slower)?|as fast", said) == expected
