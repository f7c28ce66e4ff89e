"""The gate of the example does what it says: as a GitHub Action, and as a test of one's own."""

import json
import os
import shutil
import subprocess
import sys
import tomllib

import numpy as np
import pytest
from tests.examples.action_runner import ROOT, ActionRunner, given_by, read_action

from howgood import learn, score

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


@pytest.fixture(scope="module")
def metric(tmp_path_factory):
    """Give the file of an interview with somebody to whom a miss is worth four false alarms."""
    path = tmp_path_factory.mktemp("metric") / "metric.json"
    scores = np.linspace(0, 1, 400)
    truth = np.random.default_rng(1).random(400) < scores
    learner = learn.Elicitor(learn.threshold_matrices(truth, scores), held_out=5, random_state=1)
    learn.ask_oracle(learner, score.LinearMetric(a0=0.2).prefers).save(path)
    return path


def test_the_action_asks_an_elicited_metric_too(folder, metric):
    given = {**_given(), "model": str(metric), "share": "", "predicted": "new", "than": "old"}
    rows = ["y_true,new,old", *["1,1,0"] * 60, *["0,0,0"] * 60]
    (folder / "predictions.csv").write_text("\n".join(rows) + "\n")
    done = ActionRunner(ACTION, folder, {**given, "margin": "-.01"}).run()
    assert (done.code, done.outputs["verdict"]) == (0, "pass")
    assert "| difference to the other system |" in (folder.parent / "summary.md").read_text("utf-8")


def test_a_test_of_ones_own_asks_an_elicited_metric_too(folder, metric):
    (folder / "test_acceptance.py").write_text(
        "TRUTH, GOOD, IDLE = [1, 0] * 60, [1, 0] * 60, [0] * 120\n"
        f"FILE = {str(metric)!r}\n"
        "def test_better(howgood_gate):\n"
        "    howgood_gate(FILE, TRUTH, GOOD, than=IDLE, strict=True)\n"
        "def test_not_better(howgood_gate):\n"
        "    howgood_gate(FILE, TRUTH, IDLE, than=GOOD)\n"
        "def test_shares_are_of_people(howgood_gate):\n"
        "    howgood_gate(FILE, TRUTH, GOOD, share=0.5)\n"
    )
    done = _pytest(folder)
    assert "2 failed, 1 passed" in done.stdout
    assert "it is not better than the other system" in done.stdout
    assert "share and application are of people" in done.stdout
    assert "howgood: is it better?" in done.stdout


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
