"""The result of a study of failures: how much each kind weighs, how often it may happen.

In: the sample. Out: `StudyResult`. Absent: the statistics (`learn`) and the pictures (`show`).
"""

from collections.abc import Mapping
from typing import Any

from howgood import decide, learn
from howgood.errors import UngatedPosteriorError
from howgood.kinds.failures.plan import FailuresPlan
from howgood.kinds.failures.screens import scale_of
from howgood.kinds.fit import Sample, insufficient_evidence
from howgood.kinds.study import Study, plan_of
from howgood.learn.failures import silent_reason
from howgood.records.inclusion import POLICIES
from howgood.records.progress import Progress
from howgood.records.result import StudyResult
from howgood.show.failures import bar_findings, failure_report
from howgood.show.people import people_text
from howgood.show.results import whole_report

_QUESTION = "Which kinds of failure weigh most, and how often may each happen?"
_CURE = "Ask more people: about 25 are usual, with 8 scenarios each."
_SILENT_CURE = (
    "Ask about systems that fail more often, or less often, until some people accept and some "
    "do not."
)
_LEAST_PEOPLE = 2
_SHARE = 0.7


def result(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    """Fit the answers and return the report, or what is missing for one."""
    if len(sample.people) < _LEAST_PEOPLE:
        why = "Only one person has answered." if sample.people else "Nobody has answered yet."
        return insufficient_evidence(sample, question=_QUESTION, why=why, cure=_CURE)
    plan = plan_of(study, FailuresPlan)
    kinds = tuple(kind.key for kind in plan.kinds)
    answers = sample.answers(*kinds, scale=len(scale_of(study, plan)))
    if not len(answers):
        why = "Nobody has rated a scenario yet."
        return insufficient_evidence(sample, question=_QUESTION, why=why, cure=_CURE)
    try:
        fit = learn.fit_failures(
            answers,
            kinds=kinds,
            out_of=plan.out_of,
            scale=len(scale_of(study, plan)),
            random_state=int(settings.get("seed", 1)),
            progress=lambda share, step: progress(0.75 * share, step),
        )
    except UngatedPosteriorError as error:
        why = f"The answers do not pin the model down: {error}"
        return insufficient_evidence(sample, question=_QUESTION, why=why, cure=_CURE)
    if reason := silent_reason(fit.cells):
        why = f"The answers say nothing about {reason}."
        return insufficient_evidence(sample, question=_QUESTION, why=why, cure=_SILENT_CURE)
    progress(0.75, "drawing the pictures")
    bar = decide.failure_bar(fit, share=_SHARE)
    report = whole_report(
        failure_report(fit, bar),
        title=study.title,
        first=bar_findings(bar),
        left_out=sample.left_out,
        policy=POLICIES[sample.policy],
    )
    return StudyResult(
        report=report,
        summary=people_text(fit.n_respondents, fit.provenance.rows_used or 0),
        people=fit.n_respondents,
        answers=sample.held,
        left_out=sample.left_out,
    )
