"""`howgood import`: answers collected elsewhere become participants of a study.

In: files, the study, which column holds what. Out: what was used and what was left out. Absent: any
work (`flow.importing`).
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import click

from howgood.cli.options import renamed_columns
from howgood.cli.web_extra import need_web
from howgood.errors import ManyProblemsError
from howgood.settings import read_settings
from howgood.show import text

_MOST_SHOWN = 50


@click.command("import")
@click.argument("files", nargs=-1, required=True,
                type=click.Path(path_type=Path, exists=True, dir_okay=False))  # fmt: skip
@click.option("--study", required=True, help="Short name of the study they answered.")
@click.option("--map", "mapping", multiple=True, metavar="NAME=COLUMN", callback=renamed_columns,
              help="Which column holds what, such as participant=ResponseId.")  # fmt: skip
@click.option("--missing", type=click.Choice(["error", "drop"]), default="error",
              show_default=True, help="What to do with rows that have a gap.")  # fmt: skip
@click.option("--database", help="SQLite file or postgresql:// address  [HOWGOOD_DATABASE]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(
    files: tuple[Path, ...],
    study: str,
    mapping: dict[str, str],
    missing: str,
    database: str | None,
    as_json: bool,
) -> None:
    """Import FILES: .json saved by the offline page, or CSV tables (Qualtrics' too).

    All or nothing: when anything is wrong, nothing is stored. Importing twice doubles nothing.
    """
    need_web("howgood import")
    from howgood.flow import hosting, importing

    host = hosting.open_host(database or read_settings().database)
    try:
        report = importing.import_files(
            host, study, [(str(path), path.read_bytes()) for path in files], mapping=mapping,
            missing=cast(importing.Missing, missing), actor="command line",
            now=datetime.now(UTC),
        )  # fmt: skip
    except ManyProblemsError as error:
        rows = [each for each in error.problems if isinstance(each, importing.RowProblem)]
        for problem in rows[:_MOST_SHOWN]:
            click.echo(str(problem), err=True)
        raise
    finally:
        host.close()
    if as_json:
        click.echo(text.to_json({"people": report.people, "answers": report.answers,
                                 "left_out": dict(report.left_out)}))  # fmt: skip
        return
    click.echo(f"imported {report.people:,} people with {report.answers:,} answers")
    for policy, count in report.left_out.items():
        click.echo(f"left out: {count:,} {policy}")
