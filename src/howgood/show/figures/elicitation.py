"""Pictures of an elicited metric: the ratio of costs, and the chosen point on the ROC curve.

In: an elicitation's result and its matrices. Out: matplotlib figures. Absent: files, words around.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.records.confusion import ConfusionMatrix, ThresholdMatrices
from howgood.records.elicitation import ElicitationResult
from howgood.records.elicited_metric import LinearMetric
from howgood.records.estimate import Estimate
from howgood.show.figures.theme import COLOURS, FAINT, INK, canvas
from howgood.show.numbers import digits_for, times

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MANY, _MOST_DRAWN = 200, 1_000
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200)


@contextmanager
def elicitation_figure(
    result: ElicitationResult, chosen: ConfusionMatrix, matrices: Sequence[ConfusionMatrix]
) -> Iterator["Figure"]:
    """Draw the posterior of the cost ratio beside the reachable systems."""
    has_ratio = result.ratio is not None
    with canvas(width=9.5 if has_ratio else 5.0, height=4.3) as figure:
        panels = figure.subplots(1, 2 if has_ratio else 1, squeeze=False)[0]
        if result.ratio is not None:
            _ratio_panel(panels[0], result.ratio)
        _roc_panel(panels[-1], result, chosen, matrices)
        yield figure


@contextmanager
def ratio_figure(ratio: Estimate) -> Iterator["Figure"]:
    """Draw the posterior of the cost ratio alone, legible on a narrow screen."""
    with canvas(width=5.0, height=4.0) as figure:
        axes = figure.subplots()
        _ratio_panel(axes, ratio)
        axes.set_title("")  # the section around it has one
        yield figure


@contextmanager
def system_figure(
    result: ElicitationResult, chosen: ConfusionMatrix, matrices: Sequence[ConfusionMatrix]
) -> Iterator["Figure"]:
    """Draw the reachable systems alone, legible on a narrow screen."""
    with canvas(width=5.0, height=4.0) as figure:
        axes = figure.subplots()
        _roc_panel(axes, result, chosen, matrices)
        axes.set_title("")
        yield figure


def _ratio_panel(axes: Any, ratio: Estimate) -> None:  # noqa: ANN401 - matplotlib's
    logs = np.log(ratio.draws)
    low, high = np.log(ratio.interval.lower), np.log(ratio.interval.upper)
    pad = max(0.6 * (high - low), 0.35)
    edges = np.linspace(low - pad, high + pad, 61)
    heights, _ = np.histogram(logs, bins=edges, density=True)
    # Draws come from cells of a grid: a short moving average shows their density, not the cells.
    smooth = np.convolve(heights, np.ones(7) / 7, mode="same")
    middles = (edges[:-1] + edges[1:]) / 2
    inside = (middles >= low) & (middles <= high)
    axes.plot(middles, smooth, color=COLOURS[0])
    axes.fill_between(middles, smooth, where=inside, color=COLOURS[0], alpha=0.25, lw=0)
    median = float(np.median(ratio.draws))
    axes.axvline(np.log(median), color=INK, lw=1.2)
    axes.set_ylim(0, smooth.max() * 1.32)
    axes.annotate(
        f"{times(median)} false alarms\n90 %: {times(ratio.interval.lower)} to "
        f"{times(ratio.interval.upper)}",
        (np.log(median), smooth.max() * 1.28),
        xytext=(6, 0),
        textcoords="offset points",
        va="top",
    )
    shown = [tick for tick in _TICKS if low - pad <= np.log(tick) <= high + pad]
    ends = [np.exp(low), np.exp(high)]
    ticks = shown[:: 1 + len(shown) // 7] if len(shown) > 1 else ends
    axes.set_xticks([np.log(tick) for tick in ticks], [times(tick) for tick in ticks])
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("false alarms that weigh as much as one miss")
    axes.set_title("What one miss is worth")


def _roc_panel(
    axes: Any,  # noqa: ANN401 - matplotlib's
    result: ElicitationResult,
    chosen: ConfusionMatrix,
    matrices: Sequence[ConfusionMatrix],
) -> None:
    chosen = result.counts or chosen
    reachable = _reachable(matrices)
    ordered = sorted(reachable, key=lambda each: (each.false_positives, each.true_positives))
    alarms = np.array([1 - each.specificity for each in ordered])
    found = np.array([each.recall for each in ordered])
    axes.plot(
        alarms, found, color=FAINT, marker="o" if len(ordered) < _MANY else None, ms=3, lw=1.2
    )
    plausible = [each for each in _plausible(result, ordered) if each != chosen]
    if plausible:
        axes.plot(
            [1 - each.specificity for each in plausible],
            [each.recall for each in plausible],
            "o", ms=9, mfc="none", mec=COLOURS[0], mew=1.6,
        )  # fmt: skip
    x, y = 1 - chosen.specificity, chosen.recall
    axes.plot([x], [y], "o", ms=9, color=COLOURS[1])
    words = f"chosen: {100 * y:.0f} % found,\n{100 * x:.0f} % flagged without reason"
    if result.thresholds is not None and np.isfinite(result.thresholds.upper):
        lower, upper = result.thresholds
        digits = max(2, digits_for(upper - lower) - 1)
        words += f"\nthreshold {lower:.{digits}f} to {upper:.{digits}f}"
    axes.annotate(
        words, (x, y), xytext=(0.38, 0.42), textcoords="axes fraction",
        arrowprops={"arrowstyle": "-", "color": FAINT}, va="top",
    )  # fmt: skip
    if plausible:
        axes.annotate(
            "rings: best for other weights\nin the 90 % interval",
            (0.38, 0.14), xycoords="axes fraction", color=COLOURS[0], fontsize=9, va="top",
        )  # fmt: skip
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04))
    axes.set_xlabel("share of negatives that are flagged")
    axes.set_ylabel("share of positives that are found")
    axes.set_title("The system to use")


def _reachable(matrices: Sequence[ConfusionMatrix]) -> Sequence[ConfusionMatrix]:
    """Return the systems a threshold can reach, by the counts of the cases where they are known."""
    if not isinstance(matrices, ThresholdMatrices) or matrices.counts is None:
        return matrices
    counts = matrices.counts
    kept = np.unique(np.linspace(0, len(counts.missed) - 1, _MOST_DRAWN).round().astype(int))
    return [counts.matrix(index) for index in kept.tolist()]


def _plausible(
    result: ElicitationResult, matrices: Sequence[ConfusionMatrix]
) -> list[ConfusionMatrix]:
    """Systems that are best for some weight inside the interval."""
    if result.interval is None or not result.is_linear:
        return []
    weights = np.linspace(result.interval.lower, result.interval.upper, 40)
    cells = np.array([list(each.to_dict().values()) for each in matrices], dtype=float).T
    best = {int(np.argmax(LinearMetric(a0=float(a0)).of_counts(*cells))) for a0 in weights}
    return [matrices[index] for index in sorted(best)]
