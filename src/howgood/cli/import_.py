"""`howgood import`: answers collected by other tools become participants of a study.

In: files, the study, which column holds what. Out: what was added, what is here already, what was
left out. Absent: any work (`flow.importing`).
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from howgood.cli.database import database_option
from howgood.cli.options import json_option, map_option, missing_option
from howgood.cli.web_extra import need_web
from howgood.errors import ManyProblemsError
from howgood.records.table import Table
from howgood.show import text

if TYPE_CHECKING:
    from howgood.flow.importing import ImportReport, Undone
    from howgood.store.imported import ImportRow

_MOST_SHOWN = 50


@click.command("import")
@click.argument("files", nargs=-1,
                type=click.Path(path_type=Path, exists=True, dir_okay=False))  # fmt: skip
@click.option(
    "--study", metavar="STUDY", required=True, help="Short name of the study they answered."
)
@map_option("participant=ResponseId", name="mapping")
@missing_option
@click.option("--dry-run", is_flag=True, help="Show what would be added; store nothing.")
@click.option("--undo", type=int, metavar="NUMBER",
              help="Remove everything that an earlier import brought in.")  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="List the study's imports.")
@database_option
@json_option
def command(
    files: tuple[Path, ...],
    study: str,
    mapping: dict[str, str],
    missing: str,
    dry_run: bool,
    undo: int | None,
    listing: bool,
    database: str,
    as_json: bool,
) -> None:
    """Import FILES: .json saved by the offline page, or CSV tables (Qualtrics' too).

    All or nothing: when anything is wrong, nothing is stored. Answers that are here already, the
    study's own export for instance, are recognised and not stored again.
    """
    need_web("howgood import")
    from howgood.flow import hosting, importing

    if (undo is not None) + listing + bool(files) != 1:
        raise click.UsageError("Name files to import, or --list, or --undo NUMBER.")
    host = hosting.open_existing(database)
    try:
        if listing:
            _say_imports(importing.imports_of(host, study), as_json)
            return
        now = datetime.now(UTC)
        if undo is not None:
            gone = importing.undo_import(host, study, undo, actor="command line", now=now)
            _say_undone(gone, as_json)
            return
        report = importing.import_files(
            host, study, [(str(path), path.read_bytes()) for path in files], mapping=mapping,
            missing=cast(importing.Missing, missing), store=not dry_run, actor="command line",
            now=now,
        )  # fmt: skip
    except ManyProblemsError as error:
        rows = [
            one_problem
            for one_problem in error.problems
            if isinstance(one_problem, importing.RowProblem)
        ]
        for problem in rows[:_MOST_SHOWN]:
            click.echo(str(problem), err=True)
        raise
    finally:
        host.close()
    _say_report(report, study, as_json)


def _say_report(report: "ImportReport", study: str, as_json: bool) -> None:
    if as_json:
        values = {name: getattr(report, name) for name in
                  ("number", "people", "answers", "people_here", "answers_here")}  # fmt: skip
        lists = {"differing": list(report.differing), "left_out": dict(report.left_out)}
        click.echo(text.to_json(values | lists))
        return
    for line in report.lines:
        click.echo(line)
    if report.number is not None:
        click.echo(f"to undo it: howgood import --study {study} --undo {report.number}")


def _say_undone(gone: "Undone", as_json: bool) -> None:
    if as_json:
        values = {"number": gone.number, "people": gone.people, "answers": gone.answers}
        click.echo(text.to_json(values))
        return
    click.echo(f"import {gone.number} is undone: took out {gone.answers:,} answers of "
               f"{gone.people:,} people")  # fmt: skip


def _say_imports(imports: "tuple[ImportRow, ...]", as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {"number": person.number, "when": person.created_at.isoformat(), "who": person.actor,
         "source": person.source, "people": person.people, "answers": person.answers}
        for person in imports
    ]  # fmt: skip
    if as_json:
        click.echo(text.to_json({"imports": rows}))
    elif rows:
        click.echo(text.text_table(Table({name: [row[name] for row in rows] for name in rows[0]})))
    else:
        click.echo("no imports")
