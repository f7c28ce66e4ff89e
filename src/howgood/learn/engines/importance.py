"""Importance sampling around the mode of each model, and the posterior over several models.

In: one model per kind of mean, with value, gradient and log density; their prior probabilities.
Out: `WeightedDraws` and a sentence when they fail a gate; `Mixture`, in which each is weighed by
its evidence. Absent: what to do when a gate fails (see `learn.engines.select`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from howgood.learn.kinds import tidy
from howgood.records.progress import Progress, silent
from howgood.stats.arrays import FloatArray
from howgood.stats.importance import (
    BentT,
    Proposal,
    StudentMixture,
    StudentT,
    WeightedDraws,
    hessian,
    inverse_curvature,
    maximise,
    tempered,
    weigh,
    weighted,
)

LARGEST_KHAT = 0.5
LEAST_EFFICIENCY = 0.25
PILOT_DRAWS = 800
# After a failed gate: one t with heavier tails, which is enough for skewed posteriors; then
# mixtures of t distributions, for the bent ones with an edge that one-sided answers leave.
_HEAVY_TAILS = 4.0
_COMPONENTS_BY_ROUND = (1, 4, 8, 8, 8, 12)
_TAILS_OF_MIXTURE = 5.0
# In many dimensions heavy tails are most of the volume: a t with 4 degrees of freedom around a
# normal distribution of 24 dimensions leaves a seventh of its draws effective.
_LIGHT_TAILS = 20.0
_PILOT_ROUNDS = 12
_DRAWS_PER_ROUND = 1500
_ROUND_PER_PARAMETER = 60
_DRAWS_PER_PARAMETER = 10
_GOOD_EFFICIENCY = 0.35


class Target(Protocol):
    """A log posterior density on the whole space."""

    @property
    def size(self) -> int:
        """Number of parameters."""

    def start(self) -> FloatArray:
        """Return where to start looking for the mode."""

    def value_and_gradient(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Return log density and gradient at one point."""

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at many points."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Draws of several proposals, and the log density of each: they shape the next proposal.

    They are weighted as draws from the mixture of all proposals so far (Cornuet et al., 2012,
    "Adaptive multiple importance sampling"). Where a few weights outdo the others, all are raised
    to a power below 1, so that enough draws shape a covariance of many dimensions.
    """

    proposals: tuple[Proposal, ...]
    n_draws: tuple[int, ...]
    draws: FloatArray
    log_target: FloatArray

    def with_draws(self, proposal: Proposal, draws: FloatArray, value: FloatArray) -> "Pool":
        """Return the pool with more draws."""
        return Pool(
            (*self.proposals, proposal),
            (*self.n_draws, len(draws)),
            np.concatenate([self.draws, draws]),
            np.concatenate([self.log_target, value]),
        )

    def proposal(self) -> BentT:
        """Return a proposal around all draws."""
        parts = [
            math.log(n) + one.log_density(self.draws)
            for one, n in zip(self.proposals, self.n_draws, strict=True)
        ]
        ratio = self.log_target - np.logaddexp.reduce(parts, axis=0)
        least = _DRAWS_PER_PARAMETER * self.draws.shape[1]
        return BentT.around(tempered(self.draws, ratio, least=least), dof=_LIGHT_TAILS)


@dataclass(frozen=True, slots=True)
class Pilot:
    """A proposal re-centred on a first sample, that sample, and what shaped the proposal."""

    proposal: Proposal
    sample: WeightedDraws
    pool: Pool | None = None
    first: StudentT | None = None


def laplace(target: Target, *, near: StudentT | None = None) -> StudentT:
    """Return a t around the mode with the curvature there; `near` that of a similar target.

    A target of more parameters has them after those of the similar one.
    """
    start, metric = target.start(), None
    if near is not None:
        size = len(near.centre)
        start[:size], metric = near.centre, np.eye(target.size)
        metric[:size, :size] = near.root @ near.root.T
    mode = maximise(target.value_and_gradient, start, metric=metric)
    return StudentT.from_moments(mode, inverse_curvature(hessian(target.value_and_gradient, mode)))


def pilot(
    target: Target,
    rng: np.random.Generator,
    *,
    like: Pilot | None = None,
    draws: int = PILOT_DRAWS,
) -> Pilot:
    """Find the mode, sample around it, and re-centre the proposal on that sample."""
    first = laplace(target, near=None if like is None else like.first)
    sample = weigh(target.log_density, first, draws, rng)
    return Pilot(StudentT.around(sample), sample, first=first)


def careful_pilot(
    target: Target,
    rng: np.random.Generator,
    *,
    like: Pilot | None = None,
    enough: float = math.inf,
) -> Pilot:
    """Re-centre until the draws are good: for more than a dozen parameters.

    Every round draws from the last proposal, and the next one is shaped by all draws so far. The
    first proposal has the shape that the pilot of a similar target found around its mode. Draws
    that pass the gates and are `enough` by their effective number end it too.
    """
    pool = Pool((), (), np.empty((0, target.size)), np.empty(0))
    first = laplace(target, near=None if like is None else like.first)
    proposal: Proposal = replace(first, dof=_LIGHT_TAILS)
    if like is not None and like.first is not None and isinstance(like.proposal, BentT):
        proposal = like.proposal.moved(like.first, first)
    per_round = min(_DRAWS_PER_ROUND, _ROUND_PER_PARAMETER * target.size)
    for _ in range(_PILOT_ROUNDS):
        new = proposal.sample(per_round, rng)
        value = target.log_density(new)
        latest = weighted(new, value - proposal.log_density(new))
        if latest.effective >= enough and not complaint(latest):
            break
        pool = pool.with_draws(proposal, new, value)
        proposal = pool.proposal()
        if latest.efficiency > _GOOD_EFFICIENCY:
            break
    return Pilot(proposal, latest, pool, first)


def shaped_by(found: Pilot, sample: WeightedDraws) -> Pilot:
    """Return a pilot whose proposal has the shape of a whole sample, not of a pilot's draws."""
    return replace(found, proposal=BentT.around(sample, dof=_LIGHT_TAILS))


