"""Scores of any metric, one per draw of the feedback.

In: draws. Out: `PropagatedScore` and, for several systems on the same draws, `PairedScores`.
Absent: drawing (see `propagate`).
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import UnknownNameError
from howgood.records.estimate import Estimate, Interval
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.stats.laws import DrawsLaw


@dataclass(frozen=True, slots=True, kw_only=True)
class PropagatedScore:
    """The distribution of any metric over draws of the feedback.

    `draws` holds one score per draw, in the order drawn, so scores of two systems from the same
    call or the same seed stay paired. `mcse` is the Monte-Carlo standard error of the mean.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> import numpy as np
    >>> from howgood import score
    >>> def bias(y_true, y_pred):
    ...     return float(np.mean(y_pred - y_true))
    >>> result = score.propagate(bias, mean=[3, 4], sd=0.0, prediction=[4, 4], random_state=1)
    >>> result.mean, result.sd
    (0.5, 0.0)
    """

    draws: FloatArray = field(repr=False)
    n: int
    method: str
    provenance: Provenance = field(repr=False)

    @property
    def mean(self) -> float:
        """Expected score."""
        return float(self.draws.mean())

    @property
    def variance(self) -> float:
        """Variance of the score."""
        return self._law.variance

    @property
    def sd(self) -> float:
        """Standard deviation of the score."""
        return float(np.sqrt(self.variance))

    @property
    def mcse(self) -> float:
        """Monte-Carlo standard error of the mean."""
        return self.sd / float(np.sqrt(self.draws.size))

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the share of draws with a score of at most `x`."""
        return self._law.cdf(np.asarray(x, dtype=np.float64))

    def sf(self, x: ArrayLike) -> FloatArray:
        """Return the share of draws with a score above `x`."""
        return self._law.sf(np.asarray(x, dtype=np.float64))

    def quantile(self, q: ArrayLike) -> FloatArray:
        """Return the score below which a share `q` of draws falls."""
        return self._law.quantile(np.asarray(q, dtype=np.float64))

    def interval(self, probability: float = 0.95) -> Interval:
        """Return the central interval that holds this share of draws."""
        return Estimate.from_draws(self.draws, probability=probability, kind="quantile").interval

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON (without the draws)."""
        return {
            "n": self.n,
            "method": self.method,
            "mean": self.mean,
            "sd": self.sd,
            "mcse": self.mcse,
            "interval": self.interval().to_dict(),
            "provenance": self.provenance.to_dict(),
        }

    @property
    def _law(self) -> DrawsLaw:
        return DrawsLaw(draws=np.sort(self.draws))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedScores:
    """Scores of several systems on the same draws of the feedback.

    Notes
    -----
    Stability: experimental
    """

    scores: dict[str, PropagatedScore]

    def __getitem__(self, system: str) -> PropagatedScore:
        if system not in self.scores:
            raise UnknownNameError(where="PairedScores", name=system, names=self.scores)
        return self.scores[system]

    def difference(self, first: str, second: str, *, probability: float = 0.95) -> Estimate:
        """Return the score of `first` minus that of `second`, draw by draw."""
        gap_draws = self[first].draws - self[second].draws
        return Estimate.from_draws(gap_draws, probability=probability, kind="quantile")

    def probability_above(self, first: str, second: str) -> float:
        """Return how often `first` scores above `second`, ties counting one half."""
        return self.difference(first, second).probability_above(0.0)
