"""DCG and NDCG: what people think of the items, discounted by place.

Items with the same score share the discounts of their places, as scikit-learn does it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howgood.score.list_metrics.padded import PaddedLists, over, until
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class DiscountedGain:
    r"""DCG: the sum of feedback over log2(1 + place) in the first places."""

    cutoff: int | None
    needs_relevant = False
    is_linear = True
    highest = np.inf

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return the discount of each item's place."""
        return lists.weights(_discounts(lists.longest, self.cutoff))

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the discounted sums."""
        return _discounted(feedback, self.weights(lists))


@dataclass(frozen=True, slots=True)
class NormalisedGain:
    """NDCG: DCG over that of the best possible order; feedback below zero counts as zero."""

    cutoff: int | None
    needs_relevant = False
    is_linear = False
    highest = 1.0

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return the discount of each item's place."""
        return lists.weights(_discounts(lists.longest, self.cutoff))

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return the share of the best possible gain."""
        gains = np.where(lists.filled[:, None, :], np.maximum(feedback, 0.0), 0.0)
        reached = _discounted(gains, self.weights(lists))
        gains.sort(axis=2)
        ideal = gains[:, :, ::-1] @ _discounts(lists.longest, self.cutoff)
        return over(reached, ideal[:, :, None])


def _discounts(length: int, cutoff: int | None) -> FloatArray:
    return until(1.0 / np.log2(np.arange(2, length + 2)), cutoff)


def _discounted(feedback: FloatArray, weights: FloatArray) -> FloatArray:
    found: FloatArray = feedback @ weights.transpose(0, 2, 1)
    return found
