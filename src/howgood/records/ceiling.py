"""The best score that any system can expect against people who disagree.

In: both ends, made by `score.noise_ceiling`. Out: `NoiseCeiling`. Absent: how they were computed.
"""

from dataclasses import dataclass
from typing import Any

from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseCeiling(Shown):
    """Between which ends the best possible score lies, and how well each is known.

    `plug_in` lets an answer see the labels it is compared with, which flatters it; `left_out`
    makes it from the other labels of its item, which is one too few. With many labels per item
    they meet. `greater_is_better` is False for errors, whose ceiling is a floor.

    Stability: experimental
    """

    metric: str
    greater_is_better: bool
    plug_in: Estimate
    left_out: Estimate
    n_items: int
    n_labels: int
    provenance: Provenance

    @property
    def lower(self) -> float:
        """The smaller end."""
        return min(self.plug_in.mean, self.left_out.mean)

    @property
    def upper(self) -> float:
        """The larger end."""
        return max(self.plug_in.mean, self.left_out.mean)

    def __str__(self) -> str:
        what = "at most" if self.greater_is_better else "at least"
        if self.upper - self.lower < 1e-9:
            return f"{self.metric} {what} {self.upper:.3g} {self.plug_in.interval}"
        return f"{self.metric} {what} {self.lower:.3g} to {self.upper:.3g}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "metric": self.metric,
            "greater_is_better": self.greater_is_better,
            "lower": self.lower,
            "upper": self.upper,
            "plug_in": self.plug_in.to_dict(),
            "left_out": self.left_out.to_dict(),
            "n_items": self.n_items,
            "n_labels": self.n_labels,
            "provenance": self.provenance.to_dict(),
        }
