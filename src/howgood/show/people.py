"""Whom a result rests on, in sentences: the rule, the counts, who was left out.

In: counts and provenance. Out: text and findings. Absent: the rule itself (`records.inclusion`).
"""

from collections.abc import Mapping

from howgood.records.provenance import Provenance
from howgood.records.report import Finding


def people_text(people: int, judgements: int) -> str:
    """Say how much evidence there is.

    Examples
    --------
    >>> people_text(1, 8), people_text(12, 96)
    ('1 person, 8 judgements', '12 people, 96 judgements')
    """
    who = "1 person" if people == 1 else f"{people} people"
    return f"{who}, {judgements} judgement" + ("" if judgements == 1 else "s")


def left_out_text(left_out: Mapping[str, int]) -> str:
    """Say who was left out and why; nothing when nobody was.

    Examples
    --------
    >>> left_out_text({"test runs": 2, "failed an attention check": 1})
    'Left out: 2 (test runs), 1 (failed an attention check).'
    """
    if not left_out:
        return ""
    return f"Left out: {', '.join(f'{n} ({why})' for why, n in left_out.items())}."


def people_finding(rule: str, left_out: Mapping[str, int], *, evidence: str = "") -> Finding:
    """Name the rule of whose answers count, and who was left out by it.

    Examples
    --------
    >>> people_finding("everyone", {"test runs": 2}, evidence="1 person, 8 judgements").text
    'Whose answers count: everyone. 1 person, 8 judgements. Left out: 2 (test runs).'
    """
    parts = [f"Whose answers count: {rule}."]
    parts += [f"{evidence}."] if evidence else []
    parts += [left_out_text(left_out)] if left_out else []
    return Finding(text=" ".join(parts))


def fitted_people(n_people: int, provenance: Provenance) -> tuple[Finding, ...]:
    """Say whom a fit rests on: the rule, how many people and rows, who was left out."""
    rule = provenance.settings.get("people")
    if rule is None:  # a fit saved before the rule was recorded
        return ()
    return (
        people_finding(
            str(rule),
            provenance.settings.get("people_left_out", {}),
            evidence=people_text(n_people, provenance.rows_used or 0),
        ),
    )
