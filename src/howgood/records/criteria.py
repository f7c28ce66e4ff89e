"""Alternatives judged by several criteria, and what choices between them say.

In: what a table and the searches of `learn` know. Out: `Criterion`, `Alternative`, `CriteriaTable`,
`CriteriaResult`. Absent: reading tables, asking, drawing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Literal

import numpy as np

from howgood.errors import InputError, UnknownNameError
from howgood.records.elicitation import (
    Agreement,
    AttentionChecks,
    Evidence,
    evidence_of,
)
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray

Direction = Literal["max", "min"]
Scale = Literal["linear", "log"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One thing that matters: which way is better, and in which unit it is measured.

    `scale` "log" means that ratios count: from 1 to 2 seconds is as much as from 2 to 4. `sd` names
    the column with the standard deviation of the score, `label` what people read.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> Criterion(name="price", direction="min", unit="EUR").shown(12.5)
    '12.5 EUR'
    """

    name: str
    direction: Direction
    unit: str = ""
    label: str = ""
    scale: Scale = "linear"
    sd: str = ""

    def __post_init__(self) -> None:
        for what, value, known in (
            ("direction", self.direction, ("max", "min")),
            ("scale", self.scale, ("linear", "log")),
        ):
            if value not in known:
                raise InputError(
                    where=f"criterion {self.name!r:.60}",
                    found=f"{what} {value!r:.60}",
                    needed=f"{what} {known[0]!r} or {known[1]!r}",
                    cure='Write "max" where more is better, "min" where less is.'
                    if what == "direction"
                    else "Leave it out where differences count.",
                )

    @property
    def title(self) -> str:
        """What people read: the label, else the name."""
        return self.label or self.name

    def shown(self, value: float) -> str:
        """Return a value with its unit, as people read it."""
        number = f"{value:,.10g}"
        return f"{number} {self.unit}" if self.unit else number

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "name": self.name,
            "direction": self.direction,
            "unit": self.unit,
            "label": self.label,
            "scale": self.scale,
            "sd": self.sd,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Something to choose, with its value on every criterion; `name` is empty for imagined ones.

    Notes
    -----
    Stability: experimental
    """

    values: Mapping[str, float]
    name: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"name": self.name, "values": dict(self.values)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CriteriaTable:
    """Alternatives by criteria: scores and their standard deviations, shape (n, k).

    With `common_unit` all criteria are counted in the same unit, such as cases or percent: weights
    are then of that unit, not of each criterion's own way from worst to best.

    Notes
    -----
    Stability: experimental
    """

    names: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    scores: FloatArray
    sds: FloatArray
    common_unit: bool = False

    @property
    def lowest(self) -> FloatArray:
        """The smallest score of each criterion."""
        return np.asarray(self.scores.min(axis=0))

    @property
    def highest(self) -> FloatArray:
        """The largest score of each criterion."""
        return np.asarray(self.scores.max(axis=0))

    @property
    def is_measured(self) -> bool:
        """Whether any score has a standard deviation of its own."""
        return bool((self.sds > 0).any())

    def features(self, scores: FloatArray) -> FloatArray:
        """Return scores as shares of the way from the worst to the best of the table."""
        low, high, values = (
            self._scaled(value) for value in (self.lowest, self.highest, np.asarray(scores))
        )
        falling = np.array([criterion.direction == "min" for criterion in self.criteria])
        return np.asarray(np.where(falling, high - values, values - low) / self._spans())

    def feature_sds(self) -> FloatArray:
        """Return the standard deviations of the features."""
        logs = np.array([criterion.scale == "log" for criterion in self.criteria])
        # The logarithm of a score has the score's relative error.
        sds = np.where(logs, self.sds / np.where(logs, self.scores, 1.0), self.sds)
        return np.asarray(sds / self._spans())

    def _spans(self) -> FloatArray:
        """Return what counts as 1: each criterion's range, or the widest for all."""
        ranges = self._scaled(self.highest) - self._scaled(self.lowest)
        return np.full_like(ranges, ranges.max()) if self.common_unit else ranges

    def _scaled(self, scores: FloatArray) -> FloatArray:
        logs = np.array([criterion.scale == "log" for criterion in self.criteria])
        return np.where(logs, np.log(np.where(logs, scores, 1.0)), scores)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "names": list(self.names),
            "criteria": [criterion.to_dict() for criterion in self.criteria],
            "scores": self.scores.tolist(),
            "sds": self.sds.tolist(),
            "common_unit": self.common_unit,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CriteriaResult(Tabular):
    """What the choices say: how much each criterion weighs, and which alternative is best.

    `weights` are of the whole way from the worst to the best of the table on each criterion and sum
    to 1. `best_probability` says how probable it is that an alternative is the best for this
    person, with the uncertainty of weights and of scores; `regret` is what choosing it forgoes,
    where 1 is the way from worst to best on everything. `best` has the least expected regret.
    `p_settled` is the probability that it is the best if the scores are exact: where that is high
    and `best_probability` is not, more measurements help and more questions do not.

    With fewer than 3 answers that prefer a side there is not enough `evidence`; with any `misfit`
    no weights describe this person; where `is_informative` is false, the answers are foretold
    hardly better than by a coin. Then `best` is None.

    Notes
    -----
    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    alternatives: CriteriaTable
    weights: Mapping[str, Estimate]
    best: str | None
    best_probability: Mapping[str, float]
    p_settled: float
    utility: Mapping[str, Estimate]
    regret: Mapping[str, Estimate]
    queries: int
    choices: int
    preferences: int
    stopped: str
    checks: AttentionChecks
    agreement: Agreement | None
    provenance: Provenance
    misfit: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    is_informative: bool = True

    @property
    def fits(self) -> bool:
        """Whether weights describe this person, as far as the tests can tell."""
        return not self.misfit

    @property
    def evidence(self) -> Evidence:
        """Whether the answers say enough for an alternative: "enough", "little" or "none"."""
        return evidence_of(self.preferences, is_informative=self.is_informative)

    def exchange(self, one: str, other: str) -> Estimate:
        """Return how much of `other` one unit of `one` is worth, in the units of the table.

        It prints as the median, as the mean of a ratio follows its few largest draws. Only for
        criteria on a linear scale: on others the rate depends on where one stands.
        """
        by_name = {criterion.name: criterion for criterion in self.alternatives.criteria}
        rates = []
        for name in (one, other):
            if name not in by_name:
                raise UnknownNameError(where="exchange", name=name, names=by_name)
            if by_name[name].scale != "linear":
                raise InputError(
                    where="exchange",
                    found=f"{name!r} on a logarithmic scale",
                    needed="criteria on a linear scale",
                    cure="Compare the weights instead.",
                )
            place = list(by_name).index(name)
            width = self.alternatives.highest[place] - self.alternatives.lowest[place]
            rates.append(self.weights[name].draws / width)
        worth = rates[0] / np.maximum(rates[1], 1e-12 * rates[0].max())
        return Estimate.from_draws(
            worth, probability=0.9, kind="quantile", n_respondents=1, centre="median"
        )

    def table(self) -> Table:
        """Return one row per alternative, the best first."""
        order = sorted(self.alternatives.names, key=lambda name: self.regret[name].mean)
        scores = dict(zip(self.alternatives.names, self.alternatives.scores, strict=True))
        return Table(
            {
                "alternative": order,
                "p_best": [self.best_probability[name] for name in order],
                "regret": [self.regret[name].mean for name in order],
                "utility": [self.utility[name].mean for name in order],
                "utility_lower": [self.utility[name].interval.lower for name in order],
                "utility_upper": [self.utility[name].interval.upper for name in order],
                **{
                    criterion.name: [float(scores[name][place]) for name in order]
                    for place, criterion in enumerate(self.alternatives.criteria)
                },
            }
        )

    def plot(self, path: Any = None) -> Any:  # noqa: ANN401 - a path; matplotlib's Figure
        """Return the picture of the result as a matplotlib figure; write it to `path` if given."""
        # Showing is a layer above results: it is looked up when somebody looks, never imported.
        return import_module("howgood.show.criteria").criteria_picture(self, path=path)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "evidence": self.evidence,
            "is_informative": self.is_informative,
            "fits": self.fits,
            "misfit": list(self.misfit),
            "advice": list(self.advice),
            "best": self.best,
            "best_probability": dict(self.best_probability),
            "p_settled": self.p_settled,
            "weights": {name: weight.to_dict() for name, weight in self.weights.items()},
            "utility": {name: estimate.to_dict() for name, estimate in self.utility.items()},
            "regret": {name: estimate.to_dict() for name, estimate in self.regret.items()},
            "queries": self.queries,
            "choices": self.choices,
            "preferences": self.preferences,
            "stopped": self.stopped,
            "checks": self.checks.to_dict(),
            "agreement": self.agreement and self.agreement.to_dict(),
            "alternatives": self.alternatives.to_dict(),
            "provenance": self.provenance.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupChoice:
    """What suits many people: `best` has the least mean regret, `p_best` says how surely.

    `shares` says for what share of people each alternative is the best, `regret` what it forgoes on
    average, `weights` the mean weight of each criterion; all are about people like those asked.

    Notes
    -----
    Stability: experimental
    """

    best: str
    p_best: float
    shares: Mapping[str, Estimate]
    regret: Mapping[str, Estimate]
    weights: Mapping[str, Estimate]
    people: int
    seed: int | None
