"""Importance sampling from a multivariate t, judged by Pareto k-hat and effective size.

In: a log density of many points at once, and a first guess of its centre and spread. Out:
weighted draws with their evidence and diagnostics. Absent: the verdict (callers set the gates).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from howgood.stats.array_layer import array_stats
from howgood.stats.arrays import FloatArray

LogDensity = Callable[[FloatArray], FloatArray]

DEGREES_OF_FREEDOM = 7.0
# How far a side reaches is read off at this share of the draws, where a normal one has 1.645 sd.
_REACH_AT = (0.05, 0.5, 0.95)
_REACH_OF_NORMAL = 1.6448536
_STRETCH = (0.3, 4.0)


@dataclass(frozen=True, slots=True)
class StudentT:
    """A multivariate t whose two halves may differ along every axis (Geweke, 1989).

    `root` is the lower triangular root of the scale matrix; `up` and `down` stretch its axes to
    either side of the `centre`. All ones, it is the ordinary multivariate t.
    """

    centre: FloatArray
    root: FloatArray
    up: FloatArray
    down: FloatArray
    dof: float = DEGREES_OF_FREEDOM

    @classmethod
    def from_moments(cls, centre: FloatArray, scale: FloatArray) -> "StudentT":
        """Build from a centre and a scale matrix, widened a little if it is nearly singular."""
        size = len(scale)
        lift, ones = 0.0, np.ones(size)
        for _ in range(30):
            try:
                root = np.linalg.cholesky(scale + lift * np.eye(size))
            except np.linalg.LinAlgError:
                lift = max(2.0 * lift, 1e-12 * float(np.trace(scale)) / size, 1e-12)
            else:
                return cls(centre, np.asarray(root, dtype=np.float64), ones, ones)
        raise np.linalg.LinAlgError("no positive definite scale")

    @classmethod
    def around(cls, sample: "WeightedDraws", *, dof: float = DEGREES_OF_FREEDOM) -> "StudentT":
        """Build from weighted draws: their covariance, and how far each side reaches."""
        centre, covariance = sample.moments()
        plain = cls.from_moments(centre, covariance)
        axes = np.linalg.solve(plain.root, (sample.draws - centre).T)
        low, middle, high = np.array(
            [_weighted_quantiles(axis, sample.weights, _REACH_AT) for axis in axes]
        ).T
        return cls(
            centre + plain.root @ middle,
            plain.root,
            np.clip((high - middle) / _REACH_OF_NORMAL, *_STRETCH),
            np.clip((middle - low) / _REACH_OF_NORMAL, *_STRETCH),
            dof,
        )

    def sample(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of shape (n_draws, dimensions)."""
        normal = np.abs(rng.standard_normal((n_draws, self.centre.size)))
        upward = rng.random(normal.shape) < self.up / (self.up + self.down)
        axes = np.where(upward, self.up, -self.down) * normal
        stretch = np.sqrt(rng.chisquare(self.dof, n_draws) / self.dof)
        return np.asarray(self.centre + (axes @ self.root.T) / stretch[:, None])

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at points of shape (n, dimensions)."""
        size, dof = self.centre.size, self.dof
        axes = np.linalg.solve(self.root, (points - self.centre).T).T
        standard = axes / np.where(axes > 0, self.up, self.down)
        constant = (
            math.lgamma((dof + size) / 2)
            - math.lgamma(dof / 2)
            - 0.5 * size * math.log(dof * math.pi)
            - float(np.log(np.diag(self.root)).sum())
            - float(np.log(0.5 * (self.up + self.down)).sum())
        )
        return np.asarray(constant - 0.5 * (dof + size) * np.log1p((standard**2).sum(axis=1) / dof))


@dataclass(frozen=True, slots=True)
class WeightedDraws:
    """Draws of shape (n, dimensions), their weights (summing to 1), evidence and diagnostics.

    `independent` is the effective number of equally weighted draws of a Markov chain; left out,
    the weights decide.
    """

    draws: FloatArray
    weights: FloatArray
    log_evidence: float
    khat: float
    independent: float | None = None

    @property
    def effective(self) -> float:
        """Effective number of draws; of weighted draws 1 / Σ w² (Kish)."""
        if self.independent is not None:
            return self.independent
        return float(1.0 / np.sum(self.weights**2))

    @property
    def efficiency(self) -> float:
        """Effective draws per draw."""
        return self.effective / len(self.weights)

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Weighted mean and covariance."""
        centre = self.weights @ self.draws
        away = self.draws - centre
        return centre, np.asarray((away * self.weights[:, None]).T @ away)

    def resampled(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return equally weighted draws, by systematic resampling, in random order."""
        marks = (np.arange(n_draws) + rng.random()) / n_draws
        chosen = np.searchsorted(np.cumsum(self.weights), marks).clip(max=len(self.weights) - 1)
        return np.asarray(self.draws[rng.permutation(chosen)])


def weigh(
    log_density: LogDensity, proposal: StudentT, n_draws: int, rng: np.random.Generator
) -> WeightedDraws:
    """Draw from the proposal and weigh by density over proposal, the largest weights smoothed.

    Evidence and weights come from Pareto smoothed ratios, which a few large ones upset less
    (Vehtari et al., 2024, "Pareto smoothed importance sampling", JMLR 25).
    """
    draws = proposal.sample(n_draws, rng)
    log_ratio = log_density(draws) - proposal.log_density(draws)
    return weighted(draws, log_ratio)


def weighted(draws: FloatArray, log_ratio: FloatArray) -> WeightedDraws:
    """Turn draws and log ratios into weighted draws; ratios that are not finite weigh nothing."""
    log_ratio = np.where(np.isfinite(log_ratio), log_ratio, -np.inf)
    top = float(log_ratio.max())
    if not math.isfinite(top):
        return WeightedDraws(draws, np.full(len(draws), 1.0 / len(draws)), -math.inf, math.inf)
    # Ratios this small cannot matter; the tail fit wants finite numbers.
    shifted = np.maximum(log_ratio - top, -700.0)
    smoothed, khat = _smoothed(shifted)
    log_evidence = top + math.log(float(np.mean(np.exp(smoothed))))
    weights = np.exp(smoothed - smoothed.max())
    return WeightedDraws(draws, weights / weights.sum(), log_evidence, khat)


def _smoothed(log_ratio: FloatArray) -> tuple[FloatArray, float]:
    """Smooth the largest ratios; a tail of equal ratios has nothing to smooth."""
    try:
        smoothed, khat = array_stats().psislw(-log_ratio)
    except (ValueError, IndexError):  # "All tail values are the same", or hardly any draws
        equal = float(np.ptp(log_ratio)) < 1e-9
        return log_ratio, 0.0 if equal else math.inf
    # arviz-stats returns ratios that sum to one; below the tail only that constant was taken off.
    return np.asarray(smoothed - np.median(smoothed - log_ratio)), float(khat)


def _weighted_quantiles(
    values: FloatArray, weights: FloatArray, shares: tuple[float, ...]
) -> FloatArray:
    order = np.argsort(values)
    passed = np.cumsum(weights[order]) - 0.5 * weights[order]
    return np.interp(shares, passed, values[order])
