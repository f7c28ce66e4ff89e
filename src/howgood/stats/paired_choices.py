"""Choices between two things: their probabilities, what one tells, and weights learned from them.

In: strengths of preference, widths of indifference, lapse rates; differences of features and
choices. Out: probabilities, entropies, mutual information; weighted samples of weights on a
simplex, moved by Metropolis steps. Absent: what is chosen between.

A particle holds k - 1 log-ratios against the last weight, and the log of the sensitivity.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, xlogy

from howgood.stats.arrays import FloatArray

_LAPSE = 0.05
_SENSITIVITY_SD = 1.5


def choice_probabilities(
    strength: ArrayLike, *, width: ArrayLike, lapse: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Return the probabilities of choosing the first, the second, or neither.

    .. math:: P_1 = l/3 + (1-l)\,\sigma(x-\nu),\quad P_2 = l/3 + (1-l)\,\sigma(-x-\nu)

    with strength x, width of indifference :math:`\nu` and lapse rate l; neither is the rest.
    Arrays broadcast.

    Examples
    --------
    >>> [round(float(each), 9) for each in choice_probabilities(0.0, width=0.0, lapse=0.3)]
    [0.45, 0.45, 0.1]
    """
    x, nu, miss = (np.asarray(each, dtype=np.float64) for each in (strength, width, lapse))
    first = miss / 3 + (1 - miss) * expit(x - nu)
    second = miss / 3 + (1 - miss) * expit(-x - nu)
    return first, second, np.maximum(1 - first - second, 0.0)


def entropy(*probabilities: ArrayLike) -> FloatArray:
    """Return the entropy in nats of outcomes whose probabilities are given array by array.

    Examples
    --------
    >>> float(entropy(1.0, 0.0)), float(entropy([0.5], [0.5])[0] / np.log(2))
    (0.0, 1.0)
    """
    total: FloatArray = sum((-xlogy(p, p) for p in probabilities), np.asarray(0.0))
    return total


def mutual_information(weights: FloatArray, *probabilities: FloatArray) -> FloatArray:
    """Return, per question, the information an answer gives about which model holds.

    Parameters
    ----------
    weights : array of shape (n_models,)
        Probability of each model.
    *probabilities : arrays of shape (n_models, n_questions)
        Probability of each possible answer under each model.

    Examples
    --------
    >>> sure = np.array([[1.0, 0.5], [0.0, 0.5]])
    >>> gain = mutual_information(np.array([0.5, 0.5]), sure, 1 - sure)
    >>> (gain / np.log(2)).tolist()  # the first question settles it, the second tells nothing
    [1.0, 0.0]
    """
    mixed = [weights @ p for p in probabilities]
    return entropy(*mixed) - weights @ entropy(*probabilities)


def at_least_probability(chances: FloatArray, n: int) -> float:
    """Return how probable `n` events or more are, of which each state knows the chances.

    Parameters
    ----------
    chances : array of shape (n_states, n_events)
        Probability of each event under each of equally probable states.
    n : int
        How many events, at least.

    Examples
    --------
    >>> at_least_probability(np.array([[0.5, 0.5]]), 1)  # one of two coins, or both
    0.75
    """
    states, events = chances.shape
    # Distribution of the number of events per state: one event after the other.
    counts = np.zeros((states, events + 1))
    counts[:, 0] = 1.0
    for place in range(events):
        happening = chances[:, place, None] * counts
        counts = (1 - chances[:, place, None]) * counts
        counts[:, 1:] += happening[:, :-1]
    return float(counts[:, n:].sum(axis=1).mean())


def prior_particles(n: int, k: int, generator: np.random.Generator) -> FloatArray:
    """Draw weights evenly on the simplex and log-normal sensitivities, shape (n, k)."""
    weights = generator.dirichlet(np.ones(k), size=n)
    ratios = np.log(weights[:, :-1] / weights[:, -1:])
    return np.column_stack([ratios, generator.normal(0.0, _SENSITIVITY_SD, n)])


def simplex_weights(particles: FloatArray) -> FloatArray:
    """Return the weights of each particle, shape (n, k); rows sum to 1.

    Examples
    --------
    >>> simplex_weights(np.array([[0.0, 0.0, 1.0]])).round(3).tolist()
    [[0.333, 0.333, 0.333]]
    """
    ratios = np.column_stack([particles[:, :-1], np.zeros(len(particles))])
    powers = np.exp(ratios - ratios.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def first_probabilities(particles: FloatArray, differences: FloatArray) -> FloatArray:
    """Return the probability of choosing the first side, shape (n_particles, n_pairs)."""
    strength = simplex_weights(particles) @ differences.T * np.exp(particles[:, -1:])
    return np.asarray(_LAPSE / 2 + (1 - _LAPSE) * expit(strength))


def log_posterior(particles: FloatArray, differences: FloatArray, chosen: FloatArray) -> FloatArray:
    """Return the log posterior; `chosen` is 1 for first, 0 for second, 1/2 for neither."""
    # Even on the simplex: the density of log-ratios is the product of the weights.
    prior = np.log(np.maximum(simplex_weights(particles), 1e-300)).sum(axis=1)
    prior = prior - 0.5 * (particles[:, -1] / _SENSITIVITY_SD) ** 2
    chance = first_probabilities(particles, differences)
    likelihood = chosen * np.log(chance) + (1 - chosen) * np.log1p(-chance)
    return np.asarray(prior + likelihood.sum(axis=1))


def reweighted(
    particles: FloatArray,
    difference: FloatArray,
    chosen: float,
    target: Callable[[FloatArray], FloatArray],
    generator: np.random.Generator,
    *,
    moves: int,
) -> FloatArray:
    """Take one choice in: resample by its likelihood, then move towards the posterior."""
    chance = first_probabilities(particles, difference[None])[:, 0]
    weight = chance**chosen * (1 - chance) ** (1 - chosen)
    positions = (generator.random() + np.arange(len(particles))) / len(particles)
    cumulative = np.cumsum(weight / weight.sum())
    chosen_rows = np.minimum(np.searchsorted(cumulative, positions), len(particles) - 1)
    moved = particles[chosen_rows]
    spread = np.cov(particles, rowvar=False, aweights=weight) + 1e-6 * np.eye(particles.shape[1])
    step = np.linalg.cholesky(spread) * 2.38 / np.sqrt(particles.shape[1])
    level = target(moved)
    for _ in range(moves):
        proposal = moved + generator.normal(size=moved.shape) @ step.T
        proposed = target(proposal)
        accept = np.log(generator.random(len(moved))) < proposed - level
        moved = np.where(accept[:, None], proposal, moved)
        level = np.where(accept, proposed, level)
    return moved
