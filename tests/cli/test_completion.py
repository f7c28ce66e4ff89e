"""Completion in the shell, as docs/howto/install.md promises."""

import os
import subprocess
import sys

import pytest

from howgood.cli.main import COMMANDS


def _howgood(**variables):
    return subprocess.run(
        [sys.executable, "-m", "howgood"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_documented_shell_gets_its_script(shell):
    script = _howgood(_HOWGOOD_COMPLETE=f"{shell}_source").stdout
    assert f"_HOWGOOD_COMPLETE={shell}_complete" in script


def test_the_start_of_a_command_is_completed():
    done = _howgood(_HOWGOOD_COMPLETE="bash_complete", COMP_WORDS="howgood r", COMP_CWORD="1")
    offered = {line.split(",")[1] for line in done.stdout.splitlines()}
    assert offered == {name for name in COMMANDS if name.startswith("r")}
