"""What several people value, and whom each choice of a threshold costs how much.

In: what `learn.stakeholders` found. Out: `Stakeholders`. Absent: learning, drawing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from howgood.records.confusion import ConfusionMatrix
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray

_CERTAIN = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakeholders(Tabular):
    """Everybody's weight given the others', one crowd or two, and regrets.

    `a0` holds each person's weight of a correct negative, drawn towards the others the less it is
    known; `typical` is that of the person in the middle, `spread` the standard deviation between
    people of log((1 - a0) / a0). `p_two` is the probability that people form two crowds, where one
    and two are as probable beforehand; `second` each person's probability of the one with the
    larger a0.

    `systems` are thresholds by name: the best for all, for each group and for each crowd. `regret`
    has a row per group (and "everybody") and threshold: what it is expected to forgo, as a share of
    what the best threshold of each person gains over an average one; intervals are over people like
    these. `disagreement[i, j]` is what person i forgoes under the best threshold of person j.

    Notes
    -----
    Stability: experimental
    """

    frame_of: ClassVar[str] = "regret"

    a0: Mapping[str, Estimate]
    typical: Estimate
    spread: Estimate
    p_two: float
    second: Mapping[str, float]
    groups: Mapping[str, str]
    systems: Mapping[str, ConfusionMatrix]
    regret: Table
    disagreement: FloatArray
    gain_of_two: float
    provenance: Provenance = field(repr=False)

    @property
    def crowds(self) -> Literal["one", "two", "not enough evidence"]:
        """One crowd of people or two, with a probability of 95 %."""
        if self.p_two >= _CERTAIN:
            return "two"
        return "one" if self.p_two <= 1 - _CERTAIN else "not enough evidence"

    @property
    def crowd_of(self) -> Mapping[str, int]:
        """The more probable crowd of each person, 1 or 2."""
        return {name: 2 if chance > 0.5 else 1 for name, chance in self.second.items()}
