"""A score that is a distribution, because the feedback it rests on is uncertain.

In: a law from `stats`, and where it came from. Out: `ScoreDistribution`. Absent: the metrics
themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howgood.records.estimate import Interval
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.stats.arrays import FloatArray
from howgood.stats.distributions import Law
from howgood.stats.randomness import RandomState, generator_and_seed


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDistribution(Shown):
    """The distribution of a score over repetitions of the same uncertain feedback.

    `barrier` is the magic barrier: the score, in the metric's own units, that no system can
    be expected to beat, because the feedback itself varies. `headroom` is the share of the
    expected score that lies above it, between 0 and 1. `method` names how the distribution was
    found; `provenance` says it in detail.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import score
    >>> distribution = score.rmse([3.0, 4.0, 2.0], 1.0, [3.5, 4.0, 3.0])
    >>> round(distribution.mean, 3), round(distribution.sd, 3)
    (1.102, 0.449)
    >>> interval = distribution.interval(0.95)
    >>> round(interval.lower, 3), round(interval.upper, 3)
    (0.33, 2.059)
    """

    metric: str
    law: Law = field(repr=False)
    n: int
    method: str
    barrier: float
    headroom: float
    provenance: Provenance = field(repr=False)

    @property
    def mean(self) -> float:
        """Expected score."""
        return float(self.law.mean)

    @property
    def variance(self) -> float:
        """Variance of the score."""
        return float(self.law.variance)

    @property
    def sd(self) -> float:
        """Standard deviation of the score."""
        return float(np.sqrt(self.variance))

    def cdf(self, x: ArrayLike) -> Any:  # noqa: ANN401 - a float for a number, else an array
        """Return the probability of a score of at most `x`."""
        return _like(x, self.law.cdf(np.asarray(x, dtype=np.float64)))

    def sf(self, x: ArrayLike) -> Any:  # noqa: ANN401 - a float for a number, else an array
        """Return the probability of a score above `x`, accurate however small it is."""
        return _like(x, self.law.sf(np.asarray(x, dtype=np.float64)))

    def pdf(self, x: ArrayLike) -> Any:  # noqa: ANN401 - a float for a number, else an array
        """Return the density at `x`."""
        return _like(x, self.law.pdf(np.asarray(x, dtype=np.float64)))

    def quantile(self, q: ArrayLike) -> Any:  # noqa: ANN401 - a float for a number, else an array
        """Return the score below which a share `q` of repetitions falls."""
        wanted = np.asarray(q, dtype=np.float64)
        for value in (np.min(wanted), np.max(wanted)) if wanted.size else ():
            if not 0.0 <= value <= 1.0:
                check_probability(float(value), name="q", where="quantile", such_as=0.05)
        return _like(q, self.law.quantile(wanted))

    def interval(self, probability: float = 0.95) -> Interval:
        """Return the central interval that holds this probability."""
        check_probability(probability, name="probability", where="interval", such_as=0.05)
        tail = (1.0 - probability) / 2.0
        lower, upper = self.law.quantile(np.array([tail, 1.0 - tail]))
        return Interval(
            lower=float(lower), upper=float(upper), probability=probability, kind="quantile"
        )

    def sample(self, n: int, random_state: RandomState = None) -> FloatArray:
        """Return `n` independent scores."""
        generator, _ = generator_and_seed(random_state)
        return self.law.sample(n, generator)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        return {
            "metric": self.metric,
            "n": self.n,
            "method": self.method,
            "mean": self.mean,
            "sd": self.sd,
            "variance": self.variance,
            "interval": self.interval().to_dict(),
            "barrier": self.barrier,
            "headroom": self.headroom,
            "provenance": self.provenance.to_dict(),
        }


def share_above(barrier: float, expected: float) -> float:
    """Return the share of an expected score that lies above the barrier (0 for a score of 0)."""
    return max(0.0, 1.0 - barrier / expected) if expected > 0.0 else 0.0


def provenance_of(
    metric: str,
    *,
    how: str,
    rows: int,
    dropped: Mapping[str, int],
    seed: int | None = None,
    **settings: object,
) -> Provenance:
    """Return the record of how a score was made."""
    return Provenance(
        method=how,
        settings={"metric": metric, **settings},
        seed=seed,
        rows_used=rows,
        rows_dropped=dropped,
    )


def _like(given: ArrayLike, result: FloatArray) -> Any:  # noqa: ANN401 - see the callers
    return float(result) if np.ndim(given) == 0 else result
