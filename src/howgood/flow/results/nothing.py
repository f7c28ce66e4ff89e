"""A result that says there is none yet, and what it would take.

In: who was gathered and what is missing. Out: `StudyResult` with `is_enough` False. Absent: errors:
that the evidence is thin is an answer, not a fault.
"""

from howgood.flow.results.people import Gathered
from howgood.records.inclusion import POLICIES
from howgood.records.provenance import Provenance
from howgood.records.report import Finding, Report
from howgood.records.result import StudyResult
from howgood.show.people import people_finding, people_text


def not_enough(gathered: Gathered, *, question: str, why: str, cure: str, held: int) -> StudyResult:
    """Return the result of a study whose answers allow none."""
    findings = [
        Finding(text=f"Not enough evidence yet. {why}", tone="unsure"),
        Finding(text=cure),
        people_finding(POLICIES[gathered.policy], gathered.left_out),
    ]
    return StudyResult(
        report=Report(
            title="Not enough evidence yet",
            question=question,
            findings=tuple(findings),
            sections=(),
            methods="Nothing was estimated.",
            provenance=Provenance(
                method="none",
                settings={"people": POLICIES[gathered.policy]},
                rows_used=gathered.n_rows,
                rows_dropped={f"people: {why}": n for why, n in gathered.left_out.items()},
            ),
        ),
        summary=f"not enough evidence: {people_text(len(gathered.taken), gathered.n_rows)}",
        people=len(gathered.taken),
        answers=held,
        is_enough=False,
        left_out=gathered.left_out,
    )
