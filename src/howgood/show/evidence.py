"""Whether the answers suffice, in a sentence that stands at the number.

In: `Evidence`, the application, how many people answered. Out: findings. Absent: judging answers
(see `learn.evidence`).
"""

from howgood.records.evidence import FEW_PEOPLE, Evidence
from howgood.records.report import Finding


def evidence_findings(
    evidence: Evidence, application: str, n_respondents: int | None = None
) -> tuple[Finding, ...]:
    """Say that the answers do not suffice to decide; nothing where they do.

    Examples
    --------
    >>> evidence_findings("few people", "alarm", 3)[0].text
    'Not enough evidence: 3 people answered about alarm, and decisions need 10 or more.'
    """
    if evidence == "enough":
        return ()
    if evidence == "few people":
        asked = "too few people" if n_respondents is None else _people(n_respondents)
        why = f"{asked} answered about {application}, and decisions need {FEW_PEOPLE} or more"
    else:
        why = (
            f"the answers about {application} cannot tell how acceptance depends on accuracy, and "
            "its numbers come from the priors"
        )
    return (Finding(text=f"Not enough evidence: {why}.", tone="unsure"),)


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"
