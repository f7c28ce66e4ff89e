"""A survey's answers as rows, what their columns mean, and answers read from a table.

In: a study and one person's participation, or a row per judged scenario. Out: rows and columns, or
a judgement. Absent: files (`flow.collected`, `flow.importing`), and tables with one row per person,
which are read by the codes of an exported survey.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from howgood.ask.sentences import labels
from howgood.kinds.cells import WrongCellError, number, on_scale, place_from_1
from howgood.kinds.protocol import Row
from howgood.kinds.rules import in_words
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.exports import fitting_condition
from howgood.kinds.survey.plan import RealPart, SurveyApplication, SurveyPlan
from howgood.kinds.survey.scenarios import scenarios_of
from howgood.kinds.survey.screens import (
    check_name,
    imagined_system,
    scenario_key,
    survey_items,
    survey_scale,
    used_systems,
)
from howgood.kinds.table_import import (
    CONDITION,
    Missing,
    PersonDraft,
    RowReader,
    TableImport,
    Target,
)
from howgood.records.answer_checks import AnswerChecks, AttentionCheck, JudgedMap, JudgedPoint
from howgood.records.codebook import (
    CELLS,
    PARTICIPANT,
    SECONDS,
    Batch,
    Column,
    batch_of,
    columns,
    rows_of,
    scale_levels,
)
from howgood.records.inclusion import CHECKS_COLUMN
from howgood.records.item import Item
from howgood.records.scenario import Scenario
from howgood.records.screen import Answer, AnswerValue, Participation

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
_INTERFACE = Column(
    name="interface", type="text", meaning="interface that the page showed; empty: a system in use"
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


def rows(study: Study, participation: Participation) -> list[Row]:
    """Return one row per judged scenario, and per measured item about a system in use."""
    return rows_of(batch(study, [participation]))


def batch(study: Study, people: Sequence[Participation]) -> Batch:
    """Return the `rows` of several people by column."""
    real = plan_of(study, SurveyPlan).real
    if real is None:
        return _judged(study, people)
    return batch_of([
        row
        for person in people
        for row in (*_real_rows(real, person), *rows_of(_judged(study, [person])))
    ])  # fmt: skip


def _judged(study: Study, people: Sequence[Participation]) -> Batch:
    """Return what was said about imagined situations, by column."""
    plan, shown, (first, *others) = plan_of(study, SurveyPlan), _shown_on(study), _asked(study)
    answers: list[Answer] = []
    orders: list[int] = []
    about: list[tuple[str, str, str | None]] = []
    for person in people:
        given = [
            (order, answer)
            for order, answer in enumerate(person.answers, start=1)
            if answer.screen in shown
        ]
        if given:
            used = used_systems(plan, _by_screen(person)) if plan.real else ()
            system = imagined_system(plan, person.seed, used)
            about += [(person.participant, person.condition or "", system)] * len(given)
            orders += [order for order, _ in given]
            answers += [answer for _, answer in given]
    if not answers:
        return {}
    values = [answer.values for answer in answers]
    ratings = [answer.get(first) for answer in values]
    situations = [shown[answer.screen] for answer in answers]
    cells = zip(*[situation.values() for situation in situations], strict=True)
    return {
        **dict(zip(situations[0], cells, strict=True)),
        **dict(zip(("participant", "condition", "system"), zip(*about, strict=True), strict=True)),
        "order": orders,
        "rating": ratings,
        "seconds": [answer.seconds for answer in answers],
        first: ratings,
        **{name: [answer.get(name) for answer in values] for name in others},
    }


def _by_screen(person: Participation) -> dict[str, Answer]:
    return {answer.screen: answer for answer in person.answers}


@lru_cache(maxsize=64)
def _asked(study: Study) -> tuple[str, ...]:
    """Return the names of what is asked about a scenario: items, then attention checks."""
    plan = plan_of(study, SurveyPlan)
    items = [item.key for item in survey_items(plan, study.language)]
    return (*items, *(check_name(check) for check in plan.attention))


@lru_cache(maxsize=64)
def _shown_on(study: Study) -> Mapping[str, Row]:
    """Return what every scenario screen shows, on whatever way a person came to it.

    The same for everybody who sees it, and an export asks for millions of them.
    """
    plan = plan_of(study, SurveyPlan)
    return {
        scenario_key(application, number, level): {
            "application": application.key,
            **({"interface": level} if level else {}),
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
        for level in plan.levels
    }


def _real_rows(real: RealPart, participation: Participation) -> Iterator[Row]:
    """One row per system and item whose accuracy is measured; other items share the row."""
    answered = _by_screen(participation)
    measured = {key for system in real.systems for key in system.accuracy}
    unmeasured = [part.key for part in real.items if part.key not in measured]
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
    seen = _checks_seen(plan, participation)
    passed = sum(check.is_passed for check in seen)
    return {"attention_asked": len(seen), "attention_passed": passed}


def _checks_seen(plan: SurveyPlan, participation: Participation) -> tuple[AttentionCheck, ...]:
    return tuple(
        AttentionCheck(text=check.text, is_passed=answer.values[name] == check.answer)
        for check in plan.attention
        for answer in participation.answers
        if (name := check_name(check)) in answer.values
    )


def answer_checks(study: Study, participation: Participation) -> AnswerChecks:
    """Return which scenarios somebody accepted, an application at a time, and the checks.

    Accepted is a rating of the first item above the middle of the scale, refused one below.
    """
    plan = plan_of(study, SurveyPlan)
    middle = (len(survey_scale(study, plan)) + 1) / 2
    shown, first = _shown_on(study), survey_items(plan, study.language)[0].key
    points: dict[str, list[JudgedPoint]] = {}
    for answer in participation.answers:
        rating = answer.values.get(first)
        if answer.screen not in shown or not isinstance(rating, int):
            continue
        scenario = shown[answer.screen]
        x, y = scenario["precision"], scenario["recall"]
        if not isinstance(x, int | float) or not isinstance(y, int | float):
            continue
        verdict = None if rating == middle else rating > middle
        point = JudgedPoint(x=x, y=y, is_accepted=verdict)
        points.setdefault(str(scenario["application"]), []).append(point)
    names = {application.key: application.name for application in plan.applications}
    maps = tuple(
        JudgedMap(title=names[key], x_label="precision", y_label="recall", points=tuple(judged))
        for key, judged in points.items()
    )
    return AnswerChecks(maps=maps, attention=_checks_seen(plan, participation))


def _who_judges(plan: SurveyPlan) -> dict[str, str]:
    """Return each application with the answers of those who judge it."""
    return {
        part.key: part.name
        + (f"; judged by people with {in_words(part.show_if)}" if part.show_if else "")
        for part in plan.applications
    }


def answer_columns(study: Study) -> Iterator[Column]:
    """Yield the columns of a judgement: what was shown, every item, every check, the time."""
    plan = plan_of(study, SurveyPlan)
    scale, items = survey_scale(study, plan), survey_items(plan, study.language)
    *before, seconds = _COLUMNS
    for column in before:
        if column.name == "rating":
            yield replace(column, question=items[0].text, levels=scale_levels(scale))
        elif column.name == "application" and any(part.show_if for part in plan.applications):
            yield replace(column, levels=_who_judges(plan))
        else:
            yield column
        if column.name == "part" and plan.interface:
            words = {level.key: level.text for level in plan.interface.levels}
            yield replace(_INTERFACE, levels=words)
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


# A survey's answers from a table: one row per judged scenario.

_APPLICATION, _SCENARIO, _PRECISION, _RECALL = "application", "scenario", "precision", "recall"
# Levels are often written with two digits: 0.67 means 2/3.
_CLOSE = 0.0051
# Howgood's own export has rows about systems people use too, marked by the column `part`.
_IMAGINED = "hypothetical"
_IN_USE = "rows about systems in use, which no import can take"


def _targets(study: Study) -> tuple[Target, ...]:
    plan = plan_of(study, SurveyPlan)
    return (
        Target(
            name=_APPLICATION,
            meaning="key or name of the application",
            aliases=("app", "app_name", "system"),
        ),
        Target(
            name=_SCENARIO,
            meaning="number of the scenario, from 1, unless its precision and recall are given",
            aliases=("scenario_number", "scenario_id"),
        ),
        Target(
            name=_PRECISION, meaning="precision of the scenario", aliases=("desired_precision",)
        ),
        Target(name=_RECALL, meaning="recall of the scenario", aliases=("desired_recall",)),
        *(
            [Target(name=_INTERFACE.name, meaning="interface shown", aliases=("interface_level",))]
            if plan.interface
            else []
        ),
        Target(name=CONDITION, meaning="branch of the person", aliases=("branch", "group")),
        *(Target(name=item.key, meaning=item.text) for item in survey_items(plan, study.language)),
        *(Target(name=check_name(check), meaning=check.text) for check in plan.attention),
    )


def _needed(study: Study, mapping: Mapping[str, str]) -> list[str]:
    plan = plan_of(study, SurveyPlan)
    needed = [survey_items(plan, study.language)[0].key]
    if len(plan.applications) > 1:
        needed.append(_APPLICATION)
    if plan.interface:
        needed.append(_INTERFACE.name)
    return needed if _SCENARIO in mapping else [*needed, _PRECISION, _RECALL]


def _read_row(reader: RowReader, person: PersonDraft, missing: Missing) -> None:
    study, plan = reader.study, plan_of(reader.study, SurveyPlan)
    part = "" if "part" in reader.mapping.values() else reader.cell("part")
    if part not in ("", _IMAGINED):
        reader.left_out[_IN_USE] += 1
        return
    scale = survey_scale(study, plan)
    items = [item.key for item in survey_items(plan, study.language) if item.key in reader.mapping]
    values: dict[str, AnswerValue] = {
        name: reader.mapped(name, lambda text: on_scale(text, scale)) for name in items
    }
    application = _application(reader, plan)
    place = _scenario(reader, plan)
    level = reader.mapped(_INTERFACE.name, partial(_level, plan)) if plan.interface else ""
    if reader.has_gap([*items, *_where(reader)], missing):
        return
    if application is None or place is None or level is None or None in values.values():
        return
    for check in plan.attention:
        given = reader.mapped(check_name(check), lambda text: on_scale(text, scale))
        if given is not None:
            values[check_name(check)] = given
    reader.assign(person, fitting_condition(study, plan, application, place, level))
    reader.judge(person, scenario_key(application, place, level), values)


def _level(plan: SurveyPlan, text: str) -> str:
    if text in plan.levels:
        return text
    raise WrongCellError(f"a level of the interface: {', '.join(plan.levels)}")


def _where(reader: RowReader) -> list[str]:
    """Return what says which scenario a row is about."""
    levels = [_SCENARIO] if _SCENARIO in reader.mapping else [_PRECISION, _RECALL]
    named = (_APPLICATION, _INTERFACE.name)
    return levels + [name for name in named if name in reader.mapping]


def _application(reader: RowReader, plan: SurveyPlan) -> SurveyApplication | None:
    if _APPLICATION not in reader.mapping:
        return plan.applications[0]
    return reader.mapped(_APPLICATION, lambda text: _named(text, plan.applications))


def _named(text: str, applications: Sequence[SurveyApplication]) -> SurveyApplication:
    for application in applications:
        if text.casefold() in (application.key.casefold(), application.name.casefold()):
            return application
    known = ", ".join(application.key for application in applications)
    raise WrongCellError(f"the key or name of an application: {known}")


def _scenario(reader: RowReader, plan: SurveyPlan) -> int | None:
    every = scenarios_of(plan)
    if _SCENARIO in reader.mapping:
        return reader.mapped(
            _SCENARIO, lambda text: place_from_1(text, len(every), of="the number of a scenario")
        )
    precision, recall = reader.mapped(_PRECISION, number), reader.mapped(_RECALL, number)
    if precision is None or recall is None:
        return None
    given = f"{reader.text(_PRECISION)} and {reader.text(_RECALL)}"
    return reader.value(
        reader.mapping[_PRECISION], given, lambda _: _at_levels(precision, recall, every)
    )


def _at_levels(precision: float, recall: float, scenarios: Sequence[Scenario]) -> int:
    """Return the number of the scenario with these levels, as shown or as meant, from 1."""
    for place, scenario in enumerate(scenarios, start=1):
        shown = _is_near(precision, scenario.precision) and _is_near(recall, scenario.recall)
        meant = _is_near(precision, scenario.desired_precision) and _is_near(
            recall, scenario.desired_recall
        )
        if shown or meant:
            return place
    raise WrongCellError("the precision and recall of a scenario of the study")


def _is_near(given: float, level: float | None) -> bool:
    return level is not None and abs(given - level) < _CLOSE


TABLES = TableImport(targets=_targets, needed=_needed, read_row=_read_row)
