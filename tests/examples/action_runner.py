"""Runs a GitHub Action of ours as the service does, step by step."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def read_action(path):
    """Return the Action's description."""
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def given_by(workflow, action):
    """Return the inputs that an example's workflow gives, with the Action's defaults."""
    steps = [
        step
        for job in yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values()
        for step in job["steps"]
        if "howgood" in step["uses"]
    ]
    (step,) = steps
    defaults = {name: about.get("default", "") for name, about in action["inputs"].items()}
    assert set(step["with"]) <= set(defaults)
    return {**defaults, **step["with"]}


class ActionRunner:
    """Runs the steps of the Action as the service does, with programs of our own for pip and gh."""

    def __init__(self, action, folder, given):
        self.action, self.folder, self.given = action, folder, given
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
        for step in self.action["runs"]["steps"]:
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
                self.outputs = dict(line.split("=") for line in written.read_text().splitlines())
        return self

    def _filled(self, text):
        facts = {
            **{f"inputs.{name}": value for name, value in self.given.items()},
            **{
                f"steps.{step}.outputs.{name}": value
                for step in ("gate", "ship")
                for name, value in self.outputs.items()
            },
            "github.token": "t",
            "github.event.pull_request.number": "7",
            "github.repository": "a/b",
        }
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: facts[found[1]], text)
