"""The comparison of the example: as a GitHub Action, and as a test of one's own."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from tests.examples.action_runner import ROOT, ActionRunner, given_by, read_action

EXAMPLE = ROOT / "examples" / "ship-gate"
ACTION = read_action("actions/ship/action.yml")


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "project")
    return tmp_path / "project"


def _given(**others):
    return {**given_by(EXAMPLE / "workflow.yml", ACTION), **others}


def test_the_action_ships_comments_and_writes_a_badge(folder):
    done = ActionRunner(ACTION, folder, _given()).run()
    assert (done.code, done.outputs["verdict"]) == (0, "ship")
    assert json.loads((folder / "ship.json").read_text("utf-8"))["message"] == "ship"
    assert "| correct |" in (folder.parent / "summary.md").read_text("utf-8")
    assert "pr comment 7 --repo a/b" in (folder.parent / "gh.txt").read_text()


def test_the_action_stops_a_worse_candidate_and_still_comments(folder):
    done = ActionRunner(ACTION, folder, _given(base="candidate.csv", candidate="base.csv")).run()
    assert (done.code, done.outputs["verdict"]) == (1, "do not ship")
    assert (folder.parent / "gh.txt").exists()


@pytest.mark.parametrize(("undecided", "code"), [("fail", 2), ("pass", 0)])
def test_the_action_says_what_it_cannot_tell(folder, undecided, code):
    done = ActionRunner(ACTION, folder, _given(candidate="base.csv", undecided=undecided)).run()
    assert (done.code, done.outputs["verdict"]) == (code, "not enough evidence")


def test_the_action_says_wrong_input_and_gives_no_verdict(folder):
    done = ActionRunner(ACTION, folder, _given(metric="nothing")).run()
    assert done.code == 2
    assert "nothing" in done.said
    assert "verdict" not in done.outputs


def _pytest(folder):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:howgood",
         "-p", "howgood.flow.pytest_gate"],
        cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip


def test_a_test_of_ones_own_passes_and_says_the_sentence(folder):
    done = _pytest(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "may we ship?" in done.stdout
    assert "Ship: the candidate is better." in done.stdout


def test_a_test_of_ones_own_fails_with_one_sentence_where_it_is_open(folder):
    shutil.copy(folder / "base.csv", folder / "candidate.csv")
    done = _pytest(folder)
    assert done.returncode == 1
    assert "Not enough evidence: which one is better is open" in done.stdout
    assert "Traceback" not in done.stdout
