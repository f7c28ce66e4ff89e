"""`howgood backup`: a complete copy of the database while the server runs.

In: a new file name. Out: the copy. Absent: PostgreSQL (`pg_dump` does it there).
"""

from pathlib import Path

import click

from howgood.cli.web_extra import need_web
from howgood.settings import read_settings


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--database", help="SQLite file  [HOWGOOD_DATABASE]")
def command(target: Path, database: str | None) -> None:
    """Copy the SQLite database into the new file TARGET; the server may go on running."""
    need_web("howgood backup")
    from howgood.flow import hosting

    size = hosting.back_up(database or read_settings().database, target)
    click.echo(f"wrote {target} ({size:,} bytes), complete and checked", err=True)
