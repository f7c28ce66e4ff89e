"""A study of one's own on a page of this machine, until its last answer.

In: a study. Out: what is stored. Absent: what is asked.
"""

import tempfile
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from howgood.flow.elicit_in_browser import Seat
    from howgood.kinds.study import Study

_LOOK_EVERY_SECONDS = 0.5


@contextmanager
def private_page(study: "Study") -> Iterator["Seat"]:
    """Serve a study of one's own until its last answer or Ctrl+C; then yield what is stored."""
    from howgood.flow.elicit_in_browser import take_seat
    from howgood.web.server import serve_in_background

    # SQLite may still hold its files for a moment on some systems.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        seat = take_seat(study, database=Path(folder) / "elicit.sqlite")
        with serve_in_background(seat.host) as address:
            _wait_for_the_last_answer(seat, f"{address}/p/{seat.token}")
            yield seat


def _wait_for_the_last_answer(seat: "Seat", page: str) -> None:
    from howgood.flow.elicit_in_browser import is_finished

    click.echo(f"answer at {page}\nCtrl+C stops with the answers so far", err=True)
    webbrowser.open(page)
    try:
        while not is_finished(seat):
            time.sleep(_LOOK_EVERY_SECONDS)
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
