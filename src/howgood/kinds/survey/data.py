"""A survey's answers as rows, and what their columns mean.

In: a study and one person's participation. Out: rows and columns. Absent: files (`flow.collected`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from howgood.ask.sentences import labels
from howgood.kinds.protocol import Row
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.plan import RealPart, SurveyPlan
from howgood.kinds.survey.scenarios import scenarios_of
from howgood.kinds.survey.screens import (
    check_name,
    imagined_system,
    scenario_key,
    survey_items,
    survey_scale,
    used_systems,
)
from howgood.records.codebook import CELLS, PARTICIPANT, SECONDS, Column, columns, scale_levels
from howgood.records.inclusion import CHECKS_COLUMN
from howgood.records.item import Item
from howgood.records.screen import Answer, Participation

_COLUMNS = columns(
    PARTICIPANT,
    ("condition", "text", "branch or single scenario the person was assigned to"),
    ("application", "text", "key of the application, or of a system the person uses"),
    ("system", "text", "name of the system the person was to imagine or uses"),
    ("part", "text", "'hypothetical' for scenarios, else the item about a system in use"),
    ("order", "integer", "place of the page on the person's way, from 1"),
    ("real_positives", "integer", "how often the thing really happened in the scenario"),
    *((name, "integer", f"{meaning} in the scenario") for name, meaning in CELLS.items()),
    ("precision", "number", "precision of the counts shown"),
    ("recall", "number", "recall of the counts shown"),
    ("desired_precision", "number", "level of precision the scenario was made for"),
    ("desired_recall", "number", "level of recall the scenario was made for"),
    ("rating", "integer", "rating of the first item, 1 is lowest"),
    SECONDS,
)
_ATTENTION = columns(
    ("attention_asked", "integer", "attention checks seen"),
    ("attention_passed", "integer", "attention checks answered as asked"),
)
_PASSED_CHECKS = Column(
    name=CHECKS_COLUMN,
    type="boolean",
    meaning="whether the person passed every attention check; empty: saw none",
)


def rows(study: Study, participation: Participation) -> Iterator[Row]:
    """Yield one row per judged scenario, and per measured item about a system in use."""
    plan, condition = plan_of(study, SurveyPlan), participation.condition or ""
    answered = {each.screen: each for each in participation.answers}
    if plan.real is not None:
        yield from _real_rows(plan.real, participation, answered)
    items = [item.key for item in survey_items(plan, study.language)]
    asked = [*items, *(check_name(check) for check in plan.attention)]
    used = used_systems(plan, answered)
    system = imagined_system(plan, participation.seed, used)
    shown = _shown_on(study)
    for order, answer in enumerate(participation.answers, start=1):
        if answer.screen not in shown:
            continue
        values = answer.values
        row = shown[answer.screen] | {
            "participant": participation.participant,
            "condition": condition,
            "system": system,
            "order": order,
            "rating": values.get(items[0]),
            "seconds": answer.seconds,
        }
        for name in asked:
            row[name] = values.get(name)
        yield row


@lru_cache(maxsize=64)
def _shown_on(study: Study) -> Mapping[str, Row]:
    """Return what every scenario screen shows, on whatever way a person came to it.

    The same for everybody who sees it, and an export asks for millions of them.
    """
    plan = plan_of(study, SurveyPlan)
    return {
        scenario_key(application, number): {
            "application": application.key,
            "part": "hypothetical",
            "real_positives": counts.real_positives,
            "true_positives": counts.true_positives,
            "false_negatives": counts.false_negatives,
            "false_positives": counts.false_positives,
            "true_negatives": counts.true_negatives,
            "precision": counts.precision,
            "recall": counts.recall,
            "desired_precision": counts.desired_precision,
            "desired_recall": counts.desired_recall,
        }
        for application in plan.applications
        for number, counts in enumerate(scenarios_of(plan), start=1)
    }


def _real_rows(
    real: RealPart, participation: Participation, answered: Mapping[str, Answer]
) -> Iterator[Row]:
    """One row per system and item whose accuracy is measured; other items share the row."""
    measured = {key for system in real.systems for key in system.accuracy}
    unmeasured = [each.key for each in real.items if each.key not in measured]
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
                **{key: answer.values.get(key) for key in unmeasured},
                "seconds": answer.seconds,
            }


def person_facts(study: Study, participation: Participation) -> Row:
    """Return how many attention checks somebody saw and passed, where the study has any."""
    plan = plan_of(study, SurveyPlan)
    return _attention(plan, participation) if plan.attention and participation.condition else {}


def passed_checks(study: Study, participation: Participation) -> bool | None:
    """Return whether a person passed every attention check they saw; None: they saw none."""
    facts = person_facts(study, participation)
    asked = facts.get("attention_asked")
    return asked == facts["attention_passed"] if asked else None


def _attention(plan: SurveyPlan, participation: Participation) -> Row:
    given = [
        (check, answer.values[name])
        for check in plan.attention
        for answer in participation.answers
        if (name := check_name(check)) in answer.values
    ]
    passed = sum(value == check.answer for check, value in given)
    return {"attention_asked": len(given), "attention_passed": passed}


def answer_columns(study: Study) -> Iterator[Column]:
    """Yield the columns of a judgement: what was shown, every item, every check, the time."""
    plan = plan_of(study, SurveyPlan)
    scale, items = survey_scale(study, plan), survey_items(plan, study.language)
    *before, seconds = _COLUMNS
    for column in before:
        if column.name == "rating":
            yield replace(column, question=items[0].text, levels=scale_levels(scale))
        else:
            yield column
    yield from (_item(item, scale) for item in items)
    yield from _unmeasured_items(study, plan)
    for check in plan.attention:
        meaning = "answer to this attention check, on the page where it stood; asked for: "
        yield Column(
            name=check_name(check),
            type="integer",
            meaning=f"{meaning}{check.answer}",
            question=check.text,
            levels=scale_levels(scale),
        )
    yield seconds
    yield from [_PASSED_CHECKS] if plan.attention else []


def rating_columns(study: Study) -> tuple[str, ...]:
    """Return the columns of the items."""
    items = survey_items(plan_of(study, SurveyPlan), study.language)
    return tuple(item.key for item in items)


def person_columns(study: Study) -> tuple[Column, ...]:
    """Return the columns of `person_facts`."""
    return _ATTENTION if plan_of(study, SurveyPlan).attention else ()


def _item(item: Item, scale: tuple[str, ...]) -> Column:
    return Column(
        name=item.key,
        type="integer",
        meaning="rating of this item",
        question=item.text,
        levels=scale_levels(scale),
    )


def _unmeasured_items(study: Study, plan: SurveyPlan) -> Iterator[Column]:
    """Items about systems people use that have no measured accuracy stand in their own columns."""
    if plan.real is None:
        return
    measured = {key for system in plan.real.systems for key in system.accuracy}
    scale = plan.real.scale or labels(study.language, "agree_scale")
    yield from (_item(item, scale) for item in plan.real.items if item.key not in measured)
