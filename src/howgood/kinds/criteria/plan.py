"""Alternatives by criteria, of which people choose one of two, again and again.

In: plain values. Out: a frozen plan that can list what does not fit together in it. Absent:
choosing pairs (`learn`) and drawing them (`show`).
"""

from typing import Literal

import numpy as np
from pydantic import Field

from howgood.errors import InputError
from howgood.kinds.plan import Plan, repeated_keys, too_few
from howgood.learn.elicitation.criteria_table import check_table
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


class CriteriaPlan(Plan):
    """Alternatives by criteria; people say which of two they would choose."""

    task: str = Field(description="what is to be chosen and for what, before the first pair")
    question: str = Field(description="asked above every pair")
    queries: int = Field(default=20, description="adaptive pairs at most", ge=6, le=100)
    checks: int = Field(default=2, description="pairs with a plainly better side", ge=0, le=3)
    evaluation: int = Field(
        default=6, description="hidden pairs at the end to test the weights", ge=0, le=30
    )
    table: str = Field(
        default="",
        description="file with one alternative per row: a column of names, one per criterion, and "
        "perhaps its standard deviation (quality_sd); instead of listing `alternatives`",
    )
    # Last, though they must be there: a form shows long lists below what is short.
    measures: tuple[Measure, ...] = Field(description="the criteria, from 2 to 8")
    alternatives: tuple[Candidate, ...] = Field(
        default=(), description="what can be chosen, at least 2; or name a `table`"
    )

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        found = repeated_keys(self.measures, ("measures",))
        found += _repeated_names(self.alternatives)
        for what, given in (("measures", self.measures), ("alternatives", self.alternatives)):
            if len(given) < 2:
                found.append(too_few(given, (what,), what, "Add one."))
        if not found:
            found = self._wrong_lengths() or self._wrong_table()
        return found

    def _wrong_lengths(self) -> list[Problem]:
        return [
            Problem(
                path=("alternatives", index, name),
                found=f"{len(given)} numbers",
                needed=f"{len(self.measures)}, one per criterion",
                cure="Give one number for each of the measures, in their order.",
            )
            for index, each in enumerate(self.alternatives)
            for name, given in (("scores", each.scores), ("sds", each.sds))
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
            names=tuple(each.key for each in self.alternatives),
            criteria=tuple(
                Criterion(
                    name=each.key,
                    direction=each.direction,
                    unit=each.unit,
                    label=each.text,
                    scale=each.scale,
                )
                for each in self.measures
            ),
            scores=np.array([each.scores for each in self.alternatives], dtype=np.float64),
            sds=np.array(
                [each.sds or (0.0,) * len(self.measures) for each in self.alternatives],
                dtype=np.float64,
            ),
        )


def _repeated_names(alternatives: tuple[Candidate, ...]) -> list[Problem]:
    """Return a problem for every name an earlier alternative has; they need not be words."""
    names = [each.key for each in alternatives]
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
