"""Workflows run what contributors run, and a release is built the same way twice."""

import re
from pathlib import Path

import pytest
import yaml
from checks.changes import changes

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def _steps(path):
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_targets_there_are(path):
    commands = [step["run"] for step in _steps(path) if "run" in step]
    called = set(re.findall(r"\bmake ([a-z-]+)", "\n".join(commands)))
    assert called <= TARGETS
    assert called or path.stem == "image"


def test_everything_a_contributor_runs_is_run():
    called = {
        target
        for path in WORKFLOWS
        for step in _steps(path)
        for target in re.findall(r"\bmake ([a-z-]+)", step.get("run", ""))
    }
    assert {"test", "test-library", "slow", "bench", "audit", "docs", "release-check"} <= called


def test_every_python_we_claim_is_tested():
    classifiers = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))["jobs"]
    assert jobs["everything"]["strategy"]["matrix"]["python"] == classifiers


def test_the_notes_of_a_release_are_its_part_of_the_changelog():
    text = "# Log\n\n## 0.2.0 (2026-11-17)\n\n### Added\n\n- x\n\n## 0.1.0\n\n- y\n"
    assert changes(text, "0.2.0") == "### Added\n\n- x"
    with pytest.raises(SystemExit, match="0 parts"):
        changes(text, "0.2")
