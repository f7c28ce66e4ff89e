"""Pictures of what people accept: weights, curves, differences.

In: estimates, draws and observed shares. Out: matplotlib figures. Absent: fitting, files.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.records.acceptance import AcceptanceDraws
from howgood.records.estimate import Estimate
from howgood.records.table import Table
from howgood.show.figures.theme import COLOURS, INK, PAPER, canvas
from howgood.show.numbers import plain
from howgood.stats.arrays import FloatArray
from howgood.stats.power_mean import power_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_KERNEL_DRAWS = 1500


@contextmanager
def alpha_figure(
    weights: Mapping[str, Mapping[str, Estimate]], *, title: str = "Weight of precision (alpha)"
) -> Iterator["Figure"]:
    """Draw the posterior of each application's alpha with its interval and the 0.5 line.

    `weights` holds groups (such as the branches of a study) of applications; a single group may
    have an empty name.
    """
    rows = sum(len(group) + bool(name) for name, group in weights.items())
    with canvas(width=6.0, height=1.3 + 0.55 * rows) as figure:
        axes = figure.subplots()
        ticks: dict[float, str] = {}
        position = 0.0
        for colour, (name, group) in enumerate(weights.items()):
            if name:
                position -= 0.1
                axes.text(
                    0.0, position, name, weight="bold", fontsize=9, color=INK, va="bottom",
                    in_layout=False,
                )  # fmt: skip
                position -= 0.9
            for application, alpha in group.items():
                _ridge(axes, alpha, position, COLOURS[colour % len(COLOURS)])
                ticks[position] = application
                position -= 1.0
        axes.axvline(0.5, color=INK, lw=1, ls=(0, (4, 3)), zorder=0)
        _direction_labels(axes)
        axes.set_yticks(list(ticks), list(ticks.values()))
        axes.set(xlim=(0, 1), ylim=(position + 0.6, 1.1), title=title)
        axes.set_xlabel("alpha: posterior, mean and 95 % highest-density interval")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        yield figure


@contextmanager
def acceptance_figure(
    curves: Mapping[str, AcceptanceDraws],
    observed: Table | None = None,
    answered: Mapping[str, Table] | None = None,
) -> Iterator["Figure"]:
    """Draw the accepting share against each application's weighted mean, with the data.

    `observed` has columns application, precision, recall, n, accepted (a share). The points sit at
    the weighted mean of the posterior-mean alpha and the most probable order p. `answered` holds
    the curve (mean, share) expected of the very people who answered, which the points follow.
    """
    n = len(curves)
    columns = min(n, 2)
    rows = -(-n // columns)
    with canvas(width=3.3 * columns, height=3.1 * rows) as figure:
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for index, (name, draws) in enumerate(curves.items()):
            axes = grid.flat[index]
            colour = COLOURS[index % len(COLOURS)]
            _acceptance_panel(axes, name, draws, observed, colour)
            if answered is not None:
                axes.plot(
                    answered[name]["mean"], answered[name]["share"], color=colour,
                    ls=(0, (4, 2)), lw=1.6,
                )  # fmt: skip
        if answered is not None:
            _which_is_which(figure)
        for axes in grid.flat[n:]:
            axes.set_visible(False)
        for axes in grid[:, 0]:
            axes.set_ylabel("share accepting")
        for index in range(max(n - columns, 0), n):
            grid.flat[index].set_xlabel("weighted mean of precision and recall")
            grid.flat[index].tick_params(labelbottom=True)
        yield figure


@contextmanager
def differences_figure(differences: Mapping[str, Estimate]) -> Iterator["Figure"]:
    """Draw pairwise differences with intervals; those that exclude zero are filled."""
    with canvas(width=6.0, height=1.3 + 0.36 * len(differences)) as figure:
        axes = figure.subplots()
        for row, estimate in enumerate(differences.values()):
            ends = estimate.interval
            apart = 0.0 not in ends
            colour = COLOURS[0] if apart else COLOURS[6]
            axes.plot([ends.lower, ends.upper], [-row, -row], color=colour, lw=2.4)
            axes.plot(
                [estimate.mean], [-row], "o", color=colour, ms=7, mfc=colour if apart else PAPER
            )
            _value_at_right(axes, estimate, -row)
        axes.axvline(0, color=INK, lw=1, ls=(0, (4, 3)), zorder=0)
        axes.set_yticks([-row for row in range(len(differences))], list(differences))
        axes.set_ylim(-len(differences) + 0.4, 0.8)
        axes.set_xlabel("difference of alpha, 95 % highest-density interval")
        axes.set_title("Filled: the interval excludes zero", fontsize=10, weight="normal")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        yield figure


def density(draws: FloatArray, grid: FloatArray) -> FloatArray:
    """Return a Gaussian kernel density (Silverman's width) of draws on a grid."""
    step = max(draws.size // _KERNEL_DRAWS, 1)
    used = draws[::step]
    width = max(1.06 * float(used.std()) * used.size ** (-0.2), 1e-9)
    scaled = (grid[:, None] - used[None, :]) / width
    total: FloatArray = np.exp(-0.5 * scaled**2).mean(axis=1) / (width * np.sqrt(2 * np.pi))
    return total


def _ridge(
    axes: Any,  # noqa: ANN401 - matplotlib axes
    estimate: Estimate,
    position: float,
    colour: str,
) -> None:
    ends = estimate.interval
    if estimate.draws.size > 1:
        grid = np.linspace(0, 1, 401)
        height = density(estimate.draws, grid)
        axes.fill_between(
            grid, position, position + 0.72 * height / height.max(), color=colour, alpha=0.35, lw=0
        )
    axes.plot([ends.lower, ends.upper], [position, position], color=colour, lw=3)
    axes.plot([estimate.mean], [position], "o", color=colour, ms=6)
    _value_at_right(axes, estimate, position)


def _direction_labels(axes: Any) -> None:  # noqa: ANN401 - matplotlib axes
    for place, text, side in (
        (0.0, "← recall", "left"),
        (1.0, "precision →", "right"),
    ):
        axes.annotate(
            text, (place, 1.0), xycoords=("data", "axes fraction"), ha=side, va="top",
            fontsize=8.5, color=INK,
        )  # fmt: skip


def _acceptance_panel(
    axes: Any,  # noqa: ANN401 - matplotlib axes
    name: str,
    draws: AcceptanceDraws,
    observed: Table | None,
    colour: str,
) -> None:
    used = draws.thinned(400)
    grid = np.linspace(0.4, 1.0, 61)
    shares = used.shares_at_mean(np.broadcast_to(grid, (len(used), grid.size)))
    lower, upper = np.quantile(shares, (0.025, 0.975), axis=0)
    axes.fill_between(grid, lower, upper, color=colour, alpha=0.25, lw=0)
    axes.plot(grid, shares.mean(axis=0), color=colour)
    if observed is not None:
        rows = np.asarray(observed["application"]) == name
        size = np.asarray(observed["n"])[rows].astype(float)
        means = _typical_mean(draws, observed["precision"][rows], observed["recall"][rows])
        axes.scatter(
            means, observed["accepted"][rows], s=6 + 1.4 * size, color=colour, edgecolor=PAPER,
            lw=0.6, zorder=3,
        )  # fmt: skip
    axes.set(xlim=(0.48, 1.02), ylim=(-0.03, 1.03))
    axes.set_title(name, fontsize=10.5, pad=30)
    note = f"alpha {plain(float(draws.alpha.mean()), digits=2)}"
    if draws.n_respondents is not None:
        note += f", {draws.n_respondents} respondents"
    # Above the axes: inside, a dot may lie anywhere.
    axes.text(0.0, 1.09, note, transform=axes.transAxes, va="bottom", fontsize=8.5, color=INK)


def _which_is_which(figure: "Figure") -> None:
    """Say above all panels what their marks are."""
    words = "Line: everybody like them; dashes: those asked; dots: answers"
    figure.suptitle(words, x=0.01, ha="left", fontsize=8.5, color=INK)


def _typical_mean(
    draws: AcceptanceDraws, precision: Sequence[float], recall: Sequence[float]
) -> FloatArray:
    orders, counts = np.unique(draws.p, return_counts=True)
    likeliest = orders[np.argmax(counts)] if orders.size <= 3 else float(draws.p.mean())
    alike = draws.p == likeliest if orders.size <= 3 else np.full(len(draws), True)
    return power_mean(precision, recall, p=likeliest, alpha=draws.alpha[alike].mean())


def _value_at_right(
    axes: Any,  # noqa: ANN401 - matplotlib axes
    estimate: Estimate,
    position: float,
) -> None:
    """Write mean and interval next to the axes, where no line crosses them."""
    values = (estimate.mean, estimate.interval.lower, estimate.interval.upper)
    mean, lower, upper = (plain(value, digits=2).replace("-", "−") for value in values)
    axes.annotate(
        f"{mean}\n[{lower}, {upper}]", (1.02, position), xycoords=("axes fraction", "data"),
        va="center", fontsize=9, color=INK, annotation_clip=False,
    )  # fmt: skip
