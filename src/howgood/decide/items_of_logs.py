"""The items of two logs, numbered, and their means over repeats.

In: two logs. Out: `ItemsOfLogs`. Absent: comparing them (see `decide.shipping`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howgood.records.evaluation_log import EvaluationLog
from howgood.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemsOfLogs:
    """The names of all items, and which one each row of either log is about."""

    names: tuple[str, ...]
    rows: tuple[IntArray, IntArray]

    def means(self, side: int, values: FloatArray) -> FloatArray:
        """Return each item's mean over its repeats that have a number, NaN where none has."""
        is_known = np.isfinite(values)
        rows, size = self.rows[side][is_known], len(self.names)
        n_known = np.bincount(rows, minlength=size)
        sums = np.bincount(rows, weights=values[is_known], minlength=size)
        means = np.full(size, np.nan)
        means[n_known > 0] = sums[n_known > 0] / n_known[n_known > 0]
        return means


def items_of(logs: Sequence[EvaluationLog]) -> ItemsOfLogs:
    """Return the items of both logs, numbered in the order in which they are met."""
    # Names are looked up once: with many of them that is most of the time.
    place: dict[str, int] = {}
    base, candidate = (
        np.array([place.setdefault(name, len(place)) for name in log.items], dtype=np.int64)
        for log in logs
    )
    return ItemsOfLogs(names=tuple(place), rows=(base, candidate))
