"""`howgood worker`: fit what researchers asked for, beside the server.

In: a database. Out: results in it. Absent: pages; `howgood serve` shows the results.
"""

import signal
from types import FrameType

import click

from howgood.cli.web_extra import need_web
from howgood.settings import read_settings


@click.command()
@click.option("--once", is_flag=True, help="Stop when nothing waits.")
@click.option("--database", help="SQLite file or postgresql:// address  [HOWGOOD_DATABASE]")
def command(once: bool, database: str | None) -> None:
    """Work off fits that wait in the queue; stop with Ctrl+C, nothing is lost."""
    need_web("howgood worker")
    from howgood.flow import hosting
    from howgood.flow.results.worker import Worker

    address = database or read_settings().database
    host = hosting.open_host(address)
    try:
        worker = Worker(host, address, told=click.echo)

        def stop(_signal: int, _frame: FrameType | None) -> None:
            worker.stopping.set()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        click.echo(f"{worker.name} waits for jobs in {hosting.shown_address(address)}")
        if once:
            while not worker.stopping.is_set() and worker.run_once():
                pass
        else:
            worker.run()
    finally:
        host.close()
