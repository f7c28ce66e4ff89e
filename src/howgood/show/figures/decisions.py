"""Pictures of decisions: the acceptance map, the threshold's posterior, the trade-off.

In: draws and decisions. Out: matplotlib figures. Absent: deciding, files.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.records.acceptance import AcceptanceDraws
from howgood.records.decision import ThresholdChoice, TradeOff
from howgood.records.estimate import Estimate
from howgood.records.table import Table
from howgood.show.figures.theme import COLOURS, FAINT, INK, canvas, shades
from howgood.show.numbers import percent, plain, share_text, threshold_digits
from howgood.stats.arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_DARK = "#202024"  # on white boxes, which stay white on dark pages too
_LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@contextmanager
def map_figure(
    draws: AcceptanceDraws,
    *,
    curve: Table | None = None,
    chosen: tuple[float, float] | None = None,
    acceptance: Estimate | None = None,
) -> Iterator["Figure"]:
    """Draw lines of equal acceptance over precision and recall.

    `curve` (columns precision, recall) adds a classifier's precision-recall curve and `chosen` one
    point (precision, recall) on it, labelled with the accepting share and its interval: people's
    uncertainty alone, or `acceptance` where that of a test set is known too.
    """
    used = draws.thinned(150)
    with canvas(width=6.0, height=5.3) as figure:
        axes = figure.subplots()
        ticks = np.linspace(0.3, 1.0, 43)
        shares = used.shares(ticks[None, :], ticks[:, None]).mean(axis=0)
        filled = axes.contourf(ticks, ticks, shares, levels=(0.0, *_LEVELS, 1.0), cmap=shades())
        filled.set_edgecolor("face")
        axes.contour(ticks, ticks, shares, levels=_LEVELS, colors=INK, linewidths=0.7)
        _label_levels(axes, ticks, shares)
        if curve is not None:
            axes.plot(curve["precision"], curve["recall"], color=COLOURS[1], lw=2.2)
            _label_curve(axes, curve)
        if chosen is not None:
            known = acceptance or Estimate.from_draws(draws.shares(*chosen))
            _mark_point(axes, known, chosen)
        axes.set(xlim=(0.3, 1.0), ylim=(0.3, 1.0), xlabel="precision", ylabel="recall")
        axes.set_title(f"Share accepting: {draws.application}")
        axes.set_aspect("equal")
        yield figure


@contextmanager
def threshold_figure(choice: ThresholdChoice) -> Iterator["Figure"]:
    """Draw expected acceptance by threshold (top) and the best threshold's posterior (bottom)."""
    curve = choice.curve
    with canvas(width=6.0, height=5.4) as figure:
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(1.6, 1.0))
        top.fill_between(
            curve["threshold"], curve["lower"], curve["upper"], color=COLOURS[0], alpha=0.25, lw=0
        )
        top.plot(curve["threshold"], curve["expected"], color=COLOURS[0])
        top.axvline(choice.chosen, color=COLOURS[1], lw=1.4)
        ends = choice.threshold.interval
        digits = threshold_digits(choice.chosen, ends.upper - ends.lower)
        top.annotate(
            f"chosen: {plain(choice.chosen, digits=digits)}", (choice.chosen, 0.03),
            xycoords=("data", "axes fraction"), xytext=(5, 0), textcoords="offset points",
            fontsize=9, color=INK,
        )  # fmt: skip
        top.set_ylabel("expected, 95 % band")
        top.set_title(_objective_words(choice.objective) + ", by threshold")
        _posterior_bars(bottom, choice)
        yield figure


