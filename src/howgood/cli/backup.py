"""`howgood backup`: a complete copy of the database while the server runs.

In: a new file name. Out: the copy. Absent: PostgreSQL (`pg_dump` does it there).
"""

from pathlib import Path

import click

from howgood.cli.database import sqlite_option
from howgood.cli.web_extra import need_web


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@sqlite_option
def command(target: Path, database: str) -> None:
    """Copy the SQLite database into the new file TARGET; the server may go on running."""
    need_web("howgood backup")
    from howgood.flow import hosting

    size = hosting.back_up(database, target)
    click.echo(f"wrote {target} ({size:,} bytes), complete and checked", err=True)
