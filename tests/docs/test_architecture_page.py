"""ARCHITECTURE.md names what exists, and every use case has its line."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "howgood"


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+\.py)`", PAGE))))
def test_every_file_that_is_named_exists(name):
    assert any((folder / name).is_file() for folder in (PACKAGE, PACKAGE / "flow", ROOT))


def test_every_folder_of_use_cases_is_named():
    folders = {each.parent.name for each in (PACKAGE / "flow").glob("*/__init__.py")}
    named = set(re.findall(r"`(\w+)/`", PAGE))
    assert folders <= named


def test_every_module_that_kinds_share_is_named():
    shared = {each.name for each in (PACKAGE / "kinds").glob("*.py")} - {"__init__.py"}
    assert {name for name in shared if f"`kinds/{name}`" not in PAGE} == set()


def test_every_use_case_is_named():
    modules = {each.stem for each in (PACKAGE / "flow").glob("*.py")} - {"__init__"}
    assert {name for name in modules if f"`{name}`" not in PAGE} == set()
