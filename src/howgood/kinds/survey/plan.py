"""A survey: scenarios of applications, rated on a few items each.

In: plain values. Out: a frozen plan that can list what does not fit together in it. Absent: counts
and sentences of scenarios (`ask.scenarios`, `flow.participate`).
"""

import tomllib
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from pydantic import Field

from howgood import ask
from howgood.kinds.plan import Picture, Plan, repeated_keys, too_few
from howgood.kinds.protocol import StudyTemplate, packaged_template
from howgood.kinds.rules import Rules
from howgood.records.item import Item
from howgood.records.record import CoherentRecord, Problem, Record
from howgood.records.scenario import level_from

LEVELS = ("1/2", "2/3", "5/6", "1")


class Stimulus(Record):
    """Something people see or hear of an application, perhaps in one situation only."""

    picture: Picture = Field(description="picture, film, sound or mock-up")
    text: str = Field(default="", description="what people read below it")
    scenario: int | None = Field(
        default=None,
        description="number of the scenario it belongs to, from 1; left out: with the description",
        ge=1,
    )
    level: str = Field(
        default="", description="level of the interface it belongs to; left out: all of them"
    )


class InterfaceLevel(Record):
    """One form the interface takes."""

    key: str = Field(description="short name in the data")
    text: str = Field(default="", description="what people read about it with every scenario")


class InterfaceFactor(CoherentRecord):
    """What differs between interfaces of the same accuracy, to learn what that changes."""

    levels: tuple[InterfaceLevel, ...] = Field(description="its forms, the first to compare with")
    varied: Literal["within", "between"] = Field(
        default="within",
        description="within: everybody sees all of them, scenario by scenario; between: each "
        "person sees one",
    )

    def problems(self) -> list[Problem]:
        """Want two levels at least, each with a key of its own."""
        problems = repeated_keys(self.levels, ("levels",))
        if len(self.levels) < 2:
            problems.append(too_few(self.levels, ("levels",), "levels", "Add one."))
        return problems


class SurveyApplication(Record):
    """One application whose accuracy people judge."""

    key: str = Field(description="short name in the data")
    name: str = Field(description="heading that people see")
    description: str = Field(description="what the system does")
    phrases: Mapping[str, str] = Field(description="the words the scenario sentences are made of")
    picture: Picture | None = Field(
        default=None, description="picture, film, sound or mock-up shown with the description"
    )
    stimuli: tuple[Stimulus, ...] = Field(
        default=(),
        description="more to see or hear, in this order, perhaps by scenario or interface",
    )
    storyboard: bool = Field(
        default=False,
        description="show the stimuli of the description as numbered steps of a story",
    )
    show_if: Rules = Field(
        default=(),
        description="judged only by people for whose answers before the task all of these hold",
    )


class Branch(Record):
    """A part of the sample that sees its own set of applications."""

    key: str = Field(description="short name in the data")
    applications: tuple[str, ...] = Field(description="keys of the applications it shows")
    quota: int | None = Field(
        default=None, description="no more people than this in the branch", ge=1
    )


class AttentionCheck(Record):
    """An item whose answer the text gives away."""

    key: str = Field(description="short name in the data")
    text: str = Field(
        description="the instruction; it names the label of the answer, not its position"
    )
    answer: int = Field(description="position on the scale that passes, from 1", ge=1)


class RealSystem(Record):
    """A system people may already use, with its measured accuracy where it is known."""

    key: str = Field(description="short name in the data")
    name: str = Field(description="its name as people know it")
    application: str = Field(
        default="",
        description="key of the application it belongs to; left out: the study's only one",
    )
    accuracy: Mapping[str, tuple[float, ...]] = Field(
        default_factory=dict,
        description="item key to [precision, recall] in the period that the item asks about",
    )


