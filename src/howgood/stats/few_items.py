"""Means over a few items: how sure they are, without promising more than is possible.

In: values of items, the cluster of each, the step they come in or the ends they cannot leave. Out:
laws that give an interval and the probability of exceeding a limit. Absent: what is compared.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv, stdtr, stdtrit

from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import clustered_variance, kept_share, summed

_EVERYWHERE = (-math.inf, math.inf)
_USUAL_LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanLaw:
    """Student's t around a centre, cut at the ends that the mean cannot leave."""

    mean: float
    centre: float
    sd: float
    freedom: float
    clusters: float
    ends: tuple[float, float] = _EVERYWHERE

    def above(self, limit: float) -> float:
        """Return the probability that the mean exceeds a limit."""
        distance = self.centre - limit
        return float(stdtr(self.freedom, distance / self.sd)) if self.sd > 0 else _sign(distance)

    def interval(self, probability: float) -> tuple[float, float]:
        """Return the central interval."""
        return self.within(float(stdtrit(self.freedom, 0.5 + probability / 2.0)) * self.sd)

    def within(self, half: float) -> tuple[float, float]:
        """Return the centre less and plus half a width, inside the ends; the mean is inside too."""
        lower = min(max(self.centre - half, self.ends[0]), self.mean)
        return lower, max(min(self.centre + half, self.ends[1]), self.mean)


def mean_law(
    values: FloatArray,
    cluster: IntArray,
    *,
    step: float = 0.0,
    added: tuple[float, float] | None = None,
    ends: tuple[float, float] | None = None,
) -> MeanLaw:
    r"""Return the law of a mean over items like these, clustered.

    Few items that are right or wrong often show no spread at all. With `added` the law is that of
    the items and two more; for a difference of verdicts one lost and one won, which is the interval
    of Bonett and Price (2012) with Student's t. Other values that come in steps vary by one `step`
    of one item at least.

    Examples
    --------
    >>> three_won = mean_law(np.ones(3), np.arange(3), added=(-1.0, 1.0), ends=(-1.0, 1.0))
    >>> [round(end, 2) for end in three_won.interval(0.9)], round(three_won.above(0.0), 2)
    ([-0.25, 1.0], 0.9)
    """
    everything = np.concatenate([values, np.asarray(added or (), dtype=np.float64)])
    groups = np.concatenate([cluster, cluster.max() + 1 + np.arange(len(added or ()))])
    n, centre = len(everything), float(everything.mean())
    weight = np.full(n, 1.0 / n)
    variance, freedom = clustered_variance((everything - centre) / n, weight, groups)
    variance += (step / n) ** 2
    kept = kept_share(summed(cluster, np.full(len(values), 1.0 / len(values))))
    return MeanLaw(
        mean=float(values.mean()),
        centre=centre,
        sd=math.sqrt(variance),
        freedom=freedom,
        clusters=1.0 / (1.0 - kept) if kept < 1 else float(n),
        ends=ends or _EVERYWHERE,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLaw:
    """A share of trials, by the exact binomial test (Clopper and Pearson, 1934)."""

    mean: float
    sd: float
    trials: float

    def above(self, limit: float) -> float:
        """Return the probability that the rate exceeds a limit, rather too near to one half."""
        if not 0.0 <= limit <= 1.0:
            return float(limit < 0)
        n, count = self.trials, self.mean * self.trials
        if self.mean > limit:
            return max(0.5, 1.0 - float(betainc(count, n - count + 1.0, limit)))
        if count >= n:
            return 0.5
        return min(0.5, float(betainc(n - count, count + 1.0, 1.0 - limit)))

    def interval(self, probability: float) -> tuple[float, float]:
        """Return the central interval; each end leaves out at most half of the rest."""
        n, count, tail = self.trials, self.mean * self.trials, (1.0 - probability) / 2.0
        lower = float(betaincinv(count, n - count + 1.0, tail)) if count > 0 else 0.0
        upper = float(betaincinv(count + 1.0, n - count, 1.0 - tail)) if count < n else 1.0
        return min(lower, self.mean), max(upper, self.mean)


def rate_law(values: FloatArray, cluster: IntArray, *, trials: int) -> RateLaw:
    """Return the law of a rate over items like these, each between 0 and 1.

    As many independent trials are counted as would leave the variance that clusters and repeats do
    (Korn and Graubard, 1998), at most `trials`; where nothing or everything failed, one for each
    cluster.

    Examples
    --------
    >>> none_failed = rate_law(np.zeros(59), np.arange(59), trials=59)
    >>> round(none_failed.interval(0.9)[1], 3), round(none_failed.above(0.05), 3)
    (0.05, 0.048)
    """
    plain = mean_law(values, cluster)
    doubtful = mean_law(values, cluster, added=(0.0, 1.0))
    spread = plain.mean * (1.0 - plain.mean)
    n_clusters = len(np.unique(cluster))
    if spread <= 0 or plain.sd <= 0:
        return RateLaw(mean=plain.mean, sd=doubtful.sd, trials=float(n_clusters))
    few = stdtrit(max(len(values) - 1.0, 1.0), _USUAL_LEVEL) / stdtrit(plain.freedom, _USUAL_LEVEL)
    equal = min((spread / plain.sd**2 + 1.0) * float(few) ** 2, float(trials))
    return RateLaw(mean=plain.mean, sd=doubtful.sd, trials=max(equal, 1.0))


def rate_ends(
    mean: float, half: float, *, trials: float, probability: float
) -> tuple[float, float]:
    """Return the ends of a rate's interval, `half` its width by Student's t on either side.

    Where that reaches 0 or 1, too few trials went the other way for it: the interval is then
    at least the exact one of so many independent trials.

    Examples
    --------
    >>> all_passed = rate_ends(1.0, 0.03, trials=60, probability=0.95)
    >>> [round(end, 3) for end in all_passed], rate_ends(0.5, 0.25, trials=12, probability=0.95)
    ([0.94, 1.0], (0.25, 0.75))
    """
    lower, upper = mean - half, mean + half
    if lower <= 0 or upper >= 1:
        exact = RateLaw(mean=mean, sd=0.0, trials=trials).interval(probability)
        lower, upper = min(lower, exact[0]), max(upper, exact[1])
    return max(lower, 0.0), min(upper, 1.0)


def _sign(distance: float) -> float:
    return 0.5 if distance == 0 else float(distance > 0)
