"""People who weigh several things, drawn from what the search assumes, or with more slips."""

import numpy as np
from scipy.special import expit

from howgood.stats.weighted_choices import NOISE_MEANS, NOISE_SDS


class Person:
    """Weights, a sensitivity, lapses and a width of indifference; `flips` turns answers round."""

    def __init__(self, k, rng, *, flips=None):
        self._rng, self._flips = rng, flips
        self.weights = rng.dirichlet(np.ones(k))
        s, lapse, nu, same = rng.normal(NOISE_MEANS, NOISE_SDS)
        self._s, self._lapse, self._nu = np.exp(s), expit(lapse), np.exp(nu)
        self._same = expit(same)
        if flips is not None:
            self._s, self._lapse, self._nu = 60.0, 0.0, 0.02

    def choose(self, gap):
        x = self._s * float(gap @ self.weights)
        slipped = self._lapse * (1 - self._same) / 2
        first = slipped + (1 - self._lapse) * expit(x - self._nu)
        second = slipped + (1 - self._lapse) * expit(-x - self._nu)
        drawn = self._rng.random()
        said = "first" if drawn < first else "second" if drawn < first + second else "same"
        if self._flips and self._rng.random() < self._flips:
            return {"first": "second", "second": "first"}.get(said, said)
        return said


def among(outcomes, person):
    """Return the person's choice between two of these outcomes; 1 is the widest range of all."""
    span = np.ptp(np.array([each.features for each in outcomes]), axis=0).max()

    def choose(first, second):
        return person.choose((np.array(first.features) - np.array(second.features)) / span)

    return choose
