"""Simulated studies of failures: parameters from the prior, and 25 people with one truth."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from tests.statistical.judging import covers
from tests.statistical.tally import Tally

from howgood import ask, learn
from howgood.errors import UngatedPosteriorError

pytestmark = pytest.mark.slow

KINDS = ("wrong", "invented", "refused")
RATES = {"wrong": 0.1, "invented": 0.05}


def _fitted(answers, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some simulated studies are one-sided, as they should be
        try:
            return learn.fit_failures(answers, kinds=KINDS, draws=1000, random_state=rng)
        except UngatedPosteriorError:
            return None


def _share(logit, sd):
    people = np.linspace(-8, 8, 2001)
    weight = np.exp(-(people**2) / 2)
    return float(expit(logit + sd * people) @ weight / weight.sum())


def _study(rng, weights, level, sd, flawless, people):
    """Return answers; `weights` are logits per unit of the rate, `level` is where 15 % fail."""
    per_answer = {kind: weight / 20 for kind, weight in zip(KINDS, weights, strict=True)}
    start = level + 0.05 * weights.sum()
    return start, ask.simulate_failure_answers(
        per_answer, level=start, people=people, person_sd=sd, flawless=flawless, random_state=rng
    )


def _take(tally, fit, weights, start, sd):
    for kind, weight in zip(KINDS, weights, strict=True):
        tally.take("weight of a kind", fit.weights[kind].draws, weight / 20)
    tally.take("spread of people", fit.person_sd.draws, sd)
    lost = sum(RATES.get(kind, 0.0) * w for kind, w in zip(KINDS, weights, strict=True))
    tally.take("share accepting", fit.share_draws(RATES), _share(start - lost, sd))


def test_studies_of_failures_are_calibrated(ledger):
    seed, wanted = 20270, 200
    rng = np.random.default_rng(seed)
    tally, left_out = Tally(rng), 0
    for _ in range(wanted):
        weights, level = np.abs(rng.normal(0, 25, 3)), rng.normal(0, 1.6)
        sd, flawless = abs(rng.normal(0, 2.5)), abs(rng.normal(0, 5))
        start, answers = _study(rng, weights, level, sd, flawless, people=12)
        fit = _fitted(answers, rng)
        if fit is None:
            left_out += 1
            continue
        _take(tally, fit, weights, start, sd)
    setting = f"three kinds, 12 people × 8 scenarios; {left_out} of {wanted} failed a gate"
    tally.report(ledger, setting=setting, seed=seed, prefix="failures: ")
    ledger.settle()


def test_twenty_five_people_recover_weights_and_share(ledger):
    """Wanted: 95 % intervals of weights and of the share hold 93 % or more."""
    seed, wanted = 31272, 600
    rng = np.random.default_rng(seed)
    tally, weights = Tally(rng), np.array([6.0, 24.0, 10.0])
    for _ in range(wanted):
        start, answers = _study(rng, weights, 0.5, 2.0, 3.0, people=25)
        fit = _fitted(answers, rng)
        assert fit is not None
        _take(tally, fit, weights, start, 2.0)
    for name in ("weight of a kind", "share accepting"):
        hits = tally.hits[name]
        ledger.add(
            "coverage",
            f"failures, fixed truth: {name}",
            covers(hits, allowed=0.02),
            setting="25 people × 8 scenarios, weights .3, 1.2 and .5 logits per failure; two "
            "points allowed: at one fixed truth, priors leave a trace",
            seed=seed,
        )
    ledger.settle()
    held = {name: np.mean(hits[0.95]) for name, hits in tally.hits.items()}
    assert held["weight of a kind"] >= 0.93
    assert held["share accepting"] >= 0.93
