"""Every Python block of README, pages and notebooks runs; blocks of one page share their names.

Commands in the tutorial (```console, lines that start with `$ howgood`) run too, in the same
folder and order, and must print what the page says they print.
"""

import doctest
import os
import re
import shlex
from pathlib import Path

import pytest

from howgood.cli.main import run

ROOT = Path(__file__).parents[2]
PYTHON = re.compile(r"^```(?:python|\{code-cell\} ipython3)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANY = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ howgood (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
TUTORIALS = sorted((ROOT / "docs" / "tutorial").glob("*.md"))
PAGES = [
    path
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "_build" not in path.parts
    and path not in TUTORIALS
    and PYTHON.search(path.read_text(encoding="utf-8"))
]


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Give the names a page's blocks share, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "MPLBACKEND", "Agg")
    return {"__name__": "documentation"}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_python_blocks_of_a_page_run(page, names, capsys):
    for block in PYTHON.findall(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec"), names)  # noqa: S102 - our own pages


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs_from_top_to_bottom_and_prints_what_it_says(page, names, capsys):
    checker = doctest.OutputChecker()
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for kind, block in ANY.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(block, str(page), "exec"), names)  # noqa: S102 - our own pages
            continue
        for command, promised in COMMAND.findall(block):
            capsys.readouterr()
            assert run(shlex.split(command)) == 0
            printed = capsys.readouterr().out
            assert checker.check_output(promised, printed, flags), f"{command}:\n{printed}"
