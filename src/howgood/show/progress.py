"""Progress bars for the terminal.

In: a title. Out: a `Progress` callback that draws on standard error, or nothing when nobody
watches. Absent: knowledge of the work itself.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from howgood.records.progress import Progress, silent


@contextmanager
def bar(title: str) -> Iterator[Progress]:
    """Show a bar while the block runs; silent unless standard error is a terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    # The terminal itself: a command's own stream would show the bar's escape sequences as text.
    console = Console(file=sys.__stderr__)
    with RichProgress(*columns, console=console, transient=True) as rich_progress:
        task = rich_progress.add_task(title, total=1.0)

        def report(share: float, step: str) -> None:
            rich_progress.update(task, completed=share, description=f"{title}: {step}")

        yield report