@contextmanager
def trade_off_figure(trade: TradeOff) -> Iterator["Figure"]:
    """Draw acceptance over accuracy with its band, the wanted share and the least accuracy."""
    with canvas(width=6.0, height=3.8) as figure:
        axes = figure.subplots()
        curve = trade.curve
        axes.fill_between(
            curve["accuracy"], curve["lower"], curve["upper"], color=COLOURS[0], alpha=0.25, lw=0
        )
        axes.plot(curve["accuracy"], curve["accepting"], color=COLOURS[0])
        axes.axhline(trade.share, color=INK, lw=1, ls=(0, (4, 3)))
        axes.annotate(
            f"wanted: {percent(trade.share)}", (0.01, trade.share), xytext=(0, 4),
            textcoords="offset points", fontsize=9,
        )  # fmt: skip
        if trade.least_accuracy is not None:
            axes.axvline(trade.least_accuracy, color=COLOURS[1], lw=1.4)
            on_left = trade.least_accuracy > 0.4
            axes.annotate(
                f"enough from {plain(trade.least_accuracy, digits=2)}",
                (trade.least_accuracy, 0.04), xytext=(-5 if on_left else 5, 0),
                textcoords="offset points", ha="right" if on_left else "left", fontsize=9,
                color=INK,
            )  # fmt: skip
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="precision and recall")
        axes.set_ylabel("share accepting, 95 % band")
        axes.set_title(f"What accuracy can be given up: {trade.application}")
        yield figure


def _label_levels(axes: Any, ticks: FloatArray, shares: FloatArray) -> None:  # noqa: ANN401 - matplotlib axes
    """Name each line where it leaves the map on the right: nothing inside is covered."""
    edge = shares[:, -1]
    for level in _LEVELS:
        if edge.min() < level < edge.max():
            height = float(np.interp(level, edge, ticks))
            axes.text(1.006, height, percent(level), fontsize=8.5, va="center", color=INK)


def _label_curve(axes: Any, curve: Table) -> None:  # noqa: ANN401 - matplotlib axes
    precision, recall = np.asarray(curve["precision"]), np.asarray(curve["recall"])
    inside = np.flatnonzero((precision > 0.55) & (recall > 0.36) & (recall < 0.9))
    if inside.size == 0:
        return
    at = inside[np.argmin(np.abs(recall[inside] - 0.5))]
    axes.annotate(
        "this classifier", (precision[at], recall[at]), xytext=(-8, -3), ha="right",
        textcoords="offset points", fontsize=9, color="#A34700", weight="bold",
        bbox={"boxstyle": "round", "fc": "white", "ec": "none", "alpha": 0.85},
    )  # fmt: skip


def _mark_point(
    axes: Any,  # noqa: ANN401 - matplotlib axes
    share: Estimate,
    chosen: tuple[float, float],
) -> None:
    axes.plot(*chosen, "o", color=COLOURS[1], ms=9, mec="white", mew=1.4, clip_on=False, zorder=4)
    on_right = chosen[0] > 0.65
    axes.annotate(
        share_text(share), chosen, xytext=(-9 if on_right else 9, -4), textcoords="offset points",
        va="top", ha="right" if on_right else "left", fontsize=9.5, weight="bold",
        bbox={"boxstyle": "round", "fc": "white", "ec": "none", "alpha": 0.85}, color=_DARK,
    )  # fmt: skip


def _objective_words(objective: str) -> str:
    """Say what is maximised; a mean of precision and recall without its parameters."""
    if objective.startswith("PowerMean("):
        return "Weighted mean of precision and recall"
    return objective[:1].upper() + objective[1:]


def _posterior_bars(axes: Any, choice: ThresholdChoice) -> None:  # noqa: ANN401 - matplotlib axes
    draws, ends = choice.threshold.draws, choice.threshold.interval
    edges = np.linspace(choice.curve["threshold"].min(), choice.curve["threshold"].max(), 81)
    heights, _ = np.histogram(draws, bins=edges)
    axes.bar(
        edges[:-1], heights / draws.size, width=np.diff(edges), align="edge", color=COLOURS[0],
        alpha=0.55,
    )  # fmt: skip
    axes.plot([ends.lower, ends.upper], [0, 0], color=COLOURS[0], lw=4, clip_on=False)
    axes.axvline(choice.chosen, color=COLOURS[1], lw=1.4)
    parts = ", ".join(
        f"{name} {percent(value)}" for name, value in choice.variance_shares.items() if value > 0
    )
    axes.set_title(f"Uncertainty comes from: {parts or 'nothing'}", fontsize=9.5, weight="normal")
    axes.set_ylabel("probability")
    axes.set_yticks([])
    axes.set_xlabel("threshold: where each draw of people and test set puts it, 95 % interval")
    axes.spines["left"].set_color(FAINT)
