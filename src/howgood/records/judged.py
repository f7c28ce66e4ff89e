"""What a judge of outputs is worth, next to people: results of `score.judge`.

In: estimates the `score` stage worked out. Out: frozen results with their plain values, and a plan
for collecting more labels. Absent: estimating from rows (see `score.judging`), words (see `show`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from howgood.errors import InputError, UnknownNameError
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.saved import field_values
from howgood.records.shown import Shown
from howgood.records.table import Table, Tabular
from howgood.stats.clustered_influence import half_width, satterthwaite

LabelKind = Literal["pass rate", "mean"]
_MOST_RATERS, _MOST_LABELS = 400, 10_000_000
_SHOWN_RATERS = (2, 3, 4, 5, 8, 12, 20, 50, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement(Shown):
    """How often the judge agrees with one person, next to people with each other and themselves.

    `measure` is "exact agreement" (share of equal verdicts on the same output) or "correlation".
    `colleague` is judge_people less people_people: at 0 the judge is as good as one more person.
    None where nobody labelled the same output (twice).

    Stability: experimental
    """

    measure: str
    judge_people: Estimate
    people_people: Estimate | None
    people_themselves: Estimate | None
    colleague: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return field_values(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelVariances:
    """What labels vary with: raters, single labels around them, and predictions of everything."""

    raters: float
    labels: float
    predictions: float
    weight: float
    n_everything: int

    def width(self, raters: int, labels: float, probability: float) -> float:
        """Return the expected width of an interval from so many raters and labels altogether."""
        by_raters = self.raters / raters + self.labels / labels
        by_units = self.weight**2 * self.predictions / self.n_everything
        freedom = satterthwaite((by_raters, raters - 1.0), (by_units, self.n_everything - 1.0))
        return 2.0 * half_width(by_raters + by_units, freedom, probability)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return field_values(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePlan(Tabular):
    """How many people should label how much for an interval of the wanted width, at least cost.

    Every label is of another output: a second label of the same one, by the same or another person,
    costs as much and says less, so `repeats` is 1. `reachable` is False when no design tried gets
    there; then `raters` and the rest are None. `alternatives` has one row per number of raters.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "alternatives"

    width: float
    reachable: bool
    raters: int | None
    labels_per_rater: int | None
    labels: int | None
    repeats: int
    cost: float | None
    alternatives: Table
    provenance: Provenance = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return field_values(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeDrift(Tabular):
    """Whether a judge changed: the same outputs scored earlier and later.

    `change` is the mean of later less earlier scores by system, `changed` the share of outputs
    scored otherwise. `table` has one row per system: items, earlier, later, change, lower, upper,
    changed.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    change: Mapping[str, Estimate]
    changed: Mapping[str, float]
    table: Table
    provenance: Provenance = field(repr=False)

    @property
    def has_drifted(self) -> bool:
        """Whether any system's interval of the change leaves out zero."""
        return any(0.0 not in estimate.interval for estimate in self.change.values())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {**field_values(self), "has_drifted": self.has_drifted}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReport(Tabular):
    """What people would say of each system, from many scores of a judge and few labels of people.

    `corrected` holds one estimate per system over outputs and people like these, `judge_alone` what
    the judge's scores alone say, `labels_alone` what the labels alone say, and `off` how far the
    judge is from people (None where it scores on another scale). `weights` are the shares in which
    the judge was trusted: 0 not at all, 1 fully (on the labels' scale). `segments` and `bias` are
    tables, or None where no column was named. Systems are paired: subtract draws first.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    kind: LabelKind
    corrected: Mapping[str, Estimate]
    judge_alone: Mapping[str, Estimate]
    labels_alone: Mapping[str, Estimate]
    off: Mapping[str, Estimate] | None
    weights: Mapping[str, float]
    agreement: JudgeAgreement
    segments: Table | None
    bias: Table | None
    n_items: int
    n_labelled: int
    n_labels: int
    n_raters: int | None
    variances: LabelVariances = field(repr=False)
    provenance: Provenance = field(repr=False)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order of the data."""
        return tuple(self.corrected)

    @property
    def table(self) -> Table:
        """One row per system: corrected, its interval, judge alone and how far that is off."""
        names = list(self.corrected)
        corrected = [self.corrected[name] for name in names]
        off = [None if self.off is None else self.off[name] for name in names]
        return Table(
            {
                "system": names,
                "corrected": [estimate.mean for estimate in corrected],
                "lower": [estimate.interval.lower for estimate in corrected],
                "upper": [estimate.interval.upper for estimate in corrected],
                "judge alone": [self.judge_alone[name].mean for name in names],
                "judge is off by": [
                    np.nan if estimate is None else estimate.mean for estimate in off
                ],
                "off, lower": [
                    np.nan if estimate is None else estimate.interval.lower for estimate in off
                ],
                "off, upper": [
                    np.nan if estimate is None else estimate.interval.upper for estimate in off
                ],
                "labels alone": [self.labels_alone[name].mean for name in names],
            }
        )

    def difference(self, first: str, second: str) -> Estimate:
        """Return the first system's corrected value less the second's, paired."""
        for name in (first, second):
            if name not in self.corrected:
                raise UnknownNameError(where="difference", name=name, names=self.corrected)
        gap = self.corrected[first].draws - self.corrected[second].draws
        probability = self.corrected[first].interval.probability
        return Estimate.from_draws(gap, probability=probability, kind="quantile")

    def plan(
        self, *, width: float = 0.05, rater_cost: float = 20.0, label_cost: float = 1.0
    ) -> JudgePlan:
        """Return the cheapest number of raters and labels for an interval of this width.

        `rater_cost` is what one more person costs before the first label (finding, briefing), in
        the same unit as `label_cost`. How far raters differ is taken from this report: with two or
        three raters it is hardly known, and so is the plan.
        """
        _require_positive(width=width, label_cost=label_cost)
        probability = next(iter(self.corrected.values())).interval.probability
        rows = []
        for raters in range(2, _MOST_RATERS + 1):
            labels = _labels_needed(self.variances, raters, width, probability)
            if labels is not None:
                rows.append((raters, labels, rater_cost * raters + label_cost * labels * raters))
        best = min(rows, key=lambda row: row[2], default=None)
        some = [row for row in rows if row[0] in _SHOWN_RATERS or row == best]
        return JudgePlan(
            width=width,
            reachable=best is not None,
            raters=None if best is None else best[0],
            labels_per_rater=None if best is None else best[1],
            labels=None if best is None else best[0] * best[1],
            repeats=1,
            cost=None if best is None else best[2],
            alternatives=Table(
                {
                    "raters": [row[0] for row in some],
                    "labels each": [row[1] for row in some],
                    "labels": [row[0] * row[1] for row in some],
                    "cost": [float(row[2]) for row in some],
                }
            ),
            provenance=Provenance(
                method="expected width by Student's t over raters, single labels and predictions",
                settings={
                    "rater cost": rater_cost,
                    "label cost": label_cost,
                    "probability": probability,
                    "variance between raters": self.variances.raters,
                    "variance of a label": self.variances.labels,
                },
                rows_used=self.n_labels,
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return field_values(self)


def _labels_needed(
    variances: LabelVariances, raters: int, width: float, probability: float
) -> int | None:
    """Return how many labels each rater gives for this width, None where no number is enough."""
    if variances.width(raters, _MOST_LABELS, probability) > width:
        return None
    low, high = 0, _MOST_LABELS // raters
    while high - low > 1:
        middle = (low + high) // 2
        if variances.width(raters, raters * middle, probability) <= width:
            high = middle
        else:
            low = middle
    return high


def _require_positive(**numbers: float) -> None:
    for name, value in numbers.items():
        if not value > 0:
            raise InputError(
                where=f"plan, {name}",
                found=str(value),
                needed="a number above 0",
                cure=f"Give another {name}=...",
            )