def sample_from(
    target: Target, start: Pilot, *, effective: float, rng: np.random.Generator
) -> WeightedDraws:
    """Draw from the re-centred proposal until the effective number of draws is reached.

    Where the draws fail a gate (skewed posteriors of few or one-sided answers) the proposal is
    fitted to them anew, more freely each time, and the draws are made again.
    """
    if start.sample.effective >= effective and not complaint(start.sample):
        return start.sample  # no more are wanted than the pilot has
    proposal, pool = start.proposal, start.pool
    sample, value = _until_effective(target, proposal, start.sample.efficiency, effective, rng)
    for n_components in _COMPONENTS_BY_ROUND:
        if not complaint(sample):
            break
        if pool is None:
            proposal = _fitted(sample, n_components, rng)
        else:
            pool = pool.with_draws(proposal, sample.draws, value)
            proposal = pool.proposal()
        sample, value = _until_effective(target, proposal, sample.efficiency, effective, rng)
    return sample


def _fitted(sample: WeightedDraws, n_components: int, rng: np.random.Generator) -> Proposal:
    if n_components == 1:
        return StudentT.around(sample, dof=_HEAVY_TAILS)
    return StudentMixture.around(sample, n_components=n_components, dof=_TAILS_OF_MIXTURE, rng=rng)


def _until_effective(
    target: Target,
    proposal: Proposal,
    efficiency: float,
    effective: float,
    rng: np.random.Generator,
) -> tuple[WeightedDraws, FloatArray]:
    """Return weighted draws, and the log density of each."""
    draws, values, ratios = np.empty((0, target.size)), np.empty(0), np.empty(0)
    wanted = int(np.ceil(1.05 * effective / max(efficiency, LEAST_EFFICIENCY)))
    while True:
        new = proposal.sample(wanted, rng)
        value = target.log_density(new)
        draws, values = np.concatenate([draws, new]), np.concatenate([values, value])
        ratios = np.concatenate([ratios, value - proposal.log_density(new)])
        sample = weighted(draws, ratios)
        if sample.effective >= effective or complaint(sample):
            return sample, values
        wanted = int(np.ceil(1.1 * (effective - sample.effective) / sample.efficiency)) + 50


def complaint(sample: WeightedDraws) -> str:
    """Say which gate the draws fail, or return an empty string."""
    if not np.isfinite(sample.khat) or sample.khat > LARGEST_KHAT:
        return f"Pareto k-hat is {sample.khat:.2f}, above {LARGEST_KHAT}"
    if not sample.efficiency >= LEAST_EFFICIENCY:  # also where weights are no numbers
        return f"{sample.efficiency:.0%} of the draws are effective, below {LEAST_EFFICIENCY:.0%}"
    return ""


class FindPilot(Protocol):
    """How to find a first proposal; `like` is the pilot of a similar target, if there is one."""

    def __call__(
        self, target: Target, rng: np.random.Generator, /, *, like: Pilot | None = None
    ) -> Pilot:
        """Return the pilot."""


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
    pilots: Mapping[float, Pilot] = field(default_factory=dict)

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
    find: FindPilot = pilot,
    like: Pilot | None = None,
) -> Mixture:
    """Sample each kind of mean as often as its probability deserves."""
    pilots: dict[float, Pilot] = {}
    for number, (p, target) in enumerate(targets.items()):
        progress(0.3 * number / len(targets), f"finding the mode for p = {p:g}")
        pilots[p] = like = find(target, rng, like=like)
    rough = posterior_probabilities(
        {p: one_pilot.sample.log_evidence for p, one_pilot in pilots.items()}, prior
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
        pilots,
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


def posterior_fields(
    mixture: Mixture, models: Mapping[float, Natural], n_draws: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Return the fields every fit has of its posterior: draws, probabilities and evidence."""
    averaged, given = natural_draws(mixture, models, n_draws, rng)
    return {
        "mean_probabilities": tidy(mixture.probabilities),
        "log_evidence": tidy(mixture.log_evidence),
        "averaged_draws": averaged,
        "conditional_draws": tidy(given),
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
