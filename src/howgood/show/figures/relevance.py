"""Pictures of Relevance Scores: score next to accuracy, alpha against beta, cases.

In: reports and sweeps, or summaries over shuffles. Out: matplotlib figures. Absent: scoring.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.score.relevance_reporting import CASES, RelevanceReport
from howgood.score.relevance_sweeping import RelevanceSweep
from howgood.show.figures.theme import COLOURS, FAINT, INK, PAPER, canvas
from howgood.show.numbers import percent, plain
from howgood.stats.arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Best to worst: right, cases 2 to 5, the two ties, not graded. Light enough for dark digits.
_CASE_ORDER = (1, 6, 2, 3, 7, 4, 5, 0)
_CASE_COLOURS = {
    0: "#c9ccd3", 1: "#56B4E9", 2: "#7fd0b8", 3: "#f0e6a0", 4: "#f2b56b", 5: "#e58a5a",
    6: "#a9dcf5", 7: "#d9c9e8",
}  # fmt: skip
_DARK = "#202024"  # stays dark on coloured areas, on dark pages too


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """One marker per row, with a line from the smallest to the largest value."""

    label: str
    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    marker: str = "o"
    filled: bool = True


@contextmanager
def dots_figure(
    names: Sequence[str], series: Sequence[Dots], *, title: str, x_label: str
) -> Iterator["Figure"]:
    """Draw several values per model, one model per row."""
    with canvas(width=6.0, height=1.6 + 0.5 * len(names)) as figure:
        axes = figure.subplots()
        _draw_dots(axes, names, series)
        axes.set_title(title)
        axes.set_xlabel(x_label)
        yield figure


def _draw_dots(axes: Any, names: Sequence[str], series: Sequence[Dots]) -> None:  # noqa: ANN401 - matplotlib axes
    spread = np.linspace(-0.13, 0.13, len(series)) if len(series) > 1 else [0.0]
    for colour, shift, dots in zip(COLOURS, spread, series, strict=False):
        rows = np.arange(len(names)) + shift
        axes.hlines(rows, dots.lower, dots.upper, color=colour, lw=1.3, alpha=0.7)
        face = colour if dots.filled else PAPER
        axes.plot(
            dots.values, rows, dots.marker, color=colour, markerfacecolor=face, ms=6.5,
            label=dots.label,
        )  # fmt: skip
    axes.get_figure().legend(
        loc="outside upper left", ncol=len(series), frameon=False, fontsize=9, handletextpad=0.2,
        columnspacing=1.4,
    )  # fmt: skip
    axes.set_yticks(range(len(names)), list(names))
    axes.invert_yaxis()
    axes.grid(axis="x", color=FAINT, alpha=0.25, lw=0.8)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


@contextmanager
def scores_figure(reports: Mapping[str, RelevanceReport]) -> Iterator["Figure"]:
    """Draw each model's Relevance Score next to its accuracy, with the baselines."""
    with canvas(width=6.0, height=2.4 + 0.5 * len(reports)) as figure:
        _draw_scores(figure.subplots(), reports)
        yield figure


def _draw_scores(axes: Any, reports: Mapping[str, RelevanceReport]) -> None:  # noqa: ANN401 - matplotlib axes
    intervals = [report.estimate.interval for report in reports.values()]
    accuracy = np.array([100 * report.accuracy for report in reports.values()])
    scores = Dots(
        label="Relevance Score, 95 % interval",
        values=np.array([report.value for report in reports.values()]),
        lower=np.array([interval.lower for interval in intervals]),
        upper=np.array([interval.upper for interval in intervals]),
    )
    right = Dots(
        label="accuracy, %", values=accuracy, lower=accuracy, upper=accuracy, marker="D",
        filled=False,
    )  # fmt: skip
    _draw_dots(axes, list(reports), [scores, right])
    first = next(iter(reports.values()))
    baselines = {
        "most frequent outcome": first.most_probable,
        "shuffled outcomes": first.dice,
        "random predictions": first.chance,
    }
    for row, value in enumerate(baselines.values(), start=len(reports)):
        axes.plot(value, row, "|", color=INK, ms=11, mew=2)
        axes.annotate(plain(value, digits=1), (value, row), xytext=(6, 0),
                      textcoords="offset points", va="center", fontsize=9)  # fmt: skip
    rows = [*reports, *baselines]
    axes.set_yticks(range(len(rows)), rows)
    axes.axhline(len(reports) - 0.5, color=FAINT, lw=0.8)
    axes.set(xlim=(0, 108), ylim=(len(rows) - 0.5, -0.6), xlabel="score, 0 to 100 (accuracy in %)")
    axes.set_title("Relevance and accuracy, with baselines")


