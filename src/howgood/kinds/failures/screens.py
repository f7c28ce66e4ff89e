"""Judge systems by how their answers fail: a description, then a few scenarios of counts.

In: study, seed. Out: the steps of the task, and what a scenario's screen showed. Absent: drawing
the counts (`ask.failures`).
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import count

import numpy as np

from howgood.ask.failures import checked_levels, scenarios_by_chance
from howgood.ask.sentences import labels, sentence
from howgood.ask.wording import counted
from howgood.kinds.failures.plan import FailuresPlan
from howgood.kinds.offline_pairs import seat_seeds
from howgood.kinds.plan import Picture
from howgood.kinds.screen_parts import Step, continue_button, likert, media, paragraphs, words
from howgood.kinds.seeded import draw
from howgood.kinds.study import Study, plan_of
from howgood.kinds.task_export import OfflineTask
from howgood.records.failures import FailureScenario
from howgood.records.screen import Answer, Bullets, Details, Entry, Paragraph, Screen
from howgood.stats.arrays import FloatArray

RATING = "rating"
INTRODUCTION = "about"
_KEY = re.compile(r"scenario-(\d+)((?:-\d+)+)")


def steps(
    study: Study, condition: str, seed: int, answered: Mapping[str, Answer], now: datetime
) -> Sequence[Step]:
    """Return the description and the person's scenarios."""
    return _steps(study, seed)


@lru_cache(maxsize=1024)
def _steps(study: Study, seed: int) -> tuple[Step, ...]:
    """Remember the steps of those who are here: they ask again with every answer."""
    plan = plan_of(study, FailuresPlan)
    shown = scenarios_of(plan, seed)
    return (
        _introduction(study, plan),
        *(
            _scenario(study, plan, scenario, number, len(shown))
            for number, scenario in enumerate(shown, start=1)
        ),
    )


def scenarios_of(plan: FailuresPlan, seed: int) -> tuple[FailureScenario, ...]:
    """Return the scenarios of one person."""
    drawn = count()

    def uniform(n: int) -> FloatArray:
        # By a hash, not by a generator, whose stream may change while people take part.
        return np.array([draw(seed, "failures", next(drawn)) for _ in range(n)])

    return scenarios_by_chance(
        tuple(kind.key for kind in plan.kinds),
        checked_levels(plan.levels or None, plan.out_of),
        plan.out_of,
        plan.per_person,
        uniform,
    )


def pictures(study: Study) -> tuple[Picture, ...]:
    """Return the picture of the feature, if there is one."""
    picture = plan_of(study, FailuresPlan).picture
    return () if picture is None else (picture,)


def offline_task(study: Study) -> OfflineTask:
    """Return the scenarios of every seat of a page without a server."""
    plan, first = plan_of(study, FailuresPlan), _introduction(study, plan_of(study, FailuresPlan))
    seats, steps = [], {first.key: first}
    for seed in seat_seeds():
        shown = scenarios_of(plan, seed)
        walked: list[list[str | int]] = [[first.key, first.key]]
        for number, scenario in enumerate(shown, start=1):
            name = scenario_key(plan, 1, scenario)
            steps[name] = _scenario(study, plan, scenario, 1, len(shown))
            walked.append([scenario_key(plan, number, scenario), name, number, len(shown)])
        seats.append({"seed": seed, "steps": walked})
    outline = {"walk": "seats", "seats": seats, "name": plan.name}
    return OfflineTask(outline=outline, steps=steps)


def scenario_key(plan: FailuresPlan, number: int, scenario: FailureScenario) -> str:
    """Return the key of a scenario's screen: it holds the counts, in the order of the kinds."""
    counts = "-".join(str(scenario.counts[kind.key]) for kind in plan.kinds)
    return f"scenario-{number}-{counts}"


def counts_of(plan: FailuresPlan, key: str) -> FailureScenario | None:
    """Return what the screen of this key showed; None if it is no scenario's.

    Examples
    --------
    >>> from howgood.kinds.failures.plan import FailureKind
    >>> kinds = (FailureKind(key="wrong", text="{n} wrong"),)
    >>> plan = FailuresPlan(name="x", description="x", kinds=kinds)
    >>> counts_of(plan, "scenario-3-2").right
    18
    """
    match = _KEY.fullmatch(key)
    if match is None:
        return None
    numbers = [int(text) for text in match[2].strip("-").split("-")]
    if len(numbers) != len(plan.kinds) or sum(numbers) > plan.out_of:
        return None
    named = zip(plan.kinds, numbers, strict=True)
    return FailureScenario(counts={kind.key: n for kind, n in named}, out_of=plan.out_of)


def question_of(study: Study, plan: FailuresPlan) -> str:
    """Return the statement people rate."""
    return plan.question or sentence(study.language, "failures_question")


def scale_of(study: Study, plan: FailuresPlan) -> tuple[str, ...]:
    """Return the labels of the scale, lowest first."""
    return plan.scale or labels(study.language, "likely_scale")


def _introduction(study: Study, plan: FailuresPlan) -> Step:
    def make() -> Screen:
        return Screen(
            key=INTRODUCTION,
            kind="text",
            title=plan.name,
            language=study.language,
            blocks=(*media(plan.picture), *paragraphs(plan.description)),
            buttons=continue_button(study.language),
        )

    return Step(key=INTRODUCTION, make=make)


def _scenario(
    study: Study, plan: FailuresPlan, scenario: FailureScenario, number: int, total: int
) -> Step:
    key, language = scenario_key(plan, number, scenario), study.language

    def make() -> Screen:
        again = Details(
            summary=sentence(language, "description_again"),
            paragraphs=paragraphs(plan.description),
        )
        return Screen(
            key=key,
            kind="task",
            title=sentence(
                language, "scenario_title", application=plan.name, number=number, total=total
            ),
            language=language,
            blocks=(
                again,
                Paragraph(words=words(sentence(language, "imagine"))),
                Paragraph(words=words(counted(_opening(study, plan), plan.out_of))),
                bullets(study, plan, scenario),
            ),
            fields=(likert(RATING, question_of(study, plan), scale_of(study, plan)),),
            buttons=continue_button(language),
        )

    return Step(key=key, make=make)


def _opening(study: Study, plan: FailuresPlan) -> str:
    return plan.opening or sentence(study.language, "failures_opening")


def bullets(study: Study, plan: FailuresPlan, scenario: FailureScenario) -> Bullets:
    """Return the counts, right ones first; a kind that does not occur is not named."""
    right = plan.right or sentence(study.language, "failures_right")
    lines = [counted(right, scenario.right)] if scenario.right else []
    lines += [
        counted(kind.text, scenario.counts[kind.key])
        for kind in plan.kinds
        if scenario.counts[kind.key]
    ]
    return Bullets(entries=tuple(Entry(words=words(line)) for line in lines))
