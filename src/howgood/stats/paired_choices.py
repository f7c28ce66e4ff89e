"""Choices between two things: their probabilities, and what one tells.

In: strengths of preference, widths of indifference, lapse rates. Out: probabilities, entropies,
mutual information; weights on a simplex from log-ratios. Absent: what is chosen between, learning
(`weighted_choices`).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, xlogy

from howgood.stats.arrays import FloatArray


def choice_probabilities(
    strength: ArrayLike, *, width: ArrayLike, lapse: ArrayLike, to_neither: ArrayLike = 1 / 3
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Return the probabilities of choosing the first, the second, or neither.

    .. math:: P_1 = l (1-q)/2 + (1-l)\,\sigma(x-\nu),\quad P_2 = l (1-q)/2 + (1-l)\,\sigma(-x-\nu)

    with strength x, width of indifference :math:`\nu`, lapse rate l and share q of lapses that
    choose neither, a third where nothing is said; neither is the rest. Arrays broadcast.

    Examples
    --------
    >>> [round(float(share), 9) for share in choice_probabilities(0.0, width=0.0, lapse=0.3)]
    [0.45, 0.45, 0.1]
    """
    x, nu, miss, share = (
        np.asarray(parameter, dtype=np.float64)
        for parameter in (strength, width, lapse, to_neither)
    )
    slipped = miss * (1 - share) / 2
    first = slipped + (1 - miss) * expit(x - nu)
    second = slipped + (1 - miss) * expit(-x - nu)
    return first, second, np.maximum(1 - first - second, 0.0)


def chosen_probabilities(
    strength: FloatArray,
    chosen: NDArray[np.int64],
    *,
    width: ArrayLike,
    lapse: FloatArray,
    to_neither: FloatArray,
) -> FloatArray:
    """Return how probable each choice is: 0 the first, 1 the second, 2 neither; (n, n_choices).

    The same as picking from `choice_probabilities`, for half the work.

    Examples
    --------
    >>> noise = {"width": 0.0, "lapse": np.full((1, 1), 0.3), "to_neither": np.full((1, 1), 0.4)}
    >>> chosen_probabilities(np.zeros((1, 2)), np.array([1, 2]), **noise).round(9).tolist()
    [[0.44, 0.12]]
    """
    slipped, towards = lapse * (1 - to_neither) / 2, np.where(chosen == 1, -strength, strength)
    given = slipped + (1 - lapse) * expit(towards - width)
    neither = chosen == 2
    if neither.any():
        other = slipped + (1 - lapse) * expit(-towards[:, neither] - width)
        given[:, neither] = np.maximum(1 - given[:, neither] - other, 0.0)
    return np.asarray(given)


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


def simplex_weights(particles: FloatArray) -> FloatArray:
    """Return the weights of log-ratios against the last one, shape (n, k); rows sum to 1.

    The last column is not a ratio and not looked at.

    Examples
    --------
    >>> simplex_weights(np.array([[0.0, 0.0, 1.0]])).round(3).tolist()
    [[0.333, 0.333, 0.333]]
    """
    ratios = np.column_stack([particles[:, :-1], np.zeros(len(particles))])
    powers = np.exp(ratios - ratios.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
