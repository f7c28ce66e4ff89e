"""A survey's answers from a table: one row per judged scenario.

In: a row. Out: a judgement. Absent: files and people (`flow.importing`), and tables with one row
per person, which are read by the codes of an exported survey.
"""

from collections.abc import Mapping, Sequence

from howgood.kinds.cells import WrongCellError, number, on_scale, place_from_1
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.exports import fitting_condition
from howgood.kinds.survey.plan import SurveyApplication, SurveyPlan
from howgood.kinds.survey.scenarios import scenarios_of
from howgood.kinds.survey.screens import check_name, scenario_key, survey_items, survey_scale
from howgood.kinds.table_import import (
    CONDITION,
    Missing,
    PersonDraft,
    RowReader,
    TableImport,
    Target,
)
from howgood.records.scenario import Scenario
from howgood.records.screen import AnswerValue

_APPLICATION, _SCENARIO, _PRECISION, _RECALL = "application", "scenario", "precision", "recall"
# Levels are often written with two digits: 0.67 means 2/3.
_CLOSE = 0.0051
# Howgood's own export has rows about systems people use too, told apart by the column `part`.
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
        Target(name=CONDITION, meaning="branch of the person", aliases=("branch", "group")),
        *(Target(name=item.key, meaning=item.text) for item in survey_items(plan, study.language)),
        *(Target(name=check_name(check), meaning=check.text) for check in plan.attention),
    )


def _needed(study: Study, mapping: Mapping[str, str]) -> list[str]:
    plan = plan_of(study, SurveyPlan)
    needed = [survey_items(plan, study.language)[0].key]
    if len(plan.applications) > 1:
        needed.append(_APPLICATION)
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
    if reader.has_gap([*items, *_where(reader)], missing):
        return
    if application is None or place is None or None in values.values():
        return
    for check in plan.attention:
        given = reader.mapped(check_name(check), lambda text: on_scale(text, scale))
        if given is not None:
            values[check_name(check)] = given
    reader.assign(person, fitting_condition(study, plan, application, place))
    reader.judge(person, scenario_key(application, place), values)


def _where(reader: RowReader) -> list[str]:
    """Return what says which scenario a row is about."""
    levels = [_SCENARIO] if _SCENARIO in reader.mapping else [_PRECISION, _RECALL]
    return levels + ([_APPLICATION] if _APPLICATION in reader.mapping else [])


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
