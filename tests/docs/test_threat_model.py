"""The threat model names tests and files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "threat-model.md").read_text(encoding="utf-8")
PROOFS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


def test_there_are_proofs():
    assert len(PROOFS) > 20


@pytest.mark.parametrize(("path", "name"), PROOFS)
def test_every_test_that_is_named_exists(path, name):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", text, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?!tests/)[\w/]+\.py)`", PAGE))))
def test_every_file_that_is_named_exists(name):
    assert (ROOT / "src" / "howgood" / name).is_file()
