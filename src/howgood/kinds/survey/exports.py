"""A survey for other programs: its scenarios as fixed pages, and its path for the offline page.

In: a survey. Out: `TaskExport`, `OfflineTask`. Absent: formats (`flow.survey_export`).

LimeSurvey allows 20 letters and digits, so keys cannot be codes: `a2s5` is scenario 5 of the second
application, `k1` the first attention check.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product

from howgood.ask.sentences import sentence
from howgood.errors import InputError
from howgood.kinds.protocol import EVERYBODY
from howgood.kinds.screen_parts import Step, paragraphs
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.plan import SurveyApplication, SurveyPlan
from howgood.kinds.survey.scenarios import scenario_bullets, scenarios_of
from howgood.kinds.survey.screens import (
    NONE,
    SYSTEMS,
    Page,
    check_field,
    check_name,
    conditions,
    introduction_step,
    scenario_key,
    scenario_step,
    steps,
    survey_items,
    survey_scale,
)
from howgood.kinds.task_export import (
    ExportCheck,
    ExportPage,
    ExportSection,
    OfflineTask,
    TaskExport,
)
from howgood.records.scenario import Scenario
from howgood.records.screen import Answer, Block

_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)


def task_export(study: Study) -> TaskExport:
    """Return every scenario of every application as a page."""
    plan, scale = plan_of(study, SurveyPlan), survey_scale(study, plan_of(study, SurveyPlan))
    if plan.interface:
        raise InputError(
            where=f"study {study.slug!r}",
            found="interfaces that are compared",
            needed="a survey whose pages are the same for everybody",
            cure="Use the offline page, or run it with howgood serve.",
        )
    return TaskExport(
        sections=tuple(
            ExportSection(
                code=f"a{place}",
                name=application.name,
                introduction=paragraphs(application.description),
                pages=tuple(_pages(study, plan, application, f"a{place}")),
                branches=tuple(
                    number
                    for number, branch in enumerate(plan.branches, start=1)
                    if application.key in branch.applications
                ),
            )
            for place, application in enumerate(plan.applications, start=1)
        ),
        checks=tuple(
            ExportCheck(code=f"k{place}", field=check_name(check), text=check.text, scale=scale)
            for place, check in enumerate(plan.attention, start=1)
        ),
        n_branches=len(plan.branches),
    )


def _pages(
    study: Study, plan: SurveyPlan, application: SurveyApplication, code: str
) -> list[ExportPage]:
    items = survey_items(plan, study.language)
    return [
        ExportPage(
            code=f"{code}s{number}",
            screen=scenario_key(application, number),
            number=number,
            blocks=_blocks(study, plan, application, scenario),
            fields=tuple(item.key for item in items),
            statements=tuple(item.text for item in items),
            scale=survey_scale(study, plan),
            condition=fitting_condition(study, plan, application, number),
        )
        for number, scenario in enumerate(scenarios_of(plan), start=1)
    ]


def _blocks(
    study: Study, plan: SurveyPlan, application: SurveyApplication, scenario: Scenario
) -> tuple[Block, ...]:
    question = "" if plan.scale else sentence(study.language, "likely_question")
    return (
        *paragraphs(sentence(study.language, "imagine")),
        scenario_bullets(application, scenario, system=application.name),
        *paragraphs(question),
    )


def fitting_condition(
    study: Study, plan: SurveyPlan, application: SurveyApplication, number: int, level: str = ""
) -> str:
    """Return a condition in which this scenario is shown; the first branch where several are."""
    if plan.micro_task:
        return scenario_key(application, number, level)
    ending = f":{level}" if plan.is_between else ""
    branches = [branch.key for branch in plan.branches if application.key in branch.applications]
    return (branches or [plan.branches[0].key if plan.branches else EVERYBODY])[0] + ending


def offline_task(study: Study) -> OfflineTask:
    """Return how the path is drawn and every screen; `key|system` where one is to be imagined."""
    plan = plan_of(study, SurveyPlan)
    every = [system.key for system in plan.real.systems] if plan.real else []
    systems: dict[str, str | None] = {"": None}
    if plan.real is not None:
        systems |= {f"|{system.key}": system.name for system in plan.real.systems}
    return OfflineTask(
        outline={
            "walk": "survey",
            "branches": {branch.key: list(branch.applications) for branch in plan.branches},
            "applications": [
                {
                    "key": application.key,
                    "name": application.name,
                    "rules": [rule.to_dict() for rule in application.show_if],
                }
                for application in plan.applications
            ],
            "scenarios": len(scenarios_of(plan)),
            "perApplication": plan.per_application,
            "applicationsEach": plan.applications_each,
            "microTask": plan.micro_task,
            "levels": list(plan.levels),
            "isBetween": plan.is_between,
            "checks": [check_field(study, plan, check).to_dict() for check in plan.attention],
            "systems": every if plan.real else None,
            "noSystem": NONE,
        },
        steps=_about_systems(study)
        | {
            key + ending: step
            for ending, system in systems.items()
            for key, step in _steps(study, plan, system)
        },
    )


def _about_systems(study: Study) -> dict[str, Step]:
    """Return the pages about systems in use, as somebody sees them who uses all."""
    real = plan_of(study, SurveyPlan).real
    if real is None:
        return {}
    every = [system.key for system in real.systems]
    answered = {SYSTEMS: Answer(screen=SYSTEMS, values={SYSTEMS: every}, at=_ANY_TIME)}
    walked = steps(study, conditions(study)[0], 0, answered, _ANY_TIME)
    names = {SYSTEMS, *(f"real-{key}" for key in every)}
    return {step.key: step for step in walked if step.key in names}


def _steps(study: Study, plan: SurveyPlan, system: str | None) -> Iterator[tuple[str, Step]]:
    """Yield every screen by its name in the page; an introduction has one for each interface."""
    for application, level in product(plan.applications, plan.levels):
        own = level if plan.is_between else ""
        name = f"{application.key}:{own}" if own else application.key
        yield name, introduction_step(study, application, system, own)
        for number, scenario in enumerate(scenarios_of(plan), start=1):
            key = scenario_key(application, number, level)
            page = Page(key=key, application=application, scenario=scenario, place=number,
                        number=1, total=1, level=level)  # fmt: skip
            yield key, scenario_step(study, page, system)
