"""The example of a gate in continuous integration does what it says."""

import json
import runpy
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from howgood.cli.main import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "release-gate"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _gate_command():
    workflow = yaml.safe_load((EXAMPLE / "workflow.yml").read_text("utf-8"))
    steps = [step.get("run", "") for step in workflow["jobs"]["gate"]["steps"]]
    (line,) = (step for step in steps if step.startswith("howgood gate"))
    return shlex.split(line)[1:]


def test_the_step_of_the_workflow_passes_and_writes_a_badge(folder, capsys):
    assert run(_gate_command()) == 0
    badge = json.loads((folder / "acceptance.json").read_text("utf-8"))
    assert badge["schemaVersion"] == 1
    assert badge["label"] == "acceptance"
    assert badge["message"].startswith("pass: ")
    assert badge["color"] == "brightgreen"


def test_the_step_fails_when_the_model_only_cries_wolf(folder, capsys):
    rows = ["truth,predicted", *["1,1"] * 20, *["0,1"] * 280]
    (folder / "predictions.csv").write_text("\n".join(rows) + "\n")
    assert run(_gate_command()) == 1


def test_the_gate_as_a_test_of_ones_own(folder):
    names = runpy.run_path(str(folder / "test_acceptance.py"))
    names["test_enough_people_would_accept_the_model"]()
