"""Two pictures of a ranking: the scores' distributions on one axis, and every rank's probability.

In: names, densities, rank probabilities. Out: a matplotlib figure. Absent: computing them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howgood.show.figures.theme import COLOURS, FAINT, INK, canvas
from howgood.show.numbers import percent
from howgood.stats.arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCurve:
    """One system's score as it is drawn: density over a grid, mean and interval."""

    name: str
    grid: FloatArray
    density: FloatArray
    mean: float
    lower: float
    upper: float


@contextmanager
def ranking_figure(
    curves: Sequence[ScoreCurve],
    *,
    rank_probabilities: FloatArray,
    barrier: float | None,
    score_name: str,
    title: str = "Score if everybody rated again: mean, 95 %",
) -> Iterator["Figure"]:
    """Draw scores (left) and rank probabilities (right), best system on top.

    Parameters
    ----------
    curves : sequence of ScoreCurve
        In ranking order, best first.
    rank_probabilities : array of shape (n_systems, n_systems)
        Row i, column j: probability that system i takes rank j + 1.
    barrier : float or None
        The score no system can fall below in expectation; None when unknown.
    score_name : str
        Label of the score axis, with which end of it is better.
    title : str
        What the left picture shows.
    """
    with canvas(width=10.5, height=max(3.2, 1.6 + 0.55 * len(curves))) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
        _draw_scores(left, curves, barrier, score_name)
        left.set_title(title)
        _draw_ranks(right, curves, rank_probabilities)
        yield figure


def _draw_scores(
    axes: Any,  # noqa: ANN401 - matplotlib axes
    curves: Sequence[ScoreCurve],
    barrier: float | None,
    score_name: str,
) -> None:
    for row, curve in enumerate(curves):
        colour = COLOURS[row % len(COLOURS)]
        peak = float(curve.density.max()) or 1.0
        axes.fill_between(
            curve.grid, -row, -row + 0.72 * curve.density / peak, color=colour, alpha=0.45, lw=0
        )
        axes.plot([curve.lower, curve.upper], [-row, -row], color=colour, lw=3)
        axes.plot([curve.mean], [-row], "o", color=colour, markersize=6)
    if barrier is not None:
        axes.axvline(barrier, color=INK, lw=1.2, ls=(0, (4, 3)))
        axes.annotate(
            "magic barrier", (barrier, 1.0), xycoords=("data", "axes fraction"),
            xytext=(3, -2), textcoords="offset points", va="top", fontsize=8.5,
        )  # fmt: skip
    axes.set_yticks([-row for row in range(len(curves))], [curve.name for curve in curves])
    axes.set_ylim(-len(curves) + 0.6, 1.15)
    axes.margins(x=0.06)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(score_name)


def _draw_ranks(
    axes: Any,  # noqa: ANN401 - matplotlib axes
    curves: Sequence[ScoreCurve],
    rank_probabilities: FloatArray,
) -> None:
    n_systems = len(curves)
    axes.imshow(rank_probabilities, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    for row in range(n_systems):
        for column in range(n_systems):
            value = float(rank_probabilities[row, column])
            if value >= 0.005 and n_systems <= 12:
                axes.text(
                    column, row, percent(value), ha="center", va="center", fontsize=9,
                    color="white" if value > 0.55 else "black",
                )  # fmt: skip
    axes.set_xticks(range(n_systems), [str(rank + 1) for rank in range(n_systems)])
    axes.set_yticks(range(n_systems), [curve.name for curve in curves])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    axes.set_xlabel("rank")
    axes.set_title("Probability of each rank")
