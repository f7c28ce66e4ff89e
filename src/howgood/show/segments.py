"""People who differ, in sentences, tables and a picture.

In: `AcceptabilityFit` made with `by`; `OneThreshold`. Out: findings, sections of a report, plain
values. Absent: fitting and deciding; names of people (a report shows how alphas are spread).
"""

from typing import Any

from scipy.special import expit

from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.segmented import SegmentedPeople
from howgood.records.decision import OneThreshold
from howgood.records.estimate import Estimate
from howgood.records.report import Finding, Section
from howgood.records.table import Table
from howgood.show.figures.people import people_figure
from howgood.show.figures.theme import picture_section
from howgood.show.numbers import percent, plain, share_text, threshold_digits, with_interval
from howgood.stats.arrays import FloatArray

_REFERENCE = 0.85
_DRAWS = 4000  # as in `show.acceptability`


def segment_findings(fit: AcceptabilityFit) -> tuple[Finding, ...]:
    """Say where segments and people differ; nothing where the fit has none."""
    divided = fit.segmented
    if divided is None:
        return ()
    findings = [_comparing(fit, divided)] if divided.fits else []
    # Of people who are not divided, `show.other_people` says how they differ.
    return (*findings, _people_differing(divided)) if findings else ()


def _comparing(fit: AcceptabilityFit, divided: SegmentedPeople) -> Finding:
    """Compare segments in the application in which their alphas lie furthest apart."""
    name, low, high, difference = _furthest(fit, divided)
    few = [segment for segment, own in divided.fits.items() if own.evidence != "enough"]
    if few:
        return Finding(
            text=f"Not enough evidence about {divided.column}: too few people or answers in "
            f"{', '.join(few)}.",
            tone="unsure",
        )
    if 0.0 in difference.interval:
        return Finding(
            text=f"Not enough evidence that people differ by {divided.column}: between {low} and "
            f"{high} the weight of precision in {name} differs by {with_interval(difference)}.",
            tone="unsure",
        )
    return Finding(
        text=f"People differ by {divided.column}: in {name} precision weighs more for {high} than "
        f"for {low}, difference of alpha {with_interval(difference)}."
    )


def _furthest(fit: AcceptabilityFit, divided: SegmentedPeople) -> tuple[str, str, str, Estimate]:
    best: tuple[str, str, str, Estimate] | None = None
    for name in fit.applications:
        asked = {segment: own for segment, own in divided.fits.items() if name in own.applications}
        drawn = {segment: _alpha_draws(fit, divided, name, segment) for segment in asked}
        means = {segment: float(draws.mean()) for segment, draws in drawn.items()}
        low, high = (
            min(means, key=lambda segment: means[segment]),
            max(means, key=lambda segment: means[segment]),
        )
        difference = Estimate.from_draws(drawn[high] - drawn[low])
        if best is None or difference.mean > best[3].mean:
            best = (name, low, high, difference)
    if best is None:
        raise LookupError("a fit without applications")
    return best


def _alpha_draws(
    fit: AcceptabilityFit, divided: SegmentedPeople, name: str, segment: str
) -> FloatArray:
    """Draws of a segment's alpha: its middle person's, as far as the fit knows people's own."""
    if divided.applications:
        return divided.draws(name, segment=segment)
    return fit.draws("alpha", name, segment=segment)


def _people_differing(divided: SegmentedPeople) -> Finding:
    spread = divided.person_spread
    # Nine in ten of a normal lie below 1.28 sd.
    lower, upper = (expit(sign * 1.28 * spread.mean) for sign in (-1.0, 1.0))
    return Finding(
        text="People of one segment differ in the weight of precision too: where it is 0.5 on "
        f"average, four people in five lie between {plain(lower, digits=2)} and "
        f"{plain(upper, digits=2)} (sd of its logit {with_interval(spread)}).",
        tone="neutral" if spread.interval.lower > 0.1 else "unsure",
    )


