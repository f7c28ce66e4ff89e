"""The command as a whole: exit codes, one-line errors, no traceback."""

import importlib
import shlex
import subprocess
import sys

import click
import pytest

from howgood import __version__
from howgood.cli.main import COMMANDS, EXAMPLES, app, run
from howgood.kinds import KINDS


def test_the_version_is_printed(capsys):
    assert run(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


def test_help_lists_every_command_in_one_line_each(capsys):
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name, capsys):
    assert run([name, "--help"]) == 0
    assert "Usage: howgood" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_what_to_type_and_its_options_exist(name, capsys):
    assert run([name, "--help"]) == 0
    shown = capsys.readouterr().out.rpartition("Example")[2].splitlines()[1:]
    command = app.get_command(click.Context(app), name)
    options = {option for parameter in command.params for option in parameter.opts}
    assert shown
    assert [line.strip() for line in shown] == list(EXAMPLES[name])
    for example in EXAMPLES[name]:
        program, called, *rest = shlex.split(example)
        assert (program, called) == ("howgood", "--server" if name == "remote" else name)
        assert {word for word in rest if word.startswith("--")} <= options


def test_the_help_of_new_says_what_people_do_in_every_kind_of_study(capsys):
    assert run(["new", "--help"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.split()]
    assert set(KINDS) <= set(listed)


def test_an_unknown_command_is_wrong_input(capsys):
    assert run(["sing"]) == 2
    assert "sing" in capsys.readouterr().err


def test_wrong_input_is_one_line_and_exit_code_two(capsys):
    assert run(["reproduce", "s9"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("howgood: paper: no 's9'")
    assert len(error.strip().splitlines()) == 1


def test_the_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "howgood", "--version"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0


def test_a_missing_optional_package_names_its_extra(monkeypatch, capsys, tmp_path):
    from howgood.demo import walkthrough

    def without(seed):
        raise ModuleNotFoundError("No module named 'sklearn'", name="sklearn.datasets")

    monkeypatch.setattr(walkthrough, "_trained_classifier", without)
    assert run(["demo", "--out", str(tmp_path)]) == 2
    assert 'pip install "howgood[sklearn]"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["demo"],
            'needs the extras "plots" and "sklearn"; run: pip install "howgood[plots,sklearn]"',
        ),
        (["reproduce", "s3"], 'needs the "reproduce" extra; run: pip install "howgood[reproduce]"'),
    ],
)
def test_a_command_says_at_once_which_extras_it_needs(monkeypatch, capsys, words, said):
    command = importlib.import_module(f"howgood.cli.{words[0]}")
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert run(words) == 2
    assert said in capsys.readouterr().err
