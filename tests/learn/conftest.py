"""Where tests of learning find the public answers of Kay et al. (2015)."""

import os
from pathlib import Path

import pytest

NAME = "kay2015_study1.csv"


@pytest.fixture(scope="session")
def kay_file():
    """The published answers; read by tests, never part of the project."""
    checkout = Path(__file__).parents[2]
    folder = Path(os.environ.get("HOWGOOD_DATA", checkout.parent / "shared" / "data"))
    if not (folder / NAME).is_file():
        pytest.skip(f"no {NAME} in {folder}: set HOWGOOD_DATA to the folder that holds it")
    return folder / NAME