def segment_table(fit: AcceptabilityFit) -> Table:
    """Return alpha and the share accepting 85 % of both, per application and segment."""
    divided, rows = fit.segmented, []
    if divided is None:
        return Table({})
    for name in fit.applications:
        for segment in fit.segments:
            own = fit.in_segment(segment)
            if name not in own.applications:
                continue
            draws = own.acceptance_draws(name).thinned(_DRAWS)
            share = draws.estimate(draws.shares(_REFERENCE, _REFERENCE))
            alpha = Estimate.from_draws(_alpha_draws(fit, divided, name, segment))
            rows.append(
                (name, segment, own.respondents[name], with_interval(alpha), share_text(share),
                 "yes" if own.evidence_for(name) == "enough" else "no")
            )  # fmt: skip
    names = (
        "application", "segment", "people", "alpha (weight of precision)",
        "accept 85 % precision and recall", "enough evidence",
    )  # fmt: skip
    return Table({name: [row[index] for row in rows] for index, name in enumerate(names)})


def segment_sections(fit: AcceptabilityFit) -> list[Section]:
    """Return the picture of people's alphas, and the table of segments."""
    divided = fit.segmented
    if divided is None:
        return []
    people = fit.people
    sections = [
        picture_section(
            "How people differ",
            "Each dot is one person's weight of precision with its 95 % interval, in order; the "
            "dashed line is 0.5, left of it misses weigh more.",
            people_figure(people),
            text="A person answers few questions, so everybody's interval is wide and leans on "
            "people like them. Names are left out.",
        )
    ]
    if divided.fits:
        probability = divided.probability_differing
        said = (
            ""
            if probability is None
            else f" That they differ at all has probability {percent(probability)}, if it was as "
            "likely as not beforehand."
        )
        sections.append(
            Section(
                title=f"By {divided.column}",
                text="Segments are partially pooled: where a segment has few answers, its numbers "
                f"lean on the others.{said}",
                table=segment_table(fit),
            )
        )
    return sections


def segment_values(fit: AcceptabilityFit) -> dict[str, Any] | None:
    """Return segments as plain values, ready for JSON; None where the fit has none."""
    divided = fit.segmented
    if divided is None:
        return None
    return {
        "column": divided.column,
        "probability segments differ": divided.probability_differing,
        "sd of logit alpha between people": divided.person_spread.to_dict(),
        "alpha of the middle person": {}
        if divided.fits
        else {name: divided.alpha(name).to_dict() for name in divided.applications},
        "segments": {
            segment: {
                name: {
                    "respondents": own.respondents[name],
                    "evidence": own.evidence_for(name),
                    "alpha": own.estimate("alpha", name).to_dict(),
                    "alpha of the middle person": Estimate.from_draws(
                        _alpha_draws(fit, divided, name, segment)
                    ).to_dict(),
                }
                for name in own.applications
            }
            for segment, own in divided.fits.items()
        },
    }


def one_threshold_findings(choice: OneThreshold) -> tuple[Finding, ...]:
    """Say whether one threshold serves everybody, and what each segment loses."""
    worst = max(choice.lost, key=lambda name: choice.lost[name].mean)
    lost = choice.lost[worst]
    ends = lost.interval
    heaviest = (
        f"{worst} would lose {percent(max(lost.mean, 0.0))} of acceptance (likely between "
        f"{percent(ends.lower)} and {percent(ends.upper)})"
    )
    digits = max(map(threshold_digits, (choice.common, choice.own[worst])))
    common = plain(choice.common, digits=digits)
    text = {
        "one threshold": f"One threshold serves everybody: {common}. No segment "
        f"loses {percent(choice.worth)} or more; {heaviest}.",
        "own thresholds": f"Use a threshold per segment: with {common} for everybody "
        f"{heaviest}; its own would be {plain(choice.own[worst], digits=digits)}.",
        "not enough evidence": "Not enough evidence to say whether one threshold serves everybody: "
        f"with {common} {heaviest}.",
    }[choice.verdict]
    tone = {"one threshold": "good", "own thresholds": "neutral"}.get(choice.verdict, "unsure")
    return (Finding(text=text, tone=tone),)
