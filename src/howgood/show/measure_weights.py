"""What precision, recall and specificity weigh, in sentences, a table and a picture.

In: `AcceptabilityFit` made with three measures. Out: findings, sections of a report, plain values.
Absent: fitting and deciding.
"""

from typing import Any

from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.measured import MeasureWeights
from howgood.records.report import Finding, Section
from howgood.show.figures.intervals import weights_figure
from howgood.show.figures.theme import picture_section
from howgood.show.numbers import percent, plain, with_interval

_SURE = 0.95


def weight_findings(fit: AcceptabilityFit) -> tuple[Finding, ...]:
    """Say whether specificity counts, and what it weighs; nothing where it was not asked."""
    if fit.measured is None:
        return ()
    weights = fit.measured
    return (_counting(weights), *(_weighing(weights, name) for name in weights.applications))


def _counting(weights: MeasureWeights) -> Finding:
    probability = weights.probability_counting
    if probability is None:
        return Finding(
            text="Whether specificity counts cannot be compared where the kind of mean is "
            "continuous.",
            tone="unsure",
        )
    said = f"probability {percent(probability)}, as likely as not beforehand"
    if probability >= _SURE:
        return Finding(text=f"Rightly leaving cases alone (specificity) counts: {said}.")
    if probability <= 1.0 - _SURE:
        return Finding(text=f"Precision and recall are enough, specificity does not count: {said}.")
    return Finding(
        text=f"Not enough evidence whether rightly leaving cases alone (specificity) counts: "
        f"{said}.",
        tone="unsure",
    )


def _weighing(weights: MeasureWeights, name: str) -> Finding:
    known = weights.weights(name)
    parts = [f"{measure} {with_interval(weight)}" for measure, weight in known.items()]
    return Finding(text=f"{name}: of a weight of 1, {', '.join(parts[:-1])} and {parts[-1]}.")


def weight_sections(fit: AcceptabilityFit) -> tuple[Section, ...]:
    """Return the page about three measures; none where they were not asked for."""
    weights = fit.measured
    if weights is None:
        return ()
    used = weights.prevalence
    said = "as the answers say" if used is None else f"at a prevalence of {plain(used, digits=3)}"
    rows = {
        f"{name}: {measure}": weight
        for name in weights.applications
        for measure, weight in weights.weights(name).items()
    }
    return (
        picture_section(
            "What precision, recall and specificity weigh",
            "Weight of each measure by application, with 95 % interval; they add up to 1.",
            weights_figure(rows),
            text=f"Specificity is {said}. The decisions of this report go by precision and recall; "
            "by all three they are made with fit.measured.at_prevalence(...).",
        ),
        Section(title="Weights of the three measures", table=weights.table),
    )


def weight_values(fit: AcceptabilityFit) -> dict[str, Any]:
    """Return everything as plain values; nothing where three measures were not asked for."""
    weights = fit.measured
    if weights is None:
        return {}
    return {
        "weights": weights.table,
        "prevalence": weights.prevalence,
        "probability_counting": weights.probability_counting,
        "log_evidence": weights.log_evidence,
        "log_evidence_of_precision_and_recall": weights.log_evidence_of_two,
    }
