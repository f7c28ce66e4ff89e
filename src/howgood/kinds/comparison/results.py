"""The result of a comparison: each person's metric, the group's, and how well it predicts.

In: who was sample. Out: `StudyResult` with draws of the group's mean weight. Absent: the search
(`learn`), the pictures (`show`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from howgood import learn
from howgood.errors import InputError
from howgood.kinds import pair_choices
from howgood.kinds.comparison import screens
from howgood.kinds.comparison.interview import Interview, weight_of
from howgood.kinds.comparison.plan import ComparisonPlan
from howgood.kinds.comparison.system_cards import wording_of
from howgood.kinds.fit import Respondent, Sample, insufficient_evidence, pair_cautions
from howgood.kinds.study import Study, plan_of
from howgood.learn.elicitation.group import group_agreement, group_mean, spread_between
from howgood.learn.elicitation.stakeholders import stakeholders
from howgood.records.confusion import Range
from howgood.records.elicitation import (
    FEWEST_PREFERENCES,
    Agreement,
    BisectionResult,
    ElicitationResult,
)
from howgood.records.estimate import Estimate, Interval
from howgood.records.inclusion import CARELESS, LIKE_RANDOM, POLICIES
from howgood.records.progress import Progress
from howgood.records.provenance import Provenance
from howgood.records.report import Finding, Report, Section
from howgood.records.result import StudyResult
from howgood.records.stakeholders import Stakeholders
from howgood.show.group import (
    GroupWeight,
    PersonWeight,
    group_findings,
    group_headline,
    group_sections,
)
from howgood.show.people import people_text
from howgood.show.results import whole_report
from howgood.show.stakeholders import stakeholder_findings, stakeholder_sections

_QUESTION = "How much worse is a miss than a false alarm, to each person and to the group?"
_CURE = "Let more people compare; about a dozen show how much people differ."
_LEAST_PAIRS, _FEWEST_TOGETHER = 3, 3
_KEPT_DRAWS = 400


_TOO_FEW = f"judged fewer than {_LEAST_PAIRS} pairs"
_NOT_DESCRIBED = "chose in a way that no metric considered describes"
_NO_SIDE = f"preferred a side in fewer than {FEWEST_PREFERENCES} pairs asked to learn from"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighed:
    """One person's weight, as it is reported and as draws."""

    weight: PersonWeight
    a0: Estimate
    is_careless: bool
    result: ElicitationResult | None
    said: Mapping[str, Any]


