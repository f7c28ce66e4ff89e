"""What each session of the same people says by itself, and whether sessions are alike.

In: scores per session and permutation tests made by `decide.rank_sessions`. Out: `Sessions`.
Absent: how they were computed, words and pictures.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from howgood.records.provenance import Provenance
from howgood.records.ranking import Ordering
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sessions(Tabular):
    """Scores of K systems in S sessions, the rankings that came out, and whether sessions differ.

    Attributes
    ----------
    sessions, systems : tuples of str
    metric : str
    scores : array of shape (S, K)
        Score of every system in every session, on the pairs rated in all of them.
    observed : tuple of Ordering
        Rankings that sessions gave, with the share of sessions that gave each.
    resampled : tuple of Ordering
        The same where every pair answers as in any one of its sessions: what could have been
        observed. The most frequent first, at most 24.
    score_draws : array of shape (n_draws, K)
        Scores of those re-evaluations.
    p_values : dict of str to float
        "level": do sessions differ in their mean rating? "spread": in how far ratings lie from the
        person's other ones? "order": are ratings of neighbouring sessions more alike than others
        (memory, or a slow change)? Each by permuting sessions within people.
    least_p : float
        No p-value can be smaller: there are only so many permutations.
    n_pairs, n_people : int
        Pairs rated in all sessions, and their people.
    level : float

    Notes
    -----
    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    sessions: tuple[str, ...]
    systems: tuple[str, ...]
    metric: str
    scores: FloatArray
    observed: tuple[Ordering, ...]
    resampled: tuple[Ordering, ...]
    score_draws: FloatArray = field(repr=False)
    p_values: dict[str, float]
    least_p: float
    mean_ratings: FloatArray
    n_pairs: int
    n_people: int
    level: float
    provenance: Provenance = field(repr=False)

    @property
    def p_value(self) -> float:
        """P-value of "all sessions are exchangeable": the smallest, times the number of tests."""
        return min(1.0, len(self.p_values) * min(self.p_values.values()))

    @property
    def are_exchangeable(self) -> bool | None:
        """False where sessions differ at `level`; None where so few people could not show it."""
        if self.p_value < self.level:
            return False
        return None if len(self.p_values) * self.least_p >= self.level else True

    def table(self) -> Table:
        """Return one row per session: mean rating, every system's score, who was first."""
        best = np.argmin(self.scores, axis=1)
        return Table(
            {
                "session": list(self.sessions),
                "mean_rating": self.mean_ratings,
                **{name: self.scores[:, place] for place, name in enumerate(self.systems)},
                "first": [self.systems[place] for place in best],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        orderings = {
            name: [
                {"order": list(ordering.order), "share": ordering.probability}
                for ordering in shares
            ]
            for name, shares in (("observed", self.observed), ("resampled", self.resampled))
        }
        return {
            "metric": self.metric,
            "pairs": self.n_pairs,
            "people": self.n_people,
            "sessions": list(self.table().rows()),
            **orderings,
            "p_values": dict(self.p_values),
            "p_value": self.p_value,
            "least_p": self.least_p,
            "are_exchangeable": self.are_exchangeable,
            "level": self.level,
            "provenance": self.provenance.to_dict(),
        }
