"""Alternatives by criteria, of which people choose one of two, again and again.

In: plain values, and a reader for tables that they name. Out: a frozen plan that can list what does
not fit together in it. Absent: opening files, choosing pairs (`learn`), drawing them (`show`).
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pydantic import Field

from howgood.errors import HowgoodError, InputError
from howgood.kinds.plan import Plan, repeated_keys, table_problem, too_few
from howgood.kinds.protocol import OpenTable
from howgood.learn.elicitation.criteria_table import check_table, criteria_table
from howgood.records.criteria import CriteriaTable, Criterion
from howgood.records.record import Path, Problem, Record


class Measure(Record):
    """A criterion: what it is called, which way is better, and its unit."""

    key: str = Field(description="short name in the data, and the column in a table")
    text: str = Field(description="what people read")
    direction: Literal["max", "min"] = Field(description="max: more is better; min: less is")
    unit: str = Field(default="", description="unit of the scores, shown behind them")
    scale: Literal["linear", "log"] = Field(
        default="linear", description="log: ratios count, from 1 to 2 is as much as from 2 to 4"
    )


class Candidate(Record):
    """An alternative with its scores."""

    key: str = Field(description="short name in the data; participants never see it")
    scores: tuple[float, ...] = Field(description="one per criterion, in the same order")
    sds: tuple[float, ...] = Field(
        default=(), description="standard deviations of the scores, in the same order; empty: exact"
    )


class OutcomesFile(Record):
    """A table of known outcomes and a classifier's scores: what it does by class or by group."""

    file: str = Field(description="CSV or Parquet, path relative to the study file")
    truth: str = Field(description="column of true labels")
    classes: tuple[str, ...] = Field(
        default=(),
        description="columns of probabilities, one per class, called by it or ending with it "
        "(p_cat): asks what a right answer on each class is worth",
    )
    score: str = Field(default="", description="with group: column of scores from 0 to 1")
    group: str = Field(
        default="", description="column of groups: asks how much gaps between groups count"
    )
    positive: str = Field(default="1", description="with group: the positive label")


class CriteriaPlan(Plan):
    """Alternatives by criteria; people say which of two they would choose."""

    task: str = Field(description="what is to be chosen and for what, before the first pair")
    question: str = Field(description="asked above every pair")
    queries: int = Field(default=20, description="adaptive pairs at most", ge=6, le=100)
    checks: int = Field(default=2, description="pairs with a plainly better side", ge=0, le=3)
    evaluation: int = Field(
        default=8, description="hidden pairs at the end to test the weights", ge=0, le=30
    )
    imagined: bool = Field(
        default=True,
        description="also ask about imagined pairs, which differ in two criteria; false: only "
        "about the alternatives themselves",
    )
    until: Literal["best", "weights", "ratio"] = Field(
        default="best",
        description="what ends the questions before `queries` are asked: best, one alternative is "
        "settled as the best; weights, every weight is known to within five hundredths; ratio, of "
        "two criteria, how much of one is worth the other",
    )
    common_unit: bool = Field(
        default=False,
        description="all criteria are counted in the same unit, such as cases or percent: weights "
        "are of that unit, not of each criterion's range",
    )
    table: str = Field(
        default="",
        description="file with one alternative per row: a column of names, one per criterion, and "
        "perhaps its standard deviation (quality_sd); instead of listing `alternatives`",
    )
    outcomes: OutcomesFile | None = Field(
        default=None,
        description="instead of measures and alternatives: what a classifier does on each class, "
        "or in each group",
    )
    # Last, though they must be there: a form shows long lists below what is short.
    measures: tuple[Measure, ...] = Field(description="the criteria, from 2 to 8")
    alternatives: tuple[Candidate, ...] = Field(
        default=(), description="what can be chosen, at least 2; or name a `table`"
    )

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        problems = repeated_keys(self.measures, ("measures",))
        problems += _repeated_names(self.alternatives)
        for what, given in (("measures", self.measures), ("alternatives", self.alternatives)):
            if len(given) < 2:
                problems.append(too_few(given, (what,), what, "Add one."))
        if not problems:
            problems = self._wrong_lengths() or self._wrong_table()
        return problems

    def _wrong_lengths(self) -> list[Problem]:
        return [
            Problem(
                path=("alternatives", index, name),
                found=f"{len(given)} numbers",
                needed=f"{len(self.measures)}, one per criterion",
                cure="Give one number for each of the measures, in their order.",
            )
            for index, alternative in enumerate(self.alternatives)
            for name, given in (("scores", alternative.scores), ("sds", alternative.sds))
            if len(given) != len(self.measures) and (given or name == "scores")
        ]

    def _wrong_table(self) -> list[Problem]:
        path: Path = ("alternatives",)
        try:
            check_table(self.as_table())
        except InputError as error:
            found = f"{error.where}: {error.found}"
            return [Problem(path=path, found=found, needed=error.needed, cure=error.cure)]
        return []

    def as_table(self) -> CriteriaTable:
        """Return the alternatives as `learn` knows them."""
        return CriteriaTable(
            names=tuple(alternative.key for alternative in self.alternatives),
            criteria=tuple(
                Criterion(
                    name=measure.key,
                    direction=measure.direction,
                    unit=measure.unit,
                    label=measure.text,
                    scale=measure.scale,
                )
                for measure in self.measures
            ),
            scores=np.array(
                [alternative.scores for alternative in self.alternatives], dtype=np.float64
            ),
            sds=np.array(
                [
                    alternative.sds or (0.0,) * len(self.measures)
                    for alternative in self.alternatives
                ],
                dtype=np.float64,
            ),
            common_unit=self.common_unit,
        )


