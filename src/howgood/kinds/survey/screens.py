"""Judge scenarios: applications and scenarios in random order, a few items each.

In: study, condition, seed, answers. Out: the steps of the task, and what each scenario screen asked
about. Absent: the sentences of a scenario (`ask.wording`) and its counts (`ask.scenarios`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from howgood.ask.sentences import labels, sentence
from howgood.kinds.plan import Picture
from howgood.kinds.protocol import EVERYBODY
from howgood.kinds.screen_parts import (
    Step,
    continue_button,
    likert,
    media,
    paragraphs,
    unreached,
    words,
)
from howgood.kinds.seeded import shuffled
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.plan import AttentionCheck, RealPart, SurveyApplication, SurveyPlan
from howgood.kinds.survey.scenarios import scenario_bullets, scenarios_of
from howgood.records.item import Item
from howgood.records.scenario import Scenario
from howgood.records.screen import (
    Answer,
    Block,
    Details,
    Field,
    FieldOption,
    Heading,
    Paragraph,
    Pinned,
    Screen,
)

SYSTEMS, NONE = "systems", "none-of-these"
_PUBLISHED = ("acceptable", "useful", "intent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One scenario screen: what it shows and which check is on it."""

    key: str
    application: SurveyApplication
    scenario: Scenario
    number: int
    total: int
    check: AttentionCheck | None = None


def steps(
    study: Study, condition: str, seed: int, answered: Mapping[str, Answer], now: datetime
) -> Sequence[Step]:
    """Return the steps of the real part, where there is one, and of every scenario."""
    used = used_systems(plan_of(study, SurveyPlan), answered)
    return _steps(study, condition, seed, used, SYSTEMS in answered)


@lru_cache(maxsize=1024)
def _steps(
    study: Study, condition: str, seed: int, used: tuple[str, ...], is_known: bool
) -> tuple[Step, ...]:
    """Remember the steps of those who are here: they ask again with every answer."""
    plan = plan_of(study, SurveyPlan)
    found = _real_steps(study, plan, seed, used, is_known)
    system = imagined_system(plan, seed, used)
    shown = None
    for page in pages(plan, condition, seed):
        if page.application.key != shown and not plan.micro_task:
            shown = page.application.key
            found.append(introduction_step(study, page.application, system))
        found.append(scenario_step(study, page, system))
    return tuple(found)


def survey_items(plan: SurveyPlan, language: str) -> tuple[Item, ...]:
    """Return the study's own items, else the published ones in its language."""
    if plan.items:
        return plan.items
    keys = (*_PUBLISHED, "ease") if plan.ease_of_use else _PUBLISHED
    return tuple(Item(key=each, text=sentence(language, f"item_{each}")) for each in keys)


def conditions(study: Study) -> tuple[str, ...]:
    """Return the branches, the single scenarios of a micro-task, or the condition of everybody."""
    plan = plan_of(study, SurveyPlan)
    if plan.micro_task:
        return tuple(
            scenario_key(application, number)
            for application in plan.applications
            for number in range(1, len(scenarios_of(plan)) + 1)
        )
    return tuple(branch.key for branch in plan.branches) or (EVERYBODY,)


def quotas(study: Study) -> dict[str, int | None]:
    """Return how many people each branch takes at most."""
    return {branch.key: branch.quota for branch in plan_of(study, SurveyPlan).branches}


def pictures(study: Study) -> tuple[Picture, ...]:
    """Return the pictures and films of the applications."""
    applications = plan_of(study, SurveyPlan).applications
    return tuple(each.picture for each in applications if each.picture is not None)


def pages(plan: SurveyPlan, condition: str, seed: int) -> tuple[Page, ...]:
    """Return the scenario screens of a participant, in order."""
    every = scenarios_of(plan)
    found: list[tuple[SurveyApplication, int, int, int]] = []
    for application in _applications(plan, condition, seed):
        if plan.micro_task:
            chosen: tuple[int, ...] = (int(condition.rpartition("-s")[2]),)
        else:
            numbers = range(1, len(every) + 1)
            order = shuffled(numbers, seed, "scenarios", application.key)
            chosen = order[: plan.per_application]
        found += [
            (application, scenario, place, len(chosen))
            for place, scenario in enumerate(chosen, start=1)
        ]
    where = shuffled(range(len(found)), seed, "attention")
    checks = dict(zip(where, plan.attention, strict=False))
    return tuple(
        Page(
            key=scenario_key(application, scenario),
            application=application,
            scenario=every[scenario - 1],
            number=place,
            total=total,
            check=checks.get(index),
        )
        for index, (application, scenario, place, total) in enumerate(found)
    )


def scenario_key(application: SurveyApplication, number: int) -> str:
    """Return the key of the screen that shows a scenario, numbered from 1."""
    return f"{application.key}-s{number}"


def _applications(plan: SurveyPlan, condition: str, seed: int) -> tuple[SurveyApplication, ...]:
    if plan.micro_task:
        key = condition.rpartition("-s")[0]
        return tuple(each for each in plan.applications if each.key == key)
    branch = next((each for each in plan.branches if each.key == condition), None)
    keys = branch.applications if branch else tuple(each.key for each in plan.applications)
    chosen = [each for each in plan.applications if each.key in keys]
    return shuffled(chosen, seed, "applications")[: plan.applications_each]


def check_name(check: AttentionCheck) -> str:
    """Return the name of the field that holds an attention check."""
    return f"attention-{check.key}"


def introduction_step(study: Study, application: SurveyApplication, system: str | None) -> Step:
    """Return the page that describes an application before its scenarios."""
    language, key = study.language, application.key

    def make() -> Screen:
        return Screen(
            key=key,
            kind="text",
            title=application.name,
            language=language,
            blocks=_introduction_blocks(study, key, system),
            buttons=continue_button(language),
        )

    return Step(key=key, make=make)


