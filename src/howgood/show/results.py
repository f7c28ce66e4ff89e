"""Results of stored studies in plain sentences: whom they rest on, what to aim for.

In: fits, targets, counts. Out: findings and reports for a results page. Absent: fitting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from howgood.records.decision import Target
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.report import Finding, Report
from howgood.show.acceptability import share_text
from howgood.show.numbers import percent
from howgood.show.people import people_finding


def target_finding(targets: Sequence[Target]) -> Finding:
    """Say what accuracy makes shares of people accept one application.

    Where precision and recall are equal, their weighted mean is just that value, whatever the
    weights and the kind of mean; so the needed mean is told as both being equal.
    """
    reachable = [each for each in targets if _is_reachable(each)]
    said = [_needed(each, is_first=place == 0) for place, each in enumerate(reachable)]
    parts = [f"to be accepted by {', by '.join(said)}"] if said else []
    missed = [each for each in targets if not _is_reachable(each)]
    if missed:
        who = " or ".join(_share_of_people(each.share) for each in missed)
        parts.append(
            f"no accuracy is known to be enough for {who}: perfect accuracy would be accepted by "
            f"{share_text(missed[0].at_best)}"
        )
    text = f"{targets[0].application}: {'; '.join(parts)}."
    if said:
        text += " More of one makes up for less of the other along a line of equal acceptance."
    doubtful = [each for each in reachable if each.reachable < 0.95]
    if doubtful:
        text += (
            f" That perfect accuracy is enough for {_share_of_people(doubtful[-1].share)} has "
            f"probability {percent(doubtful[-1].reachable)}."
        )
    return Finding(text=text, tone="unsure" if missed or doubtful else "neutral")


def _is_reachable(target: Target) -> bool:
    return target.needed_mean is not None and target.reachable >= 0.5


def _needed(target: Target, *, is_first: bool) -> str:
    if target.needed_mean is None:
        raise ValueError("only a reachable share has a needed accuracy")
    ends = target.needed_mean.interval
    lower, upper = (round(100 * end) for end in (ends.lower, ends.upper))
    accuracy = f"{percent(target.needed_mean.mean)} [{lower}–{upper}]"
    who = _share_of_people(target.share)
    if is_first:
        return f"{who} you need about {accuracy} precision and as much recall"
    return f"{who} about {accuracy} of both"


def _share_of_people(share: float) -> str:
    return "half of people" if share == 0.5 else f"{percent(share)} of people"


def accepting_finding(target: Target, accepting: Estimate) -> Finding:
    """Say what share accepts an accuracy, whatever doubt `accepting` holds."""
    return Finding(
        text=f"{share_text(accepting)} of people would accept {target.application} with "
        f"{percent(target.precision)} precision and {percent(target.recall)} recall."
    )


def whole_report(
    report: Report,
    *,
    title: str,
    first: Sequence[Finding],
    left_out: Mapping[str, int],
    policy: str,
) -> Report:
    """Return a fit's report as a study's: its title, the answer first, whom it rests on.

    A report that names the rule of whose answers count itself does not repeat it.
    """
    made = report.provenance
    said = [] if "people" in made.settings else [people_finding(policy, left_out)]
    return replace(
        report,
        title=title,
        findings=(*first, *report.findings, *said),
        provenance=Provenance(
            method=made.method,
            settings={**made.settings, "people": policy},
            seed=made.seed,
            rows_used=made.rows_used,
            rows_dropped={
                **made.rows_dropped,
                **{f"people: {why}": count for why, count in left_out.items()},
            },
            versions=made.versions,
        ),
    )
