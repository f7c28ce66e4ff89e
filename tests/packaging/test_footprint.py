"""How much disk the core takes, beside PyMC, in one run (needs a package index)."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _installed_bytes(folder, requirements):
    """Install into an empty environment with pip; count its packages and their bytecode."""
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--compile",
         "--disable-pip-version-check", *requirements],
        check=True,
    )  # fmt: skip
    return sum(path.stat().st_size for path in (folder / "lib").rglob("*") if path.is_file())


# PyMC with nutpie is our `nuts` extra, and the peer of the fit benchmark.
ENVIRONMENTS = {"howgood": (str(ROOT),), "pymc and nutpie": ("pymc", "nutpie")}


@pytest.fixture(scope="module")
def sizes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("footprint")
    return {
        name: _installed_bytes(folder / name.replace(" ", "-"), requirements)
        for name, requirements in ENVIRONMENTS.items()
    }


@pytest.mark.slow
def test_the_core_is_at_most_a_third_of_an_environment_with_pymc_and_nutpie(sizes):
    assert 3 * sizes["howgood"] <= sizes["pymc and nutpie"]
