"""Pictures of intervals by name: systems corrected by people, and metrics of a release decision.

In: `JudgeReport`, `ShipDecision`. Out: matplotlib figures. Absent: computing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from howgood.records.judged import JudgeReport
from howgood.records.shipping import ShipDecision
from howgood.show.figures.theme import COLOURS, FAINT, INK, PAPER, canvas

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


# A picture of a release decision: every metric's difference with its interval.

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
