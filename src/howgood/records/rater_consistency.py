"""How many answer categories people use when asked the same thing again.

In: counts. Out: `RaterConsistency`, shares with intervals. Absent: counting (see `learn`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray
from howgood.stats.shares import jeffreys_ends, share_draws

KINDS = ("one", "two", "three or more")
_DRAWS, _SEED = 2000, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterConsistency(Tabular):
    """Counts of pairs and of users by the number of categories they use for the same item.

    A user counts by the item on which they waver most. `pairs_by_user` holds the pairs of one user
    as a key and how many users have just these as a value; where it is empty, nobody knows which
    pairs are of one user.

    Stability: stable
    """

    frame_of: ClassVar[str] = "table"

    pairs: tuple[int, int, int]
    users: tuple[int, int, int]
    provenance: Provenance
    pairs_by_user: Mapping[tuple[int, int, int], int] = field(default_factory=dict, repr=False)

    @property
    def pair_shares(self) -> dict[str, float]:
        """Share of user-item pairs with one, two, three or more categories."""
        return _shares(self.pairs)

    @property
    def user_shares(self) -> dict[str, float]:
        """Share of users with at most one, two, three or more categories for an item."""
        return _shares(self.users)

    def table(self, *, probability: float = 0.95) -> Table:
        """Return shares with intervals, one row per kind, of users and of pairs.

        Users are taken as independent: Jeffreys' intervals. Pairs of one user are alike, so their
        intervals are over users, by the Bayesian bootstrap widened for few of them, and never
        narrower than Jeffreys'. Of one user alone, and without `pairs_by_user`, they are Jeffreys'
        intervals, which take every pair as independent: too narrow where users differ.
        """
        users = jeffreys_ends(self.users, sum(self.users), probability=probability)
        counts = np.array([*self.users, *self.pairs])
        lower, upper = np.hstack([users, self._of_pairs(probability)])
        return Table(
            {
                "of": ["users"] * len(KINDS) + ["pairs"] * len(KINDS),
                "categories": [*KINDS, *KINDS],
                "count": counts,
                "share": counts / np.repeat([sum(self.users), sum(self.pairs)], len(KINDS)),
                "lower": lower,
                "upper": upper,
            }
        )

    def _of_pairs(self, probability: float) -> tuple[FloatArray, FloatArray]:
        if not self.pairs_by_user:
            return jeffreys_ends(self.pairs, sum(self.pairs), probability=probability)
        alike = np.array(list(self.pairs_by_user), dtype=np.float64)
        by_user = np.repeat(alike, list(self.pairs_by_user.values()), axis=0)
        n_pairs = by_user.sum(axis=1)
        by_pair = [
            share_draws(
                column, n_pairs, weights=n_pairs, draws=_DRAWS,
                generator=np.random.default_rng(_SEED),
            )
            for column in by_user.T
        ]  # fmt: skip
        lower, upper = np.quantile(by_pair, [(1 - probability) / 2, (1 + probability) / 2], axis=1)
        return lower, upper

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
