"""A study of one's own on a page of this machine, until its last answer.

In: a seat in a study. Out: what is stored. Absent: what is asked.
"""

import tempfile
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from howgood.flow.elicit_in_browser import Seat
    from howgood.records.screen import Answer

_LOOK_EVERY_SECONDS = 0.5


@contextmanager
def private_page(
    seat_in: Callable[[Path], "Seat"], keep: Callable[["Seat"], None]
) -> Iterator["Seat"]:
    """Serve a study of one's own until its last answer or Ctrl+C; then yield what is stored.

    `seat_in` makes the seat in a database of this name; `keep` is called after every answer.
    """
    from howgood.web.server import serve_in_background

    # SQLite may still hold its files for a moment on some systems.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        seat = seat_in(Path(folder) / "elicit.sqlite")
        with serve_in_background(seat.host) as address:
            _wait_for_the_last_answer(seat, f"{address}/p/{seat.token}", keep)
            yield seat


def _wait_for_the_last_answer(seat: "Seat", page: str, keep: Callable[["Seat"], None]) -> None:
    from howgood.flow.elicit_in_browser import given_so_far, is_finished

    click.echo(f"answer at {page}\nCtrl+C stops with the answers so far", err=True)
    webbrowser.open(page)
    n_kept = _n_given(given_so_far(seat))
    try:
        while not is_finished(seat):
            time.sleep(_LOOK_EVERY_SECONDS)
            n_given = _n_given(given_so_far(seat))
            if n_given > n_kept:
                keep(seat)
                n_kept = n_given
    except KeyboardInterrupt:
        click.echo("stopped", err=True)


def _n_given(stored: "tuple[int, dict[str, Answer]] | None") -> int:
    return 0 if stored is None else len(stored[1])