def _repeated_names(alternatives: tuple[Candidate, ...]) -> list[Problem]:
    """Return a problem for every name an earlier alternative has; they need not be words."""
    names = [alternative.key for alternative in alternatives]
    return [
        Problem(
            path=("alternatives", index, "key"),
            found=f"{name!r:.60}" + (" again" if name in names[:index] else ""),
            needed="a name of its own",
            cure="Choose another name.",
        )
        for index, name in enumerate(names)
        if not name.strip() or name in names[:index]
    ]


FILE_KEYS = ("table", "outcomes")
_FILLED = "alternatives"


def fill_from_files(
    plan: dict[str, Any], open_table: OpenTable, problems: list[Problem]
) -> frozenset[str]:
    """Put in the alternatives of a table; return what stays empty because a file is wrong."""
    if isinstance(plan.get("outcomes"), Mapping):
        return _fill_outcomes(plan, plan["outcomes"], open_table, problems)
    name, measures = plan.get("table"), _directions(plan.get("measures"))
    # Values of a wrong type are reported when the plan is read, so they fill nothing here.
    if not isinstance(name, str) or not name or not measures:
        return frozenset()
    try:
        made = criteria_table(open_table(name), criteria=measures)
    except HowgoodError as error:
        problems.append(table_problem(error, ("criteria", "table")))
        return frozenset({_FILLED})
    plan[_FILLED] = _alternatives(made)
    return frozenset()


def _alternatives(table: CriteriaTable) -> list[dict[str, Any]]:
    return [
        {"key": key, "scores": scores, **({"sds": sds} if any(sds) else {})}
        for key, scores, sds in zip(
            table.names, table.scores.tolist(), table.sds.tolist(), strict=True
        )
    ]


def _fill_outcomes(
    plan: dict[str, Any],
    said: Mapping[str, Any],
    open_table: OpenTable,
    problems: list[Problem],
) -> frozenset[str]:
    """Put in what a classifier does as measures and alternatives, the systems themselves."""
    try:
        made = _outcome_table(said, open_table)
    except HowgoodError as error:
        problems.append(table_problem(error, ("criteria", "outcomes")))
        made = None
    if made is None:
        return frozenset({"measures", _FILLED})
    plan["measures"] = [
        {
            "key": f"c{place}",
            "text": criterion.title,
            "direction": criterion.direction,
            "unit": criterion.unit,
        }
        for place, criterion in enumerate(made.criteria, start=1)
    ]
    plan[_FILLED] = _alternatives(made)
    plan |= {"imagined": False, "common_unit": True}
    return frozenset()


def _outcome_table(said: Mapping[str, Any], open_table: OpenTable) -> CriteriaTable | None:
    # Values of a wrong type are reported when the plan is read, so they fill nothing here.
    texts = {name: said.get(name, "") for name in ("file", "truth", "score", "group")}
    texts["positive"] = said.get("positive", "1")
    classes = said.get("classes", ())
    is_listed = isinstance(classes, list | tuple) and all(
        isinstance(one_name, str) for one_name in classes
    )
    if not is_listed or not all(isinstance(text, str) for text in texts.values()):
        return None
    file = texts.pop("file")
    where = file.replace("\\", "/").rpartition("/")[2]
    if bool(classes) == bool(texts["group"] and texts["score"]):
        raise InputError(
            where=where,
            found="classes and a group" if classes else "neither classes nor a group",
            needed="either `classes`, or `score` and `group`",
            cure="Name the columns of one of them.",
        )
    # Bring SciPy, which a server does without until a study asks for it.
    from howgood.learn.elicitation.fair import group_table
    from howgood.learn.elicitation.multiclass import class_table
    from howgood.learn.elicitation.outcome_tables import outcomes_by_class, outcomes_by_group

    frame = open_table(file)
    if classes:
        outcomes, names = outcomes_by_class(
            frame, truth=texts["truth"], classes=classes, where=where
        )
        return class_table(outcomes, names)
    return group_table(outcomes_by_group(frame, **texts, where=where))


def _directions(measures: object) -> dict[str, str]:
    if not isinstance(measures, list | tuple):
        return {}
    given = [
        (measure.get("key"), measure.get("direction"))
        for measure in measures
        if isinstance(measure, Mapping)
    ]
    return {
        key: direction
        for key, direction in given
        if isinstance(key, str) and isinstance(direction, str)
    }
