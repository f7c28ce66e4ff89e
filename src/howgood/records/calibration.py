"""Whether scores can be read as probabilities, and a map that makes them so.

In: numbers from `learn`. Out: `CalibrationReport`, `Recalibration`. Absent: fitting.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReport(Tabular):
    """What scores promise next to what happened, and the expected calibration error.

    `error_by_chance` is the error perfect scores would exceed one time in twenty.

    Notes
    -----
    Stability: stable
    """

    frame_of: ClassVar[str] = "table"

    table: Table
    error: float
    error_by_chance: float
    provenance: Provenance

    @property
    def is_suspicious(self) -> bool:
        """Is the error larger than chance explains, and large enough to move a threshold?"""
        return self.error > self.error_by_chance and self.error > 0.02

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "error": self.error,
            "error_by_chance": self.error_by_chance,
            "is_suspicious": self.is_suspicious,
            "table": self.table,
            "provenance": self.provenance.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration(Shown):
    """A rising map from scores to probabilities; call it with scores.

    Notes
    -----
    Stability: stable
    """

    method: Literal["logistic", "isotonic"]
    slope: float = 1.0
    intercept: float = 0.0
    on_log_odds: bool = False
    knots: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    values: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)

    def __call__(self, scores: ArrayLike) -> FloatArray:
        """Return the probability each score stands for."""
        x = np.asarray(scores, dtype=np.float64)
        if self.method == "isotonic":
            return np.asarray(np.interp(x, self.knots, self.values))
        if self.on_log_odds:
            x = logit(np.clip(x, 1e-6, 1 - 1e-6))
        return np.asarray(expit(self.slope * x + self.intercept))
