"""Judge scenarios: applications and scenarios in random order, a few items each.

In: study, condition, seed, answers. Out: the steps of the task, and what each scenario screen asked
about. Absent: the sentences of a scenario (`ask.wording`) and its counts (`ask.scenarios`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from howgood.ask.sentences import labels, sentence
from howgood.kinds.plan import Picture
from howgood.kinds.protocol import EVERYBODY
from howgood.kinds.question_pages import DEMOGRAPHICS, walk
from howgood.kinds.rules import Rule, holds
from howgood.kinds.screen_parts import (
    Step,
    continue_button,
    likert,
    media,
    paragraphs,
    spread_over,
    unreached,
    words,
)
from howgood.kinds.seeded import shuffled
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.battery import own_items
from howgood.kinds.survey.plan import (
    AttentionCheck,
    InterfaceLevel,
    RealPart,
    SurveyApplication,
    SurveyPlan,
)
from howgood.kinds.survey.scenarios import scenario_bullets, scenarios_of
from howgood.records.item import Item
from howgood.records.record import Path
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
    Storyboard,
)

SYSTEMS, NONE = "systems", "none-of-these"
_PUBLISHED = ("acceptable", "useful", "intent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One scenario screen: what it shows, in which interface, and which check is on it.

    `place` is the scenario's own number, `number` where it comes for this person.
    """

    key: str
    application: SurveyApplication
    scenario: Scenario
    place: int
    number: int
    total: int
    check: AttentionCheck | None = None
    level: str = ""


def steps(
    study: Study, condition: str, seed: int, answered: Mapping[str, Answer], now: datetime
) -> Sequence[Step]:
    """Return the steps of the real part, where there is one, and of every scenario."""
    plan = plan_of(study, SurveyPlan)
    has_rules = any(application.show_if for application in plan.applications)
    left_out = _left_out(study, plan, seed, answered) if has_rules else frozenset()
    is_known = SYSTEMS in answered
    used = used_systems(plan, answered) if is_known else ()
    return _steps(study, condition, seed, used, left_out, is_known=is_known)


def _left_out(
    study: Study, plan: SurveyPlan, seed: int, answered: Mapping[str, Answer]
) -> frozenset[str] | None:
    """Return the applications whose rules do not hold; None while answers to them are missing."""
    way = walk(study, seed=seed, answered=answered)
    if any(page.key not in answered for page in way.pages[DEMOGRAPHICS]):
        return None
    return frozenset(
        application.key
        for application in plan.applications
        if not holds(application.show_if, way.known)
    )


@lru_cache(maxsize=1024)
def _steps(
    study: Study,
    condition: str,
    seed: int,
    used: tuple[str, ...],
    left_out: frozenset[str] | None,
    *,
    is_known: bool,
) -> tuple[Step, ...]:
    """Remember the steps of those who are here: they ask again with every answer."""
    plan = plan_of(study, SurveyPlan)
    system = imagined_system(plan, seed, used)
    task = _task_steps(study, condition, seed, system, left_out)
    if left_out:
        # Who judges fewer applications moves faster: the progress never jumps.
        every = _task_steps(study, condition, seed, system, frozenset())
        task = spread_over(task, len(every))
    return (*_real_steps(study, plan, seed, used, is_known), *task)


def _task_steps(
    study: Study, condition: str, seed: int, system: str | None, left_out: frozenset[str] | None
) -> list[Step]:
    """Return the steps of every scenario, those that a rule may leave out marked so."""
    plan, steps, shown = plan_of(study, SurveyPlan), list[Step](), None
    for page in pages(plan, condition, seed, left_out or frozenset()):
        own = [scenario_step(study, page, system)]
        if page.application.key != shown and not plan.micro_task:
            shown = page.application.key
            level = page.level if plan.is_between else ""
            own.insert(0, introduction_step(study, page.application, system, level))
        is_unsure = left_out is None and bool(page.application.show_if)
        steps += [replace(step, may_fall_away=is_unsure) for step in own]
    return steps


def survey_items(plan: SurveyPlan, language: str) -> tuple[Item, ...]:
    """Return the study's own items, else the published ones in its language."""
    if plan.items:
        return plan.items
    is_whole = plan.battery != "none"
    keys = (*_PUBLISHED, "ease") if plan.ease_of_use or is_whole else _PUBLISHED
    published = tuple(Item(key=key, text=sentence(language, f"item_{key}")) for key in keys)
    return (*published, *own_items()) if is_whole else published


