"""`howgood restore`: a backup takes the database's place, while no server runs.

In: a backup. Out: the database as it was then, the old file next to it. Absent: PostgreSQL
(`pg_restore` does it there).
"""

from datetime import UTC, datetime
from pathlib import Path

import click

from howgood.cli.database import sqlite_option
from howgood.cli.web_extra import need_web


@click.command()
@click.argument("backup", type=click.Path(path_type=Path))
@click.option("--identity", type=click.Path(path_type=Path, dir_okay=False),
              help="File of the private key, for an encrypted backup.")  # fmt: skip
@sqlite_option
def command(backup: Path, identity: Path | None, database: str) -> None:
    """Put BACKUP in the place of the SQLite database; stop the server first.

    The file that was there is kept next to it, with its log.
    """
    need_web("howgood restore")
    from howgood.flow import hosting
    from howgood.flow.encrypted_backup import readable

    with readable(backup, identity) as plain:
        done = hosting.restore(database, plain, now=datetime.now(UTC))
    until = f", the newest of {done.newest_answer} UTC" if done.newest_answer else ""
    click.echo(f"restored {hosting.shown_address(database)}: {done.answers:,} answers of "
               f"{done.people:,} people{until}", err=True)  # fmt: skip
    if done.kept is not None:
        click.echo(f"what was there before is in {done.kept}", err=True)
    click.echo(
        "people erased since the backup are back, and so are old passwords and links: "
        "repeat what was done since", err=True,
    )  # fmt: skip
