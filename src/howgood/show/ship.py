"""May we ship? The verdict in words, as a report, a badge and a comment on a pull request.

In: `ShipDecision` and the logs. Out: sentences, a `Report`, Markdown, a badge. Absent: drawing.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from howgood.names import in_markdown
from howgood.records.evaluation_log import EvaluationLog
from howgood.records.report import Finding, Report, Section
from howgood.records.shipping import ShipDecision
from howgood.records.table import Table
from howgood.show.numbers import percent, plain, probability

_TONES = {"ship": "good", "do not ship": "bad", "not enough evidence": "unsure"}
_BADGES = {"ship": "brightgreen", "do not ship": "red", "not enough evidence": "lightgrey"}
_MARKS = {"ship": "✅", "do not ship": "❌", "not enough evidence": "⚪"}
_FEW_ITEMS, _FEW_CLUSTERS = 30, 10

_CAUTIONS = (
    "It holds for items like these: what the dataset leaves out, the verdict leaves out too.",
    "An automatic judge's score is not what people say: give labels (--labels) to correct it.",
)
_ONE_LOOK = (
    "Looking again and again until it says ship is not what the probability is for: use --looks "
    "many."
)


# Parts of names of metrics that are usually better when lower.
_USUALLY_LOWER = re.compile(
    r"hallucinat|toxic|bias|perplex|loss|error|wer\b|cer\b|rmse|mae\b|refus|violation|harm",
    re.IGNORECASE,
)


def findings(decision: ShipDecision, logs: Sequence[EvaluationLog] = ()) -> tuple[Finding, ...]:
    """Return the verdict first, then what to know about it and about the logs it rests on."""
    return (*_of_decision(decision), *_alike(logs), *_directions(decision), *_notes(logs))


def _alike(logs: Sequence[EvaluationLog]) -> list[Finding]:
    """Say that base and candidate are one log twice, or copies of it."""
    if len(logs) != 2 or not _is_alike(*logs):
        return []
    text = (
        "Base and candidate hold the same numbers for the same items: one log given twice, or a "
        "copy. Is the right file named?"
    )
    return [Finding(text=text, tone="unsure")]


def _is_alike(one: EvaluationLog, other: EvaluationLog) -> bool:
    if one.items != other.items or one.metrics.keys() != other.metrics.keys():
        return False
    return all(
        np.array_equal(values, other.metrics[name], equal_nan=True)
        for name, values in one.metrics.items()
    )


def _notes(logs: Sequence[EvaluationLog]) -> list[Finding]:
    """Return what is wrong with the logs themselves."""
    return [
        Finding(text=f"{log.source}: {note}.", tone="unsure")
        for log in logs
        for note in (*log.notes, *_unread(log))
    ]


def _unread(log: EvaluationLog) -> list[str]:
    return [
        f"column {name!r} is no metric: a text stands among its numbers ({place})"
        for name, place in log.unread.items()
    ]


def _directions(decision: ShipDecision) -> list[Finding]:
    """Name metrics that count as better when higher, though their names say the opposite."""
    names = [
        each.metric
        for each in decision.comparisons
        if each.greater_is_better and _USUALLY_LOWER.search(each.metric)
    ]
    if not names:
        return []
    which = ", ".join(names)
    return [
        Finding(
            text=f"More of {which} counts as better here. If less is better, say so: "
            f"--lower-is-better {','.join(names)}.",
            tone="unsure",
        )
    ]


def _of_decision(decision: ShipDecision) -> tuple[Finding, ...]:
    first = decision.comparisons[0]
    lines = [Finding(text=decision.sentence, tone=_TONES[decision.verdict])]
    if decision.p_above_bar is not None and decision.bar is not None:
        text = (
            f"The candidate exceeds the bar of {decision.bar:g} with probability "
            f"{probability(decision.p_above_bar)}."
        )
        lines.append(Finding(text=text))
    for kind, limit in decision.tolerated.items():
        rate = decision.candidate_rate(kind)
        text = (
            f"{kind}: {percent(rate.mean)} (likely {percent(rate.interval.lower)} to "
            f"{percent(rate.interval.upper)}); people tolerate {percent(limit)}. Below that with "
            f"probability {probability(decision.p_tolerated[kind])}."
        )
        lines.append(Finding(text=text))
    for other in decision.others.values():
        if other.metric in decision.tolerated:
            continue
        if other.p_worse >= 0.5 and other.p_worse > other.p_better:
            moved = "fell" if other.candidate.mean < other.base.mean else "rose"
            text = (
                f"{other.metric} {moved} from {plain(other.base.mean)} to "
                f"{plain(other.candidate.mean)}: worse with probability {percent(other.p_worse)}."
            )
            lines.append(Finding(text=text, tone="unsure"))
    if first.n_items < _FEW_ITEMS:
        text = f"Only {first.n_items} items: how far others would differ is hardly known."
        lines.append(Finding(text=text, tone="unsure"))
    elif first.n_clusters < _FEW_CLUSTERS:
        text = f"Only {first.n_clusters} clusters of items: more of them help more than more items."
        lines.append(Finding(text=text, tone="unsure"))
    return tuple(lines)


def badge(decision: ShipDecision) -> dict[str, Any]:
    """Return a badge as shields.io reads it."""
    return {
        "schemaVersion": 1,
        "label": "howgood ship",
        "message": decision.verdict,
        "color": _BADGES[decision.verdict],
    }


def pull_request(decision: ShipDecision, logs: Sequence[EvaluationLog] = ()) -> str:
    """Return a short comment for a pull request, in Markdown."""
    head = decision.table
    lines = [
        f"### {_MARKS[decision.verdict]} {decision.verdict.capitalize()}",
        "",
        in_markdown(decision.sentence),
        "",
        "| metric | base | candidate | difference | interval |",
        "|---|--:|--:|--:|---|",
    ]
    for row in head.rows():
        lines.append(
            f"| {in_markdown(row['metric'])} | {plain(row['base'])} | {plain(row['candidate'])} | "
            f"{row['difference']:+.3f} | {row['lower']:+.3f} to {row['upper']:+.3f} |"
        )
    lines += ["", *(f"- {in_markdown(finding.text)}" for finding in findings(decision, logs)[1:])]
    return "\n".join(lines).rstrip() + "\n"


def doctor(logs: Sequence[EvaluationLog]) -> tuple[Finding, ...]:
    """Say what was found in both logs, what it supports, and what is missing."""
    lines = [_about(log, name) for log, name in zip(logs, ("Base", "Candidate"), strict=True)]
    lines += _notes(logs)
    shared = set(logs[0].items) & set(logs[1].items)
    every = set(logs[0].items) | set(logs[1].items)
    tone = "good" if len(shared) == len(every) else "unsure"
    lines.append(
        Finding(
            text=f"{len(shared)} of {len(every)} items are in both: compared paired.", tone=tone
        )
        if shared
        else Finding(
            text="No item is in both logs: nothing can be compared. Check the items' names.",
            tone="bad",
        )
    )
    metrics = [name for name in logs[0].metrics if name in logs[1].metrics]
    lines.append(
        Finding(text=f"Metrics in both: {', '.join(metrics) or 'none'}.",
                tone="good" if metrics else "bad")
    )  # fmt: skip
    return (*lines, *_missing(logs))


def _about(log: EvaluationLog, name: str) -> Finding:
    repeats = len(log.items) / max(log.n_items, 1)
    times = f", {repeats:g} times each" if repeats > 1 else ""
    return Finding(
        text=f"{name}: {log.source}, {log.format}, system {log.system!r}; {log.n_items} "
        f"items{times}."
    )


def _missing(logs: Sequence[EvaluationLog]) -> list[Finding]:
    findings = []
    for what, is_there in (
        ("cost", all(log.cost is not None for log in logs)),
        ("latency", all(log.latency is not None for log in logs)),
    ):
        if not is_there:
            findings.append(Finding(text=f"No {what} in both logs: it cannot break a tie."))
    if all(len(log.items) == log.n_items for log in logs):
        findings.append(
            Finding(text="One run per item: how far runs differ is part of the items' spread. "
                    "Several epochs narrow the interval.")
        )  # fmt: skip
    groups = [
        name for name in logs[0].attributes if name not in logs[0].unread and _groups(logs[0], name)
    ]
    if groups:
        findings.append(
            Finding(text=f"Items may come in clusters: --cluster {' or '.join(groups[:4])}.")
        )
    return findings


def _groups(log: EvaluationLog, name: str) -> bool:
    n_levels = len(set(log.attributes[name]))
    return 1 < n_levels < log.n_items


def report(decision: ShipDecision, logs: Sequence[EvaluationLog], *, svg: str) -> Report:
    """Return the whole report."""
    first = decision.comparisons[0]
    return Report(
        title=f"{decision.verdict.capitalize()}: {_instead(decision)}",
        question="Is the candidate better than what we have, and may we ship it?",
        findings=findings(decision, logs),
        sections=(
            Section(
                title="The difference",
                text="Candidate less base, on the same items."
                + (
                    " The shaded band is the margin: differences inside it do not matter."
                    if first.margin
                    else ""
                ),
                svg=svg,
                alt="Difference of every metric with its interval, around no difference.",
                table=decision.table,
            ),
            Section(
                title="What was compared",
                text="\n\n".join(finding.text for finding in doctor(logs)),
                table=_logs_table(logs),
            ),
        ),
        methods=_methods(decision, first.n_items),
        provenance=decision.provenance,
        cautions=_cautions(decision),
    )


def _cautions(decision: ShipDecision) -> tuple[str, ...]:
    """Return what not to conclude; who planned many looks need not be warned of them."""
    one_look = decision.provenance.settings["looks"] == "one"
    return (*_CAUTIONS, _ONE_LOOK) if one_look else _CAUTIONS


def _instead(decision: ShipDecision) -> str:
    base, candidate = decision.systems
    return f"{candidate} instead of {base}" if base != candidate else f"a new version of {base}"


def _logs_table(logs: Sequence[EvaluationLog]) -> Table:
    return Table(
        {
            "log": ["base", "candidate"],
            "format": [log.format for log in logs],
            "system": [log.system for log in logs],
            "items": [log.n_items for log in logs],
            "rows": [len(log.items) for log in logs],
            "mean cost": [_mean(log.cost) for log in logs],
            "mean latency": [_mean(log.latency) for log in logs],
        }
    )


def _mean(values: Any) -> float:  # noqa: ANN401 - an array or None
    return float("nan") if values is None else float(np.nanmean(values))


def _methods(decision: ShipDecision, n_items: int) -> str:
    settings = decision.provenance.settings
    sure = percent(1.0 - decision.level)
    margin = f" by more than {settings['margin']:g}" if settings["margin"] else ""
    is_one = settings["looks"] == "one"
    looks = (
        "One look was planned"
        if is_one
        else f"Any number of looks is allowed (asymptotic confidence sequence, rho "
        f"{settings['rho']:.3f})"
    )
    test = " (Student's t)" if is_one else ""
    cluster = f", clustered by {settings['cluster']}" if settings["cluster"] else ""
    return (
        f"Both systems answered the same {n_items} items; repeats of an item were averaged and "
        f"systems compared item by item{cluster}{test}. The candidate ships when it "
        f"is better{margin} with a probability of at least {sure}. {looks}. Computed with howgood."
    )
