"""Costs of predictions that are too low or too high, in plain sentences.

In: a `QuantileResult`. Out: findings and a `Report`. Absent: asking, printing.
"""

import numpy as np

from howgood.records.elicitation import FEWEST_PREFERENCES, NO_INFORMATION
from howgood.records.estimate import Estimate
from howgood.records.pinball import QuantileResult
from howgood.records.report import Finding, Report
from howgood.show.numbers import percent, plain, with_interval

_METHODS = (
    "Somebody chose between forecasts that differ in how far they are too low and too high on "
    "average. Costs grow evenly with the error; their ratio, with sensitivity, lapses and width of "
    "indifference unknown and averaged over (sequential Monte Carlo), gives the quantile that "
    "costs least. How far predictions should move is that quantile of their errors, with the "
    "uncertainty of the person and of the cases (Bayesian bootstrap)."
)


def quantile_findings(result: QuantileResult) -> tuple[Finding, ...]:
    """Say which error is worse, what to predict, and how far to trust it."""
    if result.evidence == "none":
        text = (
            f"Not enough evidence: a side was preferred in {result.preferences} of "
            f"{result.choices} questions asked to learn from, and at least {FEWEST_PREFERENCES} "
            "are needed."
        )
        return (Finding(text=text, tone="bad"),)
    if result.metric is None:
        return _nothing_named(result)
    unit = f" {result.unit}" if result.unit else ""
    shift = result.shift
    way = "up" if shift.mean >= 0 else "down"
    findings = [
        Finding(text=_ratio_text(result)),
        Finding(
            text=f"Predict the quantile {with_interval(result.quantile)} of what may come: these "
            f"predictions should move {way}, by {with_interval(_size(shift))}{unit}.",
            tone="good",
        ),
    ]
    if result.agreement is not None:
        known = result.agreement
        others = "; ".join(
            f"{name}: {baseline:.0f} %" for name, baseline in known.baselines.items()
        )
        findings.append(
            Finding(
                text=f"Agreement M: on {known.n_questions} pairs kept back the ratio chose as the "
                f"respondent did in {percent(known.percent / 100)}. For comparison: {others}."
            )
        )
    if result.checks.looks_careless:
        findings.append(Finding(text="Attention checks were answered carelessly.", tone="bad"))
    return tuple(findings)


def _size(shift: Estimate) -> Estimate:
    sign = 1.0 if shift.mean >= 0 else -1.0
    return Estimate.from_draws(sign * shift.draws, probability=0.9, kind="quantile")


def _nothing_named(result: QuantileResult) -> tuple[Finding, ...]:
    """Say why no quantile follows, and what to ask next."""
    reasons = "; ".join(result.misfit)
    text = (
        f"No ratio of costs describes this person: {reasons}."
        if reasons
        else f"Not enough information: {NO_INFORMATION}, so no quantile is named."
    )
    return (
        Finding(text=text, tone="bad"),
        Finding(text=f"What to ask next: {' '.join(result.advice)}"),
    )


def _ratio_text(result: QuantileResult) -> str:
    ratio, worse, other = result.ratio.draws, "low", "high"
    if result.quantile.mean < 0.5:
        ratio, worse, other = 1 / ratio, "high", "low"
    ends = Estimate.from_draws(10 * ratio, probability=0.9, kind="quantile").interval
    # The median: a few draws near no cost at all would pull a mean out of its own interval.
    middle = float(np.median(10 * ratio))
    unit = result.unit or "units"
    return (
        f"Too {worse} is worse: 10 {unit} too {worse} are as bad as {plain(middle, digits=0)} "
        f"{unit} too {other} (90 % interval {plain(ends.lower, digits=0)} to "
        f"{plain(ends.upper, digits=0)})."
    )


def quantile_report(result: QuantileResult) -> Report:
    """Return the whole report."""
    return Report(
        title="Too low or too high?",
        question="Which quantile should be predicted for this person?",
        findings=quantile_findings(result),
        sections=(),
        methods=_METHODS,
        provenance=result.provenance,
        cautions=(
            "It holds where costs grow evenly with the error; ask about small and large errors.",
            "The cases asked about stand for those to come.",
        ),
    )
