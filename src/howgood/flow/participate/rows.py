"""Answers as tidy rows: what the learning stages and a spreadsheet want.

In: a study and one person's participation. Out: one row per judgement, one about the person.
Absent: files and formats (`store`, `flow`), names and addresses (never asked for).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from howgood.flow.participate import rerating, survey
from howgood.flow.participate.comparison_rows import comparison_facts, comparison_rows
from howgood.flow.participate.path import CLOSING, CONSENT, DEMOGRAPHICS
from howgood.flow.participate.scenario_text import scenarios_of
from howgood.records.plans import RealPart, ReratingPlan, SurveyPlan
from howgood.records.scenario import Scenario
from howgood.records.screen import Answer, AnswerValue, Participation
from howgood.records.study import Study, plan_of

Row = dict[str, AnswerValue | bool]


def answers_as_rows(study: Study, participation: Participation) -> tuple[Row, ...]:
    """Return one row per judgement, ready for `learn`.

    Surveys give participant, application, part, precision, recall, rating (the first item), the
    other items and the counts shown: what `learn.fit_acceptability` and `learn.fit_ordinal` read.
    Comparisons give the log of pairs shown and chosen. Reratings give user, item, trial, rating:
    what `learn.rating_uncertainty` reads.

    Notes
    -----
    Stability: experimental
    """
    made = {
        "survey": _survey_rows,
        "comparison": comparison_rows,
        "rerating": _rerating_rows,
    }[study.kind]
    if participation.condition is None:
        return ()
    return tuple(made(study, participation))


def participant_row(study: Study, participation: Participation) -> Row:
    """Return one row about the person: condition, questions beside the task, attention, time.

    Notes
    -----
    Stability: experimental
    """
    answered = {each.screen: each for each in participation.answers}
    row: Row = {
        "participant": participation.participant,
        "condition": participation.condition,
        "consent": _value(answered, CONSENT, "consent"),
        "pages": len(answered),
        "seconds": sum(each.seconds or 0.0 for each in participation.answers),
    }
    for screen, questions in ((DEMOGRAPHICS, study.demographics), (CLOSING, study.closing)):
        row |= {each.key: _flat(_value(answered, screen, each.key)) for each in questions}
    if study.survey and study.survey.attention and participation.condition:
        row |= _attention(study.survey, participation)
    if study.comparison and participation.condition:
        row |= comparison_facts(study, participation)
    return row


def passed_checks(study: Study, participation: Participation) -> bool | None:
    """Return whether a person passed every attention check they saw; None: they saw none."""
    if not (study.survey and study.survey.attention and participation.condition):
        return None
    facts = _attention(study.survey, participation)
    asked, passed = facts["attention_asked"], facts["attention_passed"]
    return asked == passed if asked else None


def _survey_rows(study: Study, participation: Participation) -> Iterator[Row]:
    plan, condition = plan_of(study, SurveyPlan), participation.condition or ""
    answered = {each.screen: each for each in participation.answers}
    if plan.real is not None:
        yield from _real_rows(plan.real, participation, answered)
    items = [each.key for each in survey.survey_items(plan, study.language)]
    checks = [survey.check_name(each) for each in plan.attention]
    used = survey.used_systems(plan, answered)
    system = survey.imagined_system(plan, participation.seed, used)
    judged = _judged_on(study)
    for order, answer in enumerate(participation.answers, start=1):
        if answer.screen not in judged:
            continue
        application, counts = judged[answer.screen]
        yield {
            "participant": participation.participant,
            "condition": condition,
            "application": application,
            "system": system,
            "part": "hypothetical",
            "order": order,
            "real_positives": counts.real_positives,
            "true_positives": counts.true_positives,
            "false_negatives": counts.false_negatives,
            "false_positives": counts.false_positives,
            "true_negatives": counts.true_negatives,
            "precision": counts.precision,
            "recall": counts.recall,
            "desired_precision": counts.desired_precision,
            "desired_recall": counts.desired_recall,
            "rating": answer.values.get(items[0]),
            **{key: answer.values.get(key) for key in items},
            **{name: answer.values.get(name) for name in checks},
            "seconds": answer.seconds,
        }


@lru_cache(maxsize=64)
def _judged_on(study: Study) -> Mapping[str, tuple[str, Scenario]]:
    """Return what every scenario screen asks about, on whatever way a person came to it."""
    plan = plan_of(study, SurveyPlan)
    return {
        survey.scenario_key(application, number): (application.key, scenario)
        for application in plan.applications
        for number, scenario in enumerate(scenarios_of(plan), start=1)
    }


def _real_rows(
    real: RealPart, participation: Participation, answered: Mapping[str, Answer]
) -> Iterator[Row]:
    """One row per system and item whose accuracy is measured; the other items stand beside it."""
    measured = {key for system in real.systems for key in system.accuracy}
    beside = [each.key for each in real.items if each.key not in measured]
    for system in real.systems:
        answer = answered.get(f"real-{system.key}")
        if answer is None:
            continue
        for item in real.items:
            if item.key not in measured:
                continue
            precision, recall = system.accuracy.get(item.key, (None, None))
            yield {
                "participant": participation.participant,
                "condition": participation.condition,
                "application": system.key,
                "system": system.name,
                "part": item.key,
                "precision": precision,
                "recall": recall,
                "rating": answer.values.get(item.key),
                **{key: answer.values.get(key) for key in beside},
                "seconds": answer.seconds,
            }


def _rerating_rows(study: Study, participation: Participation) -> Iterator[Row]:
    plan = plan_of(study, ReratingPlan)
    asked = {
        rerating.item_key(trial, item): (trial, item)
        for trial in range(1, plan.rounds + 1)
        for item in plan.items
    }
    seen: Counter[int] = Counter()
    for answer in participation.answers:
        if answer.screen not in asked:
            continue
        trial, item = asked[answer.screen]
        seen[trial] += 1
        yield {
            "user": participation.participant,
            "item": item.key,
            "trial": trial,
            "rating": answer.values.get(rerating.RATING),
            "position": seen[trial],
            "seconds": answer.seconds,
            "at": answer.at.isoformat(),
        }


def _attention(plan: SurveyPlan, participation: Participation) -> Row:
    given = [
        (check, answer.values[name])
        for check in plan.attention
        for answer in participation.answers
        if (name := survey.check_name(check)) in answer.values
    ]
    passed = sum(value == check.answer for check, value in given)
    return {"attention_asked": len(given), "attention_passed": passed}


def _value(answered: Mapping[str, Answer], screen: str, name: str) -> AnswerValue:
    return answered[screen].values.get(name) if screen in answered else None


def _flat(value: AnswerValue) -> AnswerValue:
    """Several choices in one cell: a;b."""
    return ";".join(value) if isinstance(value, list) else value