@lru_cache(maxsize=256)
def _introduction_blocks(study: Study, key: str, system: str | None) -> tuple[Block, ...]:
    """Return what introduces an application; everybody who takes part sees the same few."""
    applications = plan_of(study, SurveyPlan).applications
    application = next(each for each in applications if each.key == key)
    imagine = sentence(study.language, "hypothetical_text", system=system) if system else ""
    return (
        *media(application.picture),
        *paragraphs(application.description),
        *paragraphs(imagine),
    )


def scenario_step(study: Study, page: Page, system: str | None) -> Step:
    """Return the page of one scenario."""

    def make() -> Screen:
        return Screen(
            key=page.key,
            kind="task",
            title=sentence(
                study.language,
                "scenario_title",
                application=page.application.name,
                number=page.number,
                total=page.total,
            ),
            language=study.language,
            blocks=_scenario_blocks(study, page.application.key, page.scenario, system),
            fields=_scenario_fields(study, page.check),
            buttons=continue_button(study.language),
        )

    return Step(key=page.key, make=make)


@lru_cache(maxsize=1024)
def _scenario_blocks(
    study: Study, key: str, scenario: Scenario, system: str | None
) -> tuple[Block, ...]:
    """Return what a scenario says; a study has a few dozen, and they are shown again and again."""
    plan, language = plan_of(study, SurveyPlan), study.language
    application = next(each for each in plan.applications if each.key == key)
    description = paragraphs(application.description)
    above: tuple[Block, ...]
    if plan.micro_task:
        above = (*media(application.picture), *description)
    else:
        summary = sentence(language, "description_again")
        above = (Details(summary=summary, paragraphs=description),)
    return (
        *above,
        Pinned(
            label=sentence(language, "pinned"),
            blocks=(
                Paragraph(words=words(sentence(language, "imagine"))),
                scenario_bullets(application, scenario, system=system or application.name),
            ),
        ),
        *_scale_question(plan.scale, language, "likely_question"),
    )


def _scale_question(own: tuple[str, ...], language: str, key: str) -> tuple[Heading, ...]:
    """Ask in the words of the published scale; a study's own scale says its own."""
    return () if own else (Heading(text=sentence(language, key)),)


@lru_cache(maxsize=256)
def _scenario_fields(study: Study, check: AttentionCheck | None) -> tuple[Field, ...]:
    plan = plan_of(study, SurveyPlan)
    scale = survey_scale(study, plan)
    rows = [likert(each.key, each.text, scale) for each in survey_items(plan, study.language)]
    if check:
        rows.append(check_field(study, plan, check))
    return tuple(rows)


def survey_scale(study: Study, plan: SurveyPlan) -> tuple[str, ...]:
    """Return the labels of the scale, lowest first."""
    return plan.scale or labels(study.language, "likely_scale")


def check_field(study: Study, plan: SurveyPlan, check: AttentionCheck) -> Field:
    """Return an attention check as it stands below the items."""
    return likert(check_name(check), check.text, survey_scale(study, plan))


def used_systems(plan: SurveyPlan, answered: Mapping[str, Answer]) -> tuple[str, ...]:
    """Return the keys of the systems the participant says they use."""
    given = answered[SYSTEMS].values.get(SYSTEMS) if SYSTEMS in answered else None
    if plan.real is None or not isinstance(given, list) or NONE in given:
        return ()
    return tuple(each.key for each in plan.real.systems if each.key in given)


def imagined_system(plan: SurveyPlan, seed: int, used: tuple[str, ...]) -> str | None:
    """Return the name of the system to imagine: at random, one of those they use."""
    if plan.real is None or not used:
        return None
    chosen = shuffled(used, seed, "imagined")[0]
    return next(each.name for each in plan.real.systems if each.key == chosen)


def _real_steps(
    study: Study, plan: SurveyPlan, seed: int, used: tuple[str, ...], is_known: bool
) -> list[Step]:
    """Return the page that asks what people use, and one for each of that.

    Until it is answered every system may follow; those not used are passed with the answer.
    """
    if plan.real is None:
        return []
    asked, n_systems = _systems(study, plan.real), len(plan.real.systems)
    if not is_known:
        return [asked, unreached("systems ahead", advance=n_systems)]
    passed = replace(asked, advance=1 + n_systems - len(used))
    order = shuffled(used, seed, "real systems")
    return [passed, *(_real_system(study, plan.real, key) for key in order)]


def _systems(study: Study, real: RealPart) -> Step:
    language = study.language

    def make() -> Screen:
        none = FieldOption(value=NONE, label=sentence(language, "real_none"))
        options = tuple(FieldOption(value=each.key, label=each.name) for each in real.systems)
        return Screen(
            key=SYSTEMS,
            kind="task",
            title=sentence(language, "real_title"),
            language=language,
            fields=(
                Field(name=SYSTEMS, kind="choices", label=real.question, options=(*options, none)),
            ),
            buttons=continue_button(language),
        )

    return Step(key=SYSTEMS, make=make)


def _real_system(study: Study, real: RealPart, key: str) -> Step:
    language = study.language
    name = next(each.name for each in real.systems if each.key == key)

    def make() -> Screen:
        scale = real.scale or labels(language, "agree_scale")
        return Screen(
            key=f"real-{key}",
            kind="task",
            title=sentence(language, "real_system_title", system=name),
            language=language,
            blocks=(
                *paragraphs(sentence(language, "real_system_text", system=name)),
                *_scale_question(real.scale, language, "agree_question"),
            ),
            fields=tuple(likert(each.key, each.text, scale) for each in real.items),
            buttons=continue_button(language),
        )

    return Step(key=f"real-{key}", make=make)
