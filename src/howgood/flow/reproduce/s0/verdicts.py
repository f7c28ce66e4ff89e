"""Checks with their rules.

In: a claim, the paper's numbers and ours. Out: `Check` records. Absent: computing the numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from howgood.records.estimate import Estimate
from howgood.records.reproduction import Check
from howgood.show.numbers import plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Where the paper says what."""

    item: str
    place: str
    text: str


def close(
    claim: Claim, *, paper: float, ours: float, within: float, digits: int = 2, note: str = ""
) -> Check:
    """Hold when our number lies within a distance of the paper's."""
    return _check(
        claim,
        paper=plain(paper, digits=digits),
        ours=plain(ours, digits=digits + 1),
        holds=abs(paper - ours) <= within,
        rule=f"within {within:g}",
        note=note,
    )


def close_interval(
    claim: Claim, *, paper: tuple[float, float, float], ours: Estimate, within: float
) -> Check:
    """Hold when mean and both ends lie within a distance and agree about zero."""
    found = (ours.mean, ours.interval.lower, ours.interval.upper)
    near = all(abs(a - b) <= within for a, b in zip(paper, found, strict=True))
    same_verdict = (paper[1] <= 0 <= paper[2]) == (0.0 in ours.interval)
    return _check(
        claim,
        paper=_with_ends(paper),
        ours=_with_ends(found),
        holds=near and same_verdict,
        rule=f"mean and ends within {within:g}, and the same answer to: is zero outside?",
    )


def true(claim: Claim, *, paper: str, ours: str, holds: bool, rule: str, note: str = "") -> Check:
    """Hold when a statement is true of our numbers."""
    return _check(claim, paper=paper, ours=ours, holds=holds, rule=rule, note=note)


def unknown(claim: Claim, *, paper: str, why: str) -> Check:
    """Say that a claim cannot be checked here, and why."""
    return Check(
        item=claim.item,
        place=claim.place,
        claim=claim.text,
        paper=paper,
        ours="",
        verdict="cannot be checked here",
        note=why,
    )


def simulated(checks: Sequence[Check]) -> list[Check]:
    """Label checks as made on simulated people."""
    return [
        Check(
            item=check.item,
            place=check.place,
            claim=check.claim,
            paper=check.paper,
            ours=check.ours,
            verdict=check.verdict,
            rule=check.rule,
            note=" ".join(filter(None, ("On simulated people.", check.note))),
        )
        for check in checks
    ]


def _check(claim: Claim, *, paper: str, ours: str, holds: bool, rule: str, note: str = "") -> Check:
    return Check(
        item=claim.item,
        place=claim.place,
        claim=claim.text,
        paper=paper,
        ours=ours,
        verdict="holds" if holds else "does not hold",
        rule=rule,
        note=note,
    )


def _with_ends(values: tuple[float, float, float]) -> str:
    mean, lower, upper = (plain(value, digits=2) for value in values)
    return f"{mean} [{lower}, {upper}]"
