"""Importance sampling around the mode, with the gates a posterior has to pass.

In: a model with value, gradient and log density. Out: `WeightedDraws`, and a sentence when they
fail a gate. Absent: what to do then (see `learn.engines.choice`).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from howgood.stats.arrays import FloatArray
from howgood.stats.importance import StudentT, WeightedDraws, weigh, weighted
from howgood.stats.optimise import hessian, inverse_curvature, maximise
from howgood.stats.proposal_mixture import StudentMixture

LARGEST_KHAT = 0.5
LEAST_EFFICIENCY = 0.25
PILOT_DRAWS = 800
# After a failed gate: one t with heavier tails, which is enough for skewed posteriors; then
# mixtures of t distributions, for the bent ones with an edge that one-sided answers leave.
_HEAVY_TAILS = 4.0
_COMPONENTS_BY_ROUND = (1, 4, 8, 8, 8, 12)
_TAILS_OF_MIXTURE = 5.0


class Proposal(Protocol):
    """A distribution to draw from whose density is known."""

    def sample(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of shape (n_draws, dimensions)."""

    def log_density(self, points: FloatArray) -> FloatArray:
        """Return the log density at many points."""


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
class Pilot:
    """A proposal re-centred on a first sample, and that sample."""

    proposal: StudentT
    sample: WeightedDraws


def laplace(target: Target) -> StudentT:
    """Return a t around the mode with the curvature there."""
    mode = maximise(target.value_and_gradient, target.start())
    return StudentT.from_moments(mode, inverse_curvature(hessian(target.value_and_gradient, mode)))


def pilot(target: Target, rng: np.random.Generator, *, draws: int = PILOT_DRAWS) -> Pilot:
    """Find the mode, sample around it, and re-centre the proposal on that sample."""
    sample = weigh(target.log_density, laplace(target), draws, rng)
    return Pilot(StudentT.around(sample), sample)


def sample_from(
    target: Target, start: Pilot, *, effective: float, rng: np.random.Generator
) -> WeightedDraws:
    """Draw from the re-centred proposal until the effective number of draws is reached.

    Where the draws fail a gate (skewed posteriors of few or one-sided answers) the proposal is
    fitted to them anew, more freely each time, and the draws are made again.
    """
    found = _until_effective(target, start.proposal, start.sample.efficiency, effective, rng)
    for n_components in _COMPONENTS_BY_ROUND:
        if not complaint(found):
            break
        proposal = _fitted(found, n_components, rng)
        found = _until_effective(target, proposal, found.efficiency, effective, rng)
    return found


def _fitted(found: WeightedDraws, n_components: int, rng: np.random.Generator) -> Proposal:
    if n_components == 1:
        return StudentT.around(found, dof=_HEAVY_TAILS)
    return StudentMixture.around(found, n_components=n_components, dof=_TAILS_OF_MIXTURE, rng=rng)


def _until_effective(
    target: Target,
    proposal: Proposal,
    efficiency: float,
    effective: float,
    rng: np.random.Generator,
) -> WeightedDraws:
    draws, ratios = np.empty((0, target.size)), np.empty(0)
    wanted = int(np.ceil(1.05 * effective / max(efficiency, LEAST_EFFICIENCY)))
    while True:
        new = proposal.sample(wanted, rng)
        draws = np.concatenate([draws, new])
        ratios = np.concatenate([ratios, target.log_density(new) - proposal.log_density(new)])
        found = weighted(draws, ratios)
        if found.effective >= effective or complaint(found):
            return found
        wanted = int(np.ceil(1.1 * (effective - found.effective) / found.efficiency)) + 50


def complaint(sample: WeightedDraws) -> str:
    """Say which gate the draws fail, or return an empty string."""
    if not np.isfinite(sample.khat) or sample.khat > LARGEST_KHAT:
        return f"Pareto k-hat is {sample.khat:.2f}, above {LARGEST_KHAT}"
    if sample.efficiency < LEAST_EFFICIENCY:
        return f"{sample.efficiency:.0%} of the draws are effective, below {LEAST_EFFICIENCY:.0%}"
    return ""
