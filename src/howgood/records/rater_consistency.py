"""How many answer categories people use when asked the same thing again.

In: counts. Out: `RaterConsistency`, shares with intervals. Absent: counting (see `learn`).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular

KINDS = ("one", "two", "three or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterConsistency(Tabular):
    """Counts of pairs and of users by the number of categories they use for the same item.

    A user counts by the item on which they waver most.

    Stability: stable
    """

    frame_of: ClassVar[str] = "table"

    pairs: tuple[int, int, int]
    users: tuple[int, int, int]
    provenance: Provenance

    @property
    def pair_shares(self) -> dict[str, float]:
        """Share of user-item pairs with one, two, three or more categories."""
        return _shares(self.pairs)

    @property
    def user_shares(self) -> dict[str, float]:
        """Share of users with at most one, two, three or more categories for an item."""
        return _shares(self.users)

    def table(self, *, probability: float = 0.95) -> Table:
        """Return shares with Jeffreys intervals, one row per kind, of users and of pairs."""
        from scipy.special import betaincinv

        counts = np.array([*self.users, *self.pairs])
        totals = np.repeat([sum(self.users), sum(self.pairs)], len(KINDS))
        tail = (1 - probability) / 2
        lower = betaincinv(counts + 0.5, totals - counts + 0.5, tail)
        upper = betaincinv(counts + 0.5, totals - counts + 0.5, 1 - tail)
        return Table(
            {
                "of": ["users"] * len(KINDS) + ["pairs"] * len(KINDS),
                "categories": [*KINDS, *KINDS],
                "count": counts,
                "share": counts / totals,
                "lower": np.where(counts == 0, 0.0, lower),
                "upper": np.where(counts == totals, 1.0, upper),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "pairs": dict(zip(KINDS, self.pairs, strict=True)),
            "users": dict(zip(KINDS, self.users, strict=True)),
            "table": list(self.table().rows()),
            "provenance": self.provenance.to_dict(),
        }


def _shares(counts: tuple[int, int, int]) -> dict[str, float]:
    return {kind: count / sum(counts) for kind, count in zip(KINDS, counts, strict=True)}
