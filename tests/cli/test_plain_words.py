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


# Options of one name that mean the same wherever they are; others say in words what differs.
SAME = (
    "--json", "--plot", "--out", "--seed", "--engine", "--missing", "--share", "--certainty",
    "--part", "--only-part", "--registry", "--questions", "--held-out", "--log", "--map",
    "--browser", "--strict", "--badge", "--markdown", "--positive", "--combine", "--cut", "--scale",
    "--priors", "--people",
)  # fmt: skip
# What these commands do with an option is another thing, and their help says which.
OTHER = {
    ("bar", "--log"), ("client", "--out"), ("demo", "--out"), ("export", "--out"),
    ("elicit", "--positive"), ("fit", "--engine"), ("fit", "--missing"),
    ("judge", "--cut"), ("leaderboard", "--missing"), ("links", "--people"),
    ("measures", "--missing"), ("rank", "--scale"), ("remote", "--out"), ("reproduce", "--out"),
    ("registry prior", "--out"), ("ship", "--missing"), ("ship", "--share"),
    ("study-size", "--people"), ("watch", "--cut"),
}  # fmt: skip


def _options(command, path):
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from _options(command.get_command(context, name), f"{path} {name}".strip())
        return
    for option in command.params:
        yield from ((path, name, option) for name in option.opts)


def _said(option):
    """Return how an option is shown, but for its default and the column it is an example of."""
    words = re.sub(r"--map \S+\. (?:Ours: [^.]*\. )?", "", option.help or "")
    return option.make_metavar(click.Context(click.Command("x"))), words


def test_an_option_has_one_form_and_one_help_text_in_every_command():
    shown = {name: {} for name in SAME}
    for path, name, option in _options(app, ""):
        if name in shown and (path, name) not in OTHER:
            shown[name].setdefault(_said(option), []).append(path)
    assert {name: found for name, found in shown.items() if len(found) != 1} == {}


NAMED_OTHERWISE = {
    ("fit", "--by"), ("fit", "--kind"), ("rank", "--sd"), ("relevance", "--predicted"),
}  # fmt: skip


def test_an_option_that_names_a_column_or_a_file_says_so_in_one_way():
    wrong = [
        (path, name, option.metavar)
        for path, name, option in _options(app, "")
        if (str(option.metavar) == "COLUMN")
        != str(getattr(option, "help", "")).startswith("Column: ")
        and (path, name) not in NAMED_OTHERWISE
    ]
    assert wrong == []


def test_a_former_name_still_works_and_is_not_shown():
    context = click.Context(app)
    for command, now, former in (
        ("fit", "--part", "--only-part"),
        ("relevance", "--cluster", "--groups"),
        ("relevance", "--rater", "--respondent"),
    ):
        named = app.get_command(context, command)
        option = next(param for param in named.params if former in param.opts)
        assert option.opts[0] == now
        assert former not in named.get_help(click.Context(named))


def _templates():
    folder = files("howgood.web") / "templates"
    return [*folder.iterdir(), *(folder / "dashboard").iterdir()]


@pytest.mark.parametrize("template", [path for path in _templates() if path.name.endswith(".html")],
                         ids=lambda path: path.name)  # fmt: skip
def test_words_of_pages_are_plain(template):
    # What people read: no comments, no attributes but labels.
    text = re.sub(r"\{#.*?#\}", "", template.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert UNPLAIN.findall(re.sub(r"\b(?:id|for|name|aria-describedby)=\"[^\"]*\"", "", text)) == []
