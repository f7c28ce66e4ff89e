"""How far raters agree with each other and with themselves.

In: estimates made by `learn.rater_agreement`. Out: `RaterAgreement`. Absent: how they were made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from howgood.records.ceiling import NoiseCeiling
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement(Tabular):
    """Krippendorff's alpha, alpha of raters with themselves, and what noise puts out of reach.

    `self_agreement` is None where nobody graded anything twice. `variance_shares` says how much of
    the grades' variance comes from items, raters and the rest; empty for nominal grades. `ceiling`
    is how often any system can give the grade of one rater (nominal, ordinal), or how closely it
    can correlate with it (interval, ratio).

    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    level: str
    alpha: Estimate
    self_agreement: Estimate | None
    ceiling: NoiseCeiling
    variance_shares: Mapping[str, float]
    n_items: int
    n_raters: int
    n_grades: int
    provenance: Provenance

    def __str__(self) -> str:
        return str(self.table())

    def table(self) -> Table:
        """Return one row per number, with its 95 % interval."""
        known = {"alpha": self.alpha, "self-agreement": self.self_agreement}
        rows = {name: value for name, value in known.items() if value is not None}
        rows |= {
            f"ceiling of {self.ceiling.metric}, labels left out": self.ceiling.left_out,
            f"ceiling of {self.ceiling.metric}, plugged in": self.ceiling.plug_in,
        }
        return Table(
            {
                "measure": list(rows),
                "estimate": [value.mean for value in rows.values()],
                "lower": [value.interval.lower for value in rows.values()],
                "upper": [value.interval.upper for value in rows.values()],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        own = self.self_agreement
        return {
            "level": self.level,
            "alpha": self.alpha.to_dict(),
            "self_agreement": None if own is None else own.to_dict(),
            "ceiling": self.ceiling.to_dict(),
            "variance_shares": dict(self.variance_shares),
            "n_items": self.n_items,
            "n_raters": self.n_raters,
            "n_grades": self.n_grades,
            "provenance": self.provenance.to_dict(),
        }
