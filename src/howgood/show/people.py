"""Whom a result rests on, and what an import added, in sentences.

In: counts and provenance. Out: text and findings. Absent: the rule itself (`records.inclusion`),
importing (`flow.importing`).
"""

from collections.abc import Mapping, Sequence

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


# What an import added, or would add, in sentences.

_MOST_NAMES = 5


def import_lines(
    *,
    people: int,
    answers: int,
    people_here: int,
    answers_here: int,
    differing: Sequence[str],
    left_out: Mapping[str, int],
    is_done: bool,
) -> list[str]:
    """Say what is added, what is here already, and what is left out and why.

    Examples
    --------
    >>> for line in import_lines(people=1, answers=8, people_here=2, answers_here=16, differing=(),
    ...                          left_out={"rows with a gap": 3}, is_done=False):
    ...     print(line)
    will add 1 person with 8 answers
    already here: 2 people with 16 answers
    left out: 3 rows with a gap
    """
    verb = "added" if is_done else "will add"
    if people:
        first = f"{verb} {_counted(people, 'person', 'people')} with {_counted(answers, 'answer')}"
    elif answers:
        first = f"{verb} {_counted(answers, 'answer')} to people who are already here"
    else:
        first = "nothing was added" if is_done else "nothing to add"
    lines = [first]
    if people_here or answers_here:
        who = f"{_counted(people_here, 'person', 'people')} with " if people_here else ""
        lines.append(f"already here: {who}{_counted(answers_here, 'answer')}")
    if differing:
        named = ", ".join(repr(criterion) for criterion in differing[:_MOST_NAMES])
        more = ", …" if len(differing) > _MOST_NAMES else ""
        lines.append(
            f"left out: {_counted(len(differing), 'person', 'people')} ({named}{more}) already "
            "here, but with other or fewer answers, as unfinished, or as no test run; what is "
            "stored stays. If they are other people, give them other ids; if the file is right, "
            "undo the earlier import or erase them, then import again"
        )
    lines += [f"left out: {count:,} {policy}" for policy, count in left_out.items()]
    return lines


def _counted(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"
