"""The posterior over kinds of mean: each sampled on its own, weighed by its evidence.

In: one model per kind of mean, and their prior probabilities. Out: `Mixture`. Absent: NUTS.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from howgood.learn.engines.importance import (
    Pilot,
    Target,
    complaint,
    pilot,
    sample_from,
)
from howgood.records.progress import Progress, silent
from howgood.stats.arrays import FloatArray
from howgood.stats.importance import WeightedDraws


class Natural(Protocol):
    """A model that knows its parameters' natural units."""

    def natural(self, points: FloatArray) -> FloatArray:
        """Return draws in natural units."""


# Results given one kind of mean are reported too, so even an improbable one gets this many.
_LEAST_EFFECTIVE = 1000.0
_NEGLIGIBLE = 1e-3


@dataclass(frozen=True, slots=True)
class Mixture:
    """Weighted draws and posterior probability of each kind of mean."""

    samples: Mapping[float, WeightedDraws]
    probabilities: Mapping[float, float]
    log_evidence: Mapping[float, float]
    complaints: Mapping[float, str]

    @property
    def effective_draws(self) -> float:
        """Effective draws of the posterior averaged over kinds of mean."""
        return 1.0 / sum(
            self.probabilities[p] ** 2 / sample.effective for p, sample in self.samples.items()
        )


def sample_mixture(
    targets: Mapping[float, Target],
    prior: Mapping[float, float],
    *,
    draws: int,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Mixture:
    """Sample each kind of mean as often as its probability deserves."""
    pilots: dict[float, Pilot] = {}
    for number, (p, target) in enumerate(targets.items()):
        progress(0.3 * number / len(targets), f"finding the mode for p = {p:g}")
        pilots[p] = pilot(target, rng)
    rough = posterior_probabilities(
        {p: each.sample.log_evidence for p, each in pilots.items()}, prior
    )
    samples = {}
    for number, (p, target) in enumerate(targets.items()):
        progress(0.3 + 0.7 * number / len(targets), f"sampling p = {p:g}")
        floor = min(_LEAST_EFFECTIVE, draws) if rough[p] > _NEGLIGIBLE else 300.0
        wanted = max(floor, 1.02 * rough[p] * draws)
        samples[p] = sample_from(target, pilots[p], effective=wanted, rng=rng)
    evidence = {p: sample.log_evidence for p, sample in samples.items()}
    return Mixture(
        samples,
        posterior_probabilities(evidence, prior),
        evidence,
        {p: complaint(sample) for p, sample in samples.items()},
    )


def posterior_probabilities(
    log_evidence: Mapping[float, float], prior: Mapping[float, float]
) -> dict[float, float]:
    """Return posterior probabilities from evidences and prior probabilities.

    Examples
    --------
    >>> posterior_probabilities({0.0: -1.0, 1.0: -1.0}, {0.0: 0.75, 1.0: 0.25})
    {0.0: 0.75, 1.0: 0.25}
    """
    top = max(log_evidence.values())
    if not math.isfinite(top):
        return dict(prior)
    joint = {p: prior[p] * math.exp(value - top) for p, value in log_evidence.items()}
    total = sum(joint.values())
    return {p: value / total for p, value in joint.items()}


def averaged_draws(
    mixture: Mixture, n_draws: int, rng: np.random.Generator
) -> dict[float, FloatArray]:
    """Return, for each kind of mean, its share of `n_draws` equally weighted draws."""
    orders = list(mixture.samples)
    exact = np.array([mixture.probabilities[p] for p in orders]) * n_draws
    counts = np.floor(exact).astype(int)
    counts[np.argsort(counts - exact)[: n_draws - counts.sum()]] += 1
    return {
        p: mixture.samples[p].resampled(int(count), rng)
        for p, count in zip(orders, counts, strict=True)
    }


def natural_draws(
    mixture: Mixture,
    models: Mapping[float, Natural],
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, dict[float, FloatArray]]:
    """Return draws in natural units: averaged over kinds of mean, and given each."""
    shares = averaged_draws(mixture, n_draws, rng)
    averaged = np.concatenate([models[p].natural(rows) for p, rows in shares.items()])
    given = {
        p: models[p].natural(sample.resampled(n_draws, rng))
        for p, sample in mixture.samples.items()
    }
    return averaged[rng.permutation(len(averaged))], given
