"""The gate of the example does what it says: as a GitHub Action, and as a test of one's own."""

import json
import os
import shutil
import subprocess
import sys
import tomllib

import pytest
from tests.examples.action_runner import ROOT, ActionRunner, given_by, read_action

EXAMPLE = ROOT / "examples" / "release-gate"
ACTION = read_action("action.yml")
WOLF = "\n".join(["y_true,y_pred", *["1,1"] * 20, *["0,1"] * 280]) + "\n"


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "project")
    return tmp_path / "project"


def _given():
    return given_by(EXAMPLE / "workflow.yml", ACTION)


def test_the_action_passes_comments_and_writes_a_badge(folder):
    done = ActionRunner(ACTION, folder, _given()).run()
    assert done.code == 0
    assert done.outputs["verdict"] == "pass"
    badge = json.loads((folder / "acceptance.json").read_text("utf-8"))
    assert badge["schemaVersion"] == 1
    assert badge["message"].startswith("pass: ")
    summary = (folder.parent / "summary.md").read_text("utf-8")
    assert "| would accept it |" in summary
    assert "pr comment 7 --repo a/b" in (folder.parent / "gh.txt").read_text()


def test_the_action_fails_when_the_model_only_cries_wolf_and_still_comments(folder):
    (folder / "predictions.csv").write_text(WOLF)
    done = ActionRunner(ACTION, folder, _given()).run()
    assert done.code == 1
    assert done.outputs["verdict"] == "fail"
    assert (folder.parent / "gh.txt").exists()


def test_the_action_says_wrong_input_and_gives_no_verdict(folder):
    done = ActionRunner(ACTION, folder, {**_given(), "truth": "nothing"}).run()
    assert done.code == 2
    assert "nothing" in done.said
    assert "verdict" not in done.outputs


def _pytest(folder, *words):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:howgood",
         "-p", "howgood.flow.pytest_gate", *words],
        cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip


def test_the_gate_as_a_test_of_ones_own(folder):
    done = _pytest(folder, "--howgood-badge", "badge.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "would people accept it?" in done.stdout
    assert json.loads((folder / "badge.json").read_text("utf-8"))["label"] == "acceptance"


def test_a_test_of_ones_own_fails_with_one_sentence(folder):
    (folder / "predictions.csv").write_text(WOLF)
    done = _pytest(folder)
    assert done.returncode == 1
    assert "too few people would accept it" in done.stdout
    assert "Traceback" not in done.stdout


def test_pytest_finds_the_fixture_wherever_howgood_is_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"howgood": "howgood.flow.pytest_gate"}
