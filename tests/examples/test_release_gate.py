"""The gate of the example does what it says: as a GitHub Action, and as a test of one's own."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "release-gate"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
WOLF = "\n".join(["truth,predicted", *["1,1"] * 20, *["0,1"] * 280]) + "\n"


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "project")
    return tmp_path / "project"


def _given():
    workflow = yaml.safe_load((EXAMPLE / "workflow.yml").read_text("utf-8"))
    (step,) = [each for each in workflow["jobs"]["gate"]["steps"] if "howgood" in each["uses"]]
    defaults = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
    assert set(step["with"]) <= set(defaults)
    return {**defaults, **step["with"]}


class _Runner:
    """Runs the steps of the Action as the service does, with programs of our own for pip and gh."""

    def __init__(self, folder, given):
        self.folder, self.given = folder, given
        self.outputs, self.code = {}, 0
        programs = folder.parent / "programs"
        programs.mkdir()
        gh = f'#!/bin/sh\necho "$@" > {folder.parent}/gh.txt\n'
        howgood = f'#!/bin/sh\nexec {sys.executable} -m howgood "$@"\n'
        for name, text in {"gh": gh, "howgood": howgood, "python": "#!/bin/sh\nexit 0\n"}.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        self.environment = {
            **os.environ, "PATH": f"{programs}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(folder.parent), "GITHUB_OUTPUT": str(folder.parent / "output"),
            "GITHUB_STEP_SUMMARY": str(folder.parent / "summary.md"),
            "PYTHONPATH": str(ROOT / "src"),
        }  # fmt: skip

    def run(self):
        for step in ACTION["runs"]["steps"]:
            env = {name: self._filled(text) for name, text in step["env"].items()}
            done = subprocess.run(
                [shutil.which("bash"), "-e", "-o", "pipefail", "-c", step["run"]],
                cwd=self.folder, env={**self.environment, **env}, capture_output=True, text=True,
            )  # fmt: skip
            assert done.returncode in (0, 1, 2), done.stderr
            if done.returncode:
                self.code = done.returncode
                self.said = done.stderr
                break
            written = self.folder.parent / "output"
            if written.exists():
                self.outputs = dict(line.split("=") for line in written.read_text().split())
        return self

    def _filled(self, text):
        facts = {
            **{f"inputs.{name}": value for name, value in self.given.items()},
            **{f"steps.gate.outputs.{name}": value for name, value in self.outputs.items()},
            "github.token": "t",
            "github.event.pull_request.number": "7",
            "github.repository": "a/b",
        }
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: facts[found[1]], text)


def test_the_action_passes_comments_and_writes_a_badge(folder):
    done = _Runner(folder, _given()).run()
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
    done = _Runner(folder, _given()).run()
    assert done.code == 1
    assert done.outputs["verdict"] == "fail"
    assert (folder.parent / "gh.txt").exists()


def test_the_action_says_wrong_input_and_gives_no_verdict(folder):
    done = _Runner(folder, {**_given(), "truth": "nothing"}).run()
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
