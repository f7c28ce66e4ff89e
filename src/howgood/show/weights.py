"""Elicited weights of classes and groups in plain sentences, and as a report.

In: a `WeightsResult`. Out: findings, a table, `Report`. Absent: asking, printing, cards (the
criteria's own).
"""

from collections.abc import Iterable, Mapping

import numpy as np

from howgood.records.elicitation import FEWEST_PREFERENCES, NO_INFORMATION, WeightsResult
from howgood.records.estimate import Estimate
from howgood.records.outcomes_by_class import DiagonalMetric
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.numbers import percent, plain, threshold_digits, times, with_interval

_METHODS = (
    "Somebody chose between pairs of systems. The value of a system is a weighted sum; weights "
    "sum to 1 and are even beforehand; sensitivity, lapses and the width of indifference are "
    "unknown and averaged over (sequential Monte Carlo). Each question was the pair expected to "
    "tell most. M is the share of pairs kept back in which the weights chose as the person did."
)
_CAUTIONS = (
    "The weights are one person's; others may weigh otherwise.",
    "The rule is as good as the probabilities: check their calibration.",
)

UNKNOWN, _NOT_KNOWN = "not enough answers", "not known"
_MOST_TIMES = 100  # a ratio that may be larger is no better known than its lower end


def weights_findings(result: WeightsResult) -> tuple[Finding, ...]:
    """Say what weighs how much, which rule follows, and how far to trust it."""
    if result.evidence == "none":
        text = (
            f"Not enough evidence: a side was preferred in {result.preferences} of "
            f"{result.choices} questions asked to learn from, and at least {FEWEST_PREFERENCES} "
            "are needed. No weights and no rule follow from these answers."
        )
        return (Finding(text=text, tone="bad"),)
    if result.metric is None:
        reasons = "; ".join(result.misfit)
        text = (
            f"No weights describe this person: {reasons}."
            if reasons
            else f"Not enough information: {NO_INFORMATION}, so no rule is named."
        )
        return (
            Finding(text=text, tone="bad"),
            Finding(text=f"What to ask next: {' '.join(result.advice)}"),
        )
    findings = [Finding(text=text) for text in _weights_texts(result)]
    findings += [_not_learned(result)] if result.not_learned else []
    lam = result.violation_weight
    if lam is not None:
        findings.append(
            Finding(text=f"Differences between groups have {with_interval(lam)} of all weight.")
        )
    if (rule := _rule_text(result)) is not None:
        findings.append(Finding(text=rule, tone="unsure" if result.not_learned else "good"))
    findings += _trust(result)
    return tuple(findings)


def weights_table(result: WeightsResult) -> Table:
    """Return one row per weight, with its 90 % interval; no number for one not learned.

    Where some were not learned, the others are shares of what these have together. Where no weights
    describe the person, there is no number at all.
    """
    if result.metric is None:
        said = UNKNOWN if result.evidence == "none" else _NOT_KNOWN
        return Table({"of": list(result.weights), "weight": [said] * len(result.weights)})
    rows = {**result.weights, **result.learned}
    columns = {
        "of": list(rows),
        "weight": [
            UNKNOWN if name in result.not_learned else plain(weight.mean, digits=3)
            for name, weight in rows.items()
        ],
        "90 % interval": [
            f"{plain(one.interval.lower, digits=3)} to {plain(one.interval.upper, digits=3)}"
            for one in rows.values()
        ],
    }
    if result.not_learned:
        columns["as a share of"] = [
            _listed(result.learned) if name in result.learned else "all" for name in rows
        ]
    return Table(columns)


def weights_report(result: WeightsResult) -> Report:
    """Return the whole report."""
    return Report(
        title="Elicited weights",
        question="What is worth how much to this person?",
        findings=weights_findings(result),
        sections=(
            Section(
                title="The weights",
                text="They sum to 1, those that were learned among themselves, and are per case or "
                "per percentage point."
                if result.not_learned
                else "They sum to 1, and are per case or per percentage point.",
                table=weights_table(result),
            ),
        ),
        methods=_METHODS,
        provenance=result.provenance,
        cautions=_CAUTIONS,
    )


