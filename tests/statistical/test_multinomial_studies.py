"""Simulated studies of ratings without order: parameters from the prior of the model."""

import warnings

import numpy as np
import pytest
from scipy.special import softmax
from tests.statistical.judging import expected_counts
from tests.statistical.tally import Tally

from howgood import learn
from howgood.errors import UngatedPosteriorError

pytestmark = pytest.mark.slow

RATES = (0.5, 2 / 3, 5 / 6, 1.0)
GRID = np.array([(p, r) for r in RATES for p in RATES])
PLACES = np.array([0.0, 2 / 3, 4 / 3])


def _study(rng, people, per_person=10):
    """Return ratings 1 to 3, and level, slope, alpha and sd, drawn from the priors."""
    level, slope = rng.normal(0, 2.5, 2), rng.normal(0, 15, 2)
    alpha, sd, order = rng.random(), abs(rng.normal(0, 2.5)), int(rng.choice([-1, 0, 1]))
    rows = []
    for person in range(people):
        shown = GRID[rng.choice(len(GRID), per_person, replace=False)]
        mean = _mean(shown[:, 0], shown[:, 1], alpha, order)
        score = np.column_stack([np.zeros(per_person), level + slope * (mean - 0.75)[:, None]])
        chance = softmax(score + PLACES * sd * rng.standard_normal(), axis=1)
        given = (chance.cumsum(axis=1) < rng.random((per_person, 1))).sum(axis=1).clip(max=2) + 1
        rows += [(f"p{person}", "x", p, r, int(y)) for (p, r), y in zip(shown, given, strict=True)]
    names = ("participant", "application", "precision", "recall", "rating")
    table = dict(zip(names, map(np.array, zip(*rows, strict=True)), strict=True))
    return table, order, level, slope, alpha, sd


def _mean(precision, recall, alpha, order):
    if order == 0:
        return precision**alpha * recall ** (1 - alpha)
    return (alpha * precision**order + (1 - alpha) * recall**order) ** (1 / order)


def _share(level, slope, alpha, sd, rate, at_least):
    z = np.linspace(-8, 8, 2001)
    weight = np.exp(-(z**2) / 2)
    score = np.append(0.0, level + slope * (rate - 0.75))[:, None]
    chance = softmax(score + PLACES[:, None] * sd * z, axis=0)[at_least - 1 :].sum(axis=0)
    return float(chance @ weight / weight.sum())


def test_studies_of_every_rating_by_itself_are_calibrated(ledger):
    seed, wanted = 22711, 300
    rng = np.random.default_rng(seed)
    tally, left_out, happened, said = Tally(rng), 0, [], []
    for _ in range(wanted):
        table, order, level, slope, alpha, sd = _study(rng, people=15)
        if len(set(table["rating"].tolist())) < 3:
            left_out += 1  # a rating nobody gave has no parameters to look at
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit = learn.fit_multinomial(table, scale=3, draws=600, random_state=rng)
        except UngatedPosteriorError:
            left_out += 1
            continue
        likeliest = max(fit.mean_probabilities, key=fit.mean_probabilities.get)
        happened.append(likeliest == order)
        said.append(fit.mean_probabilities[likeliest])
        tally.take("alpha", fit.alpha("x").draws, alpha)
        tally.take("level of a rating", fit.draws("level")[:, 1], level[1])
        tally.take("slope of a rating", fit.draws("slope")[:, 1], slope[1])
        tally.take("spread of people", fit.draws("person_sd")[:, 0], sd)
        truth = _share(level, slope, alpha, sd, 0.85, 2)
        tally.take("share accepting", fit.predict(0.85, 0.85, at_least=2).draws, truth)
    setting = (
        f"three ratings, 15 people × 10 scenarios; {left_out} of {wanted} left out: a rating "
        "nobody gave, or a failed gate"
    )
    counted = expected_counts(happened, said, what="the likeliest kind of mean is the true one")
    ledger.add("probability", "multinomial: kind of mean", counted, setting=setting, seed=seed)
    tally.report(ledger, setting=setting, seed=seed, prefix="multinomial: ")
    ledger.settle()
