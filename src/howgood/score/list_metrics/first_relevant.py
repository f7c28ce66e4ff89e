"""MRR: how far down the first relevant item is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howgood.score.list_metrics.padded import PaddedLists
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class ReciprocalRank:
    """One over the place of the first relevant item, 0 where there is none."""

    cutoff: int | None
    needs_relevant = True
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return one over each item's place, ties broken."""
        reached = lists.listed
        if self.cutoff is not None:
            reached = reached & (lists.place <= self.cutoff)
        return np.where(reached, 1.0 / lists.place, 0.0)

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the largest reciprocal place among what is relevant."""
        weights = self.weights(lists)
        found = np.empty((*relevant.shape[:2], weights.shape[1]))
        for system in range(weights.shape[1]):
            reciprocal = weights[:, None, system, :]
            found[:, :, system] = np.where(relevant, reciprocal, 0.0).max(axis=2)
        return found
