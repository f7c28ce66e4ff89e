"""Pictures of people: their own alphas, and what they chose on rating scales.

In: the table of people of a fit, or counts by point of a scale. Out: matplotlib figures. Absent:
names of people.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from textwrap import shorten
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
        for axes in grid.flat[max(len(panels) - columns, 0) : len(panels)]:
            axes.set_xlabel("alpha: misses weigh more | false alarms weigh more", fontsize=8.5)
            axes.tick_params(labelbottom=True)
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


if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONGEST = 64
_LEAST_WRITTEN = 0.08  # shares below have no room for their number


@dataclass(frozen=True, slots=True, kw_only=True)
class Likert:
    """How often each answer was given to one item, lowest first."""

    label: str
    levels: tuple[str, ...]
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many answers there are."""
        return sum(self.counts)


@contextmanager
def likert_figure(bars: Sequence[Likert]) -> Iterator["Figure"]:
    """Draw a divided bar per item; orange disagrees, blue agrees, the middle is grey."""
    with canvas(width=6.0, height=1.1 + 0.62 * len(bars)) as figure:
        axes = figure.subplots()
        for row, bar in enumerate(bars):
            _draw(axes, row, bar)
        first, last = bars[0].levels[0], bars[0].levels[-1]
        axes.set(xlim=(0, 1), ylim=(-len(bars) + 0.55, 0.75))
        axes.set_yticks([])
        axes.set_xticks([0, 0.5, 1], [f"{first} (left)", "", f"{last} (right)"])
        axes.get_xticklabels()[0].set_horizontalalignment("left")
        axes.get_xticklabels()[2].set_horizontalalignment("right")
        axes.tick_params(length=0)
        axes.spines[["left", "bottom"]].set_visible(False)
        yield figure


def _draw(axes: Any, row: int, bar: Likert) -> None:  # noqa: ANN401 - matplotlib axes
    left = 0.0
    for count, colour in zip(bar.counts, scale_colours(len(bar.counts)), strict=True):
        share = count / max(1, bar.total)
        axes.barh(-row, share, left=left, color=colour, height=0.5, lw=0)
        if share >= _LEAST_WRITTEN:
            axes.text(
                left + share / 2, -row, f"{100 * share:.0f}", ha="center", va="center",
                color=_ink(colour), fontsize=9,
            )  # fmt: skip
        left += share
    label = shorten(bar.label, _LONGEST, placeholder="…")
    # A panel leaves no room for it: where it does not fit into the picture, it is shortened.
    axes.text(
        0, -row + 0.33, f"{label} ({bar.total})", ha="left", va="bottom", fontsize=9,
        in_layout=False,
    )  # fmt: skip


def scale_colours(levels: int) -> list[str]:
    """Return colours from orange over grey to blue, as many as a scale has levels.

    Examples
    --------
    >>> scale_colours(3)
    ['#d55e00', '#e3e3e3', '#0072b2']
    """
    low, middle, high = (
        np.array(colour) for colour in ((213, 94, 0), (227, 227, 227), (0, 114, 178))
    )
    colours = []
    for place in np.linspace(-1, 1, levels) if levels > 1 else [1.0]:
        end = high if place > 0 else low
        red, green, blue = (middle + abs(place) * (end - middle)).round().astype(int)
        colours.append(f"#{red:02x}{green:02x}{blue:02x}")
    return colours


def _ink(colour: str) -> str:
    """Return black or white, whichever is easier to read on a colour."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#ffffff" if 0.3 * red + 0.59 * green + 0.11 * blue < 140 else "#111111"
