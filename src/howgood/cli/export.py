"""`howgood export`: a study's data with its codebook, or its survey for other tools.

In: a study's short name (or, for a survey, its file), a format. Out: a file. Absent: any work
(`flow.collected`, `flow.survey_export`).
"""

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from howgood.cli.database import database_option
from howgood.cli.web_extra import need_web
from howgood.records.codebook import (
    DATA_FORMATS,
    SURVEY_FORMATS,
    TABLES,
    DataFormat,
    SurveyFormat,
    TableName,
)
from howgood.writing import replacing

if TYPE_CHECKING:
    from howgood.flow import collected
    from howgood.flow.hosting import Host


@click.command()
@click.argument("study")
@click.option("--format", "kind", default="csv",
              type=click.Choice([*DATA_FORMATS, *SURVEY_FORMATS]),
              show_default=True, help="Data, or the survey to run it in other tools.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
              help="File to write, - for standard output.  [named after the study]")  # fmt: skip
@click.option("--table", type=click.Choice(TABLES), help="One table instead of all.")
@click.option(
    "--language",
    metavar="CODE",
    default="",
    help="Language of the survey, such as de.  [the study's own]",
)
@click.option("--pilots", is_flag=True, help="Include test runs.")
@click.option(
    "--identified", is_flag=True, help="Include the ids of the recruiting platform; needs --reason."
)
@click.option(
    "--reason", metavar="TEXT", default="", help="Why ids are needed: kept in the history."
)
@database_option
def command(
    study: str,
    kind: str,
    out: Path | None,
    table: str | None,
    language: str,
    pilots: bool,
    identified: bool,
    reason: str,
    database: str,
) -> None:
    """Write the data of STUDY (its short name) with a codebook, or the survey itself.

    CSV, Parquet, SPSS (sav) and Stata (dta) come as a ZIP of every table, or as one table when
    --table or the ending of --out says so; JSON and Excel (xlsx) hold them all. They hold no
    ids of a recruiting platform unless --identified says so, and only you can read them (0600),
    as the database. The study itself (html: one page without a server; surveys also limesurvey,
    qualtrics) can be named by its file too, and is for others: it is written as any file is.
    Preferences (of a study of votes) are lines of JSON: prompt, chosen, rejected.
    """
    need_web("howgood export")
    if kind in SURVEY_FORMATS:
        name, pieces = _survey(study, kind, database, language)
        _write(pieces, out or Path(name))
        return
    from howgood.flow import collected, hosting

    if table is None and out is not None and out.suffix in (".csv", ".parquet", ".sav", ".dta"):
        table = "answers"
    host = hosting.open_existing(database)
    try:
        choice = collected.ExportChoice(
            kind=cast(DataFormat, kind), table=cast("TableName | None", table),
            pilots=pilots, identified=identified, reason=reason,
        )  # fmt: skip
        made = _data(host, study, choice)
        target = out or Path(made.name)
        _write(made.pieces, target, private=True)
        if table is not None and kind not in ("json", "xlsx") and target.name != "-":
            book = collected.codebook_csv(
                collected.collected_codebook(host, study, identified=identified)
            )
            _write([book], target.with_suffix(".codebook.csv"), private=True)
    finally:
        host.close()


def _data(host: "Host", study: str, choice: "collected.ExportChoice") -> "collected.DataFile":
    """Return the data; only what names people is written down: a copy may be read-only."""
    from howgood.flow import collected

    if choice.identified:
        return collected.exported(host, study, choice, actor="command line", now=datetime.now(UTC))
    return collected.data_file(
        host, study, kind=choice.kind, table=choice.table, pilots=choice.pilots
    )


def _survey(study: str, kind: str, address: str, language: str) -> tuple[str, Iterable[bytes]]:
    from howgood.flow import survey_export

    made = survey_export.survey_file(
        study, kind=cast(SurveyFormat, kind), address=address, language=language
    )
    return made.name, [made.content]


def _write(pieces: Iterable[bytes], target: Path, *, private: bool = False) -> None:
    if target.name == "-":
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()  # a full disk shows here, not after the exit code is settled
        return
    with replacing(target, private=private) as file:
        for piece in pieces:
            file.write(piece)
    click.echo(f"wrote {target} ({target.stat().st_size:,} bytes)", err=True)
