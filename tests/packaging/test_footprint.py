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


# What people install to sample the same model: the `nuts` extra and the peer of the fit benchmark.
SAMPLING = ("pymc", "nutpie")


@pytest.fixture(scope="module")
def sizes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("footprint")
    return {
        name: _installed_bytes(folder / name, requirements)
        for name, requirements in {"howgood": (str(ROOT),), "pymc": SAMPLING}.items()
    }


@pytest.mark.slow
def test_the_core_is_at_most_a_third_of_a_pymc_environment(sizes):
    print({name: f"{size / 1e6:.1f} MB" for name, size in sizes.items()})
    assert 3 * sizes["howgood"] <= sizes["pymc"]
