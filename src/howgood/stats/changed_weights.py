"""The same weights throughout, or others from some choice on? The evidence for both.

In: choices in the order made, after which of them weights may have changed. Out: log probabilities
of the choices, kept up one by one. Absent: what is decided from them.

Who changes their weights errs as before: the noise is one. A particle of a change holds the later
log-ratios, then the earlier ones, then the noise; when it happened is averaged over, exactly.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from howgood.stats.arrays import FloatArray
from howgood.stats.weighted_choices import (
    Choices,
    drawn_particles,
    log_density,
    log_even,
    log_likelihoods,
    log_prior,
    resampled,
    wandered,
)

_PARTICLES, _MOVES = 600, 3


class ChangeOfWeights:
    """Choices taken in one by one, as if of one person and as if of somebody who changes.

    Parameters
    ----------
    k : int
        How many features are weighed.
    turns : array of int
        How many choices may come before the change, each as probable.
    generator : Generator
        Where chance comes from.

    Examples
    --------
    >>> gaps = np.tile([[1.0, -1.0], [-1.0, 1.0]], (10, 1))
    >>> said = np.array([0, 1] * 5 + [1, 0] * 5)  # the first feature, then the second
    >>> change = ChangeOfWeights(2, np.arange(6, 15), np.random.default_rng(1))
    >>> change.take(Choices(differences=gaps, chosen=said))
    >>> bool(change.changed > change.unchanged[-1] + 5)
    True
    """

    def __init__(self, k: int, turns: NDArray[np.int64], generator: np.random.Generator) -> None:
        self._k, self._turns, self._generator = k, turns, generator
        self._one = drawn_particles(_PARTICLES, k, generator)
        earlier = drawn_particles(_PARTICLES, k, generator)
        later = drawn_particles(_PARTICLES, k, generator)[:, : k - 1]
        self._two = np.column_stack([later, earlier])
        self._level = np.zeros(_PARTICLES)
        self.unchanged = [0.0]  # log probability of the first 0, 1, ... n choices
        self.changed = 0.0  # of all of them, if the weights change

    def take(self, choices: Choices, *, most: int | None = None) -> None:
        """Take in those of the choices that are not known yet, or so many of them at most."""
        known, there = len(self.unchanged) - 1, choices.chosen.size
        until = there if most is None else min(there, known + most)
        for n in range(known + 1, until + 1):
            so_far = choices.first(n)
            self._take_unchanged(so_far)
            self._take_changed(so_far)

    def _take_unchanged(self, so_far: Choices) -> None:
        last = Choices(differences=so_far.differences[-1:], chosen=so_far.chosen[-1:])
        chance = np.exp(log_likelihoods(self._one, last)[:, 0])
        self.unchanged.append(self.unchanged[-1] + float(np.log(chance.mean())))
        kept = self._one[resampled(chance, self._generator)]
        self._one = wandered(
            kept, lambda at: log_density(at, so_far), self._generator, moves=_MOVES
        )

    def _take_changed(self, so_far: Choices) -> None:
        gain = self._log_likelihood(self._two, so_far) - self._level
        self.changed += float(logsumexp(gain) - np.log(gain.size))
        kept = self._two[resampled(np.exp(gain - gain.max()), self._generator)]

        def density(at: FloatArray) -> FloatArray:
            prior = log_prior(self._earlier(at)) + log_even(self._later(at))
            return prior + self._log_likelihood(at, so_far)

        self._two = wandered(kept, density, self._generator, moves=_MOVES)
        self._level = self._log_likelihood(self._two, so_far)

    def _earlier(self, two: FloatArray) -> FloatArray:
        return two[:, self._k - 1 :]

    def _later(self, two: FloatArray) -> FloatArray:
        return np.column_stack([two[:, : self._k - 1], two[:, 2 * (self._k - 1) :]])

    def _log_likelihood(self, two: FloatArray, so_far: Choices) -> FloatArray:
        """Return the log probability of the choices, averaged over when the change happened."""
        at = np.unique(np.minimum(self._turns, so_far.chosen.size), return_counts=True)
        earlier = _summed(log_likelihoods(self._earlier(two), so_far))
        later = _summed(log_likelihoods(self._later(two), so_far))
        logs = earlier[:, at[0]] + later[:, [-1]] - later[:, at[0]]
        return np.asarray(logsumexp(logs, axis=1, b=at[1] / self._turns.size))


def _summed(logs: FloatArray) -> FloatArray:
    """Return the sums of the first 0, 1, ... n columns."""
    return np.column_stack([np.zeros(len(logs)), logs.cumsum(axis=1)])
