"""`howgood demo`, as a newcomer runs it."""

import io
import json
import re
from contextlib import chdir, redirect_stdout
from pathlib import Path

import pytest

from howgood.cli.main import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def out(folder):
    """What the demo prints; its files are in "here"."""
    printed = io.StringIO()
    with chdir(folder), redirect_stdout(printed):
        assert run(["demo", "--out", "here"]) == 0
    return printed.getvalue()


def test_the_demo_tells_one_story_in_five_chapters_and_writes_a_report(
    folder, out, capsys, monkeypatch
):
    monkeypatch.chdir(folder)
    assert out.count("Next: howgood") == 5
    html = (folder / "here" / "report.html").read_text()
    assert html.count("<svg") >= 4
    # Names of vocabularies (http://www.w3.org/...) are no addresses; nothing is fetched.
    assert 'src="http' not in html
    assert 'href="http' not in html
    # Every command the demo suggests runs on the data it left behind.
    commands = [line.split("howgood ", 1)[1] for line in out.splitlines() if "Next:" in line]
    for command in commands:
        if not command.startswith("elicit"):  # asks a person
            assert run(command.split()) == 0
    # ... and says what the demo said.
    verdict = out.partition("5. Ship it, or not")[2].splitlines()[1].strip(" -")
    assert verdict in capsys.readouterr().out
    assert "P(at least 60" in html
    assert "A smart alarm, from asking to shipping" in html
    assert html.count("data-map=") == 1  # one product, one map to drag in
    # One share has one interval, from the first line to the gate.
    lower, upper = re.search(r"(\d+)–(\d+)\] would accept it; probability", verdict).groups()
    read = html.replace("\N{NO-BREAK SPACE}", " ")
    assert f"people would accept it (likely between {lower} and {upper} %)" in read


def test_the_demo_speaks_json_and_is_reproducible(folder, out, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    assert run(["demo", "--out", "again", "--json"]) == 0
    said = [line.removeprefix("   - ") for line in out.splitlines() if line.startswith("   - ")]
    assert json.loads(capsys.readouterr().out)["findings"] == said
    for name in ("answers.csv", "scores.csv"):
        assert Path("again", name).read_bytes() == Path("here", name).read_bytes()
