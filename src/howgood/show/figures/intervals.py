"""Pictures of intervals by name: systems corrected by people, metrics of a release, gates, raters.

In: `JudgeReport`, `ShipDecision`, `Gate`, `RaterAgreement`, `QuantileResult`. Out: matplotlib
figures. Absent: computing.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from howgood.records.decision import Gate
from howgood.records.estimate import Estimate
from howgood.records.judged import JudgeReport
from howgood.records.pinball import QuantileResult
from howgood.records.rater_agreement import RaterAgreement
from howgood.records.shipping import ShipDecision
from howgood.show.figures.theme import COLOURS, FAINT, INK, PAPER, canvas
from howgood.show.numbers import percent, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@contextmanager
def judge_figure(report: JudgeReport) -> Iterator["Figure"]:
    """Draw the corrected value with its interval, and the judge alone where it has that scale."""
    names = report.systems
    with canvas(width=6.0, height=max(2.4, 1.5 + 0.55 * len(names))) as figure:
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
            ha="center", fontsize=9, color=INK,
        )  # fmt: skip
        if report.off is not None:
            axes.annotate(
                "judge alone", (report.judge_alone[names[0]].mean, 0), xytext=(0, -18),
                textcoords="offset points", ha="center", fontsize=9, color=INK,
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
    with canvas(width=6.0, height=1.7 + 0.5 * len(rows)) as figure:
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


# Pictures of a few estimates by name on one axis, with a place that they are compared with.


def gate_figure(gate: Gate) -> AbstractContextManager["Figure"]:
    """Draw the share that would accept, by segment where there are any, and what is needed."""
    shares = gate.segments or {"would accept it": gate.acceptance}
    colour = {"pass": COLOURS[2], "fail": COLOURS[1]}.get(gate.verdict, COLOURS[6])
    return _estimates_figure(
        shares, colour=colour, title=f"{gate.application}: {gate.verdict}", axis="share of people",
        mark=(f"needed: {percent(gate.share)}", gate.share),
    )  # fmt: skip


def weights_figure(rows: Mapping[str, Estimate]) -> AbstractContextManager["Figure"]:
    """Draw what each measure weighs, by application."""
    return _estimates_figure(
        rows, title="What each measure weighs", axis="weight (they add up to 1)"
    )


def agreement_figure(agreement: RaterAgreement) -> AbstractContextManager["Figure"]:
    """Draw alpha between raters and with themselves, and the ceiling for any system."""
    metric = agreement.ceiling.metric
    rows = {
        "raters with each other (alpha)": agreement.alpha,
        "raters with themselves (alpha)": agreement.self_agreement,
        f"ceiling for any system ({metric}), low": agreement.ceiling.left_out,
        f"ceiling for any system ({metric}), high": agreement.ceiling.plug_in,
    }
    known = {name: value for name, value in rows.items() if value is not None}
    title = f"{agreement.n_raters} raters, {agreement.n_items} items"
    return _estimates_figure(known, title=title, axis="1 is perfect; of alpha, 0 is chance")


def quantile_figure(result: QuantileResult) -> AbstractContextManager["Figure"]:
    """Draw the quantile to predict next to the median, right where both errors weigh alike."""
    return _estimates_figure(
        {"quantile to predict": result.quantile}, title="Too low or too high: what to predict",
        axis="quantile of what may come", mark=("both errors alike", 0.5),
    )  # fmt: skip


@contextmanager
def _estimates_figure(
    rows: Mapping[str, Estimate],
    *,
    title: str,
    axis: str,
    colour: str = COLOURS[0],
    mark: tuple[str, float] | None = None,
) -> Iterator["Figure"]:
    """Draw estimates between 0 and 1, or from below 0 where an interval reaches there."""
    with canvas(width=6.0, height=1.7 + 0.5 * len(rows)) as figure:
        axes = figure.subplots()
        for place, value in enumerate(rows.values()):
            ends = value.interval
            axes.plot([ends.lower, ends.upper], [-place, -place], color=colour, lw=3)
            axes.plot([value.mean], [-place], "o", color=colour, markersize=8)
            axes.annotate(
                plain(value.mean, digits=2), (value.mean, -place), xytext=(0, 8),
                textcoords="offset points", ha="center", fontsize=9,
            )  # fmt: skip
        if mark is not None:
            axes.axvline(mark[1], color=INK, lw=1.2, ls=(0, (4, 3)))
            axes.annotate(
                mark[0], (mark[1], 1), xycoords=("data", "axes fraction"), xytext=(4, -10),
                textcoords="offset points", fontsize=9,
            )  # fmt: skip
        axes.set_yticks([-place for place in range(len(rows))], list(rows))
        axes.set_ylim(-len(rows) + 0.4, 1.0)
        lowest = min(value.interval.lower for value in rows.values())
        axes.set_xlim(min(0.0, lowest - 0.02), 1.0)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        (probability,) = {value.interval.probability for value in rows.values()}
        axes.set_xlabel(f"{axis}, {percent(probability)} intervals")
        axes.set_title(title)
        yield figure
