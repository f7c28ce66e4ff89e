"""A comparison: pairs of confusion matrices, of which people prefer one.

In: plain values, and a reader for tables that they name. Out: a frozen plan that can list what does
not fit together in it. Absent: choosing pairs (`learn`), drawing them (`show`), and which files may
be read (`flow.study_files.attached_files`).
"""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal

from pydantic import Field

from howgood import learn
from howgood.errors import HowgoodError, InputError
from howgood.kinds.plan import Plan
from howgood.kinds.protocol import OpenTable
from howgood.kinds.study import Study, plan_of
from howgood.learn.elicitation.family_registry import DEFAULT_FAMILIES, FAMILIES
from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix
from howgood.records.record import Problem, Record
from howgood.records.table import frame_columns


class Matrix(Record):
    """A confusion matrix in whole numbers, as people see it."""

    true_positives: int = Field(description="found", ge=0)
    false_negatives: int = Field(description="missed", ge=0)
    false_positives: int = Field(description="false alarms", ge=0)
    true_negatives: int = Field(description="correctly cleared", ge=0)
    lower: float | None = Field(default=None, description="thresholds that give it: from")
    upper: float | None = Field(default=None, description="thresholds that give it: to")


class ScoresFile(Record):
    """A table of known outcomes and a classifier's scores, next to the study file."""

    file: str = Field(description="CSV or Parquet, path relative to the study file")
    truth: str = Field(description="column of outcomes, 0 or 1")
    score: str = Field(description="column of scores from 0 to 1")


class CostOfError(Record):
    """What one kind of error means for the person it happens to."""

    health: str = Field(default="", description="for their health")
    money: str = Field(default="", description="for their money")
    time: str = Field(default="", description="for their time")
    feelings: str = Field(default="", description="for how they feel")


class ErrorCosts(Record):
    """What the two kinds of error mean."""

    miss: CostOfError = Field(description="what a miss means")
    alarm: CostOfError = Field(description="what a false alarm means")


