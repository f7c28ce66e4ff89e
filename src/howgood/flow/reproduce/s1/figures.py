"""Pictures of the reproduction: reachable outcomes, the plateau, errors by questions.

In: tables of `experiments`. Out: SVG text. Absent: computing.
"""

import numpy as np

from howgood.records.table import Table
from howgood.show.figures.theme import COLOURS, FAINT, canvas, log_axis, to_svg


def reachable_figure(outcomes: tuple[float, ...], printed: tuple[float, ...]) -> str:
    """Draw every outcome Algorithm 1 can reach, and the ten of Table 3 on top of them."""
    with canvas(width=7.5, height=2.6) as figure:
        axes = figure.subplots()
        axes.plot(outcomes, np.zeros(len(outcomes)), "|", color=FAINT, ms=14)
        values, counts = np.unique(printed, return_counts=True)
        for index, (value, count) in enumerate(zip(values, counts, strict=True)):
            axes.plot([value] * count, 0.25 + 0.22 * np.arange(count), "o", color=COLOURS[1])
            # Of two close neighbours, the left one is labelled on its left.
            is_crowded = index + 1 < len(values) and values[index + 1] - value < 0.05
            axes.annotate(
                f"{value:.3f}", (value, 0.22 + 0.22 * count), va="bottom", fontsize=9,
                ha="right" if is_crowded else "left",
            )  # fmt: skip
        axes.text(0.55, 0.12, f"all {len(outcomes)} reachable values", color=FAINT)
        axes.text(0.55, 0.5, "the ten respondents of Table 3", color=COLOURS[1])
        axes.set(ylim=(-0.25, 1.3), xlim=(0, 1), yticks=[], xlabel="a0")
        axes.spines["left"].set_visible(False)
        axes.set_title("What Algorithm 1 can return at tolerance 0.05")
        return to_svg(figure, title="Reachable outcomes of Algorithm 1 and Table 3")


def plateau_figure(table: Table) -> str:
    """Draw what comes back against what respondents hold, for three searches."""
    with canvas(width=9.5, height=3.6) as figure:
        panels = figure.subplots(1, 3, sharex=True, sharey=True)
        titles = {
            "first decrease": "Algorithm 1, first decrease",
            "default order": "Algorithm 1, default order",
            "mixture": "family mixture",
        }
        for axes, (name, title) in zip(panels, titles.items(), strict=True):
            axes.plot([0, 0.55], [0, 0.55], color=FAINT, lw=1)
            jitter = (table["split"] - table["split"].mean()) * 0.003
            axes.plot(table["a0"] + jitter, table[name], "o", ms=4, color=COLOURS[0], alpha=0.7)
            error = np.abs(table[name] - table["a0"]).mean()
            axes.set_title(title, fontsize=10)
            axes.text(
                0.04, 0.94, f"mean error {error:.3f}", transform=axes.transAxes, va="top",
            )  # fmt: skip
            axes.set_xlabel("respondent's a0")
        panels[0].set_ylabel("a0 that comes back")
        panels[0].annotate("perfect", (0.36, 0.4), fontsize=9, color=FAINT, ha="right")
        return to_svg(figure, title="Recovered against true weights, 20 consistent answers")


def error_figure(table: Table) -> str:
    """Draw the error of a0 by number of questions, one panel per kind of noise."""
    noises = list(dict.fromkeys(table["noise"].tolist()))
    with canvas(width=9.5, height=3.4) as figure:
        panels = figure.subplots(1, len(noises), sharey=True)
        for axes, noise in zip(panels, noises, strict=True):
            mixture = (table["noise"] == noise) & (table["search"] == "mixture")
            order = np.argsort(table["questions"][mixture])
            x = table["questions"][mixture][order]
            y = table["error"][mixture][order]
            axes.plot(x, y, "o-", color=COLOURS[0])
            axes.annotate(
                "mixture", (x[1], y[1]), xytext=(6, 6), textcoords="offset points",
                color=COLOURS[0],
            )  # fmt: skip
            bisection = (table["noise"] == noise) & (table["search"] == "Algorithm 1")
            value = float(table["error"][bisection][0])
            axes.plot([20], [value], "s", color=COLOURS[1])
            axes.annotate(
                "Algorithm 1", (20, value), xytext=(-8, 0), textcoords="offset points",
                ha="right", va="center", color=COLOURS[1],
            )  # fmt: skip
            axes.set(yscale="log", xlim=(3, 22), xticks=[5, 10, 20], xlabel="questions")
            log_axis(axes.yaxis)
            axes.set_title(noise, fontsize=10)
        panels[0].set_ylabel("mean absolute error of a0")
        return to_svg(figure, title="Error by number of questions, Algorithm 1 and the mixture")
