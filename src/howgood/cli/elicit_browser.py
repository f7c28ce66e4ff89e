"""`howgood elicit --browser`: the same interview on a page of this machine.

In: an interview and its words. Out: the interview as answered. Absent: the page (`web`).
"""

import tempfile
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from howgood.cli.web_extra import need_web
from howgood.flow.elicit import Interview, write_log
from howgood.records.comparison import ComparisonWording

if TYPE_CHECKING:
    from howgood.flow.elicit_in_browser import Seat

_LOOK_EVERY_SECONDS = 0.5


def answered_in_browser(
    interview: Interview, words: ComparisonWording, log: Path | None
) -> Interview:
    """Open the page, wait until all is answered or Ctrl+C, and return what was answered."""
    need_web("howgood elicit --browser")
    from howgood.flow import elicit_in_browser as flow
    from howgood.web.beside import serving

    # SQLite may still hold its files for a moment on some systems.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        seat = flow.take_seat(interview, words, database=Path(folder) / "elicit.sqlite")
        with serving(seat.host) as address:
            _wait_for_the_last_answer(seat, f"{address}/p/{seat.token}")
            interview = flow.interview_so_far(seat)
    if log is not None:
        write_log(interview, log)
    return interview


def _wait_for_the_last_answer(seat: "Seat", page: str) -> None:
    from howgood.flow.elicit_in_browser import is_finished

    click.echo(f"answer at {page}\nCtrl+C stops with the answers so far", err=True)
    webbrowser.open(page)
    try:
        while not is_finished(seat):
            time.sleep(_LOOK_EVERY_SECONDS)
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
