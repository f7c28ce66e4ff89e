"""A picture of a judge next to people: the corrected value of each system, and the judge alone.

In: `JudgeReport`. Out: a matplotlib figure. Absent: computing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from howgood.records.judged import JudgeReport
from howgood.show.figures.theme import COLOURS, PAPER, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@contextmanager
def judge_figure(report: JudgeReport) -> Iterator["Figure"]:
    """Draw the corrected value with its interval, and the judge alone where it has that scale."""
    names = report.systems
    with canvas(width=7.5, height=max(2.4, 1.5 + 0.55 * len(names))) as figure:
        axes = figure.subplots()
        for row, name in enumerate(names):
            value = report.corrected[name]
            ends = value.interval
            axes.plot([ends.lower, ends.upper], [-row, -row], color=COLOURS[0], lw=3)
            axes.plot([value.mean], [-row], "o", color=COLOURS[0], markersize=8)
            if report.off is not None:
                alone = report.judge_alone[name].mean
                axes.plot(
                    [alone], [-row], "D", color=COLOURS[1], markerfacecolor=PAPER, markersize=8,
                    markeredgewidth=1.8,
                )  # fmt: skip
        first = report.corrected[names[0]]
        axes.annotate(
            "people, corrected", (first.mean, 0), xytext=(0, 12), textcoords="offset points",
            ha="center", fontsize=9, color=COLOURS[0],
        )  # fmt: skip
        if report.off is not None:
            axes.annotate(
                "judge alone", (report.judge_alone[names[0]].mean, 0), xytext=(0, -18),
                textcoords="offset points", ha="center", fontsize=9, color=COLOURS[1],
            )  # fmt: skip
        shown = [""] if names == ("all",) else list(names)
        axes.set_yticks([-row for row in range(len(names))], shown)
        axes.set_ylim(-len(names) + 0.3, 0.8)
        axes.margins(x=0.12)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("share that passes" if report.kind == "pass rate" else "mean label")
        axes.set_title("What people would say")
        yield figure