class RealPart(CoherentRecord):
    """Questions about systems people already use, asked before the hypothetical scenarios."""

    question: str = Field(description="asks which of the systems they use")
    systems: tuple[RealSystem, ...] = Field(description="the systems to choose from")
    items: tuple[Item, ...] = Field(description="statements about each system they use")
    scale: tuple[str, ...] = Field(
        default=(), description="labels, lowest first; left out: strongly disagree to agree"
    )

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        problems = repeated_keys(self.systems, ("systems",))
        problems += repeated_keys(self.items, ("items",))
        if not self.systems:
            problems.append(too_few((), ("systems",), "systems", "Name one.", 1))
        if not self.items:
            problems.append(too_few((), ("items",), "items", "Write one.", 1))
        known = {item.key for item in self.items}
        return problems + [
            Problem(
                path=("systems", index, "accuracy", key),
                found=f"{key!r}: {list(pair)}",
                needed=f"[precision, recall] up to 1, under one of {', '.join(sorted(known))}",
                cure="Correct it.",
            )
            for index, system in enumerate(self.systems)
            for key, pair in system.accuracy.items()
            if key not in known or len(pair) != 2 or not all(0 <= entry <= 1 for entry in pair)
        ]


class SurveyPlan(Plan):
    """Scenarios of one or more applications, rated on a few items each."""

    applications: tuple[SurveyApplication, ...] = Field(description="what is judged")
    precision: tuple[float | str, ...] = Field(
        default=LEVELS, description='levels of precision, as numbers or fractions like "2/3"'
    )
    recall: tuple[float | str, ...] = Field(default=LEVELS, description="levels of recall")
    real_positives: int = Field(
        default=10, description="how often the thing really happens in each scenario", ge=1
    )
    cases: int | None = Field(
        default=None, description="all cases, to show true negatives too", ge=1
    )
    per_application: int | None = Field(
        default=None,
        description="a random subset of this many scenarios per application",
        ge=1,
    )
    applications_each: int | None = Field(
        default=None, description="a random subset of this many applications", ge=1
    )
    items: tuple[Item, ...] = Field(
        default=(), description="left out: acceptable, useful and intent, the published three"
    )
    ease_of_use: bool = Field(
        default=False, description="add the fourth item, ease of use, to the published three"
    )
    battery: Literal["none", "tam2"] = Field(
        default="none",
        description="tam2: three items each for usefulness, ease of use, output quality and "
        "intention to use (in English)",
    )
    scale: tuple[str, ...] = Field(
        default=(), description="labels, lowest first; left out: extremely unlikely to likely"
    )
    branches: tuple[Branch, ...] = Field(
        default=(), description="left out: everybody sees every application"
    )
    attention: tuple[AttentionCheck, ...] = Field(
        default=(), description="checks placed on scenario pages at random"
    )
    micro_task: bool = Field(
        default=False, description="one scenario per person, all scenarios equally often"
    )
    interface: InterfaceFactor | None = Field(
        default=None, description="interfaces that are compared at the same accuracy"
    )
    real: RealPart | None = Field(
        default=None, description="systems people already use, before the scenarios"
    )

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        problems = repeated_keys(self.applications, ("applications",))
        problems += repeated_keys(self.branches, ("branches",))
        problems += repeated_keys(self.items, ("items",))
        problems += repeated_keys(self.attention, ("attention",))
        if len(self.scale) == 1:
            problems.append(too_few(self.scale, ("scale",), "labels", "Add a label."))
        if not self.applications:
            problems.append(too_few((), ("applications",), "applications", "Describe one.", 1))
        problems += self._level_problems() + self._branch_problems()
        problems += self._subset_problems() + self._stimulus_problems() + self._rule_problems()
        problems += self._system_problems()
        points = len(self.scale) or 7
        problems += [
            Problem(
                path=("attention", index, "answer"),
                found=str(check.answer),
                needed=f"from 1 to {points}, the points of the scale",
                cure="Change the number.",
            )
            for index, check in enumerate(self.attention)
            if check.answer > points
        ]
        return problems

    def _system_problems(self) -> list[Problem]:
        """Return systems in use that belong to no application of the study."""
        keys = [application.key for application in self.applications]
        return [
            Problem(
                path=("real", "systems", index, "application"),
                found=repr(system.application),
                needed=f"one of {', '.join(keys)}",
                cure="Name the application it belongs to, or leave it out where there is only one.",
            )
            for index, system in enumerate(self.real.systems if self.real is not None else ())
            if system.application and system.application not in keys
        ]

    def _level_problems(self) -> list[Problem]:
        return [
            Problem(
                path=(name, index),
                found=repr(level),
                needed="above 0 and at most 1",
                cure='Write it like 0.75 or "2/3".',
            )
            for name in ("precision", "recall")
            for index, level in enumerate(getattr(self, name))
            if level_from(level) is None
        ]

    def _subset_problems(self) -> list[Problem]:
        """Return subsets that are larger than what there is to choose from."""
        there = {
            "per_application": (len(self.precision) * len(self.recall), "scenarios"),
            "applications_each": (len(self.applications), "applications"),
        }
        return [
            Problem(
                path=(name,),
                found=str(wanted),
                needed=f"at most {most}, the number of {what} there are",
                cure="Lower it, or leave it out to show all of them.",
            )
            for name, (most, what) in there.items()
            if (wanted := getattr(self, name)) is not None and 0 < most < wanted
        ]

    def _rule_problems(self) -> list[Problem]:
        return [
            Problem(
                path=("applications", index, "show_if"),
                found="a rule in a study of single tasks",
                needed="a task that is given out before anything is answered",
                cure="Remove the rule, or micro_task.",
            )
            for index, application in enumerate(self.applications)
            if application.show_if and self.micro_task
        ]

    def _stimulus_problems(self) -> list[Problem]:
        levels = {level.key for level in self.interface.levels} if self.interface else set()
        most = len(self.precision) * len(self.recall)
        problems: list[Problem] = []
        for place, application in enumerate(self.applications):
            for index, stimulus in enumerate(application.stimuli):
                path = ("applications", place, "stimuli", index)
                if stimulus.level and stimulus.level not in levels:
                    known = ", ".join(sorted(levels)) or "none is named"
                    needed = f"a level of the interface: {known}"
                    problems.append(Problem(path=(*path, "level"), found=repr(stimulus.level),
                                         needed=needed, cure="Correct it."))  # fmt: skip
                if stimulus.scenario and stimulus.scenario > most:
                    problems.append(Problem(path=(*path, "scenario"), found=str(stimulus.scenario),
                                         needed=f"from 1 to {most}, the scenarios there are",
                                         cure="Correct it."))  # fmt: skip
        return problems

    @property
    def levels(self) -> tuple[str, ...]:
        """The forms of the interface; one without a name where nothing is compared."""
        return tuple(level.key for level in self.interface.levels) if self.interface else ("",)

    @property
    def is_between(self) -> bool:
        """Whether each person sees one form of the interface only."""
        factor = self.interface
        return factor is not None and (factor.varied == "between" or self.micro_task)

    def _branch_problems(self) -> list[Problem]:
        known = [application.key for application in self.applications]
        empty = [
            too_few((), ("branches", place, "applications"), "applications", "Add one.", 1)
            for place, branch in enumerate(self.branches)
            if not branch.applications
        ]
        return empty + [
            Problem(
                path=("branches", place, "applications", index),
                found=repr(key),
                needed=f"the key of an application: {', '.join(known)}",
                cure="Correct it, or describe that application.",
            )
            for place, branch in enumerate(self.branches)
            for index, key in enumerate(branch.applications)
            if key not in known
        ]


# The published applications as surveys to begin with.

_ABOUT = "One application, its scenarios worded as in the published study."


def published() -> tuple[StudyTemplate, ...]:
    """Return a survey of each published application."""
    return tuple(
        StudyTemplate(
            key=key,
            title=f"Survey: {ask.application(key).name}",
            about=_ABOUT,
            content=partial(_content, key),
        )
        for key in ask.applications()
    )


def _content(key: str) -> dict[str, Any]:
    chosen = ask.application(key)
    content = tomllib.loads(packaged_template("howgood.kinds.survey")())
    application = {
        "key": chosen.key,
        "name": chosen.name,
        "description": chosen.description,
        "phrases": dict(chosen.phrases),
    }
    cases = {"cases": chosen.cases} if chosen.cases else {}
    content["survey"] |= {
        "applications": [application],
        "real_positives": chosen.real_positives,
        **cases,
    }
    return {**content, "title": chosen.name}
