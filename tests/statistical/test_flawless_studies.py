"""Simulated studies with a term for no error at all: parameters from the prior, and back."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from tests.statistical.tally import Tally

from howgood import ask, learn
from howgood.errors import UngatedPosteriorError
from howgood.records.priors import Beta, HalfNormal, Normal, Priors

pytestmark = pytest.mark.slow

PRIORS = Priors(
    name="calibration",
    intercept=Normal(-8.0, 3.0),
    slope=Normal(11.0, 4.0),
    alpha=Beta(2.0, 2.0),
    person_sd=HalfNormal(2.0),
    flawless=HalfNormal(3.0),
)
SCENARIOS = ask.scenarios(precision=(1 / 2, 5 / 6, 1), recall=(2 / 3, 1))


def _fitted(answers, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some simulated studies are one-sided, as they should be
        try:
            return learn.fit_acceptability(
                answers, priors=PRIORS, means=(0,), flawless=True, engine="importance", draws=1000,
                random_state=rng,
            )  # fmt: skip
        except UngatedPosteriorError:
            return None


def test_studies_with_a_flawless_term_are_calibrated(ledger):
    seed, wanted = 20262, 300
    rng = np.random.default_rng(seed)
    tally, left_out = Tally(rng), 0
    for _ in range(wanted):
        truth = {
            "intercept": rng.normal(-8, 3), "slope": rng.normal(11, 4), "alpha": rng.beta(2, 2),
            "flawless": abs(rng.normal(0, 3)),
        }  # fmt: skip
        sd = abs(rng.normal(0, 2))
        answers = ask.simulate_answers(
            {"x": truth}, people=12, scenarios=SCENARIOS, person_sd=sd, random_state=rng
        )
        fit = _fitted(answers, rng)
        if fit is None:
            left_out += 1
            continue
        tally.take("no error at all", fit.flawless.draws, truth["flawless"])
        tally.take("alpha", fit.draws("alpha", "x"), truth["alpha"])
        people = np.linspace(-8, 8, 2001)
        weight = np.exp(-(people**2) / 2)
        center = truth["intercept"] + truth["slope"] + truth["flawless"]
        share = float(expit(center + sd * people) @ weight / weight.sum())
        drawn = fit.predict(precision=1.0, recall=1.0, application="x").draws
        tally.take("share at perfect accuracy", drawn, share)
    setting = f"one application, 12 people × 6 scenarios; {left_out} of {wanted} failed a gate"
    tally.report(ledger, setting=setting, seed=seed, prefix="flawless: ")
    ledger.settle()
