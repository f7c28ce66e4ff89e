"""A comparison: pairs of confusion matrices, of which people prefer one.

In: plain values. Out: a frozen plan that can list what does not fit together in it. Absent:
choosing pairs (`learn`) and drawing them (`show`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from howgood.records.plain import Path, Problem, about


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
class CostOfError:
    """What one kind of error means for the person it happens to."""

    health: str = field(default="", metadata=about("for their health"))
    money: str = field(default="", metadata=about("for their money"))
    time: str = field(default="", metadata=about("for their time"))
    feelings: str = field(default="", metadata=about("for how they feel"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCosts:
    """What the two kinds of error mean."""

    miss: CostOfError = field(metadata=about("what a miss means"))
    alarm: CostOfError = field(metadata=about("what a false alarm means"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPlan:
    """Pairs of confusion matrices; people say which system they prefer."""

    task: str = field(metadata=about("what the systems do and why they err, before practice"))
    question: str = field(metadata=about("asked above every pair"))
    words: Mapping[str, str] = field(metadata=about("the words of the flow chart"))
    matrices: tuple[Matrix, ...] = field(
        default=(),
        metadata=about("the matrices to compare, at least 3; or name `table` or `scores`"),
    )
    table: str = field(
        default="",
        metadata=about("file with one system per row and the columns of `matrices`, as any counts"),
    )
    scores: ScoresFile | None = field(
        default=None,
        metadata=about(
            "make the matrices from a classifier's scores, out of 100, 1,000 or 10,000 cases: the "
            "first that shows 10 of the rarer class"
        ),
    )
    costs: ErrorCosts | None = field(
        default=None, metadata=about("what each error means for people")
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
        default=15,
        metadata=about("hidden pairs at the end to test the metric", minimum=0, maximum=60),
    )
    bar_chart: bool = field(default=False, metadata=about("bars below the flow chart"))
    interview: bool = field(default=True, metadata=about("the six published questions at the end"))

    def problems(self, path: Path) -> list[Problem]:
        """Return what does not fit together."""
        if not self.matrices:
            place, found = (*path, "matrices"), "none, and no file they could be made from"
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
                cure="List the matrices, or name a table of them or a file of scores.",
            )
        ]


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
