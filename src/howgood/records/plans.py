"""The three kinds of task: survey of scenarios, comparison of matrices, repeated rating.

In: plain values. Out: frozen plans that can list what does not fit together in them. Absent: the
frame around a task (consent, questions about the person, thanks), which is `records.study`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, Protocol

from howgood.records.plain import Path, Problem, about

LEVELS = ("1/2", "2/3", "5/6", "1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One answer that can be chosen."""

    key: str = field(metadata=about("short name in the data"))
    text: str = field(metadata=about("what people read"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question beside the task: about the person, or about what they thought."""

    key: str = field(metadata=about("name of the column in the data"))
    text: str = field(metadata=about("the question"))
    type: Literal["choice", "choices", "scale", "number", "text"] = field(
        default="choice",
        metadata=about("choice (one), choices (several), scale, number or text"),
    )
    options: tuple[Option, ...] = field(default=(), metadata=about("what can be chosen"))
    scale: tuple[str, ...] = field(
        default=(), metadata=about("labels of a scale, lowest first; type scale only")
    )
    minimum: float | None = field(default=None, metadata=about("smallest number allowed"))
    maximum: float | None = field(default=None, metadata=about("largest number allowed"))
    help: str = field(default="", metadata=about("a line in small print below the question"))

    def problems(self, path: Path) -> list[Problem]:
        """Return what does not fit together."""
        found = repeated_keys(self.options, (*path, "options"))
        if self.type in ("choice", "choices") and len(self.options) < 2:
            found.append(_few(self.options, (*path, "options"), "options", "Add an option."))
        if self.type == "scale" and len(self.scale) < 2:
            found.append(_few(self.scale, (*path, "scale"), "labels", "Add a label."))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture or film that lies beside the study file."""

    file: str = field(metadata=about("path relative to the study file: svg, png, jpg, webp, mp4"))
    alternative: str = field(metadata=about("what it shows, for those who cannot see it"))
    digest: str = field(default="", metadata=about("fingerprint of the file", filled=True))


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
    text: str = field(metadata=about("the instruction, such as: choose the second answer"))
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
        if not self.applications:
            found.append(_few((), (*path, "applications"), "applications", "Describe one.", 1))
        found += self._level_problems(path) + self._branch_problems(path)
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
            if not _is_level(level)
        ]

    def _branch_problems(self, path: Path) -> list[Problem]:
        known = [each.key for each in self.applications]
        return [
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """A confusion matrix in whole numbers, as people see it."""

    true_positives: int = field(metadata=about("found", minimum=0))
    false_negatives: int = field(metadata=about("missed", minimum=0))
    false_positives: int = field(metadata=about("false alarms", minimum=0))
    true_negatives: int = field(metadata=about("correctly cleared", minimum=0))
    lower: float | None = field(default=None, metadata=about("thresholds that give it: from"))
    upper: float | None = field(default=None, metadata=about("thresholds that give it: to"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresFile:
    """A table of known outcomes and a classifier's scores, beside the study file."""

    file: str = field(metadata=about("CSV or Parquet, path relative to the study file"))
    truth: str = field(metadata=about("column of outcomes, 0 or 1"))
    score: str = field(metadata=about("column of scores from 0 to 1"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPlan:
    """Pairs of confusion matrices; people say which system they prefer."""

    task: str = field(metadata=about("what the systems do and why they err, before practice"))
    question: str = field(metadata=about("asked above every pair"))
    words: Mapping[str, str] = field(metadata=about("the words of the flow chart"))
    matrices: tuple[Matrix, ...] = field(
        default=(), metadata=about("the matrices to compare, at least 3; or name `scores`")
    )
    scores: ScoresFile | None = field(
        default=None, metadata=about("make the matrices from a classifier's scores")
    )
    costs: Mapping[str, str] = field(
        default_factory=dict, metadata=about("what each error means for people, per kind of cost")
    )
    algorithm: Literal["mixture", "bisection"] = field(
        default="mixture", metadata=about("how the next pair is chosen")
    )
    rule: Literal["first", "default"] = field(
        default="first", metadata=about("shrink rule of the bisection")
    )
    tolerance: float = field(
        default=0.05, metadata=about("where the bisection stops", minimum=0.001, maximum=0.5)
    )
    practice: bool = field(default=True, metadata=about("practice questions with feedback first"))
    direct: Literal["both", "before", "after", "none"] = field(
        default="both", metadata=about("when to ask for the cost of an error directly")
    )
    queries: int = field(
        default=25, metadata=about("adaptive pairs at most", minimum=6, maximum=100)
    )
    checks: int = field(
        default=6, metadata=about("pairs with a plainly better side", minimum=0, maximum=12)
    )
    repeats: int = field(
        default=2, metadata=about("pairs asked again with sides swapped", minimum=0, maximum=6)
    )
    evaluation: int = field(
        default=15, metadata=about("hidden pairs at the end to test the metric", minimum=0)
    )
    bar_chart: bool = field(default=False, metadata=about("bars below the flow chart"))
    interview: bool = field(default=True, metadata=about("the six published questions at the end"))

    def problems(self, path: Path) -> list[Problem]:
        """Return what does not fit together."""
        if not self.matrices:
            place, found = path, "neither matrices nor a readable scores file"
        elif len({_counts(each) for each in self.matrices}) < 3:
            place, found = (*path, "matrices"), "fewer than 3 different matrices"
        elif len({_classes(each) for each in self.matrices}) > 1:
            place, found = (*path, "matrices"), "matrices with different numbers of positives"
        else:
            return []
        return [
            Problem(
                path=place,
                found=found,
                needed="at least 3 different matrices of the same cases",
                cure="List the matrices, or name a file of scores.",
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedItem:
    """Something people rate again and again: a text, a picture, or both."""

    key: str = field(metadata=about("short name in the data"))
    text: str = field(default="", metadata=about("what people read"))
    picture: Picture | None = field(default=None, metadata=about("what people see"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReratingPlan:
    """The same items, rated in several rounds, each in a new order."""

    question: str = field(metadata=about("asked with every item"))
    scale: tuple[str, ...] = field(metadata=about("labels, lowest first"))
    items: tuple[RatedItem, ...] = field(metadata=about("what is rated, at least 2"))
    rounds: int = field(default=5, metadata=about("how often", minimum=2, maximum=50))
    delay_minutes: float = field(
        default=0.0, metadata=about("shortest time between the end of a round and the next")
    )
    instructions: str = field(default="", metadata=about("before the first round"))

    def problems(self, path: Path) -> list[Problem]:
        """Return what does not fit together."""
        found = repeated_keys(self.items, (*path, "items"))
        if len(self.items) < 2:
            found.append(_few(self.items, (*path, "items"), "items", "Add an item."))
        if len(self.scale) < 2:
            found.append(_few(self.scale, (*path, "scale"), "labels", "Add a label."))
        return found + [
            Problem(
                path=(*path, "items", index),
                found="neither text nor picture",
                needed="something to rate",
                cure="Add one of them.",
            )
            for index, item in enumerate(self.items)
            if not item.text and item.picture is None
        ]


class _Keyed(Protocol):
    @property
    def key(self) -> str: ...


def repeated_keys(records: Iterable[_Keyed], path: Path) -> list[Problem]:
    """Return a problem for every record whose key an earlier one has, or that has none."""
    seen: Counter[str] = Counter()
    problems = []
    for index, record in enumerate(records):
        seen[record.key] += 1
        if seen[record.key] > 1 or not record.key.replace("-", "_").isidentifier():
            problems.append(
                Problem(
                    path=(*path, index, "key"),
                    found=f"{record.key!r}" + (" again" if seen[record.key] > 1 else ""),
                    needed="a key of its own: letters, digits, _ and -, starting with a letter",
                    cure="Choose another key.",
                )
            )
    return problems


def _few(values: tuple[object, ...], path: Path, what: str, cure: str, least: int = 2) -> Problem:
    return Problem(path=path, found=str(len(values)), needed=f"at least {least} {what}", cure=cure)


def _is_level(level: float | str) -> bool:
    try:
        return 0 < Fraction(level) <= 1
    except (ValueError, ZeroDivisionError):
        return False


def _counts(matrix: Matrix) -> tuple[int, int, int, int]:
    return (
        matrix.true_positives,
        matrix.false_negatives,
        matrix.false_positives,
        matrix.true_negatives,
    )


def _classes(matrix: Matrix) -> tuple[int, int]:
    return (
        matrix.true_positives + matrix.false_negatives,
        matrix.false_positives + matrix.true_negatives,
    )
