"""The shapes tables come in: one row per judgement, or one row per person.

In: a table and its mapping. Out: `Prepared`. Absent: cells (`values`) and storing (`person`).
"""

from collections.abc import Mapping
from datetime import datetime

from howgood.flow.elsewhere.codes import Asked
from howgood.flow.importing.mapping import (
    APPLICATION,
    CONDITION,
    ITEM,
    PRECISION,
    RATING,
    RECALL,
    SCENARIO,
    TRIAL,
    checked_mapping,
)
from howgood.flow.importing.prepare import (
    Collected,
    Missing,
    Prepared,
    Reading,
    people_of,
)
from howgood.flow.importing.sheet import Sheet
from howgood.flow.importing.values import (
    WrongCellError,
    answer_to,
    application_named,
    number,
    on_scale,
    scenario_at,
    sorted_choices,
    whole,
)
from howgood.flow.participate.assignment import conditions
from howgood.kinds import EVERYBODY
from howgood.kinds.rerating import screens as rerating
from howgood.kinds.survey.scenarios import scenarios_of
from howgood.kinds.survey.screens import check_name, scenario_key, survey_items, survey_scale
from howgood.records.plans import Question, RatedItem, ReratingPlan, SurveyApplication, SurveyPlan
from howgood.records.screen import AnswerValue
from howgood.records.study import Study, plan_of

# Howgood's own export has rows about systems people use too, told apart by the column `part`.
_IMAGINED = "hypothetical"
_IN_USE = "rows about systems in use, which no import can take"


def prepare(
    study: Study,
    sheet: Sheet,
    mapping: Mapping[str, str],
    *,
    version: int,
    missing: Missing = "error",
    now: datetime,
) -> Prepared:
    """Read a whole table; nothing is stored, and every problem is named."""
    reading = Reading(study, sheet, checked_mapping(study, sheet, mapping))
    for name in reading.rows():
        person = reading.person(name)
        if study.kind == "rerating":
            _rated(reading, person, missing)
        elif reading.wide:
            _wide(reading, person, missing)
        else:
            _judged(reading, person, missing)
    return Prepared(
        people=people_of(reading, version, now=now),
        rows_used=reading.rows_used,
        problems=tuple(reading.problems),
        left_out=dict(reading.left_out),
    )


def _judged(reading: Reading, person: Collected, missing: Missing) -> None:
    """Read one judgement of a survey."""
    study, plan = reading.study, plan_of(reading.study, SurveyPlan)
    part = "" if "part" in reading.mapping.values() else reading.row.cells.get("part", "")
    if part not in ("", _IMAGINED):
        reading.left_out[_IN_USE] += 1
        return
    scale = survey_scale(study, plan)
    items = [each.key for each in survey_items(plan, study.language) if each.key in reading.mapping]
    values: dict[str, AnswerValue] = {
        name: reading.mapped(name, lambda text: on_scale(text, scale)) for name in items
    }
    application = _application(reading, plan)
    place = _scenario(reading, plan)
    if _has_gap(reading, [*items, *_where(reading)], missing):
        return
    if application is None or place is None or None in values.values():
        return
    for check in plan.attention:
        given = reading.mapped(check_name(check), lambda text: on_scale(text, scale))
        if given is not None:
            values[check_name(check)] = given
    person.condition = person.condition or _condition(reading, plan, application, place)
    reading.judge(person, scenario_key(application, place), values)


def _where(reading: Reading) -> list[str]:
    """Return what says which scenario a row is about."""
    levels = [SCENARIO] if SCENARIO in reading.mapping else [PRECISION, RECALL]
    return levels + ([APPLICATION] if APPLICATION in reading.mapping else [])


def _has_gap(reading: Reading, names: list[str], missing: Missing) -> bool:
    """Return whether a needed cell is empty; the policy says whether that is a problem."""
    gap = next((each for each in names if not reading.text(each)), None)
    if gap is None:
        return False
    if missing == "error":
        column = reading.mapping[gap]
        reading.problem(column, "nothing", "an answer, or leave such rows out")
    else:
        reading.left_out["rows with a gap"] += 1
    return True


def _application(reading: Reading, plan: SurveyPlan) -> SurveyApplication | None:
    if APPLICATION not in reading.mapping:
        return plan.applications[0]
    return reading.mapped(APPLICATION, lambda text: application_named(text, plan.applications))