def result(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    """Replay every person's choices and return what they say, one by one and together."""
    weighed, left_out = _listen(sample, progress)
    if not weighed:
        return _no_result(sample, left_out)
    progress(0.9, "drawing the pictures")
    seed = int(settings.get("seed", 1))
    group = _group(weighed, study, seed)
    findings, sections = _for_a_committee(weighed, study, seed)
    people = [person.weight for person in weighed]
    n_judgements = sum(person.pairs for person in people)
    report = Report(
        title=study.title,
        question=_QUESTION,
        findings=(*group_findings(people, group, wording_of(study)), *findings),
        sections=_pictures_first((*group_sections(people, group), *sections)),
        methods=_METHODS,
        provenance=Provenance(
            method="each person's choices replayed; widened Bayesian bootstrap over people",
            seed=seed,
            rows_used=n_judgements,
        ),
        cautions=(*_CAUTIONS, *pair_cautions(sample)),
        headlines=(group_headline(people, group, wording_of(study)),),
    )
    return StudyResult(
        report=whole_report(
            report,
            title=study.title,
            first=(),
            left_out=left_out,
            policy=POLICIES[sample.policy],
        ),
        summary=people_text(len(weighed), n_judgements),
        people=len(weighed),
        answers=sample.held,
        left_out=left_out,
        weight_draws=group.a0.draws[:: max(1, group.a0.draws.size // _KEPT_DRAWS)],
    )


def _listen(sample: Sample, progress: Progress) -> tuple[list[_Weighed], dict[str, int]]:
    weighed, left_out = [], Counter(sample.left_out)
    for place, person in enumerate(sample.people):
        progress(0.9 * place / len(sample.people), f"person {place + 1}")
        heard = _person(person, is_policed=sample.policy != "everyone")
        if isinstance(heard, str):
            left_out[heard] += 1
        elif heard.is_careless and sample.policy != "everyone":
            left_out[CARELESS] += 1
        else:
            weighed.append(heard)
    return weighed, dict(left_out)


def _no_result(sample: Sample, left_out: Mapping[str, int]) -> StudyResult:
    reasons = set(left_out) - set(sample.left_out)
    why = pair_choices.why_nothing(len(sample.people), reasons, (_TOO_FEW, _NO_SIDE))
    return insufficient_evidence(
        replace(sample, left_out=left_out),
        question=_QUESTION,
        why=why,
        cure=_CURE,
        n_judgements=_n_judgements(sample),
    )


def _n_judgements(sample: Sample) -> int:
    """Return how many choices stand: one that was taken back, and the undo, are none."""
    rows = [row for person in sample.people for row in person.rows]
    undone = sum(bool(row.get("choice") == "undo") for row in rows)
    return sample.n_rows - 2 * undone


def _person(person: Respondent, *, is_policed: bool) -> _Weighed | str:
    """Return what one person's choices say, or why they say nothing."""
    answered = {answer.screen: answer for answer in person.participation.answers}
    n_choices = len(pair_choices.standing_answers(answered))
    if n_choices < _LEAST_PAIRS:
        return _TOO_FEW
    interview = screens.heard(person.study, person.participation)
    result, a0 = interview.result(), weight_of(interview)
    if a0 is None:
        return _why_no_weight(result, is_policed=is_policed)
    is_bracket = isinstance(result, BisectionResult)
    # A bisection has no model of error: its last bracket stands for an interval.
    ends: Interval | Range = result.interval if is_bracket and result.interval else a0.interval
    weight = PersonWeight(
        name=person.participation.participant,
        a0=a0.mean,
        lower=ends.lower,
        upper=ends.upper,
        is_bracket=is_bracket,
        family="linear" if isinstance(result, BisectionResult) else result.family,
        kinds=Counter(answer.query.kind for answer in interview.answered),
        undone=(len(pair_choices.compare_answers(answered)) - n_choices) // 2,  # and the undo
        agreement=_agreement(interview),
    )
    is_careless = isinstance(result, ElicitationResult) and result.checks.looks_careless
    return _Weighed(
        weight=weight,
        a0=a0,
        is_careless=is_careless,
        result=result if isinstance(result, ElicitationResult) else None,
        said={
            key: value
            for one_interview in answered.values()
            for key, value in one_interview.values.items()
        },
    )


def _why_no_weight(result: ElicitationResult | BisectionResult, *, is_policed: bool) -> str:
    if not isinstance(result, ElicitationResult) or result.evidence == "none":
        return _NO_SIDE
    if is_policed and result.checks.looks_careless:
        return CARELESS
    return _NOT_DESCRIBED if result.misfit else LIKE_RANDOM


def _agreement(interview: Interview) -> Agreement | None:
    result = interview.result()
    if isinstance(result, ElicitationResult):
        return result.agreement
    held_out = [answer for answer in interview.answered if answer.query.kind == "held-out"]
    try:
        return learn.agreement(result.metric, held_out)
    except InputError:  # nobody was asked, or nobody preferred a side
        return None


def _pictures_first(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Return the sections with the pictures of people at the top, next to each other."""
    return tuple(sorted(sections, key=lambda section: not section.svg))


def _for_a_committee(
    weighed: list[_Weighed], study: Study, seed: int
) -> tuple[tuple[Finding, ...], tuple[Section, ...]]:
    """Say whether people are one crowd or two, and who pays for which threshold."""
    splits, wording = _splits(weighed, study), wording_of(study)
    together = _together(weighed, next(iter(splits.values()), {}), seed)
    if together is None:
        return (), ()
    agreements = {person.weight.name: person.weight.agreement for person in weighed}
    return (
        stakeholder_findings(together, wording),
        stakeholder_sections(together, agreements, wording, splits=splits),
    )


def _together(weighed: list[_Weighed], groups: dict[str, str], seed: int) -> Stakeholders | None:
    """Return the crowd and who pays, of at least three people whom the mixture asked."""
    people = {person.weight.name: person.result for person in weighed if person.result is not None}
    if len(people) < _FEWEST_TOGETHER or len(people) < len(weighed):
        return None
    first = next(iter(people.values()))
    is_same = all(tuple(person.systems) == tuple(first.systems) for person in people.values())
    # People of other versions of the study may have compared other systems.
    if not is_same:
        return None
    return stakeholders(people, groups=groups, random_state=seed)


def _splits(weighed: list[_Weighed], study: Study) -> dict[str, dict[str, str]]:
    """Return who said what, by question about people: those with two sizeable answers.

    Answers are in the question's order: an expert comes after a beginner.
    """
    splits = {}
    for question in study.demographics:
        names = {option.key: option.text for option in question.options} or {
            str(place): label for place, label in enumerate(question.scale, start=1)
        }
        said = {
            person.weight.name: names[key]
            for key in names
            for person in weighed
            if str(person.said.get(question.key)) == key
        }
        sizeable = [name for name, count in Counter(said.values()).items() if count > 1]
        if len(sizeable) > 1:
            splits[question.text] = said
    return splits


def _group(weighed: list[_Weighed], study: Study, seed: int) -> GroupWeight:
    weights = [person.a0 for person in weighed]
    kept_back = [
        person.weight.agreement for person in weighed if person.weight.agreement is not None
    ]
    plan = plan_of(study, ComparisonPlan)
    return GroupWeight(
        a0=group_mean(weights, random_state=seed),
        spread=spread_between(weights),
        agreement=group_agreement(kept_back, random_state=seed) if kept_back else None,
        is_direct_asked=plan.algorithm == "mixture" and plan.direct in ("both", "before"),
    )


_METHODS = (
    "Each person's choices were replayed through the search that asked them: for the mixture, "
    "sensitivity, lapses and the width of indifference were unknown and averaged over, and a0 is "
    "the weight of a correct negative if the metric is linear; for the bisection, its last "
    "bracket. The group's mean is over people like those asked: the Bayesian bootstrap, "
    "widened for their number (of one person alone, that person's posterior). M is the share of "
    "held-out pairs in which a person's metric picks the side that person picked (Ali et al. "
    "2022); the group's is the mean of people's shares as counted, and its interval is over people "
    "too, but never narrower than so few questions would make it."
)
_CAUTIONS = (
    "The mean hides people: look at the spread before one weight is used for everybody.",
    "Agreement on pairs kept back is easy to reach; read it next to its baselines.",
)