class ComparisonPlan(Plan):
    """Pairs of confusion matrices; people say which system they prefer."""

    task: str = Field(description="what the systems do and why they err, before practice")
    question: str = Field(description="asked above every pair")
    words: Mapping[str, str] = Field(description="the words of the flow chart")
    matrices: tuple[Matrix, ...] = Field(
        default=(),
        description="the matrices to compare, at least 3; or name `table` or `scores`",
    )
    table: str = Field(
        default="",
        description="file with one system per row and the columns of `matrices`, as any counts",
    )
    scores: ScoresFile | None = Field(
        default=None,
        description="make the matrices from a classifier's scores, out of 100, 1,000 or 10,000 "
        "cases: the first that shows 10 of the rarer class",
    )
    costs: ErrorCosts | None = Field(default=None, description="what each error means for people")
    algorithm: Literal["mixture", "bisection"] = Field(
        default="mixture", description="how the next pair is chosen"
    )
    families: tuple[str, ...] = Field(
        default=DEFAULT_FAMILIES,
        description="kinds of metric that the mixture considers: "
        + ", ".join(f"`{name}`" for name in FAMILIES),
    )
    rule: Literal["first", "default"] = Field(
        default="first", description="shrink rule of the bisection"
    )
    tolerance: float = Field(
        default=0.05, description="where the bisection stops", ge=0.001, le=0.5
    )
    practice: bool = Field(default=True, description="practice questions with feedback first")
    direct: Literal["both", "before", "after", "none"] = Field(
        default="both", description="when to ask for the cost of an error directly"
    )
    queries: int = Field(default=25, description="adaptive pairs at most", ge=6, le=100)
    checks: int = Field(default=6, description="pairs with a plainly better side", ge=0, le=12)
    repeats: int = Field(default=2, description="pairs asked again with sides swapped", ge=0, le=6)
    evaluation: int = Field(
        default=15,
        description="hidden pairs at the end to test the metric",
        ge=0,
        le=60,
    )
    bar_chart: bool = Field(default=False, description="bars below the flow chart")
    bars_on_demand: bool = Field(
        default=False,
        description="bars to be opened below each pair; how often and how long is exported",
    )
    interview: bool = Field(default=True, description="the six published questions at the end")

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        return [*self._wrong_families(), *self._wrong_matrices()]

    def _wrong_families(self) -> list[Problem]:
        unknown = [family for family in self.families if family not in FAMILIES]
        if self.families and not unknown:
            return []
        return [
            Problem(
                path=("families",),
                found=repr(unknown[0]) if unknown else "none",
                needed=f"one or more of {', '.join(FAMILIES)}",
                cure="Leave it out to consider the usual ones.",
            )
        ]

    def _wrong_matrices(self) -> list[Problem]:
        if not self.matrices:
            found = "none, and no file they could be made from"
        elif len({_counts(matrix) for matrix in self.matrices}) < 3:
            found = "fewer than 3 different matrices"
        elif len({_classes(matrix) for matrix in self.matrices}) > 1:
            found = "matrices with different numbers of positives"
        else:
            return []
        return [
            Problem(
                path=("matrices",),
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


# Are the words of a comparison complete for every chart and question it can show?

# The words of charts and questions; `use` ends one sentence of the last questions.
WORDS = frozenset(field.name for field in fields(ComparisonWording)) - {"task", "question", "costs"}
OPTIONAL_WORDS = frozenset({"use"})


def wording_problems(study: Study) -> list[Problem]:
    """Return what is missing to word every chart."""
    plan = plan_of(study, ComparisonPlan)
    path = ("comparison", "words")
    problems = [
        Problem(
            path=path,
            found=f"no word {name!r}",
            needed=f"the words {', '.join(sorted(WORDS))}",
            cure="Add it.",
        )
        for name in sorted(word for word in WORDS if not plan.words.get(word, "").strip())
    ]
    problems += [
        Problem(
            path=(*path, name),
            found=f"a word {name!r}",
            needed=f"one of {', '.join(sorted(WORDS | OPTIONAL_WORDS))}",
            cure="Rename or remove it.",
        )
        for name in sorted(set(plan.words) - WORDS - OPTIONAL_WORDS)
    ]
    if plan.algorithm == "bisection" and any(matrix.lower is None for matrix in plan.matrices):
        problems.append(
            Problem(
                path=("comparison", "algorithm"),
                found="bisection over matrices without thresholds",
                needed="lower and upper thresholds of every matrix",
                cure="Name a file of scores, or set algorithm to mixture.",
            )
        )
    return problems


FILE_KEYS = ("scores", "table")
_FILLED = "matrices"


def fill_from_files(
    plan: dict[str, Any], open_table: OpenTable, problems: list[Problem]
) -> frozenset[str]:
    """Put in the matrices that files give; return what stays empty because a file is wrong."""
    unfilled = set()
    for key, read in (("scores", _from_scores), ("table", _from_table)):
        try:
            matrices = read(plan.get(key), open_table)
        except HowgoodError as error:
            problems.append(_problem(key, error))
            unfilled.add(_FILLED)
            continue
        if matrices:
            plan[_FILLED] = matrices
    return frozenset(unfilled)


def _problem(key: str, error: HowgoodError) -> Problem:
    path = ("comparison", key)
    if isinstance(error, InputError):
        found = f"{error.where}: {error.found}"
        return Problem(path=path, found=found, needed=error.needed, cure=error.cure)
    return Problem(path=path, found=str(error), needed="a readable table", cure="Save it as CSV.")


# Values of a wrong type are reported when the plan is read, so they give no matrices here.


def _from_table(name: object, open_table: OpenTable) -> list[dict[str, Any]]:
    if not isinstance(name, str) or not name:
        return []
    return [
        _four_counts(matrix) for matrix in learn.table_matrices(open_table(name), out_of="auto")
    ]


def _from_scores(scores: object, open_table: OpenTable) -> list[dict[str, Any]]:
    if not isinstance(scores, Mapping):
        return []
    file, truth, score = (scores.get(name) for name in ("file", "truth", "score"))
    if not (isinstance(file, str) and isinstance(truth, str) and isinstance(score, str)):
        return []
    where = file.replace("\\", "/").rpartition("/")[2]
    columns = frame_columns(open_table(file), [truth, score], where=where)
    reachable = learn.threshold_matrices(columns[truth], columns[score], out_of="auto")
    return [
        {
            **_four_counts(matrix),
            "lower": thresholds.lower,
            "upper": None if math.isinf(thresholds.upper) else thresholds.upper,
        }
        for matrix, thresholds in zip(reachable.matrices, reachable.ranges, strict=True)
    ]


def _four_counts(matrix: ConfusionMatrix) -> dict[str, Any]:
    return {name: int(count) for name, count in matrix.to_dict().items()}
