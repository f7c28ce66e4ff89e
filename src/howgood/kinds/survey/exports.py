"""A survey for other programs: its scenarios as fixed pages, and its path for the offline page.

In: a survey. Out: `TaskExport`, `OfflineTask`. Absent: formats (`flow.survey_export`).

LimeSurvey allows 20 letters and digits, so keys cannot be codes: `a2s5` is scenario 5 of the second
application, `k1` the first attention check.
"""

from datetime import UTC, datetime

from howgood.ask.sentences import sentence
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
    study: Study, plan: SurveyPlan, application: SurveyApplication, number: int
) -> str:
    """Return a condition in which this scenario is shown; the first branch where several are."""
    if plan.micro_task:
        return scenario_key(application, number)
    branches = [branch.key for branch in plan.branches if application.key in branch.applications]
    known = conditions(study)
    return branches[0] if branches else EVERYBODY if EVERYBODY in known else known[0]


def offline_task(study: Study) -> OfflineTask:
    """Return how the path is drawn and every screen; `key|system` where one is to be imagined."""
    plan = plan_of(study, SurveyPlan)
    every = [system.key for system in plan.real.systems] if plan.real else []
    systems: dict[str, str | None] = {"": None}
    if plan.real is not None:
        systems |= {f"|{system.key}": system.name for system in plan.real.systems}
    return OfflineTask(
        outline={
            "branches": {branch.key: list(branch.applications) for branch in plan.branches},
            "applications": [{"key": each.key, "name": each.name} for each in plan.applications],
            "scenarios": len(scenarios_of(plan)),
            "perApplication": plan.per_application,
            "applicationsEach": plan.applications_each,
            "microTask": plan.micro_task,
            "checks": [check_field(study, plan, check).to_dict() for check in plan.attention],
            "systems": every if plan.real else None,
            "noSystem": NONE,
        },
        steps={
            step.key + ending: step
            for ending, system in systems.items()
            for step in _steps(study, plan, system)
        },
        answered={SYSTEMS: Answer(screen=SYSTEMS, values={SYSTEMS: every}, at=_ANY_TIME)},
    )


def _steps(study: Study, plan: SurveyPlan, system: str | None) -> list[Step]:
    steps = []
    for application in plan.applications:
        steps.append(introduction_step(study, application, system))
        steps += [
            scenario_step(
                study,
                Page(
                    key=scenario_key(application, number),
                    application=application,
                    scenario=scenario,
                    number=1,
                    total=1,
                ),
                system,
            )
            for number, scenario in enumerate(scenarios_of(plan), start=1)
        ]
    return steps
