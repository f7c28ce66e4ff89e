"""Several leaderboards next to each other: the same systems, one column per criterion or segment.

In: means and intervals by board. Out: a matplotlib figure. Absent: computing what is drawn.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from howgood.show.figures.theme import COLOURS, FAINT, PAPER, canvas
from howgood.stats.arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PER_ROW = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnBoard:
    """One board: a title, and for each system a mean, an interval and whether it may be the best.

    Means are NaN for systems that are not on this board.
    """

    title: str
    means: FloatArray
    lower: FloatArray
    upper: FloatArray
    is_first: Sequence[bool]


@contextmanager
def boards_figure(
    systems: Sequence[str], boards: Sequence[DrawnBoard], *, axis: str
) -> Iterator["Figure"]:
    """Draw every board's means with 95 % intervals; filled are those that share its first place."""
    n_rows = -(-len(boards) // _PER_ROW)
    n_columns = min(len(boards), _PER_ROW)
    height = n_rows * max(1.9, 1.1 + 0.3 * len(systems)) + 0.3
    with canvas(width=2.0 + 2.4 * n_columns, height=height) as figure:
        panels = figure.subplots(n_rows, n_columns, sharey=True, sharex=False, squeeze=False)
        for place, axes in enumerate(panels.ravel().tolist()):
            if place >= len(boards):
                axes.set_visible(False)
                continue
            board = boards[place]
            for row in range(len(systems)):
                fill = COLOURS[0] if board.is_first[row] else PAPER
                axes.plot([board.lower[row], board.upper[row]], [-row, -row], color=COLOURS[0])
                axes.plot([board.means[row]], [-row], "o", mfc=fill, mec=COLOURS[0], markersize=7)
                axes.axhline(-row, color=FAINT, lw=0.4, zorder=0)
            axes.set_title(board.title, fontsize=10.5)
            axes.set_yticks([-row for row in range(len(systems))], list(systems))
            axes.tick_params(axis="y", length=0)
            axes.set_ylim(-len(systems) + 0.5, 0.5)
            axes.spines["left"].set_visible(False)
            axes.locator_params(axis="x", nbins=4)
        figure.supxlabel(f"{axis}, 95 %; filled: shares the first place", fontsize=10)
        yield figure