def _weights_texts(result: WeightsResult) -> list[str]:
    """Say what the answers tell of the weights, and how the extremes of these compare."""
    return [_compared(result, result.learned)] if result.learned else []


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _not_learned(result: WeightsResult) -> Finding:
    """Say which weights the answers leave as they were, and what that means."""
    names = result.not_learned
    known = ", ".join(
        f"{name} anything from {plain(one.interval.lower, digits=2)} to "
        f"{plain(one.interval.upper, digits=2)}"
        for name, one in result.weights.items()
        if name in names
    )
    which = _listed(names)
    verb = "count" if len(names) > 1 else "counts"
    return Finding(
        text=f"Not enough answers to say how much {which} {verb} ({known}, hardly less than before "
        "the first answer). The systems shown differ too little in it, or too few questions were "
        "about it.",
        tone="unsure",
    )


def _compared(result: WeightsResult, weights: Mapping[str, Estimate]) -> str:
    ordered = sorted(weights.items(), key=lambda entry: -entry[1].mean)
    of = f"Weights among {_listed(weights)}" if result.not_learned else "Weights"
    first = "A right answer on " if isinstance(result.metric, DiagonalMetric) else "One point of "
    said = ", ".join(f"{name} {with_interval(row)}" for name, row in ordered)
    (top, most), (last, least) = ordered[0], ordered[-1]
    ratios = most.draws / np.maximum(least.draws, 1e-9)
    lower, middle, upper = np.quantile(ratios, (0.05, 0.5, 0.95))
    if lower <= 1.0:
        return f"{of}: {said}. Not enough answers to say whether {top} weighs more than {last}."
    if upper > _MOST_TIMES:
        worth = f"at least {times(lower)}"
    else:
        worth = f"{times(middle)} [{times(lower)}, {times(upper)}]"
    than = "on" if isinstance(result.metric, DiagonalMetric) else "one of"
    return f"{of}: {said}. {first}{top} is worth {worth} times as much as {than} {last}."


def _rule_text(result: WeightsResult) -> str | None:
    if isinstance(result.metric, DiagonalMetric):
        rule = zip(result.weights, result.metric.labels, result.metric.weights, strict=True)
        weights = ", ".join(
            f"{label} {plain(weight, digits=3)}"
            + (" assumed, not learned" if name in result.not_learned else "")
            for name, label, weight in rule
        )
        return f"Rule: answer the class with the largest weight times probability ({weights})."
    if result.best is not None and result.best.thresholds:
        cuts = ", ".join(
            f"{name} from {plain(cut, digits=threshold_digits(cut))}"
            for name, cut in result.best.thresholds.items()
        )
        return f"Rule: flag cases by group ({cuts})."
    return None


def _trust(result: WeightsResult) -> list[Finding]:
    findings = []
    if result.agreement is not None:
        known = result.agreement
        others = "; ".join(
            f"{name}: {baseline:.0f} %" for name, baseline in known.baselines.items()
        )
        findings.append(
            Finding(
                text=f"Agreement M: on {known.n_questions} pairs kept back the weights chose as "
                f"the respondent did in {percent(known.percent / 100)}. For comparison: {others}."
            )
        )
    if result.checks.looks_careless:
        wrong = f"{result.checks.catch_wrong} of {result.checks.catch_asked}"
        findings.append(
            Finding(text=f"Attention checks: {wrong} answered against the better side.", tone="bad")
        )
    stopped = {
        "precise enough": "every weight is known to within five hundredths",
        "most questions asked": "all questions were asked; the intervals say what is open",
    }.get(result.stopped, result.stopped)
    findings.append(Finding(text=f"After {result.choices} questions to learn from: {stopped}."))
    return findings
