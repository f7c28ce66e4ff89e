"""Simulated studies of people with weights of their own: what the fit of one weight says of others.

Two applications at weights drawn anew for every study; the spread of people's weights is fixed. The
interval of alpha is compared with the middle person's, the share accepting with the population's.
"""

import warnings

import numpy as np
import pytest
from scipy.special import expit, logit
from tests.statistical.judging import COVERAGES, covers, expected_counts

from howgood import ask, learn
from howgood.errors import UngatedPosteriorError
from howgood.records.estimate import Estimate
from howgood.stats.power_mean import power_mean

pytestmark = pytest.mark.slow

SD, FLAWLESS = 2.4, 4.0
AT = ((0.85, 0.85), (0.95, 0.7), (0.7, 0.95))


def _applications(rng):
    """Return two applications much like those of the public answers."""
    found = {}
    for name in "xy":
        slope = rng.uniform(12.0, 19.0)
        level = rng.uniform(0.7, 0.8)  # where half of the people accept
        found[name] = {
            "alpha": rng.uniform(0.25, 0.75), "slope": slope, "intercept": -level * slope,
            "flawless": FLAWLESS,
        }  # fmt: skip
    return found


def _fitted(rng, truths, *, people, alpha_sd):
    answers = ask.simulate_answers(
        truths, people=people, per_person=8, person_sd=SD, alpha_sd=alpha_sd, random_state=rng
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fit = learn.fit_acceptability(
                answers, means=(0,), draws=1000, engine="importance", random_state=rng
            )
        except UngatedPosteriorError:
            return None
    return fit if fit.other_people() is not None else None


def _share(truth, alpha_sd, precision, recall):
    """The accepting share of a population with weights of its own, by brute quadrature."""
    z = np.linspace(-7, 7, 561)
    weight = np.exp(-(z**2) / 2) / np.exp(-(z**2) / 2).sum()
    own = expit(logit(truth["alpha"]) + alpha_sd * z)
    mean = power_mean(precision, recall, p=0.0, alpha=own)
    place = truth["intercept"] + truth["slope"] * mean
    return float(weight @ expit(place[:, None] + SD * z) @ weight)


def study(rng, *, people, alpha_sd):
    """Return estimates with truths: other people's alpha, the one weight, a share accepting."""
    truths = _applications(rng)
    fit = _fitted(rng, truths, people=people, alpha_sd=alpha_sd)
    if fit is None:
        return None
    precision, recall = AT[rng.integers(len(AT))]
    share = fit.acceptance_draws("x").shares(precision, recall)
    return {
        "weight": (fit.other_people().draws("x"), truths["x"]["alpha"]),
        "one weight": (fit.draws("alpha", "x"), truths["x"]["alpha"]),
        "share": (share, _share(truths["x"], alpha_sd, precision, recall)),
    }


def _held(draws, truth):
    return {
        level: truth in Estimate.from_draws(draws, probability=level).interval
        for level in COVERAGES
    }


@pytest.mark.parametrize("people", [25, 53])
@pytest.mark.parametrize("alpha_sd", [0.0, 0.5, 1.1])
def test_intervals_hold_for_other_people(ledger, people, alpha_sd):
    seed, wanted = 30900 + people + round(10 * alpha_sd), 80
    rng = np.random.default_rng(seed)
    found = [study(rng, people=people, alpha_sd=alpha_sd) for _ in range(wanted)]
    kept = [one for one in found if one is not None]
    hits = {
        name: {
            level: [held[level] for held in (_held(*one[name]) for one in kept)]
            for level in COVERAGES
        }
        for name in ("weight", "one weight", "share")
    }
    alone = np.mean(hits["one weight"][0.95])
    setting = (
        f"two applications, {people} people × 8 scenarios each, sd {alpha_sd:g} of the logit of "
        f"alpha between people; {wanted - len(kept)} of {wanted} failed a gate"
    )
    ledger.add(
        "coverage",
        f"other people: alpha, sd {alpha_sd:g}, {people} people",
        covers(hits["weight"], allowed=0.02),
        setting=f"{setting}; two points allowed: truths are not drawn from the prior; the 95 % "
        f"interval of one weight for everybody held {alone:.0%}",
        seed=seed,
    )
    ledger.add(
        "coverage",
        f"other people: share accepting, sd {alpha_sd:g}, {people} people",
        covers(hits["share"], allowed=0.02),
        setting=f"{setting}; two points allowed: truths are not drawn from the prior",
        seed=seed,
    )
    ledger.settle()


def test_people_have_weights_of_their_own_as_often_as_said(ledger):
    """In every second study everybody has the same weight; else the spread is of the prior."""
    seed, wanted = 30990, 80
    rng = np.random.default_rng(seed)
    happened, said = [], []
    for _ in range(wanted):
        differ = bool(rng.random() < 0.5)
        alpha_sd = abs(rng.normal(0, 0.75)) if differ else 0.0
        fit = _fitted(rng, _applications(rng), people=20, alpha_sd=alpha_sd)
        if fit is not None:
            happened.append(differ)
            said.append(fit.other_people().probability)
    ledger.add(
        "probability",
        "other people: weights differ",
        expected_counts(happened, said, what="they differ"),
        setting="two applications, 20 people × 8 scenarios each, everybody with the same weight in "
        f"every second study; {wanted - len(said)} of {wanted} failed a gate",
        seed=seed,
    )
    ledger.settle()
