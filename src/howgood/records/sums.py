"""What one pass over the data leaves: sums that no longer depend on the number of rows.

In: the sums made by `score.squared_error_sums`. Out: cumulants of each system's mean squared
error, differences between systems, and sums of sums. Absent: reading data, distributions.
"""

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howgood.errors import InputError, place_of
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.stats.arrays import FloatArray
from howgood.stats.error_sums import TrialSums
from howgood.stats.moments import cumulants_of_mean


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SquaredErrorSums(Shown):
    r"""Sums over person-item pairs that fix every squared-error score and ranking.

    With feedback mean :math:`\mu_v`, standard deviation :math:`\sigma_v`, predictions
    :math:`\pi_{kv}` of system k and :math:`\Delta_{kv} = \mu_v - \pi_{kv}`:

    Attributes
    ----------
    systems : tuple of str
        Names, in the order of the arrays.
    n : int
        Pairs summed.
    max_variance : float
        Largest :math:`\sigma_v^2`.
    variance_powers : array of shape (S,)
        :math:`\sum_v \sigma_v^{2s}` for s = 1 .. S.
    deviation_powers : array of shape (K, S)
        :math:`\sum_v \sigma_v^{2s-2} \Delta_{kv}^2` for s = 1 .. S.
    gaps : array of shape (K,)
        :math:`\sum_v \Delta_{kv}^2 - \Delta_{1v}^2`, against the first system.
    noise : array of shape (K, K)
        :math:`\sum_v \sigma_v^2 (\pi_{iv} - \pi_{jv})^2`.
    trials : TrialSums or None
        Sums that need the number of trials :math:`n_v` from which :math:`\mu_v` and
        :math:`\sigma_v` (ddof 0) were estimated; None where these are taken as known. Of pairs
        rated once, whose sd was given, `stats.error_sums.ErrorSums` says what they add to each sum.
    provenance : Provenance
    lent_freedom : float
        Degrees of freedom behind the variance that pairs rated once were given; infinite where it
        is taken as known.

    Notes
    -----
    Sums of two parts of the data add: `first + second`.

    Stability: stable
    """

    systems: tuple[str, ...]
    n: int
    max_variance: float
    variance_powers: FloatArray
    deviation_powers: FloatArray
    gaps: FloatArray
    noise: FloatArray
    trials: TrialSums | None
    provenance: Provenance
    lent_freedom: float = math.inf

    @property
    def doubt(self) -> float:
        r"""How much few trials add to the variance of a re-rating: 1 / n for n trials, else 0.

        Of pairs with different numbers of trials the mean of 1 / n, weighted by variance.
        """
        if self.trials is None or self.trials.variance <= 0:
            return 0.0
        return float(1 - self.variance_powers[0] / self.trials.variance)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the variance of a difference; infinite where sds are known."""
        if self.trials is None:
            return math.inf
        single, square = self.trials.single_variance, self.trials.single_square
        repeated = float(self.variance_powers[0]), float(self.variance_powers[1]) + square
        unbiased = self.trials.variance - single
        freedom = trial_freedom(*repeated, unbiased)
        return joined_freedom((unbiased, freedom), (single, self.lent_freedom))

    def __add__(self, other: "SquaredErrorSums") -> "SquaredErrorSums":
        """Return the sums of both parts together."""
        if not isinstance(other, SquaredErrorSums):
            return NotImplemented
        _require_alike(self, other)
        return replace(
            self,
            n=self.n + other.n,
            max_variance=max(self.max_variance, other.max_variance),
            variance_powers=self.variance_powers + other.variance_powers,
            deviation_powers=self.deviation_powers + other.deviation_powers,
            gaps=self.gaps + other.gaps,
            noise=self.noise + other.noise,
            trials=self.trials + other.trials if self.trials and other.trials else None,
            lent_freedom=min(self.lent_freedom, other.lent_freedom),
            provenance=replace(
                self.provenance,
                rows_used=self.n + other.n,
                rows_dropped=dict(
                    Counter(self.provenance.rows_dropped) + Counter(other.provenance.rows_dropped)
                ),
            ),
        )

    def index(self, system: str) -> int:
        """Return the place of a system in the arrays."""
        return place_of(system, self.systems, where="system")

    def power_sums(self, system: str) -> FloatArray:
        r"""Return :math:`P_s = \sum_v \sigma_v^{2s} + s\,\sigma_v^{2s-2}\Delta_v^2`, s = 1 .. S."""
        orders = np.arange(1, len(self.variance_powers) + 1)
        total: FloatArray = (
            self.variance_powers + orders * self.deviation_powers[self.index(system)]
        )
        return total

    def cumulants(self, system: str) -> FloatArray:
        r"""Return :math:`\kappa_s = 2^{s-1}(s-1)!\,P_s/N^s` of the mean squared error."""
        return cumulants_of_mean(self.power_sums(system), self.n)

    @property
    def barrier(self) -> float:
        r"""Magic barrier :math:`\sqrt{\sum_v \sigma_v^2 / N}`: no system can be expected below.

        With known trials, from the unbiased variances (ddof 1).
        """
        total = self.trials.variance if self.trials else float(self.variance_powers[0])
        return math.sqrt(total / self.n)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "systems": list(self.systems),
            "n": self.n,
            "max_variance": self.max_variance,
            "variance_powers": self.variance_powers.tolist(),
            "deviation_powers": self.deviation_powers.tolist(),
            "gaps": self.gaps.tolist(),
            "noise": self.noise.tolist(),
            "trials": None
            if self.trials is None
            else {
                "mean_noise": self.trials.mean_noise.tolist(),
                "variance": self.trials.variance,
                "second_power": self.trials.second_power.tolist(),
                "single_variance": self.trials.single_variance,
                "single_square": self.trials.single_square,
            },
            "lent_freedom": self.lent_freedom,
            "provenance": self.provenance.to_dict(),
        }


def _require_alike(first: SquaredErrorSums, second: SquaredErrorSums) -> None:
    if first.systems != second.systems:
        raise InputError(
            where="sums to add",
            found=f"systems {list(first.systems)} and {list(second.systems)}",
            needed="the same systems in the same order in both parts",
            cure="Sum each part with the same `predictions`.",
        )
    if len(first.variance_powers) != len(second.variance_powers):
        raise InputError(
            where="sums to add",
            found=f"{len(first.variance_powers)} and {len(second.variance_powers)} powers",
            needed="equally many powers in both parts",
            cure="Sum each part with the same `powers`.",
        )
    if (first.trials is None) != (second.trials is None):
        raise InputError(
            where="sums to add",
            found="trials known for one part only",
            needed="in both parts how many trials made each mean, or in neither",
            cure="Sum each part with the same `trials`.",
        )


def trial_freedom(variance_sum: float, square_sum: float, unbiased_sum: float) -> float:
    r"""Return the degrees of freedom that few trials leave the variance of a difference.

    Satterthwaite's for :math:`\sum_v a_v s_v` is :math:`(n+1)(\sum a_v s_v)^2/\sum a_v^2 s_v^2`
    with :math:`a_v` the squared difference of two predictions. These are taken as the squares of
    normal numbers, so that one number serves all pairs of systems: :math:`(n+1)/3` times
    :math:`(\sum s_v)^2 / \sum s_v^2`.

    Examples
    --------
    >>> round(trial_freedom(30.0, 30.0, 40.0), 6)  # 30 alike, of 4 trials: 5 / 3 of 30
    50.0
    """
    if variance_sum <= 0 or square_sum <= 0:
        return math.inf
    n_trials = unbiased_sum / (unbiased_sum - variance_sum)
    return (n_trials + 1) / 3 * variance_sum**2 / square_sum


def joined_freedom(*parts: tuple[float, float]) -> float:
    """Return the degrees of freedom of a sum of variances, each given with its own (Satterthwaite).

    Examples
    --------
    >>> joined_freedom((1.0, 10.0), (1.0, 10.0)), joined_freedom((1.0, 10.0), (1.0, math.inf))
    (20.0, 40.0)
    """
    total = sum(variance for variance, _ in parts)
    unsure = sum(variance**2 / freedom for variance, freedom in parts)
    return total**2 / unsure if unsure > 0 else math.inf
