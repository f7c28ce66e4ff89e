"""Pictures of scores, rankings and leaderboards under human uncertainty.

In: names, densities, rank probabilities. Out: matplotlib figures, SVG text. Absent: computing what
is drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.show.figures.theme import COLOURS, FAINT, INK, PAPER, canvas, log_axis, shades, to_svg
from howgood.show.numbers import percent
from howgood.stats.arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# A picture shows this many standard deviations on either side, in this many points.
_REACH, _POINTS = 4.0, 97
# Up to so many systems have rows high enough for a density, and cells for a number.
_FEW = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCurve:
    """One system's score as it is drawn: density over a grid, mean and interval."""

    name: str
    grid: FloatArray
    density: FloatArray
    mean: float
    lower: float
    upper: float


def gaussian_curve(
    name: str, mean: float, sd: float, *, least: float = -np.inf, most: float = np.inf
) -> ScoreCurve:
    """Return a Gaussian score as it is drawn, within the scores that are possible."""
    reach = _REACH * max(sd, 1e-9 * max(abs(mean), 1.0))
    grid = np.linspace(max(mean - reach, least), min(mean + reach, most), _POINTS)
    density = np.exp(-0.5 * ((grid - mean) / max(sd, reach / 40)) ** 2)
    return ScoreCurve(
        name=name,
        grid=grid,
        density=density,
        mean=mean,
        lower=max(mean - 1.96 * sd, least),
        upper=min(mean + 1.96 * sd, most),
    )


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
    row = 0.55 if len(curves) <= _FEW else 0.28
    with canvas(width=10.5, height=max(3.2, 1.6 + row * len(curves))) as figure:
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
    # Where many share a rank, none takes it for sure: small probabilities have to be seen too.
    power = 1.0 if n_systems <= _FEW else 0.5
    most = 1.0 if n_systems <= _FEW else float((rank_probabilities**power).max()) or 1.0
    axes.imshow(rank_probabilities**power, cmap=shades(), vmin=0.0, vmax=most, aspect="auto")
    for row in range(n_systems):
        for column in range(n_systems):
            value = float(rank_probabilities[row, column])
            if value >= 0.005 and n_systems <= _FEW:
                said = percent(value).removesuffix(" %")
                axes.text(
                    column, row, said, ha="center", va="center", fontsize=9,
                    color="white" if value > 0.85 else INK,
                )  # fmt: skip
    axes.set_xticks(range(n_systems), [str(rank + 1) for rank in range(n_systems)])
    axes.set_yticks(range(n_systems), [curve.name for curve in curves])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    axes.set_xlabel("rank (stronger: more probable)")
    axes.set_title("Probability of each rank" + ", %" * (n_systems <= _FEW))


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A labelled area between two curves."""

    label: str
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Bands over one argument."""

    x_label: str
    y_label: str
    x: FloatArray
    bands: tuple[Band, ...]
    logarithmic: bool = False


def score_histograms(score_draws: Mapping[str, FloatArray], *, score_name: str = "RMSE") -> str:
    """Draw how often each system reaches which score when people answer again."""
    edges = np.histogram_bin_edges(np.concatenate(list(score_draws.values())), bins=60)
    with canvas(width=6.0, height=3.6) as figure:
        axes = figure.subplots()
        for colour, (name, draws) in zip(COLOURS, score_draws.items(), strict=False):
            counts, _, _ = axes.hist(draws, bins=edges.tolist(), color=colour, alpha=0.6)
            peak = int(np.argmax(counts))
            axes.annotate(
                name, (edges[peak], counts[peak]), xytext=(0, 4), textcoords="offset points",
                color=colour, weight="bold", ha="center",
            )  # fmt: skip
        axes.margins(y=0.15)
        axes.set_xlabel(score_name)
        axes.set_ylabel("re-evaluations")
        axes.set_title("Same people, same items, asked again")
        return to_svg(figure, title=f"Histograms of the {score_name} of each system")


def ranking_frequencies(frequencies: Mapping[str, float]) -> str:
    """Draw how often each ranking comes out."""
    shown = {name: share for name, share in frequencies.items() if share > 0}
    with canvas(width=6.0, height=1.2 + 0.45 * len(shown)) as figure:
        axes = figure.subplots()
        names = list(shown)
        axes.barh(range(len(names)), list(shown.values()), color=COLOURS[0])
        for row, share in enumerate(shown.values()):
            axes.text(share + 0.01, row, percent(share), va="center")
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlim(0, 1.08 * max(shown.values()) + 0.05)
        axes.set_xlabel("share of re-evaluations")
        axes.set_title("And the winner is ... (best on the left)")
        return to_svg(figure, title="How often each ranking comes out")


