"""Files made to exhaust: refused soon and in little memory, whatever they claim to hold.

All run in one fresh process that reports its peak memory after each file, so that a peak belongs
to the file that caused it.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

# The largest files have 100 MB: a few copies of one are no explosion.
_MEGABYTES = 900
_SECONDS = 30
# Some installed package may be called "tests" too: say which one is meant.
_RUN = """
import runpy, sys, types
sys.modules["tests"] = types.ModuleType("tests")
sys.modules["tests"].__path__ = ["tests"]
runpy.run_module("tests.fuzz.bombs", run_name="__main__")
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """Read every bomb in a process of its own; return what happened to each."""
    folder = tmp_path_factory.mktemp("bombs")
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(folder)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stderr[-2000:]}"
    return {each["name"]: each for each in map(json.loads, done.stdout.splitlines())}


def test_no_bomb_ends_in_anything_but_a_kind_refusal_or_a_result(
    outcomes: dict[str, dict[str, object]],
) -> None:
    strange = {
        name: each["error"] for name, each in outcomes.items() if each["kind"] == "unexpected"
    }
    assert len(outcomes) >= 20
    assert not strange


def test_bombs_take_little_memory(outcomes: dict[str, dict[str, object]]) -> None:
    heavy = {
        name: round(each["megabytes"])
        for name, each in outcomes.items()
        if each["megabytes"] > _MEGABYTES
    }
    assert not heavy


def test_bombs_take_little_time(outcomes: dict[str, dict[str, object]]) -> None:
    slow = {
        name: round(each["seconds"], 1)
        for name, each in outcomes.items()
        if each["seconds"] > _SECONDS
    }
    assert not slow


def test_what_must_be_refused_is_refused(outcomes: dict[str, dict[str, object]]) -> None:
    taken = [
        name for name, each in outcomes.items() if each["must_refuse"] and each["kind"] == "read"
    ]
    assert not taken