def conditions(study: Study) -> tuple[str, ...]:
    """Return the branches, the single scenarios of a micro-task, or the condition of everybody."""
    plan = plan_of(study, SurveyPlan)
    if plan.micro_task:
        known = tuple(
            scenario_key(application, number)
            for application in plan.applications
            for number in range(1, len(scenarios_of(plan)) + 1)
        )
    else:
        known = tuple(branch.key for branch in plan.branches) or (EVERYBODY,)
    if not plan.is_between:
        return known
    return tuple(f"{condition}:{level}" for condition in known for level in plan.levels)


def is_small_task(study: Study) -> bool:
    """Return whether a person judges one scenario, and may come again for another one."""
    return plan_of(study, SurveyPlan).micro_task


def task_rules(study: Study) -> Iterator[tuple[Path, tuple[Rule, ...]]]:
    """Yield where applications have rules, and which."""
    for index, application in enumerate(plan_of(study, SurveyPlan).applications):
        yield ("survey", "applications", index, "show_if"), application.show_if


def quotas(study: Study) -> dict[str, int | None]:
    """Return how many people each branch takes at most, shared out over what they see."""
    plan = plan_of(study, SurveyPlan)
    if not plan.is_between:
        return {branch.key: branch.quota for branch in plan.branches}
    n_levels = len(plan.levels)
    return {
        f"{branch.key}:{level}": None
        if branch.quota is None
        else branch.quota // n_levels + (place < branch.quota % n_levels)
        for branch in plan.branches
        for place, level in enumerate(plan.levels)
    }


def pictures(study: Study) -> tuple[Picture, ...]:
    """Return the pictures, films, sounds and mock-ups of the applications."""
    applications = plan_of(study, SurveyPlan).applications
    return (
        *(application.picture for application in applications if application.picture is not None),
        *(stimulus.picture for application in applications for stimulus in application.stimuli),
    )


def pages(
    plan: SurveyPlan, condition: str, seed: int, left_out: Collection[str] = ()
) -> tuple[Page, ...]:
    """Return the scenario screens of a participant, in order."""
    every = scenarios_of(plan)
    condition, _, own_level = condition.partition(":")
    counted: list[tuple[SurveyApplication, int, int, int]] = []
    for application in _applications(plan, condition, seed, left_out):
        if plan.micro_task:
            chosen: tuple[int, ...] = (int(condition.rpartition("-s")[2]),)
        else:
            numbers = range(1, len(every) + 1)
            order = shuffled(numbers, seed, "scenarios", application.key)
            chosen = order[: plan.per_application]
        counted += [
            (application, scenario, place, len(chosen))
            for place, scenario in enumerate(chosen, start=1)
        ]
    where = shuffled(range(len(counted)), seed, "attention")
    checks = dict(zip(where, plan.attention, strict=False))
    return tuple(
        Page(
            key=scenario_key(application, scenario, level),
            application=application,
            scenario=every[scenario - 1],
            place=scenario,
            number=place,
            total=total,
            check=checks.get(index),
            level=level,
        )
        for index, (application, scenario, place, total) in enumerate(counted)
        for level in [own_level if plan.is_between else _level(plan, application, place, seed)]
    )


def _level(plan: SurveyPlan, application: SurveyApplication, number: int, seed: int) -> str:
    """Return the interface of a person's so-many-th scenario: each as often as the others."""
    turn, place = divmod(number - 1, len(plan.levels))
    return shuffled(plan.levels, seed, "interface", application.key, turn)[place]


def scenario_key(application: SurveyApplication, number: int, level: str = "") -> str:
    """Return the key of the screen that shows a scenario, numbered from 1, in an interface."""
    return f"{application.key}-s{number}" + (f":{level}" if level else "")


def _applications(
    plan: SurveyPlan, condition: str, seed: int, left_out: Collection[str]
) -> tuple[SurveyApplication, ...]:
    if plan.micro_task:
        key = condition.rpartition("-s")[0]
        return tuple(application for application in plan.applications if application.key == key)
    branch = next((part for part in plan.branches if part.key == condition), None)
    keys = (
        branch.applications
        if branch
        else tuple(application.key for application in plan.applications)
    )
    chosen = [
        application
        for application in plan.applications
        if application.key in keys and application.key not in left_out
    ]
    return shuffled(chosen, seed, "applications")[: plan.applications_each]


def check_name(check: AttentionCheck) -> str:
    """Return the name of the field that holds an attention check."""
    return f"attention-{check.key}"


def introduction_step(
    study: Study, application: SurveyApplication, system: str | None, level: str = ""
) -> Step:
    """Return the page that describes an application before its scenarios."""
    language, key = study.language, application.key

    def make() -> Screen:
        return Screen(
            key=key,
            kind="text",
            title=application.name,
            language=language,
            blocks=_introduction_blocks(study, key, system, level),
            buttons=continue_button(language),
        )

    return Step(key=key, make=make)


