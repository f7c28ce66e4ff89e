"""Lists of several systems over the same items, padded to one length.

In: each user's items with every system's score. Out: `PaddedLists`: the place of every item in
every list. Absent: what people think of the items, and what a metric makes of places.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howgood.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PaddedLists:
    """Places (from 1) of B users' items in the lists of K systems; L is the longest list.

    Items with the same score share the places from `first` to `last`; `place` is one of these,
    each once. `listed` (B, K, L) marks items that are in a system's list at all, `filled` (B, L)
    those that are not padding.
    """

    filled: NDArray[np.bool_]
    listed: NDArray[np.bool_]
    first: IntArray
    last: IntArray
    place: IntArray

    @classmethod
    def of(cls, scores: FloatArray, filled: NDArray[np.bool_]) -> "PaddedLists":
        """Order items by falling score (B, K, L); minus infinity: not in the list."""
        order = np.argsort(-scores, axis=2, kind="stable")
        ordered = np.take_along_axis(scores, order, axis=2)
        length = scores.shape[2]
        differs = ordered[:, :, 1:] != ordered[:, :, :-1]
        edge = np.ones((*scores.shape[:2], 1), dtype=bool)
        at = np.arange(length)
        first = np.maximum.accumulate(np.where(np.dstack([edge, differs]), at, 0), axis=2)
        last = np.where(np.dstack([differs, edge]), at, length)[:, :, ::-1]
        last = np.minimum.accumulate(last, axis=2)[:, :, ::-1]
        found = [np.empty(scores.shape, dtype=np.int64) for _ in range(3)]
        places = (first, last, np.broadcast_to(at, scores.shape))
        for target, source in zip(found, places, strict=True):
            np.put_along_axis(target, order, source + 1, axis=2)
        listed = np.isfinite(scores) & filled[:, None, :]
        return cls(filled=filled, listed=listed, first=found[0], last=found[1], place=found[2])

    @property
    def longest(self) -> int:
        """The length all lists are padded to."""
        return int(self.filled.shape[1])

    def weights(self, by_place: FloatArray) -> FloatArray:
        """Return the weight of each item (B, K, L): that of its place, averaged over ties."""
        sums = np.concatenate([[0.0], np.cumsum(by_place)])
        mean = (sums[self.last] - sums[self.first - 1]) / (self.last - self.first + 1)
        weights: FloatArray = np.where(self.listed, mean, 0.0)
        return weights


def until(values: FloatArray, cutoff: int | None) -> FloatArray:
    """Return values by place, zero behind the cutoff."""
    return values if cutoff is None else np.where(np.arange(len(values)) < cutoff, values, 0.0)


def over(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return a ratio; nothing over nothing is nothing."""
    found: FloatArray = numerator / np.where(denominator > 0, denominator, 1.0)
    return np.where(denominator > 0, found, 0.0)
