"""People who weigh several things, drawn from what the search assumes, or with more slips."""

import numpy as np
from scipy.special import expit

from howgood import learn
from howgood.stats.weighted_choices import NOISE_MEANS, NOISE_SDS

SLIPS = {"no slips": 0.0, "10 % slips": 0.1, "20 % slips": 0.2}


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


def about_criteria(seed, rng):
    """Return an interview about three to eight alternatives by two to five criteria."""
    k, n = int(rng.integers(2, 6)), int(rng.integers(3, 9))
    scores, names = 100 * rng.random((n, k)), [f"c{place}" for place in range(k)]
    table = {"name": [f"a{row}" for row in range(n)]} | dict(zip(names, scores.T, strict=True))
    ways = {name: "max" if place % 2 else "min" for place, name in enumerate(names)}
    return learn.CriteriaElicitor(table, criteria=ways, random_state=seed)


def about_classes(seed, _rng):
    """Return an interview about classifiers of three classes, always the same."""
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([1, 1, 1], size=2000)
    truth = (rng.random((2000, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    return learn.MulticlassElicitor(
        learn.weighted_outcomes(truth, chances, random_state=0), random_state=seed
    )


def about_groups(seed, _rng):
    """Return an interview about thresholds of two groups, always the same."""
    rng = np.random.default_rng(3)
    scores, groups = rng.beta(0.8, 0.8, 1500), rng.choice(["a", "b"], 1500)
    truth = rng.random(1500) < scores ** np.where(groups == "a", 0.7, 1.6)
    outcomes = learn.group_outcomes(truth, scores, groups, n=60, random_state=1)
    return learn.FairElicitor(outcomes, random_state=seed)


def about_quantile(seed, rng):
    """Return an interview about predictions of 200 cases."""
    return learn.QuantileElicitor(rng.normal(0, 10, 200), np.zeros(200), random_state=seed)


INTERVIEWS = {"criteria": about_criteria, "classes": about_classes, "groups": about_groups,
              "quantile": about_quantile}  # fmt: skip


def far_from(person, rng):
    """Return somebody of quite different weights."""
    others = [Person(len(person.weights), rng, flips=0.0) for _ in range(30)]
    apart = [float(np.abs(one.weights - person.weights).sum()) for one in others]
    far = [one for one, gap in zip(others, apart, strict=True) if gap > 0.8]
    return far[0] if far else others[int(np.argmax(apart))]


def reply(kind, person, learner, query, rng):
    """Answer by the weights, or without looking: "random clicks", "always left"."""
    if kind in ("random clicks", "always left"):
        return "first" if kind == "always left" or rng.random() < 0.5 else "second"
    names = [one.name for one in learner.table.criteria]
    sides = [np.array([[side.values[name] for name in names]])
             for side in (query.first, query.second)]  # fmt: skip
    gaps = learner.table.features(sides[0]) - learner.table.features(sides[1])
    return person.choose(gaps[0])
