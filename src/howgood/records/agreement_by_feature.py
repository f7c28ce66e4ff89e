"""Which observed feature people's choices depend on.

In: agreement of pairs of rows, made by `learn.context_agreement`. Out: `ContextAgreement`. Absent:
counting, words.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from howgood.records.estimate import Interval
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.records.table import Table, Tabular


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureAgreement(Shown):
    """How often two rows that are alike in all other features have the same outcome.

    `same` of those that share this feature too, `differing` of those that do not; `gap` is the
    first less the second. NaN, and None for the interval, where there are no such pairs.
    `rows_per_context` and `singleton_share` are those of contexts without the feature.

    Notes
    -----
    Stability: experimental
    """

    feature: str
    same: float
    differing: float
    gap: float
    interval: Interval | None
    pairs_same: int
    pairs_differing: int
    rows_per_context: float
    singleton_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextAgreement(Tabular):
    """Agreement within contexts, and what every feature has to do with it.

    `agreement` is how often two rows of one full context have the same outcome; `features` come
    with the largest gap first.

    Notes
    -----
    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    outcome: str
    agreement: float
    features: tuple[FeatureAgreement, ...]
    n_rows: int
    n_units: int
    provenance: Provenance = field(repr=False)

    @property
    def responsible(self) -> str | None:
        """The feature with the largest gap, if its interval lies above 0; else None.

        Left out of the context, it is what makes people's choices look random.
        """
        first = self.features[0]
        is_sure = first.interval is not None and first.interval.lower > 0
        return first.feature if is_sure else None

    def table(self) -> Table:
        """Return one row per feature, largest gap first."""
        ends = [feature.interval for feature in self.features]
        names = ("feature", "same", "differing", "gap", "pairs_same", "pairs_differing",
                 "rows_per_context", "singleton_share")  # fmt: skip
        columns: dict[str, Any] = {
            name: [getattr(feature, name) for feature in self.features] for name in names
        }
        columns["lower"] = [float("nan") if end is None else end.lower for end in ends]
        columns["upper"] = [float("nan") if end is None else end.upper for end in ends]
        return Table(columns)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "outcome": self.outcome,
            "agreement": self.agreement,
            "responsible": self.responsible,
            "features": list(self.table().rows()),
            "n_rows": self.n_rows,
            "n_units": self.n_units,
            "provenance": self.provenance.to_dict(),
        }
