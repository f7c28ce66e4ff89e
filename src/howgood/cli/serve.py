"""`howgood serve`: run studies in the browser.

In: study files, an address, a database. Out: a server. Absent: pages (`web`), answers (`store`).
"""

from datetime import UTC, datetime
from pathlib import Path

import click

from howgood.cli.database import database_option
from howgood.cli.web_extra import need_web
from howgood.lazy import while_loading
from howgood.settings import read_settings


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--port", default=8000, show_default=True, help="Port to listen on.")
@click.option(
    "--host",
    "address",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on.",
)
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64),
              help="Processes; more than one needs PostgreSQL.")  # fmt: skip
@database_option
def command(files: tuple[Path, ...], port: int, address: str, workers: int, database: str) -> None:
    """Run the studies in FILES (or those already in the database) in the browser."""
    with while_loading():
        need_web("howgood serve")
        from howgood.flow import accounts, hosting
        from howgood.web import server

    settings = read_settings().changed(database=database)
    hosting.check_workers(settings.database, workers)
    server.check_free(address, port)
    host, note = hosting.open_server(settings.database)
    home = settings.public_url or f"http://{address}:{port}"
    for served in hosting.open_studies(host, files, now=datetime.now(UTC)):
        state = "" if served.row.is_open else " (closed)"
        click.echo(f"{served.row.title}: {home}/s/{served.row.slug}{state}")
        if served.note:
            click.echo(f"  note: {served.note}")
    token = accounts.setup_link(host, now=datetime.now(UTC))
    if token:
        click.echo(
            f"make the first account (this link works once, for a day): {home}/setup/{token}"
        )
    click.echo(f"dashboard: {home}/")
    click.echo(f"answers go to {hosting.shown_address(settings.database)}; stop with Ctrl+C")
    if note:
        click.echo(f"note: {note}")
    server.run(host, settings, address=address, port=port, workers=workers)
