"""MAP: precision at each relevant item, averaged over all that is relevant."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howgood.score.list_metrics.padded import PaddedLists, over, until
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class AveragePrecision:
    """The mean precision at the places of relevant items; those not listed count 0."""

    cutoff: int | None
    needs_relevant = True
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return one over each item's place, ties broken."""
        return np.where(lists.listed, 1.0 / lists.place, 0.0)

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the mean precision at relevant places."""
        by_place = until(1.0 / np.arange(1, lists.longest + 1), self.cutoff)
        total = relevant.sum(axis=2).astype(np.float64)
        n_systems = lists.place.shape[1]
        found = np.empty((*relevant.shape[:2], n_systems))
        for system in range(n_systems):
            order = np.argsort(lists.place[:, system], axis=1)[:, None, :]
            hits = np.take_along_axis(relevant & lists.listed[:, None, system], order, axis=2)
            precise = np.cumsum(hits, axis=2) * by_place
            found[:, :, system] = over(np.where(hits, precise, 0.0).sum(axis=2), total)
        return found