@contextmanager
def sweep_figure(sweep: RelevanceSweep, *, chosen: float) -> Iterator["Figure"]:
    """Draw each model's score over alpha / (alpha + beta), with the chosen share marked."""
    with canvas(width=6.0, height=4.4) as figure:
        _draw_sweep(figure.subplots(), sweep, chosen)
        yield figure


def _draw_sweep(axes: Any, sweep: RelevanceSweep, chosen: float) -> None:  # noqa: ANN401 - matplotlib axes
    names = list(dict.fromkeys(sweep.lines["model"].tolist()))
    ends = []
    for number, name in enumerate(names):
        rows = sweep.lines["model"] == name
        share, score, lower, upper = (
            sweep.lines[column][rows] for column in ("alpha_share", "score", "lower", "upper")
        )
        colour = COLOURS[number % len(COLOURS)]
        style = "-" if number < len(COLOURS) else "--"
        if len(names) <= 3:
            axes.fill_between(share, lower, upper, color=colour, alpha=0.15, lw=0)
        axes.plot(share, score, style, color=colour)
        axes.plot(chosen, np.interp(chosen, share, score), "o", color=colour, ms=5)
        ends.append((float(score[-1]), name))
    band = "; bands: 95 % interval" if len(names) <= 3 else ""
    axes.set(xlim=(0, 1), xlabel=f"alpha / (alpha + beta){band}", ylabel="Relevance Score")
    low, high = axes.get_ylim()
    for place, (_, name) in zip(
        _apart([end for end, _ in sorted(ends)], 0.055 * (high - low)), sorted(ends), strict=True
    ):
        axes.annotate(
            name, (1.0, place), xytext=(6, 0), textcoords="offset points", color=INK,
            va="center", weight="bold", annotation_clip=False,
        )  # fmt: skip
    axes.axvline(chosen, color=INK, lw=0.9, ls=(0, (4, 3)), zorder=0)
    axes.text(
        chosen, 1.0, " chosen ", transform=axes.get_xaxis_transform(), va="top", fontsize=9,
        ha="right" if chosen > 0.5 else "left",
    )  # fmt: skip
    axes.set_xticks(
        [0, 0.25, 0.5, 0.75, 1],
        [
            "0\nbeta only:\nnear the actual",
            "0.25",
            "0.5",
            "0.75",
            "1\nalpha only:\nnear the likeliest",
        ],
    )
    axes.set_title("How alpha and beta move the score")


def _apart(sorted_places: Sequence[float], gap: float) -> list[float]:
    """Move labels up until none is nearer than `gap` to the one below."""
    placed: list[float] = []
    for place in sorted_places:
        placed.append(max(place, placed[-1] + gap) if placed else place)
    shift = (sum(placed) - sum(sorted_places)) / max(len(placed), 1)
    return [place - shift for place in placed]


@contextmanager
def cases_figure(reports: Mapping[str, RelevanceReport]) -> Iterator["Figure"]:
    """Draw how often each case of the paper's Table 2 occurs, ties apart."""
    with canvas(width=6.0, height=2.2 + 0.5 * len(reports)) as figure:
        _draw_cases(figure, reports)
        yield figure


def _draw_cases(figure: Any, reports: Mapping[str, RelevanceReport]) -> None:  # noqa: ANN401 - matplotlib axes
    from matplotlib.patches import Patch

    axes = figure.subplots()
    shares = np.array([report.case_shares for report in reports.values()])
    left = np.zeros(len(reports))
    for case in _CASE_ORDER:
        axes.barh(
            range(len(reports)), shares[:, case], left=left, color=_CASE_COLOURS[case],
            edgecolor=PAPER, lw=0.8, height=0.62,
        )  # fmt: skip
        for row, share in enumerate(shares[:, case]):
            if share >= 0.08:
                axes.text(left[row] + share / 2, row, percent(share), ha="center", va="center",
                          fontsize=8.5, color=_DARK)  # fmt: skip
        left += shares[:, case]
    present = [case for case in _CASE_ORDER if shares[:, case].any()]
    patches = [Patch(color=_CASE_COLOURS[case], label=CASES[case]) for case in present]
    figure.legend(handles=patches, loc="outside lower left", ncol=1, frameon=False, fontsize=8.5)
    axes.set_yticks(range(len(reports)), list(reports))
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xticks([])
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_title("How near the predictions were")


@contextmanager
def overview_figure(
    reports: Mapping[str, RelevanceReport], sweep: RelevanceSweep, *, chosen: float
) -> Iterator["Figure"]:
    """Draw all three pictures below one another."""
    n = len(reports)
    heights = (2.4 + 0.5 * n, 4.4, 2.2 + 0.5 * n)
    with canvas(width=6.0, height=sum(heights)) as figure:
        parts: Any = figure.subfigures(3, 1, height_ratios=heights)
        top, middle, bottom = parts
        _draw_scores(top.subplots(), reports)
        _draw_sweep(middle.subplots(), sweep, chosen)
        _draw_cases(bottom, reports)
        yield figure
