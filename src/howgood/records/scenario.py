"""An imagined stretch of use, described in counts.

In: how often the thing happened, and how often the system was right and wrong about it; a level
as people write it. Out: `Scenario`, with the precision and recall these counts have; the level as a
simple fraction. Absent: choosing counts (see `ask.scenarios`) and wording (see `ask.wording`).
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from howgood.errors import InputError
from howgood.records.saved import Saved

# Floats such as 0.6667 or 0.833 mean simple fractions; 120 keeps halves to eighths and tenths.
_LARGEST_DENOMINATOR = 120
# No powers of ten: as an exact fraction, "1e-999999999" takes a gigabyte.
_LEVEL_IN_WORDS = re.compile(r"\s*(?:[0-9]{1,9}\s*/\s*[0-9]{1,9}|[0-9]{0,9}\.?[0-9]{0,20})\s*")


def level_from(value: float | Fraction | str) -> Fraction | None:
    """Return a level of precision or recall as a simple fraction, or None where it is none.

    Examples
    --------
    >>> level_from(0.6667), level_from("5 / 6"), level_from("85 %"), level_from(1e-300)
    (Fraction(2, 3), Fraction(5, 6), None, None)
    """
    if isinstance(value, str):
        value = "".join(value.split()) if _LEVEL_IN_WORDS.fullmatch(value) else ""
    try:
        level = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return None
    return level if 0 < level <= 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario(Saved):
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

    is_plain: ClassVar[bool] = True

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
                    needed="counts of zero or more",
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
