"""Weights of several features, learned from noisy choices between pairs.

In: differences of features between two sides, choices. Out: particles of weights on a simplex with
a sensitivity, a lapse rate and a width of indifference each, moved by Metropolis steps. Absent:
what the features are.

A particle holds k - 1 log-ratios against the last weight, the log of the sensitivity, the logit of
the lapse rate, the log of the width of indifference and the logit of how often a lapse is "no
preference". Without the last, somebody who errs often but always takes a side would fit nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from howgood.stats.arrays import FloatArray
from howgood.stats.paired_choices import (
    choice_probabilities,
    chosen_probabilities,
    entropy,
    simplex_weights,
)

# Means and standard deviations of log sensitivity, logit of the lapse rate, log width, and logit of
# the share of lapses that are "no preference". Lapses are as in interviews about two errors: 2 to
# 50 % of the answers, of which 2 % or a third are "no preference" (see `families`).
NOISE_MEANS = (float(np.log(20.0)), -1.8, -1.0, -2.3)
NOISE_SDS = (1.2, 1.45, 1.0, 1.6)
_NOISE = len(NOISE_MEANS)
_TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choices:
    """What was chosen: differences (n, k) of first minus second; 0 first, 1 second, 2 neither."""

    differences: FloatArray
    chosen: NDArray[np.int64]

    def first(self, n: int) -> "Choices":
        """Return the first n of these choices."""
        return Choices(differences=self.differences[:n], chosen=self.chosen[:n])

    def and_one(self, difference: FloatArray, choice: int) -> "Choices":
        """Return these choices and one more."""
        return Choices(
            differences=np.vstack([self.differences, difference]),
            chosen=np.append(self.chosen, choice),
        )


def no_choices(k: int) -> Choices:
    """Return an empty list of choices about k features."""
    return Choices(differences=np.empty((0, k)), chosen=np.empty(0, dtype=np.int64))


def drawn_particles(n: int, k: int, generator: np.random.Generator) -> FloatArray:
    """Draw from the prior: weights evenly on the simplex, noise as people have it."""
    weights = generator.dirichlet(np.ones(k), size=n)
    ratios = np.log(np.maximum(weights[:, :-1], _TINY) / np.maximum(weights[:, -1:], _TINY))
    noise = generator.normal(NOISE_MEANS, NOISE_SDS, size=(n, _NOISE))
    return np.column_stack([ratios, noise])


def particle_weights(particles: FloatArray) -> FloatArray:
    """Return the weights of each particle, shape (n, k); rows sum to 1.

    Examples
    --------
    >>> particle_weights(np.array([[np.log(3.0), 0.0, 0.0, 0.0, 0.0]])).round(3).tolist()
    [[0.75, 0.25]]
    """
    # `simplex_weights` expects one column of noise.
    return simplex_weights(particles[:, : particles.shape[1] - _NOISE + 1])


def side_probabilities(
    particles: FloatArray, differences: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the probabilities of first, second and neither, each (n_particles, n_pairs)."""
    sensitivity, lapse, width, same = (particles[:, [place]] for place in range(-_NOISE, 0))
    return choice_probabilities(
        particle_weights(particles) @ differences.T * np.exp(sensitivity),
        width=np.exp(width),
        lapse=expit(lapse),
        to_neither=expit(same),
    )


def log_density(particles: FloatArray, choices: Choices) -> FloatArray:
    """Return the log posterior of each particle, up to a constant."""
    return np.asarray(log_prior(particles) + log_likelihoods(particles, choices).sum(axis=1))


def log_prior(particles: FloatArray) -> FloatArray:
    """Return the log density of each particle before any choice, up to a constant."""
    noise = (particles[:, -_NOISE:] - NOISE_MEANS) / NOISE_SDS
    return np.asarray(log_even(particles) - 0.5 * (noise**2).sum(axis=1))


def log_even(particles: FloatArray) -> FloatArray:
    """Return the log density of weights that are even on the simplex, up to a constant.

    That of their log-ratios, which particles hold, is the product of the weights.
    """
    return np.asarray(np.log(np.maximum(particle_weights(particles), _TINY)).sum(axis=1))


def log_likelihoods(particles: FloatArray, choices: Choices) -> FloatArray:
    """Return the log probability of each choice under each particle, (n_particles, n_choices)."""
    sensitivity, lapse, width, same = (particles[:, [place]] for place in range(-_NOISE, 0))
    given = chosen_probabilities(
        particle_weights(particles) @ choices.differences.T * np.exp(sensitivity),
        choices.chosen,
        width=np.exp(width),
        lapse=expit(lapse),
        to_neither=expit(same),
    )
    return np.asarray(np.log(np.maximum(given, _TINY)))


def updated(
    particles: FloatArray, choices: Choices, generator: np.random.Generator, *, moves: int
) -> FloatArray:
    """Take the last of the choices in: resample by its likelihood, then move."""
    last = Choices(differences=choices.differences[-1:], chosen=choices.chosen[-1:])
    kept = resampled(np.exp(log_likelihoods(particles, last)[:, 0]), generator)
    return moved(particles[kept], choices, generator, moves=moves)


def resampled(weight: FloatArray, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return which particles are kept, evenly spread by their weight.

    Examples
    --------
    >>> resampled(np.array([0.0, 1.0, 1.0, 0.0]), np.random.default_rng(1)).tolist()
    [1, 1, 2, 2]
    """
    positions = (generator.random() + np.arange(weight.size)) / weight.size
    cumulative = np.cumsum(weight / weight.sum())
    return np.minimum(np.searchsorted(cumulative, positions), weight.size - 1)


def moved(
    particles: FloatArray, choices: Choices, generator: np.random.Generator, *, moves: int
) -> FloatArray:
    """Return the particles after Metropolis steps that leave the posterior as it is."""
    return wandered(particles, lambda at: log_density(at, choices), generator, moves=moves)


def wandered(
    particles: FloatArray,
    log_density: Callable[[FloatArray], FloatArray],
    generator: np.random.Generator,
    *,
    moves: int,
) -> FloatArray:
    """Return the particles after Metropolis steps that leave a density as it is."""
    d = particles.shape[1]
    spread = np.cov(particles, rowvar=False) + 1e-6 * np.eye(d)
    step = np.linalg.cholesky(spread) * 2.38 / np.sqrt(d)
    level = log_density(particles)
    for number in range(moves):
        # Every third step is a small one: corners of the simplex are narrow.
        size = 0.3 if number % 3 == 2 else 1.0
        proposal = particles + size * generator.normal(size=particles.shape) @ step.T
        proposed = log_density(proposal)
        accept = np.log(generator.random(len(particles))) < proposed - level
        particles = np.where(accept[:, None], proposal, particles)
        level = np.where(accept, proposed, level)
    return particles


def group_information(groups: NDArray[np.int64], *probabilities: FloatArray) -> FloatArray:
    """Return, per pair, what its answer tells about which group a particle belongs to.

    Examples
    --------
    >>> sure = np.array([[1.0, 0.5], [0.0, 0.5]])
    >>> (group_information(np.array([0, 1]), sure, 1 - sure) / np.log(2)).tolist()
    [1.0, 0.0]
    """
    names, sizes = np.unique(groups, return_counts=True)
    within: FloatArray = np.zeros(probabilities[0].shape[1])
    for name, size in zip(names.tolist(), sizes.tolist(), strict=True):
        means = [probability[groups == name].mean(axis=0) for probability in probabilities]
        within = within + size / groups.size * entropy(*means)
    return np.asarray(
        entropy(*(probability.mean(axis=0) for probability in probabilities)) - within
    )
