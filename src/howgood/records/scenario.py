"""An imagined stretch of use, told in counts.

In: how often the thing happened, and how often the system was right and wrong about it.
Out: `Scenario`, with the precision and recall these counts have. Absent: choosing counts
(see `ask.scenarios`) and wording (see `ask.wording`).
"""

from dataclasses import dataclass
from typing import Any

from howgood.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Counts a respondent reads, the accuracy they amount to, and the accuracy aimed at.

    Whole counts rarely hit a level exactly, so both are kept: `precision` and `recall` are
    those of the counts, `desired_precision` and `desired_recall` the levels asked for.

    Stability: stable

    Examples
    --------
    >>> scenario = Scenario(true_positives=8, false_negatives=2, false_positives=4)
    >>> scenario.recall, round(scenario.precision, 3), scenario.real_positives
    (0.8, 0.667, 10)
    """

    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int | None = None
    desired_precision: float | None = None
    desired_recall: float | None = None

    def __post_init__(self) -> None:
        for name in ("true_positives", "false_negatives", "false_positives", "true_negatives"):
            count = getattr(self, name)
            if count is not None and count < 0:
                raise InputError(
                    where="Scenario",
                    found=f"{name} = {count}",
                    needed="counts cannot be negative",
                    cure="Check the counts.",
                )

    @property
    def real_positives(self) -> int:
        """How often the thing really happened."""
        return self.true_positives + self.false_negatives

    @property
    def reported_positives(self) -> int:
        """How often the system said it happened."""
        return self.true_positives + self.false_positives

    @property
    def precision(self) -> float:
        """Share of the reports that were right; 0 where nothing was reported."""
        return self.true_positives / self.reported_positives if self.reported_positives else 0.0

    @property
    def recall(self) -> float:
        """Share of the real cases that were reported; 0 where there was none."""
        return self.true_positives / self.real_positives if self.real_positives else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "real_positives": self.real_positives,
            "true_positives": self.true_positives,
            "false_negatives": self.false_negatives,
            "false_positives": self.false_positives,
            "true_negatives": self.true_negatives,
            "precision": self.precision,
            "recall": self.recall,
            "desired_precision": self.desired_precision,
            "desired_recall": self.desired_recall,
        }
