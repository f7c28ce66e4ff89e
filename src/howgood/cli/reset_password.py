"""`howgood reset-password`: a way back for whoever lost the password of the dashboard.

In: a name. Out: a one-time link. Absent: passwords; they are typed in the browser alone.
"""

from datetime import UTC, datetime

import click

from howgood.cli.database import database_option
from howgood.cli.web_extra import need_web
from howgood.settings import read_settings


@click.command()
@click.argument("name")
@click.option(
    "--end-codes", is_flag=True, help="Also switch off codes after the password (lost device)."
)
@database_option
def command(name: str, end_codes: bool, database: str) -> None:
    """Print a one-time link by which NAME chooses a new password for the dashboard.

    Until it is used, the old password works; then every session of NAME ends.
    """
    need_web("howgood reset-password")
    from howgood.flow import accounts, hosting
    from howgood.flow.accounts import second_factor

    settings = read_settings()
    host = hosting.open_existing(database)
    try:
        now = datetime.now(UTC)
        token = accounts.renewal_link(host, name, actor="command line", now=now)
        if end_codes:
            had_codes = second_factor.end_codes_of(host, name, actor="command line", now=now)
            click.echo("codes are switched off" if had_codes else f"{name} had no codes")
    finally:
        host.close()
    home = settings.public_url or "http://127.0.0.1:8000"
    click.echo(f"choose a new password (this link works once, for a day): {home}/setup/{token}")
