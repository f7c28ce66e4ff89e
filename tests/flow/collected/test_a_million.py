"""A million answers leave in constant memory, on both databases."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.export import ANSWERS, MOST_MB, fill

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_million_answers_leave_in_constant_memory(database_address, kind, capsys):
    fill(database_address, answers=ANSWERS)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.export", database_address, kind],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=1800,
    )  # fmt: skip
    found = json.loads(done.stdout)
    with capsys.disabled():
        print(
            f"\n{kind}: {found['seconds']:.0f} s ({found['cpu']:.0f} s of computing), "
            f"{found['more_mb']:.0f} MB more than at start"
        )
    assert found["bytes"] > ANSWERS
    assert found["more_mb"] < MOST_MB
