"""A picture of people's own alphas.

In: the table of people of a fit. Out: a matplotlib figure. Absent: names of people.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.records.table import Table
from howgood.show.figures.theme import COLOURS, FAINT, INK, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_SHOWN = 120  # people per panel; of more, evenly spaced ones stand for all


@contextmanager
def people_figure(people: Table) -> Iterator["Figure"]:
    """Draw everybody's alpha with its interval, in order, one panel per application and segment."""
    panels = list(
        dict.fromkeys(zip(people["application"].tolist(), people["segment"].tolist(), strict=True))
    )
    columns = min(len(panels), 2)
    rows = -(-len(panels) // columns)
    with canvas(width=3.6 * columns, height=0.5 + 2.6 * rows) as figure:
        grid = figure.subplots(rows, columns, sharex=True, squeeze=False)
        colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(_names(people))}
        for axes, (application, segment) in zip(grid.flat, panels, strict=False):
            here = (people["application"] == application) & (people["segment"] == segment)
            _panel(axes, people, np.flatnonzero(here), colours[segment])
            title = application if len(_names(people)) == 1 else f"{application}: {segment}"
            axes.set_title(title, fontsize=10)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[-1]:
            axes.set_xlabel("alpha: misses weigh more | false alarms weigh more", fontsize=8.5)
        yield figure


def _names(people: Table) -> list[str]:
    return list(dict.fromkeys(people["segment"].tolist()))


def _panel(axes: Any, people: Table, rows: Any, colour: str) -> None:  # noqa: ANN401 - matplotlib ships no types
    order = rows[np.argsort(people["mean"][rows])]
    if len(order) > _MOST_SHOWN:
        order = order[np.linspace(0, len(order) - 1, _MOST_SHOWN).round().astype(int)]
    height = np.arange(len(order))
    axes.axvline(0.5, color=INK, lw=1, ls=(0, (4, 3)), zorder=0)
    axes.hlines(height, people["lower"][order], people["upper"][order], color=FAINT, lw=1)
    axes.plot(people["mean"][order], height, "o", color=colour, ms=3.2)
    axes.set(xlim=(0, 1), ylim=(-1, len(order)))
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    n = len(rows)
    said = f"{n} people" if n == len(order) else f"{n} people, {len(order)} drawn"
    axes.text(0.98, 0.04, said, transform=axes.transAxes, ha="right", fontsize=8.5, color=INK)
