"""Every Python block of README, pages and notebooks runs; blocks of one page share their names.

Commands in the tutorial (```console, lines that start with `$ howgood`) run too, in the same
folder and order, and must print what the page says they print. Those of "a study in a week" run
with synthetic people instead of the week's.
"""

import doctest
import os
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest

from howgood.cli.main import run
from howgood.demo.web import add_people
from howgood.flow import hosting
from howgood.flow.study_files import read_study

ROOT = Path(__file__).parents[2]
PYTHON = re.compile(r"^```(?:python|\{code-cell\} ipython3)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANY = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ howgood (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
TUTORIALS = sorted((ROOT / "docs" / "tutorial").glob("*.md"))
WEEK = ROOT / "docs" / "howto" / "study-in-a-week.md"
PAGES = [
    path
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "_build" not in path.parts
    and path not in (*TUTORIALS, WEEK)
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


def test_the_week_runs_from_the_study_file_to_the_paper(names, capsys):
    for kind, block in ANY.findall(WEEK.read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(block, str(WEEK), "exec"), names)  # noqa: S102 - our own page
            continue
        for command, _ in COMMAND.findall(block):
            words = shlex.split(command)
            if words[0] == "serve":
                _ask_people(Path(words[1]), people=12)
            elif words[0] != "study-size":  # half a minute; tests/cli has it smaller
                assert run(words) == 0 or words[0] == "gate"  # a gate may say no
    assert "12 people" in Path("report.html").read_text(encoding="utf-8")
    assert names["fit"].methods_text()


def _ask_people(file, *, people):
    """Serve a study to people who answer all of it, into the database of the folder."""
    host, now = hosting.open_host("howgood.sqlite"), datetime(2026, 5, 6, 9, tzinfo=UTC)
    hosting.add_study(host, read_study(file), folder=file.parent, now=now)
    add_people(host, "smart-alarm", people=people, seed=3, now=now)
    host.close()
