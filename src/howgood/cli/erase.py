"""`howgood erase`: forget one participant, or delete a whole study.

In: a study and whom. Out: one line. Absent: any work (`flow.erasing`).
"""

from datetime import UTC, datetime

import click

from howgood.cli.database import database_option
from howgood.cli.web_extra import need_web

_ON_DISK = (
    "note: the database file may hold traces until the log is emptied or PostgreSQL has vacuumed"
)


@click.command()
@click.argument("study")
@click.argument("participant", required=False)
@click.option("--whole-study", metavar="STUDY", help="Delete the study; repeat its short name.")
@database_option
def command(study: str, participant: str | None, whole_study: str | None, database: str) -> None:
    """Erase PARTICIPANT (number or platform id) of STUDY for good, or the whole study.

    Backups and exports made before are files of yours: delete them too.
    """
    if (participant is None) == (whole_study is None):
        raise click.UsageError("name a participant, or --whole-study STUDY")
    need_web("howgood erase")
    from howgood.flow import erasing, hosting

    host = hosting.open_existing(database)
    who, now = "command line", datetime.now(UTC)
    try:
        if participant is not None:
            done = erasing.erase_participant(host, study, participant, actor=who, now=now)
        else:
            confirmation = whole_study or ""
            done = erasing.delete_study(host, study, confirmation=confirmation, actor=who, now=now)
    finally:
        host.close()
    click.echo(f"erased {done.participants:,} participant{'' if done.participants == 1 else 's'}")
    if done.cards:
        click.echo(f"took out of the library: {', '.join(done.cards)}")
    if not done.is_off_disk:
        click.echo(_ON_DISK, err=True)
