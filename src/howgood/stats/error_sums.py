"""Sums over rows from which every distribution and comparison of squared errors follows.

In: arrays of means, standard deviations and predictions. Out: a few small arrays whose size does
not depend on the number of rows. Absent: checks of the values, names, data frames.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Rows per step: the matrices of one step stay in the processor's cache.
_ROWS = 8192
# Below this share of the rows' own sums of squares, a difference has lost half of its digits.
_CLOSE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrialSums:
    """What is further known when row v's mean and sd (ddof 0) came from n trials.

    mean_noise[i, k]  sum of s / (n - 1) (p_i - p_k)**2: how uncertain the means leave a difference
    variance          sum of n / (n - 1) s: unbiased for the sum of the true variances
    second_power[k]   sum of n / (n - 1) ((n - 2) / (n + 1) s**2 + 2 s (mu - p_k)**2): unbiased for
                      the sum of sigma**4 + 2 sigma**2 Delta**2, as E[s**2] and E[(mu - p)**2] are
                      both inflated by the few trials
    """

    mean_noise: FloatArray
    variance: float
    second_power: FloatArray

    def __add__(self, other: "TrialSums") -> "TrialSums":
        return TrialSums(
            mean_noise=self.mean_noise + other.mean_noise,
            variance=self.variance + other.variance,
            second_power=self.second_power + other.second_power,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErrorSums:
    """Sums over rows v of means mu, variances s = sd**2 and K predictions p.

    variance_powers[j]      sum of s**(j+1)
    deviation_powers[k, j]  sum of s**j (mu - p_k)**2
    gaps[k]                 sum of (mu - p_k)**2 - (mu - p_0)**2
    noise[i, k]             sum of s (p_i - p_k)**2
    trials                  sums that need the number of trials, None without it
    """

    n: int
    max_variance: float
    variance_powers: FloatArray
    deviation_powers: FloatArray
    gaps: FloatArray
    noise: FloatArray
    trials: TrialSums | None

    def __add__(self, other: "ErrorSums") -> "ErrorSums":
        trials = None
        if self.trials is not None and other.trials is not None:
            trials = self.trials + other.trials
        return ErrorSums(
            n=self.n + other.n,
            max_variance=max(self.max_variance, other.max_variance),
            variance_powers=self.variance_powers + other.variance_powers,
            deviation_powers=self.deviation_powers + other.deviation_powers,
            gaps=self.gaps + other.gaps,
            noise=self.noise + other.noise,
            trials=trials,
        )


def error_sums(
    mean: FloatArray,
    sd: FloatArray,
    predictions: list[FloatArray],
    *,
    powers: int,
    trials: FloatArray | None = None,
) -> ErrorSums:
    """Return the sums of one set of finite arrays, in one pass through the cache."""
    n_systems = len(predictions)
    variance_powers, max_variance = np.zeros(powers), 0.0
    deviation_powers, gaps = np.zeros((n_systems, powers)), np.zeros(n_systems)
    products = [np.zeros((n_systems, n_systems)) for _ in range(1 if trials is None else 2)]
    corrected = np.zeros(1 + n_systems)
    for rows in _steps(len(mean)):
        variance = sd[rows] ** 2
        block = np.stack([each[rows] for each in predictions])
        power = _power_rows(variance, powers)
        deviations = (mean[rows] - block) ** 2
        max_variance = max(max_variance, float(variance.max()))
        variance_powers += power @ variance
        deviation_powers += deviations @ power.T
        away = block - block[0]
        # (mu - p)^2 - (mu - q)^2 written so that two good systems do not cancel.
        gaps += np.einsum("kn,kn->k", away, away - 2 * (mean[rows] - block[0]))
        centred = block - block.mean(axis=0)
        products[0] += (centred * variance) @ centred.T
        if trials is not None:
            products[1] += (centred * (variance / (trials[rows] - 1))) @ centred.T
            corrected += _corrected(variance, deviations, trials[rows])
    spreads = [_squared_distances(each) for each in products]
    _recompute_close_pairs(spreads, products, predictions, sd, trials)
    further = None
    if trials is not None:
        further = TrialSums(
            mean_noise=spreads[1], variance=float(corrected[0]), second_power=corrected[1:]
        )
    return ErrorSums(
        n=len(mean),
        max_variance=max_variance,
        variance_powers=variance_powers,
        deviation_powers=deviation_powers,
        gaps=gaps,
        noise=spreads[0],
        trials=further,
    )


def _corrected(variance: FloatArray, deviations: FloatArray, trials: FloatArray) -> FloatArray:
    """Return the sums of `TrialSums.variance` and `TrialSums.second_power` over some rows."""
    unbiased = variance * trials / (trials - 1)
    fourth = unbiased @ (variance * (trials - 2) / (trials + 1))
    return np.concatenate([[unbiased.sum()], fourth + 2 * (deviations @ unbiased)])


def _steps(n_rows: int) -> Iterator[slice]:
    return (slice(start, start + _ROWS) for start in range(0, n_rows, _ROWS))


def _power_rows(variance: FloatArray, powers: int) -> FloatArray:
    """Return variance**0 .. variance**(powers - 1), one row each."""
    rows = np.empty((powers, len(variance)))
    rows[0] = 1.0
    for power in range(1, powers):
        np.multiply(rows[power - 1], variance, out=rows[power])
    return rows


def _squared_distances(products: FloatArray) -> FloatArray:
    own = np.diag(products)
    return np.maximum(own[:, None] + own[None, :] - 2 * products, 0.0)


def _recompute_close_pairs(
    spreads: list[FloatArray],
    products: list[FloatArray],
    predictions: list[FloatArray],
    sd: FloatArray,
    trials: FloatArray | None,
) -> None:
    """Sum nearly equal predictions pair by pair: their distance would be a rounding error."""
    own = np.diag(products[0])
    close = np.argwhere(np.triu(spreads[0] <= _CLOSE * (own[:, None] + own[None, :]), 1))
    for first, second in close:
        totals = np.zeros(len(spreads))
        for rows in _steps(len(sd)):
            apart = (predictions[first][rows] - predictions[second][rows]) * sd[rows]
            totals[0] += apart @ apart
            if trials is not None:
                totals[1] += (apart / (trials[rows] - 1)) @ apart
        for spread, total in zip(spreads, totals, strict=True):
            spread[first, second] = spread[second, first] = total
