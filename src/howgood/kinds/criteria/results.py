"""The result of a study of criteria: each person's weights, and the choice for the group.

In: who counts. Out: `StudyResult`. Absent: the search and the group's regrets (`learn`), the
pictures (`show`).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from howgood.kinds.criteria import screens
from howgood.kinds.fit import Respondent, Sample, insufficient_evidence, pair_cautions
from howgood.kinds.pair_choices import why_nothing
from howgood.kinds.study import Study
from howgood.learn.elicitation.group import group_choice
from howgood.records.criteria import CriteriaResult
from howgood.records.elicitation import FEWEST_PREFERENCES
from howgood.records.inclusion import CARELESS, LIKE_RANDOM, POLICIES
from howgood.records.progress import Progress
from howgood.records.provenance import Provenance
from howgood.records.report import Report
from howgood.records.result import StudyResult
from howgood.show.group import (
    GROUP_METHODS,
    criteria_group_findings,
    criteria_group_headline,
    criteria_group_sections,
)
from howgood.show.people import people_text
from howgood.show.results import whole_report

_QUESTION = "Which alternative suits these people best, and how much do they differ?"
_CURE = "Let more people compare; about a dozen show how much people differ."
_CAUTION = "Weights hold for the ranges of this table: with other alternatives, others."
_NOT_DESCRIBED = "chose in a way that no weights describe"
_NO_SIDE = f"preferred a side in fewer than {FEWEST_PREFERENCES} pairs asked to learn from"


def result(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    """Replay every person's choices and return what they say, one by one and together."""
    people, left_out = _listen(sample, progress)
    if not people:
        why = why_nothing(len(sample.people), set(left_out) - set(sample.left_out), (_NO_SIDE,))
        return insufficient_evidence(
            replace(sample, left_out=left_out), question=_QUESTION, why=why, cure=_CURE
        )
    progress(0.9, "drawing the pictures")
    seed = int(settings.get("seed", 1))
    group = group_choice(people, random_state=seed)
    n_judgements = sum(person.queries for person in people.values())
    report = Report(
        title=study.title,
        question=_QUESTION,
        headlines=(criteria_group_headline(group, people),),
        findings=criteria_group_findings(group, people),
        sections=criteria_group_sections(group, people),
        methods=GROUP_METHODS,
        provenance=Provenance(
            method="each person's choices replayed; Bayesian bootstrap over people",
            seed=seed,
            rows_used=n_judgements,
        ),
        cautions=(_CAUTION, *pair_cautions(sample)),
    )
    return StudyResult(
        report=whole_report(
            report,
            title=study.title,
            first=(),
            left_out=left_out,
            policy=POLICIES[sample.policy],
        ),
        summary=people_text(len(people), n_judgements),
        people=len(people),
        answers=sample.held,
        left_out=left_out,
    )


def _listen(sample: Sample, progress: Progress) -> tuple[dict[str, CriteriaResult], dict[str, int]]:
    heard, left_out = {}, Counter(sample.left_out)
    for place, person in enumerate(sample.people):
        progress(0.9 * place / len(sample.people), f"person {place + 1}")
        result = _person(person)
        reason = _why_not(result, is_policed=sample.policy != "everyone")
        if reason:
            left_out[reason] += 1
        else:
            heard[person.participation.participant] = result
    return heard, dict(left_out)


def _person(person: Respondent) -> CriteriaResult:
    return screens.heard(person.study, person.participation).elicitor.result()


def _why_not(result: CriteriaResult, *, is_policed: bool) -> str:
    """Return why a person says nothing about the group; empty if they do."""
    if result.evidence == "none":
        return _NO_SIDE
    if is_policed and result.checks.looks_careless:
        return CARELESS
    if result.misfit:
        return _NOT_DESCRIBED
    return "" if result.evidence == "enough" else LIKE_RANDOM
