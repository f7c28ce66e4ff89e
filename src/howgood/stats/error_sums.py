"""Sums over rows from which every distribution and comparison of squared errors follows.

In: arrays of means, standard deviations and predictions. Out: a few small arrays whose size does
not depend on the number of rows. Absent: checks of the values, names, data frames.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from howgood.stats.arrays import FloatArray

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
    single_variance   sum of s over rows of one trial, whose sd was given: s is the variance itself,
                      and so is that of their mean: they add s to `variance`, s (p_i - p_k)**2 to
                      `mean_noise` and 2 s (mu - p_k)**2 - s**2 to `second_power`
    single_square     sum of s**2 over these rows
    """

    mean_noise: FloatArray
    variance: float
    second_power: FloatArray
    single_variance: float = 0.0
    single_square: float = 0.0

    def __add__(self, other: "TrialSums") -> "TrialSums":
        return TrialSums(
            mean_noise=self.mean_noise + other.mean_noise,
            variance=self.variance + other.variance,
            second_power=self.second_power + other.second_power,
            single_variance=self.single_variance + other.single_variance,
            single_square=self.single_square + other.single_square,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErrorSums:
    """Sums over rows v of means mu, variances s = sd**2 and K predictions p.

    variance_powers[j]      sum of s**(j+1)
    deviation_powers[k, j]  sum of s**j (mu - p_k)**2
    gaps[k]                 sum of (mu - p_k)**2 - (mu - p_0)**2
    noise[i, k]             sum of s (p_i - p_k)**2
    trials                  sums that need the number of trials, None without it

    A single trial's mean holds its noise already. Such a row adds nothing to `noise`, and
    -j s**(j+1) to variance_powers[j], which takes that noise out of the deviations again.
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
    corrected = np.zeros(3 + n_systems)
    for rows in _steps(len(mean)):
        variance = sd[rows] ** 2
        spread = _Spread.of(variance, None if trials is None else trials[rows])
        block = np.stack([prediction[rows] for prediction in predictions])
        power = _power_rows(variance, powers)
        deviations = (mean[rows] - block) ** 2
        max_variance = max(max_variance, float(variance.max()))
        variance_powers += power @ spread.inside - np.arange(powers) * (power @ spread.single)
        deviation_powers += deviations @ power.T
        away = block - block[0]
        # (mu - p)^2 - (mu - q)^2 written so that two good systems do not cancel.
        gaps += np.einsum("kn,kn->k", away, away - 2 * (mean[rows] - block[0]))
        centred = block - block.mean(axis=0)
        products[0] += (centred * spread.inside) @ centred.T
        if trials is not None:
            products[1] += (centred * spread.of_mean) @ centred.T
            corrected += _corrected(spread, deviations, trials[rows])
    spreads = [_squared_distances(product) for product in products]
    _recompute_close_pairs(spreads, products, predictions, sd, trials)
    return ErrorSums(
        n=len(mean),
        max_variance=max_variance,
        variance_powers=variance_powers,
        deviation_powers=deviation_powers,
        gaps=gaps,
        noise=spreads[0],
        trials=None if trials is None else _trial_sums(spreads[1], corrected),
    )


def _trial_sums(mean_noise: FloatArray, corrected: FloatArray) -> TrialSums:
    return TrialSums(
        mean_noise=mean_noise,
        variance=float(corrected[0]),
        second_power=corrected[3:],
        single_variance=float(corrected[1]),
        single_square=float(corrected[2]),
    )


@dataclass(frozen=True, slots=True)
class _Spread:
    """Variances of some rows: around their mean (ddof 0), of that mean, and of single trials."""

    inside: FloatArray
    of_mean: FloatArray
    single: FloatArray

    @classmethod
    def of(cls, variance: FloatArray, trials: FloatArray | None) -> "_Spread":
        if trials is None:
            return cls(variance, np.zeros_like(variance), np.zeros_like(variance))
        is_single = trials < 2
        return cls(
            inside=np.where(is_single, 0.0, variance),
            of_mean=variance / np.where(is_single, 1.0, trials - 1),
            single=np.where(is_single, variance, 0.0),
        )


def _corrected(spread: _Spread, deviations: FloatArray, trials: FloatArray) -> FloatArray:
    """Return the sums of `TrialSums` over some rows, but for `mean_noise`."""
    unbiased = spread.inside + spread.of_mean
    fourth = unbiased @ (spread.inside * (trials - 2) / (trials + 1) - spread.single)
    singles = [spread.single.sum(), spread.single @ spread.single]
    return np.concatenate([[unbiased.sum()], singles, fourth + 2 * (deviations @ unbiased)])


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
    own = np.sum([np.diag(product) for product in products], axis=0)
    both = np.sum(spreads, axis=0)
    close = np.argwhere(np.triu(both <= _CLOSE * (own[:, None] + own[None, :]), 1))
    for first, second in close:
        totals = np.zeros(len(spreads))
        for rows in _steps(len(sd)):
            apart = (predictions[first][rows] - predictions[second][rows]) ** 2
            noise = _Spread.of(sd[rows] ** 2, None if trials is None else trials[rows])
            parts = [noise.inside, noise.of_mean][: len(spreads)]
            totals += np.array([apart @ part for part in parts])
        for spread, total in zip(spreads, totals, strict=True):
            spread[first, second] = spread[second, first] = total