@lru_cache(maxsize=256)
def _introduction_blocks(
    study: Study, key: str, system: str | None, level: str
) -> tuple[Block, ...]:
    """Return what introduces an application; everybody who takes part sees the same few."""
    applications = plan_of(study, SurveyPlan).applications
    application = next(part for part in applications if part.key == key)
    imagine = sentence(study.language, "hypothetical_text", system=system) if system else ""
    return (
        *media(application.picture),
        *paragraphs(application.description),
        *_stimuli(study, application, None, level),
        *paragraphs(imagine),
    )


def _stimuli(
    study: Study, application: SurveyApplication, place: int | None, level: str
) -> tuple[Block, ...]:
    """Return what is seen or heard: of the description, or of one scenario in an interface."""
    shown = [
        block
        for stimulus in application.stimuli
        if stimulus.scenario == place and stimulus.level in ("", level)
        for block in media(stimulus.picture, stimulus.text)
    ]
    if not application.storyboard or place is not None or len(shown) < 2:
        return tuple(shown)
    language, total = study.language, len(shown)
    names = tuple(
        sentence(language, "storyboard_step", number=number, total=total)
        for number in range(1, total + 1)
    )
    label = sentence(language, "storyboard")
    return (Storyboard(label=label, steps=tuple(shown), names=names),)


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
            blocks=_scenario_blocks(
                study, page.application.key, page.scenario, system, page.place, page.level
            ),
            fields=_scenario_fields(study, page.check),
            buttons=continue_button(study.language),
        )

    return Step(key=page.key, make=make)


@lru_cache(maxsize=1024)
def _scenario_blocks(
    study: Study, key: str, scenario: Scenario, system: str | None, place: int, level: str
) -> tuple[Block, ...]:
    """Return what a scenario says; a study has a few dozen, and they are shown again and again."""
    plan, language = plan_of(study, SurveyPlan), study.language
    application = next(part for part in plan.applications if part.key == key)
    description = paragraphs(application.description)
    above: tuple[Block, ...]
    if plan.micro_task:
        above = (
            *media(application.picture),
            *description,
            *_stimuli(study, application, None, level),
        )
    else:
        summary = sentence(language, "description_again")
        above = (Details(summary=summary, paragraphs=description),)
        if not plan.is_between:  # what was not seen with the description
            own = application.changed(
                stimuli=tuple(stimulus for stimulus in application.stimuli if stimulus.level)
            )
            above = (*above, *_stimuli(study, own, None, level))
    about = next((one_level.text for one_level in _levels(plan) if one_level.key == level), "")
    return (
        *above,
        *_stimuli(study, application, place, level),
        Pinned(
            label=sentence(language, "pinned"),
            blocks=(
                *paragraphs(about),
                Paragraph(words=words(sentence(language, "imagine"))),
                scenario_bullets(application, scenario, system=system or application.name),
            ),
        ),
        *_scale_question(plan.scale, language, "likely_question"),
    )


def _levels(plan: SurveyPlan) -> tuple[InterfaceLevel, ...]:
    return plan.interface.levels if plan.interface else ()


def _scale_question(own: tuple[str, ...], language: str, key: str) -> tuple[Heading, ...]:
    """Ask in the words of the published scale; a study's own scale says its own."""
    return () if own else (Heading(text=sentence(language, key)),)


@lru_cache(maxsize=256)
def _scenario_fields(study: Study, check: AttentionCheck | None) -> tuple[Field, ...]:
    plan = plan_of(study, SurveyPlan)
    scale = survey_scale(study, plan)
    rows = [
        likert(survey_item.key, survey_item.text, scale)
        for survey_item in survey_items(plan, study.language)
    ]
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
    return tuple(system.key for system in plan.real.systems if system.key in given)


def imagined_system(plan: SurveyPlan, seed: int, used: tuple[str, ...]) -> str | None:
    """Return the name of the system to imagine: at random, one of those they use."""
    if plan.real is None or not used:
        return None
    chosen = shuffled(used, seed, "imagined")[0]
    return next(system.name for system in plan.real.systems if system.key == chosen)


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
        options = tuple(FieldOption(value=system.key, label=system.name) for system in real.systems)
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
    name = next(system.name for system in real.systems if system.key == key)

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
            fields=tuple(likert(item.key, item.text, scale) for item in real.items),
            buttons=continue_button(language),
        )

    return Step(key=f"real-{key}", make=make)
