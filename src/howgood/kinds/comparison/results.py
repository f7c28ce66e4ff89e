"""The result of a comparison: each person's metric, the group's, and how well it predicts.

In: who was sample. Out: `StudyResult` with draws of the group's mean weight. Absent: the search
(`learn`), the pictures (`show`).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from howgood import learn
from howgood.errors import InputError
from howgood.kinds import pair_choices
from howgood.kinds.comparison import screens
from howgood.kinds.comparison.cards import wording_of
from howgood.kinds.comparison.interview import Interview, replayed, weight_of
from howgood.kinds.comparison.plan import ComparisonPlan
from howgood.kinds.fit import Respondent, Sample, insufficient_evidence
from howgood.kinds.study import Study, plan_of
from howgood.learn.elicitation.group import group_agreement, group_mean, spread_between
from howgood.records.confusion import Range
from howgood.records.elicitation import (
    FEWEST_PREFERENCES,
    Agreement,
    BisectionResult,
    ElicitationResult,
)
from howgood.records.estimate import Estimate, Interval
from howgood.records.inclusion import CARELESS, POLICIES
from howgood.records.progress import Progress
from howgood.records.provenance import Provenance
from howgood.records.report import Report
from howgood.records.result import StudyResult
from howgood.show.group import GroupWeight, PersonWeight, group_findings, group_sections
from howgood.show.people import people_text
from howgood.show.results import whole_report

_QUESTION = "How much worse is a miss than a false alarm, to each person and to the group?"
_CURE = "Let more people compare; about a dozen show how much people differ."
_LEAST_PAIRS = 3
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


def result(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    """Replay every person's choices and return what they say, one by one and together."""
    weighed, left_out = _listen(sample, progress)
    if not weighed:
        return _no_result(sample)
    progress(0.9, "drawing the pictures")
    seed = int(settings.get("seed", 1))
    group = _group(weighed, study, seed)
    people = [each.weight for each in weighed]
    n_judgements = sum(each.pairs for each in people)
    report = Report(
        title=study.title,
        question=_QUESTION,
        findings=group_findings(people, group, wording_of(study)),
        sections=group_sections(people, group),
        methods=_METHODS,
        provenance=Provenance(
            method="each person's choices replayed; widened Bayesian bootstrap over people",
            seed=seed,
            rows_used=n_judgements,
        ),
        cautions=_CAUTIONS,
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
        found = _person(person, is_policed=sample.policy != "everyone")
        if isinstance(found, str):
            left_out[found] += 1
        elif found.is_careless and sample.policy != "everyone":
            left_out[CARELESS] += 1
        else:
            weighed.append(found)
    return weighed, dict(left_out)


def _no_result(sample: Sample) -> StudyResult:
    why = (
        "Nobody has compared enough pairs, and preferred a side in them, yet."
        if sample.people
        else "Nobody has answered yet."
    )
    return insufficient_evidence(
        sample, question=_QUESTION, why=why, cure=_CURE, n_judgements=_n_judgements(sample)
    )


def _n_judgements(sample: Sample) -> int:
    """Return how many choices stand: one that was taken back, and the undo, are none."""
    rows = [row for person in sample.people for row in person.rows]
    undone = sum(bool(row.get("choice") == "undo") for row in rows)
    return sample.n_rows - 2 * undone


def _person(person: Respondent, *, is_policed: bool) -> _Weighed | str:
    """Return what one person's choices say, or why they say nothing."""
    answered = {each.screen: each for each in person.participation.answers}
    choices = pair_choices.choices_so_far(answered)
    if len(choices) < _LEAST_PAIRS:
        return _TOO_FEW
    interview = replayed(
        person.study,
        seed=person.participation.seed,
        ratio=screens.direct_ratio(answered, screens.BEFORE),
        choices=choices,
    )
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
        kinds=Counter(each.query.kind for each in interview.answered),
        undone=(len(pair_choices.compare_answers(answered)) - len(choices)) // 2,  # and the undo
        agreement=_agreement(interview),
    )
    is_careless = isinstance(result, ElicitationResult) and result.checks.looks_careless
    return _Weighed(weight=weight, a0=a0, is_careless=is_careless)


def _why_no_weight(result: ElicitationResult | BisectionResult, *, is_policed: bool) -> str:
    if not isinstance(result, ElicitationResult) or result.evidence == "none":
        return _NO_SIDE
    return CARELESS if is_policed and result.checks.looks_careless else _NOT_DESCRIBED


def _agreement(interview: Interview) -> Agreement | None:
    result = interview.result()
    if isinstance(result, ElicitationResult):
        return result.agreement
    held_out = [each for each in interview.answered if each.query.kind == "held-out"]
    try:
        return learn.agreement(result.metric, held_out)
    except InputError:  # nobody was asked, or nobody preferred a side
        return None


def _group(weighed: list[_Weighed], study: Study, seed: int) -> GroupWeight:
    weights = [each.a0 for each in weighed]
    kept_back = [each.weight.agreement for each in weighed if each.weight.agreement is not None]
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
    "Agreement on held-out pairs is easy to reach; read it beside its baselines.",
)
