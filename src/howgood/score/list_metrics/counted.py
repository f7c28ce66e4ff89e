"""Precision, recall and hit rate: how many of the first places hold something relevant.

For precision and recall, items with the same score share their places. A user with nothing
relevant scores 0, as in TREC's tools.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howgood.score.list_metrics.padded import PaddedLists, over, until
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class PrecisionAt:
    """The share of the first places that are relevant; a short list has empty places."""

    cutoff: int
    needs_relevant = True
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return one over the number of places."""
        return _first_places(lists, self.cutoff) / self.cutoff

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the share of relevant places."""
        return _counted(relevant, self.weights(lists))


@dataclass(frozen=True, slots=True)
class RecallAt:
    """The share of all that is relevant which the first places hold."""

    cutoff: int
    needs_relevant = True
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return one for each of the first places."""
        return _first_places(lists, self.cutoff)

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the share of what is relevant."""
        found = _counted(relevant, self.weights(lists))
        return over(found, relevant.sum(axis=2)[:, :, None].astype(np.float64))


@dataclass(frozen=True, slots=True)
class HitAt:
    """Whether the first places hold anything relevant; the mean over users is the hit rate."""

    cutoff: int
    needs_relevant = True
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return one for each of the first places, ties broken."""
        return (lists.listed & (lists.place <= self.cutoff)).astype(np.float64)

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return 1 where something relevant is among the first."""
        return (_counted(relevant, self.weights(lists)) > 0).astype(np.float64)


def _first_places(lists: PaddedLists, cutoff: int) -> FloatArray:
    return lists.weights(until(np.ones(lists.longest), cutoff))


def _counted(relevant: NDArray[np.bool_], weights: FloatArray) -> FloatArray:
    found: FloatArray = relevant.astype(np.float64) @ weights.transpose(0, 2, 1)
    return found
