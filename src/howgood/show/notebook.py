"""Results as notebooks and `print` show them: one sentence, one picture, the table.

In: a result of any stage. Out: a piece of HTML of a few kilobytes, every name escaped, without
scripts or addresses; its colours follow the page around it; or the same as text, without the
picture. Absent: matplotlib (a picture here is dots with their intervals), whole reports
(`show.page`).
"""

import html
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from howgood.ask.comparison import GENERIC_WORDING
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.ordinal_fit import OrdinalFit
from howgood.names import visible
from howgood.records.criteria import CriteriaResult
from howgood.records.decision import (
    ApplicationChoice,
    Gate,
    GoLive,
    MetricGate,
    StudySize,
    Target,
    ThresholdChoice,
    TradeOff,
)
from howgood.records.elicitation import ElicitationResult, WeightsResult
from howgood.records.estimate import Estimate
from howgood.records.judged import JudgeDrift, JudgeReport
from howgood.records.pinball import QuantileResult
from howgood.records.ranking import Ranking
from howgood.records.report import Finding
from howgood.records.shipping import ShipDecision
from howgood.records.stakeholders import Stakeholders
from howgood.records.table import Table, Tabular
from howgood.score.distribution import ScoreDistribution
from howgood.score.propagation import PropagatedScore
from howgood.score.relevance_reporting import RelevanceReport
from howgood.show import decisions, judge, leaderboard, page, ranking
from howgood.show.acceptability import fit_findings
from howgood.show.criteria import criteria_findings, readable_table
from howgood.show.design import tokens
from howgood.show.elicitation import elicitation_findings
from howgood.show.numbers import plain
from howgood.show.ordinal import ordinal_findings
from howgood.show.other_people import shown_alpha
from howgood.show.quantile import quantile_findings
from howgood.show.relevance import findings as relevance_findings
from howgood.show.stakeholders import regret_table, stakeholder_findings
from howgood.show.weights import UNKNOWN, weights_findings

