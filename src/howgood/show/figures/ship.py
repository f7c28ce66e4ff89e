"""A picture of a release decision: every metric's difference with its interval.

In: `ShipDecision`. Out: a matplotlib figure. Absent: computing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from howgood.records.shipping import ShipDecision
from howgood.show.figures.theme import COLOURS, FAINT, INK, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {"ship": COLOURS[2], "do not ship": COLOURS[1], "not enough evidence": COLOURS[6]}


@contextmanager
def ship_figure(decision: ShipDecision) -> Iterator["Figure"]:
    """Draw candidate less base for every metric, the deciding one on top, around no difference."""
    rows = decision.comparisons
    with canvas(width=7.5, height=1.7 + 0.5 * len(rows)) as figure:
        axes = figure.subplots()
        if rows[0].margin > 0:
            axes.axvspan(-rows[0].margin, rows[0].margin, color=FAINT, alpha=0.2, lw=0)
        axes.axvline(0.0, color=INK, lw=1.2, ls=(0, (4, 3)))
        for place, row in enumerate(rows):
            colour = _COLOURS[decision.verdict] if place == 0 else COLOURS[0]
            ends = row.difference.interval
            axes.plot([ends.lower, ends.upper], [-place, -place], color=colour, lw=3)
            axes.plot([row.difference.mean], [-place], "o", color=colour, markersize=8)
        axes.set_yticks([-place for place in range(len(rows))], [row.metric for row in rows])
        axes.set_ylim(-len(rows) + 0.4, 0.7)
        axes.margins(x=0.1)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        probability = rows[0].difference.interval.probability
        axes.set_xlabel(f"candidate less base, {100 * probability:.0f} % interval")
        axes.set_title(decision.verdict.capitalize())
        yield figure
