"""The wheel and the sdist, built once from this checkout."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _build(target, source, into):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)],
        cwd=source, check=True, capture_output=True, text=True,
    )  # fmt: skip
    (built,) = into.iterdir()
    return built


@pytest.fixture(scope="session")
def build():
    """Give the function that builds: build("wheel", source folder, empty folder) -> file."""
    return _build


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Build the wheel from this checkout."""
    return _build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def sdist(tmp_path_factory):
    """Build the sdist from this checkout."""
    return _build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))
