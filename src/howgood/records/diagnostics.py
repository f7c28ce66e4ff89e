"""Whether a posterior was computed well enough to be reported.

In: what the engine measured. Out: `Diagnostics`. Absent: the gates (see `learn.engines`).
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics:
    """How a posterior was computed and how well.

    `khat` is the largest Pareto k-hat of the importance weights (importance engine), `rhat` the
    largest R-hat over parameters (NUTS); the other is None. `effective_draws` counts the draws of
    the whole posterior, averaged over the kinds of mean. `reason` says why the first engine was
    left, and is empty where it was not.

    Stability: stable
    """

    engine: str
    effective_draws: float
    passed: bool
    khat: float | None = None
    rhat: float | None = None
    efficiency: float | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "engine": self.engine,
            "khat": self.khat,
            "rhat": self.rhat,
            "effective_draws": self.effective_draws,
            "efficiency": self.efficiency,
            "passed": self.passed,
            "reason": self.reason,
        }
