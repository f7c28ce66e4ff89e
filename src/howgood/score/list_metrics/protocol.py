"""What a metric of ranked lists is.

In: feedback of B users on their items in D re-ratings, and the lists of K systems. Out: the score
of every list. Absent: the metrics (one module per family) and their names (`registry`).
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from howgood.score.list_metrics.padded import PaddedLists
from howgood.stats.arrays import FloatArray


class ListMetric(Protocol):
    """A score of a ranked list, greater is better."""

    @property
    def needs_relevant(self) -> bool:
        """Whether it only asks which items are relevant."""
        ...

    @property
    def is_linear(self) -> bool:
        """Whether the score is a weighted sum of the feedback."""
        ...

    @property
    def highest(self) -> float:
        """The largest possible score."""
        ...

    def weights(self, lists: PaddedLists) -> FloatArray:
        """Return the weight of each item (B, K, L) in the score, or in its numerator."""
        ...

    def scores(
        self, feedback: FloatArray, relevant: NDArray[np.bool_], lists: PaddedLists
    ) -> FloatArray:
        """Return (B, D, K) scores of feedback (B, D, L) and which of it is relevant."""
        ...
