"""`howgood links`: personal links to a study.

In: a study's short name, how many. Out: one link per line. Absent: sending them.
"""

from datetime import UTC, datetime

import click

from howgood.cli.database import database_option
from howgood.cli.options import json_option
from howgood.cli.web_extra import need_web
from howgood.settings import read_settings
from howgood.show import text

_HERE = "http://127.0.0.1:8000"


@click.command()
@click.argument("study")
@click.option("--people", default=1, show_default=True, type=click.IntRange(1, 100_000),
              help="How many links.")  # fmt: skip
@click.option("--pilot", is_flag=True, help="For test runs: answers stay out of the data.")
@click.option("--at", "home", metavar="URL",
              help=f"Address of the server.  [HOWGOOD_PUBLIC_URL, else {_HERE}]")  # fmt: skip
@database_option
@json_option
def command(
    study: str, people: int, pilot: bool, home: str | None, database: str, as_json: bool
) -> None:
    """Make personal links to STUDY (its short name). They are shown once and never stored."""
    need_web("howgood links")
    from howgood.flow import hosting

    settings = read_settings()
    host = hosting.open_existing(database)
    try:
        links = hosting.make_links(
            host, study, people=people, is_pilot=pilot, now=datetime.now(UTC)
        )
    finally:
        host.close()
    known = home or settings.public_url
    addresses = [f"{(known or _HERE).rstrip('/')}/p/{link.token}" for link in links]
    if not known:
        note = f"howgood: note: links lead to {_HERE}; is your server at another address? Say --at"
        click.echo(note, err=True)
    click.echo(
        text.to_json({"study": study, "links": addresses}) if as_json else "\n".join(addresses)
    )
