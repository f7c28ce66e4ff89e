"""Options several commands share."""

import json

import click
import pytest
from click.testing import CliRunner

from howgood.cli.options import named_columns, renamed_columns, report_options, write_report
from howgood.errors import InputError, MissingExtraError
from howgood.records import Finding, Provenance, Report
from howgood.show.figures import theme

REPORT = Report(
    title="T", question="Q?", findings=(Finding(text="F"),), sections=(), methods="M",
    provenance=Provenance(method="m"),
)  # fmt: skip


@click.command()
@click.option("--system", "systems", multiple=True, callback=named_columns)
@report_options
def _command(systems, plot, out, as_json):
    click.echo(json.dumps([systems, str(plot), str(out), as_json]))


def test_pairs_and_bare_columns_become_a_dict():
    done = CliRunner().invoke(_command, ["--system", "A=x", "--system", "y", "--json"])
    assert json.loads(done.output) == [{"A": "x", "y": "y"}, "None", "None", True]


@pytest.mark.parametrize("pair", [["A=x", "A=y"], ["=x"], ["A="]])
def test_unclear_pairs_are_refused(pair):
    arguments = [part for value in pair for part in ("--system", value)]
    done = CliRunner().invoke(_command, arguments)
    assert done.exit_code == 2
    assert "NAME=COLUMN" in done.output


@click.command()
@click.option("--map", "columns", multiple=True, callback=renamed_columns)
def _renaming(columns):
    click.echo(json.dumps(columns))


def test_a_column_is_renamed_by_two_names_and_one_alone_is_refused():
    done = CliRunner().invoke(_renaming, ["--map", "rating=stars"])
    assert json.loads(done.output) == {"rating": "stars"}
    done = CliRunner().invoke(_renaming, ["--map", "rating"])
    assert done.exit_code == 2
    assert "rating=COLUMN" in done.output


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_reports_are_written_in_every_form(tmp_path, ending):
    write_report(REPORT, tmp_path / "new" / f"report.{ending}")
    assert "F" in (tmp_path / "new" / f"report.{ending}").read_text()


def test_an_unknown_report_form_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"\.html, \.md, \.json"):
        write_report(REPORT, tmp_path / "report.doc")


@pytest.mark.parametrize("option", [["--plot", "p.png"], ["--out", "r.html"]])
def test_what_cannot_be_drawn_is_refused_before_the_work(monkeypatch, option):
    monkeypatch.setattr(theme, "find_spec", lambda name: None)
    done = CliRunner().invoke(_command, option)
    assert isinstance(done.exception, MissingExtraError)
    assert done.output == ""


def test_an_ending_that_no_picture_has_is_refused_before_the_work():
    done = CliRunner().invoke(_command, ["--plot", "p.docx"])
    assert isinstance(done.exception, InputError)
