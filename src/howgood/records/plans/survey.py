"""A survey: scenarios of applications, rated on a few items each.

In: plain values. Out: a frozen plan that can list what does not fit together in it. Absent: counts
and sentences of scenarios (`ask.scenarios`, `flow.participate`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from howgood.records.plain import Path, Problem, about
from howgood.records.plans.question import Picture, repeated_keys, too_few
from howgood.records.scenario import level_from

LEVELS = ("1/2", "2/3", "5/6", "1")


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyApplication:
    """One application whose accuracy people judge."""

    key: str = field(metadata=about("short name in the data"))
    name: str = field(metadata=about("heading that people see"))
    description: str = field(metadata=about("what the system does"))
    phrases: Mapping[str, str] = field(
        metadata=about("the words the scenario sentences are made of")
    )
    picture: Picture | None = field(
        default=None, metadata=about("mock-up, storyboard or film shown with the description")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A part of the sample that sees its own set of applications."""

    key: str = field(metadata=about("short name in the data"))
    applications: tuple[str, ...] = field(metadata=about("keys of the applications it shows"))
    quota: int | None = field(
        default=None, metadata=about("no more people than this in the branch", minimum=1)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A statement rated on the scale of the survey."""

    key: str = field(metadata=about("name of the column in the data"))
    text: str = field(metadata=about("the statement"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionCheck:
    """An item whose answer the text gives away."""

    key: str = field(metadata=about("short name in the data"))
    text: str = field(
        metadata=about("the instruction; it names the label of the answer, not its position")
    )
    answer: int = field(metadata=about("position on the scale that passes, from 1", minimum=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class RealSystem:
    """A system people may already use, with its measured accuracy where it is known."""

    key: str = field(metadata=about("short name in the data"))
    name: str = field(metadata=about("its name as people know it"))
    accuracy: Mapping[str, tuple[float, ...]] = field(
        default_factory=dict,
        metadata=about("item key to [precision, recall] in the period that the item asks about"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RealPart:
    """Questions about systems people already use, asked before the hypothetical scenarios."""

    question: str = field(metadata=about("asks which of the systems they use"))
    systems: tuple[RealSystem, ...] = field(metadata=about("the systems to choose from"))
    items: tuple[Item, ...] = field(metadata=about("statements about each system they use"))
    scale: tuple[str, ...] = field(
        default=(), metadata=about("labels, lowest first; left out: strongly disagree to agree")
    )

    def problems(self, path: Path) -> list[Problem]:
        """Return what does not fit together."""
        found = repeated_keys(self.systems, (*path, "systems"))
        found += repeated_keys(self.items, (*path, "items"))
        if not self.systems:
            found.append(too_few((), (*path, "systems"), "systems", "Name one.", 1))
        if not self.items:
            found.append(too_few((), (*path, "items"), "items", "Write one.", 1))
        known = {each.key for each in self.items}
        return found + [
            Problem(
                path=(*path, "systems", index, "accuracy", key),
                found=f"{key!r}: {list(pair)}",
                needed=f"[precision, recall] up to 1, under one of {', '.join(sorted(known))}",
                cure="Correct it.",
            )
            for index, system in enumerate(self.systems)
            for key, pair in system.accuracy.items()
            if key not in known or len(pair) != 2 or not all(0 <= each <= 1 for each in pair)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyPlan:
    """Scenarios of one or more applications, rated on a few items each."""

    applications: tuple[SurveyApplication, ...] = field(metadata=about("what is judged"))
    precision: tuple[float | str, ...] = field(
        default=LEVELS, metadata=about('levels of precision, as numbers or fractions like "2/3"')
    )
    recall: tuple[float | str, ...] = field(default=LEVELS, metadata=about("levels of recall"))
    real_positives: int = field(
        default=10, metadata=about("how often the thing really happens in each scenario", minimum=1)
    )
    cases: int | None = field(
        default=None, metadata=about("all cases, to show true negatives too", minimum=1)
    )
    per_application: int | None = field(
        default=None,
        metadata=about("a random subset of this many scenarios per application", minimum=1),
    )
    applications_each: int | None = field(
        default=None, metadata=about("a random subset of this many applications", minimum=1)
    )
    items: tuple[Item, ...] = field(
        default=(), metadata=about("left out: acceptable, useful and intent, the published three")
    )
    ease_of_use: bool = field(
        default=False, metadata=about("add the fourth item, ease of use, to the published three")
    )
    scale: tuple[str, ...] = field(
        default=(), metadata=about("labels, lowest first; left out: extremely unlikely to likely")
    )
    branches: tuple[Branch, ...] = field(
        default=(), metadata=about("left out: everybody sees every application")
    )
    attention: tuple[AttentionCheck, ...] = field(
        default=(), metadata=about("checks placed on scenario pages at random")
    )
    micro_task: bool = field(
        default=False, metadata=about("one scenario per person, all scenarios equally often")
    )
    real: RealPart | None = field(
        default=None, metadata=about("systems people already use, before the scenarios")
    )

    def problems(self, path: Path) -> list[Problem]:
        """Return what does not fit together."""
        found = repeated_keys(self.applications, (*path, "applications"))
        found += repeated_keys(self.branches, (*path, "branches"))
        found += repeated_keys(self.items, (*path, "items"))
        found += repeated_keys(self.attention, (*path, "attention"))
        if len(self.scale) == 1:
            found.append(too_few(self.scale, (*path, "scale"), "labels", "Add a label."))
        if not self.applications:
            found.append(too_few((), (*path, "applications"), "applications", "Describe one.", 1))
        found += self._level_problems(path) + self._branch_problems(path)
        found += self._subset_problems(path)
        points = len(self.scale) or 7
        found += [
            Problem(
                path=(*path, "attention", index, "answer"),
                found=str(check.answer),
                needed=f"from 1 to {points}, the points of the scale",
                cure="Change the number.",
            )
            for index, check in enumerate(self.attention)
            if check.answer > points
        ]
        return found

    def _level_problems(self, path: Path) -> list[Problem]:
        return [
            Problem(
                path=(*path, name, index),
                found=repr(level),
                needed="above 0 and at most 1",
                cure='Write it like 0.75 or "2/3".',
            )
            for name in ("precision", "recall")
            for index, level in enumerate(getattr(self, name))
            if level_from(level) is None
        ]

    def _subset_problems(self, path: Path) -> list[Problem]:
        """Return subsets that are larger than what there is to choose from."""
        there = {
            "per_application": (len(self.precision) * len(self.recall), "scenarios"),
            "applications_each": (len(self.applications), "applications"),
        }
        return [
            Problem(
                path=(*path, name),
                found=str(wanted),
                needed=f"at most {most}, the number of {what} there are",
                cure="Lower it, or leave it out to show all of them.",
            )
            for name, (most, what) in there.items()
            if (wanted := getattr(self, name)) is not None and 0 < most < wanted
        ]

    def _branch_problems(self, path: Path) -> list[Problem]:
        known = [each.key for each in self.applications]
        empty = [
            too_few((), (*path, "branches", place, "applications"), "applications", "Add one.", 1)
            for place, branch in enumerate(self.branches)
            if not branch.applications
        ]
        return empty + [
            Problem(
                path=(*path, "branches", place, "applications", index),
                found=repr(key),
                needed=f"the key of an application: {', '.join(known)}",
                cure="Correct it, or describe that application.",
            )
            for place, branch in enumerate(self.branches)
            for index, key in enumerate(branch.applications)
            if key not in known
        ]
