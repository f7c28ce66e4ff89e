"""`howgood worker`: fit what researchers asked for, next to the server.

In: a database. Out: results in it. Absent: pages; `howgood serve` shows the results.
"""

import signal
from types import FrameType

import click

from howgood.cli.database import database_option
from howgood.cli.web_extra import need_web
from howgood.settings import read_settings


@click.command()
@click.option("--once", is_flag=True, help="Stop when nothing waits.")
@database_option
def command(once: bool, database: str) -> None:
    """Work off fits that wait in the queue; stop with Ctrl+C, nothing is lost."""
    need_web("howgood worker")
    from howgood.flow import hosting
    from howgood.flow.results.worker import Worker

    host = hosting.open_host(database)
    try:
        worker = Worker(host, database, log=click.echo, settings=read_settings())

        def stop(_signal: int, _frame: FrameType | None) -> None:
            worker.stopping.set()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        click.echo(f"{worker.name} waits for jobs in {hosting.shown_address(database)}")
        if once:
            while not worker.stopping.is_set() and worker.run_once():
                pass
        else:
            worker.run()
    finally:
        host.close()
