"""A mixture of multivariate t distributions, fitted to weighted draws.

In: weighted draws of a distribution that no single t resembles (bent, or with an edge). Out: a
proposal to draw anew from, with its log density. Absent: when to use it (see `learn.engines`).
"""

from dataclasses import dataclass, replace

import numpy as np

from howgood.stats.arrays import FloatArray
from howgood.stats.importance import StudentT, WeightedDraws

_ROUNDS = 12
# Draws the whole covariance counts for in that of a component, per dimension.
_SHRINKAGE = 1.0
# Share of the wide component that keeps weights bounded where the others are thin.
_DEFENSIVE_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class StudentMixture:
    """Several t distributions with their shares."""

    components: tuple[StudentT, ...]
    shares: FloatArray

    @classmethod
    def around(
        cls, sample: WeightedDraws, *, n_components: int, dof: float, rng: np.random.Generator
    ) -> "StudentMixture":
        """Fit by weighted expectation maximisation, with one wide component kept aside.

        Updates of Cappé et al. (2008), "Adaptive importance sampling in general mixture classes",
        Statistics and Computing 18; covariances are shrunk to that of all draws.
        """
        wide = StudentT.around(sample, dof=dof)
        covariance = sample.moments()[1]
        seeds = sample.resampled(n_components, rng)
        start = [replace(StudentT.from_moments(seed, covariance), dof=dof) for seed in seeds]
        found = cls(tuple(start), np.full(n_components, 1.0 / n_components))
        for _ in range(_ROUNDS):
            found = found._updated(sample, covariance, dof)
        return cls(
            (wide, *found.components),
            np.append(_DEFENSIVE_SHARE, (1.0 - _DEFENSIVE_SHARE) * found.shares),
        )

    def sample(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of shape (n_draws, dimensions)."""
        counts = rng.multinomial(n_draws, self.shares)
        drawn = [
            each.sample(int(count), rng)
            for each, count in zip(self.components, counts, strict=True)
        ]
        return rng.permutation(np.concatenate(drawn))

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at points of shape (n, dimensions)."""
        return np.asarray(np.logaddexp.reduce(self._log_parts(points), axis=1))

    def _log_parts(self, points: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            shares = np.log(self.shares)
        return np.column_stack([each.log_density(points) for each in self.components]) + shares

    def _updated(self, sample: WeightedDraws, whole: FloatArray, dof: float) -> "StudentMixture":
        log_parts = self._log_parts(sample.draws)
        log_parts -= np.logaddexp.reduce(log_parts, axis=1, keepdims=True)
        belongs = np.exp(log_parts) * sample.weights[:, None]
        size = len(whole)
        anchor = _SHRINKAGE * size / sample.effective
        components = []
        for each, mine in zip(self.components, belongs.T, strict=True):
            axes = np.linalg.solve(each.root, (sample.draws - each.centre).T)
            near = mine * (dof + size) / (dof + (axes**2).sum(axis=0))
            total = max(float(near.sum()), 1e-300)
            centre = near @ sample.draws / total
            away = sample.draws - centre
            scatter = (away * near[:, None]).T @ away + anchor * whole
            scale = scatter / (float(mine.sum()) + anchor)
            components.append(replace(StudentT.from_moments(centre, scale), dof=dof))
        return StudentMixture(tuple(components), belongs.sum(axis=0))
