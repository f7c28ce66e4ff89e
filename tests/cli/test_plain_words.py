"""Help texts of commands and words of pages use the plain words of checks/plain_words.txt."""

import re
from importlib.resources import files
from pathlib import Path

import click
import pytest

from howgood.cli.main import app

LIST = Path(__file__).parents[2] / "checks" / "plain_words.txt"
WORDS = [line.partition("->")[0] for line in LIST.read_text().splitlines() if "->" in line]
UNPLAIN = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, WORDS))})(?![\w-])", re.IGNORECASE)


def _commands(command, path):
    context = click.Context(command, info_name=path)
    yield path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from _commands(command.get_command(context, name), f"{path} {name}")


def test_help_texts_are_plain():
    found = {path: UNPLAIN.findall(text) for path, text in _commands(app, "howgood")}
    assert len(found) > 20
    assert {path: words for path, words in found.items() if words} == {}


def _templates():
    folder = files("howgood.web") / "templates"
    return [*folder.iterdir(), *(folder / "dashboard").iterdir()]


@pytest.mark.parametrize("template", [path for path in _templates() if path.name.endswith(".html")],
                         ids=lambda path: path.name)  # fmt: skip
def test_words_of_pages_are_plain(template):
    # What people read: no comments, no attributes but labels.
    text = re.sub(r"\{#.*?#\}", "", template.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert UNPLAIN.findall(re.sub(r"\b(?:id|for|name|aria-describedby)=\"[^\"]*\"", "", text)) == []