def _scenario(reading: Reading, plan: SurveyPlan) -> int | None:
    every = scenarios_of(plan)
    if SCENARIO in reading.mapping:
        return reading.mapped(SCENARIO, lambda text: _place(text, len(every)))
    precision, recall = reading.mapped(PRECISION, number), reading.mapped(RECALL, number)
    if precision is None or recall is None:
        return None
    given = f"{reading.text(PRECISION)} and {reading.text(RECALL)}"
    return reading.value(
        reading.mapping[PRECISION], given, lambda _: scenario_at(precision, recall, every)
    )


def _place(text: str, most: int) -> int:
    needed = f"the number of a scenario, 1 to {most}"
    found = whole(text, needed=needed)
    if not 1 <= found <= most:
        raise WrongCellError(needed)
    return found


def _condition(
    reading: Reading, plan: SurveyPlan, application: SurveyApplication, place: int
) -> str:
    """Return the branch the table names, else one that shows this application."""
    known = conditions(reading.study)
    given = reading.text(CONDITION)
    if given:
        if given in known:
            return given
        reading.problem(reading.mapping[CONDITION], repr(given), f"one of {', '.join(known)}")
    if plan.micro_task:
        return scenario_key(application, place)
    fitting = [each.key for each in plan.branches if application.key in each.applications]
    return fitting[0] if fitting else EVERYBODY if EVERYBODY in known else known[0]


def _wide(reading: Reading, person: Collected, missing: Missing) -> None:
    """Read one person of an exported survey."""
    study, plan = reading.study, plan_of(reading.study, SurveyPlan)
    scale = survey_scale(study, plan)
    pages: dict[str, dict[str, AnswerValue]] = {}
    asked: dict[str, int] = {}
    checks: dict[str, AnswerValue] = {}
    for column, each in reading.wide.items():
        text = reading.row.cells[column]
        question = _question(study, each)
        if question is not None:
            _beside(reading, person, each, question, column, text)
            continue
        asked[each.screen] = asked.get(each.screen, 0) + 1
        point = reading.value(column, text, lambda t: on_scale(t, scale)) if text else None
        if point is not None and not each.screen:
            checks[each.name] = point
        elif point is not None:
            pages.setdefault(each.screen, {})[each.name] = point
    for screen, values in pages.items():
        if len(values) < asked[screen]:
            _partial(reading, screen, missing)
            continue
        # An attention check had a page of its own there; here it stands with the first judgement.
        reading.judge(person, screen, values | checks)
        checks = {}
        application, _, place = screen.rpartition("-s")
        shown = next(each for each in plan.applications if each.key == application)
        person.condition = person.condition or _condition(reading, plan, shown, int(place))


def _partial(reading: Reading, screen: str, missing: Missing) -> None:
    if missing == "drop":
        reading.left_out["pages with a gap"] += 1
    else:
        # What is there but no point of the scale is a problem already.
        empty = [name for name, each in reading.wide.items() if each.screen == screen
                 and not reading.row.cells[name]]  # fmt: skip
        for column in empty[:1]:
            reading.problem(column, "nothing", "an answer, or leave such pages out")


def _question(study: Study, asked: Asked) -> Question | None:
    questions = (*study.demographics, *study.closing)
    return next((each for each in questions if each.key == asked.name and asked.screen), None)


def _beside(
    reading: Reading, person: Collected, asked: Asked, question: Question, column: str, text: str
) -> None:
    """Read an answer beside the task; one of several choices has a column of its own."""
    values = person.beside.setdefault(asked.screen, {})
    if asked.option is None:
        given = reading.value(
            column, text, lambda t: answer_to(question, t, language=reading.study.language)
        )
        values[question.key] = given
    elif text.casefold() in ("y", "yes", "1", "ja") and asked.option <= len(question.options):
        earlier = values.get(question.key)
        chosen = [*(earlier if isinstance(earlier, list) else []),
                  question.options[asked.option - 1].key]  # fmt: skip
        values[question.key] = sorted_choices(question, chosen)


def _rated(reading: Reading, person: Collected, missing: Missing) -> None:
    """Read one rating."""
    plan = plan_of(reading.study, ReratingPlan)
    if _has_gap(reading, [ITEM, TRIAL, RATING], missing):
        return
    item = reading.mapped(ITEM, lambda text: _item(text, plan))
    trial = reading.mapped(TRIAL, lambda text: _place(text, plan.rounds))
    rating = reading.mapped(RATING, lambda text: on_scale(text, plan.scale))
    if item is not None and trial is not None and rating is not None:
        reading.judge(person, rerating.item_key(trial, item), {rerating.RATING: rating})


def _item(text: str, plan: ReratingPlan) -> RatedItem:
    for each in plan.items:
        if text.casefold() in (each.key.casefold(), each.text.casefold()):
            return each
    raise WrongCellError(f"one of {', '.join(each.key for each in plan.items[:12])}")
