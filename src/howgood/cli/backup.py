"""`howgood backup`: a complete copy of the database while the server runs.

In: a new file name. Out: the copy. Absent: PostgreSQL (`pg_dump` does it there).
"""

from datetime import UTC, datetime
from pathlib import Path

import click

from howgood.cli.database import sqlite_option
from howgood.cli.web_extra import need_web


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--verify", is_flag=True, help="Then restore it in a temporary place and count what came back."
)
@click.option("--encrypt-to", "recipients", multiple=True, metavar="AGE1…",
              help="Public key that can read it (age); may be repeated.")  # fmt: skip
@click.option("--identity", type=click.Path(path_type=Path, dir_okay=False),
              help="File of the private key, for --verify of an encrypted one.")  # fmt: skip
@sqlite_option
def command(
    target: Path, verify: bool, recipients: tuple[str, ...], identity: Path | None, database: str
) -> None:
    """Copy the SQLite database into the new file TARGET; the server may go on running.

    With --verify a TARGET that exists is not written: it is restored in a drill alone.
    """
    need_web("howgood backup")
    from howgood.flow import hosting
    from howgood.flow.encrypted_backup import back_up_encrypted, readable

    if not (verify and target.exists()):
        size = (
            back_up_encrypted(database, target, recipients=recipients)
            if recipients
            else hosting.back_up(database, target)
        )
        click.echo(f"wrote {target} ({size:,} bytes), complete and checked", err=True)
    if verify:
        with readable(target, identity) as plain:
            done = hosting.drill(plain, now=datetime.now(UTC))
        until = f", the newest of {done.newest_answer} UTC" if done.newest_answer else ""
        click.echo(
            f"restored in a drill: {done.answers:,} answers of {done.people:,} people{until}",
            err=True,
        )