_MOST_FINDINGS, _MOST_BARS, _MOST_ROWS, _MOST_NAMED = 3, 20, 20, 3
_LONGEST = 100
_WIDTH, _LABEL, _ROW, _AXIS = 640, 190, 26, 34
_BLUE, _GREY = tokens()["data-1"], tokens()["chart-faint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One thing with its uncertainty: a dot between two ends."""

    name: str
    mean: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a result shows: sentences, a picture with its axis and a marked place, a table."""

    findings: Sequence[Finding] = ()
    bars: Sequence[Bar] = ()
    axis: str = ""
    ends: tuple[float, float] | None = None
    mark: tuple[str, float] | None = None
    table: Table | None = None


def html_of(result: object) -> str:
    """Return a result as a small piece of HTML for a notebook."""
    return to_fragment(look(result))


def text_of(result: object) -> str:
    """Return a result as `print` shows it: the sentences, then the table."""
    shown = look(result)
    sentences = [visible(finding.text) for finding in list(shown.findings)[:_MOST_FINDINGS]]
    tables = [] if shown.table is None else [visible(str(shown.table))]
    return "\n\n".join(["\n".join(sentences)] * bool(sentences) + tables)


@singledispatch
def look(result: object) -> Look:
    """Return what to show of a result; a kind nobody described shows its table, or its fields."""
    if isinstance(result, Table):
        return Look(table=result)
    if isinstance(result, Tabular):
        return Look(findings=_sentences(result), table=_main_table(result))
    if is_dataclass(result) and not isinstance(result, type):
        return Look(table=_field_table(result))
    return Look(findings=(Finding(text=str(result)),))


# The sentences that reports and commands say about a result, by its class.
_SENTENCES: Mapping[type, Callable[[Any], Sequence[Finding]]] = {
    ThresholdChoice: decisions.threshold_findings,
    TradeOff: decisions.trade_off_findings,
    GoLive: decisions.go_live_findings,
    ApplicationChoice: decisions.application_findings,
    StudySize: decisions.study_size_findings,
    ShipDecision: lambda decision: (Finding(text=decision.sentence),),
    JudgeReport: judge.findings,
    JudgeDrift: judge.drift_findings,
}


def _sentences(result: Tabular) -> Sequence[Finding]:
    say = _SENTENCES.get(type(result))
    return () if say is None else say(result)


def _main_table(result: Tabular) -> Table:
    table = getattr(result, result.frame_of)
    made: Table = table() if callable(table) else table
    return made


def _field_table(result: Any) -> Table:  # noqa: ANN401 - a dataclass
    """Return a row per field, without those that hold too much to read."""
    shown = {
        field.name.replace("_", " "): _in_short(getattr(result, field.name))
        for field in fields(result)
        if field.repr and field.name != "provenance"
    }
    return Table({"": list(shown), type(result).__name__: [*shown.values()]})


def _in_short(value: object) -> str:
    """Return one value in a few words."""
    if isinstance(value, float):
        return plain(value)
    if isinstance(value, np.ndarray):
        return f"{' x '.join(map(str, value.shape))} numbers"
    if isinstance(value, Table):
        return _rows(len(value))
    if is_dataclass(value) and type(value).__str__ is object.__str__:
        known = {field.name: getattr(value, field.name) for field in fields(value)}
        return ", ".join(
            f"{name.replace('_', ' ')} {_in_short(entry)}"
            for name, entry in known.items()
            if entry is not None
        )
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_in_short(entry)}" for name, entry in value.items())
    if isinstance(value, tuple | list) and not hasattr(value, "_asdict"):
        more = f" and {len(value) - _MOST_NAMED} more" if len(value) > _MOST_NAMED else ""
        return ", ".join(_in_short(entry) for entry in value[:_MOST_NAMED]) + more
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


@look.register
def _(fit: AcceptabilityFit) -> Look:
    bars = [_bar(name, shown_alpha(fit, name)) for name in fit.applications]
    return Look(
        findings=fit_findings(fit),
        bars=bars,
        axis="alpha: weight of precision (0: only recall counts, 1: only precision)",
        ends=(0.0, 1.0),
        table=fit.summary(),
    )


@look.register
def _(fit: OrdinalFit) -> Look:
    return Look(findings=ordinal_findings(fit), table=fit.summary())


@look.register
def _(result: Ranking) -> Look:
    words = ranking if result.doubt == "re-rating" else leaderboard
    least = -math.inf if result.greater_is_better else 0.0  # no error is below nothing
    bars = [
        Bar(
            name=name,
            mean=float(result.scores[at]),
            lower=max(float(result.scores[at] - 2 * result.score_sds[at]), least),
            upper=float(result.scores[at] + 2 * result.score_sds[at]),
        )
        for name in result.order
        for at in (result.index(name),)
    ]
    known = not math.isnan(result.barrier)
    return Look(
        findings=words.findings(result),
        bars=bars,
        axis=f"{ranking.score_axis(result)}: mean and two standard deviations",
        mark=("magic barrier", result.barrier) if known else None,
        table=ranking.readable_table(result),
    )


@look.register
def _(target: Target) -> Look:
    findings = [*decisions.target_findings(target), decisions.gain_finding(target)]
    return Look(
        findings=findings,
        bars=[_bar("at this accuracy", target.acceptance), _bar("at best", target.at_best)],
        axis="share of people",
        ends=(0.0, 1.0),
        mark=("wanted", target.share),
    )


@look.register
def _(result: WeightsResult) -> Look:
    return Look(
        findings=weights_findings(result),
        bars=[
            _bar(f"{name}: {UNKNOWN}" if name in result.not_learned else name, weight)
            for name, weight in {**result.weights, **result.learned}.items()
        ],
        axis="weight, with 90 % interval",
        ends=(0.0, 1.0),
    )


@look.register
def _(result: QuantileResult) -> Look:
    return Look(findings=quantile_findings(result))


@look.register
def _(gate: MetricGate) -> Look:
    return Look(findings=decisions.metric_gate_findings(gate))


@look.register
def _(stakeholders: Stakeholders) -> Look:
    return Look(
        findings=stakeholder_findings(stakeholders, GENERIC_WORDING),
        table=regret_table(stakeholders),
    )


@look.register
def _(result: CriteriaResult) -> Look:
    titles = {criterion.name: criterion.title for criterion in result.alternatives.criteria}
    return Look(
        findings=criteria_findings(result),
        bars=[_bar(titles[name], weight) for name, weight in result.weights.items()],
        axis="weight of each criterion, with 90 % interval",
        ends=(0.0, 1.0),
        table=readable_table(result),
    )


@look.register
def _(gate: Gate) -> Look:
    return Look(
        findings=decisions.gate_findings(gate),
        bars=[_bar("would accept it", gate.acceptance)],
        axis="share of people",
        ends=(0.0, 1.0),
        mark=("needed", gate.share),
    )


@look.register
def _(result: ElicitationResult) -> Look:
    bars = [] if result.a0 is None else [_bar("a0", result.a0)]
    return Look(
        findings=elicitation_findings(result, GENERIC_WORDING),
        bars=bars,
        axis="weight of true negatives (0: only misses count, 1: only false alarms)",
        ends=(0.0, 1.0),
        table=Table({"family": list(result.families), "probability": [*result.families.values()]}),
    )


@look.register
def _(score: ScoreDistribution) -> Look:
    interval = score.interval()
    text = (
        f"{score.metric.upper()} {plain(score.mean)}; if the same people rated again, with 95 % "
        f"probability between {plain(interval.lower)} and {plain(interval.upper)}. "
    )
    known = not math.isnan(score.barrier)
    if known:
        text += f"Human uncertainty alone costs {plain(score.barrier)} (magic barrier)."
    bar = Bar(name=score.metric, mean=score.mean, lower=interval.lower, upper=interval.upper)
    return Look(
        findings=(Finding(text=text),),
        bars=[bar],
        axis=score.metric.upper(),
        mark=("magic barrier", score.barrier) if known else None,
    )


@look.register
def _(score: PropagatedScore) -> Look:
    interval = score.interval()
    bar = Bar(name="score", mean=score.mean, lower=interval.lower, upper=interval.upper)
    text = (
        f"{plain(score.mean)}; if the same people answered again, with 95 % probability between "
        f"{plain(interval.lower)} and {plain(interval.upper)}."
    )
    return Look(findings=(Finding(text=text),), bars=[bar], axis="score")


@look.register
def _(report: RelevanceReport) -> Look:
    texts = relevance_findings({"The model": report}, None)
    return Look(
        findings=[Finding(text=text) for text in texts],
        bars=[_bar("relevance", report.estimate)],
        axis="Relevance Score",
        ends=(0.0, 100.0),
        mark=("random predictions", report.chance),
        table=report.case_table,
    )


@look.register
def _(estimate: Estimate) -> Look:
    return Look(findings=(Finding(text=str(estimate)),), bars=[_bar("", estimate)])


def _bar(name: str, estimate: Estimate) -> Bar:
    ends = estimate.interval
    return Bar(name=name, mean=estimate.middle, lower=ends.lower, upper=ends.upper)


def to_fragment(shown: Look) -> str:
    """Return the HTML of what is shown.

    Examples
    --------
    >>> to_fragment(Look(findings=[Finding(text="a < b")]))
    '<div style="max-width:44rem"><p style="margin:.3rem 0">a &lt; b</p></div>'
    """
    parts = [
        f'<p style="margin:.3rem 0">{_text(finding.text)}</p>'
        for finding in list(shown.findings)[:_MOST_FINDINGS]
    ]
    bars = [bar for bar in shown.bars if math.isfinite(bar.mean)]
    if bars:
        parts.append(_picture(bars[:_MOST_BARS], shown))
    if len(bars) > _MOST_BARS:
        parts.append(f"<p>The first {_MOST_BARS} of {len(bars)} are drawn.</p>")
    if shown.table is not None:
        head = Table({name: values[:_MOST_ROWS] for name, values in shown.table.items()})
        more = len(shown.table) > _MOST_ROWS
        count = f"first {_MOST_ROWS} of {len(shown.table)} rows" if more else _rows(len(head))
        fold = "details" if parts else "details open"
        summary = f"<summary>Table, {count}</summary>"
        parts.append(f"<{fold}>{summary}{_styled(page.table_html(head))}</details>")
    return f'<div style="max-width:44rem">{"".join(parts)}</div>'


def _styled(table: str) -> str:
    """Return a table that is readable where no style sheet of ours is, and scrolls on a phone."""
    spaced = table.replace("<table", '<table style="border-spacing:.9rem .15rem"', 1)
    right = spaced.replace('class="n"', 'style="text-align:right"')
    return f'<div style="overflow-x:auto">{right}</div>'


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _picture(bars: Sequence[Bar], shown: Look) -> str:
    """Draw a dot and its interval for every bar, on one axis."""
    low, high = shown.ends or _reach(bars, shown.mark)
    height = len(bars) * _ROW + _AXIS + 16

    def place(value: float) -> float:
        share = (min(max(value, low), high) - low) / ((high - low) or 1.0)
        return round(_LABEL + share * (_WIDTH - _LABEL - 60), 1)

    drawn = [_drawn(bar, at * _ROW + 24, place) for at, bar in enumerate(bars)]
    base = len(bars) * _ROW + 14
    drawn.append(_line(place(low), base, place(high), base, _GREY, 1))
    for value in (low, (low + high) / 2, high):
        drawn.append(_words(place(value), base + 15, plain(value, digits=2), "middle"))
    if shown.mark is not None:
        name, value = shown.mark
        drawn.append(_line(place(value), 8, place(value), base, _GREY, 1, dashed=True))
        late = place(value) > _WIDTH - 200
        drawn.append(
            _words(place(value) + (-4 if late else 4), 10, name, "end" if late else "start")
        )
    label = "; ".join(
        f"{b.name} {plain(b.mean)} ({plain(b.lower)} to {plain(b.upper)})" for b in bars
    )
    drawn.append(_words(_LABEL, height - 5, shown.axis, "start"))
    return (
        f'<svg role="img" aria-label="{_text(label)}" viewBox="0 0 {_WIDTH} {height}" '
        f'width="100%" style="max-width:{_WIDTH}px" font-family="system-ui,sans-serif" '
        f'font-size="11" fill="currentColor">{"".join(drawn)}</svg>'
    )


def _drawn(bar: Bar, y: float, place: Callable[[float], float]) -> str:
    value = plain(bar.mean, digits=2)
    return (
        _words(_LABEL - 10, y + 4, bar.name if len(bar.name) < 31 else f"{bar.name[:29]}…", "end")
        + _line(place(bar.lower), y, place(bar.upper), y, _BLUE, 3)
        + f'<circle cx="{place(bar.mean)}" cy="{y}" r="5" fill="{_BLUE}"/>'
        + _words(place(bar.upper) + 8, y + 4, value, "start")
    )


def _reach(bars: Sequence[Bar], mark: tuple[str, float] | None) -> tuple[float, float]:
    values = [end for bar in bars for end in (bar.lower, bar.upper)]
    values += [mark[1]] if mark else []
    margin = 0.05 * (max(values) - min(values)) or 0.5
    return min(values) - margin, max(values) + margin


def _line(
    x1: float, y1: float, x2: float, y2: float, colour: str, width: int, *, dashed: bool = False
) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" '
        f'stroke-width="{width}"{dash}/>'
    )


def _words(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{_text(text)}</text>'


def _text(text: str) -> str:
    return html.escape(visible(text))
