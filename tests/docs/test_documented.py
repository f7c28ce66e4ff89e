"""Every public name and every command is documented, or this fails."""

from importlib import import_module
from pathlib import Path

import pytest

from howgood.cli.main import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"
NAMES = [
    (stage, name)
    for stage in ("ask", "learn", "score", "decide")
    for name in import_module(f"howgood.{stage}").__all__
]


@pytest.mark.parametrize(("stage", "name"), NAMES, ids=lambda value: str(value))
def test_every_public_name_is_in_the_reference(stage, name):
    page = (DOCS / "reference" / f"{stage}.md").read_text(encoding="utf-8")
    assert f"howgood.{stage}.{name}\n" in page


@pytest.mark.parametrize(("stage", "name"), NAMES, ids=lambda value: str(value))
def test_every_public_name_says_what_it_does_and_how_stable_it_is(stage, name):
    thing = getattr(import_module(f"howgood.{stage}"), name)
    if callable(thing):
        assert "Stability: " in (thing.__doc__ or "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_reference(name):
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    assert f"## howgood {name}\n" in page