def goodness_of_fit(
    mean_approximated: FloatArray,
    mean_simulated: FloatArray,
    variance_approximated: FloatArray,
    variance_simulated: FloatArray,
    divergences: FloatArray,
) -> str:
    """Draw simulated against approximated moments, and the divergences."""
    with canvas(width=10.5, height=3.6) as figure:
        left, middle, right = figure.subplots(1, 3)
        _against(left, mean_approximated, mean_simulated, "mean of the RMSE")
        _against(middle, variance_approximated, variance_simulated, "variance of the RMSE")
        line = {"color": COLOURS[0]}
        right.boxplot(divergences, widths=0.5, medianprops={"color": COLOURS[1]}, boxprops=line,
                      whiskerprops=line, capprops=line,
                      flierprops={"marker": ".", "markeredgecolor": COLOURS[0]})  # fmt: skip
        right.set_yscale("log")
        log_axis(right.yaxis)
        right.axhline(0.02, color=FAINT, ls=(0, (4, 3)), lw=1)
        right.annotate("paper: third quartile below .02", (0.55, 0.02), xytext=(0, 3),
                       textcoords="offset points", fontsize=8.5)  # fmt: skip
        right.set_xticks([])
        right.set_ylim(top=0.06)
        right.set_title("nJSD to the exact density")
        return to_svg(figure, title="Approximated against simulated moments, and divergences")


def sensitivity(panels: Sequence[Panel]) -> str:
    """Draw bands over each argument, side by side."""
    with canvas(width=11.0, height=3.8) as figure:
        for axes, panel in zip(figure.subplots(1, len(panels)), panels, strict=True):
            for colour, band in zip(COLOURS, panel.bands, strict=False):
                _draw_band(axes, panel, band, colour)
            if len(panel.bands) == 1:
                axes.set_title(panel.bands[0].label, fontsize=9.5, weight="normal")
            else:
                _label_bands(axes, panel)
            axes.set_xlabel(panel.x_label)
            axes.set_ylabel(panel.y_label)
            if panel.logarithmic:
                axes.set_yscale("log")
                log_axis(axes.yaxis)
            else:
                axes.set_ylim(bottom=0)
        return to_svg(figure, title="Sensitivity of the RMSE's distribution to each argument")


def _draw_band(
    axes: Any,  # noqa: ANN401 - matplotlib axes
    panel: Panel,
    band: Band,
    colour: str,
) -> None:
    axes.fill_between(panel.x, band.low, band.high, color=colour, alpha=0.3, lw=0)
    for edge in (band.low, band.high):
        axes.plot(panel.x, edge, color=colour, lw=1.2)


def _label_bands(axes: Any, panel: Panel) -> None:  # noqa: ANN401 - matplotlib axes
    # The bands fall or stay level to the right, so text that begins on one does not cross it.
    start = len(panel.x) // 3
    for colour, band in zip(COLOURS, panel.bands, strict=False):
        axes.annotate(
            band.label, (panel.x[start], max(band.low[start], band.high[start])), xytext=(0, 4),
            textcoords="offset points", fontsize=9, color=colour, weight="bold",
        )  # fmt: skip


def error_curves(x: FloatArray, curves: Mapping[str, FloatArray], *, limit: float) -> str:
    """Draw error probabilities over the deviation, with the border of distinguishability."""
    with canvas(width=6.0, height=4.0) as figure:
        axes = figure.subplots()
        for row, (colour, (name, errors)) in enumerate(zip(COLOURS, curves.items(), strict=False)):
            axes.plot(x, errors, color=colour)
            at = int(np.argmin(np.abs(errors - (0.42 - 0.07 * row))))
            axes.annotate(
                name, (x[at], errors[at]), xytext=(0.62, 0.93 - 0.09 * row),
                textcoords="axes fraction", color=colour, weight="bold", va="center",
                arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.7, "alpha": 0.7},
            )  # fmt: skip
        axes.axhline(limit, color=INK, lw=1, ls=(0, (4, 3)))
        axes.annotate(f"{percent(limit)} error", (x[-1], limit), xytext=(0, 3), ha="right",
                      textcoords="offset points", fontsize=9)  # fmt: skip
        axes.set_ylim(0, 0.52)
        axes.set_xlim(0, float(x[-1]))
        axes.set_xlabel("deviation of the better system (the other's is 10 % larger)")
        axes.set_ylabel("probability of the wrong order")
        return to_svg(figure, title="Error probability of ranking two systems")


def _against(
    axes: Any,  # noqa: ANN401 - matplotlib axes
    approximated: FloatArray,
    simulated: FloatArray,
    title: str,
) -> None:
    ends = [float(approximated.min()), float(approximated.max())]
    axes.plot(ends, ends, color=FAINT, lw=1)
    axes.plot(approximated, simulated, "o", color=COLOURS[0], markersize=3, alpha=0.5, mew=0)
    axes.set_xlabel("approximated (Eq. 12, 13)")
    axes.set_ylabel("simulated")
    axes.set_title(title)


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
