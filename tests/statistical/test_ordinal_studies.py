"""Whole simulated studies of the ordinal model: imagined and real systems, five-point scale."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from tests.statistical.judging import covers
from tests.statistical.tally import Tally

from howgood import ask, learn
from howgood.errors import UngatedPosteriorError
from howgood.records.priors import Beta, HalfNormal, Normal, Priors

pytestmark = pytest.mark.slow

PRIORS = Priors(
    name="calibration",
    threshold=Normal(8.0, 3.0),
    slope=Normal(10.0, 3.0),
    alpha=Beta(2.0, 2.0),
    shift=Normal(1.0, 1.5),
    log_scale=Normal(0.0, 0.4),
    person_sd=HalfNormal(1.5),
)
SCENARIOS = ask.scenarios(
    precision=(1 / 2, 5 / 6, 1), recall=(2 / 3, 1), real_positives=15, cases=30
)


def _truth(rng):
    return {
        "slope": rng.normal(10, 3),
        "alpha": rng.beta(2, 2),
        "person_sd": abs(rng.normal(0, 1.5)),
        "shift": rng.normal(1, 1.5),
        "log_scale": rng.normal(0, 0.4),
        "thresholds": np.sort(rng.normal(8, 3, 4)),
    }


def _fitted(truth, rng, **several):
    """Return a fit, or None where a level was never chosen or a gate fails: the answers' doing."""
    parts = {"hypothetical": {}, "real": {name: truth[name] for name in ("shift", "log_scale")}}
    answers = ask.simulate_ordinal_answers(
        people=20, parts=parts, scenarios=SCENARIOS, per_person=6, random_state=rng,
        **{name: truth[name] for name in ("slope", "alpha", "person_sd", "thresholds")}, **several,
    )  # fmt: skip
    if set(answers["rating"]) != set(range(1, 6)):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return learn.fit_ordinal(
                answers, means=(0,), scale=5, priors=PRIORS, engine="importance", draws=500,
                random_state=rng,
            )  # fmt: skip
        except UngatedPosteriorError:
            return None


def _share(truth, part):
    """Return the share of people who rate 4 or 5: leniency integrated by brute quadrature."""
    place = truth["slope"] * 0.8 ** truth["alpha"] * 0.9 ** (1 - truth["alpha"])
    place += truth.get("level", 0.0)
    place, scale = (
        (place, 1.0) if part == "hypothetical"
        else (place + truth["shift"], np.exp(truth["log_scale"]))
    )  # fmt: skip
    people = np.linspace(-8, 8, 4001)
    weight = np.exp(-(people**2) / 2)
    below = expit((truth["thresholds"][2] - place - truth["person_sd"] * people) / scale)
    return 1 - float(below @ weight / weight.sum())


def test_ordinal_studies_are_calibrated(ledger):
    seed, wanted = 20156, 260
    rng = np.random.default_rng(seed)
    tally, used = Tally(rng), 0
    for _ in range(wanted):
        truth = _truth(rng)
        fit = _fitted(truth, rng)
        if fit is None:
            continue
        used += 1
        for name in ("slope", "alpha", "person_sd"):
            tally.take(name.replace("person_sd", "spread of people"), fit.draws(name), truth[name])
        for name in ("shift", "log_scale"):
            label = name.replace("_", " ") + " of a part"
            tally.take(label, fit.part_draws(name, "real"), truth[name])
        ratio = np.exp(truth["log_scale"])
        tally.take("scale of a part", fit.scale_ratio["real"].draws, ratio)
        tally.take("variance of a part", fit.variance_ratio["real"].draws, ratio**2)
        tally.take("second threshold", fit.averaged_draws[:, 1], truth["thresholds"][1])
        for part, kind in (("hypothetical", "imagined"), ("real", "real")):
            predicted = fit.predict(precision=0.8, recall=0.9, part=part, at_least=4)
            tally.take(f"prediction, {kind} system", predicted.draws, _share(truth, part))
    setting = (
        f"20 people × 6 scenarios and a real system; {wanted - used} of {wanted} left out: a level "
        "nobody chose, or a failed gate"
    )
    tally.report(ledger, setting=setting, seed=seed, prefix="ordinal: ")
    ledger.settle()


TWO = ("first", "second")


def _truth_of_two(rng):
    own = {name: {"slope": rng.normal(10, 3), "alpha": rng.beta(2, 2)} for name in TWO}
    own["second"]["level"] = rng.normal(1, 1.5)  # the prior of a shift
    return own, _truth(rng)


def test_ordinal_studies_of_two_applications_are_calibrated(ledger):
    seed, wanted = 20222, 150
    rng = np.random.default_rng(seed)
    tally, used = Tally(rng), 0
    for _ in range(wanted):
        own, truth = _truth_of_two(rng)
        fit = _fitted(truth, rng, applications=own)
        if fit is None:
            continue
        used += 1
        for name in TWO:
            for parameter in ("slope", "alpha"):
                tally.take(parameter, fit.draws(parameter, name), own[name][parameter])
            there = truth | own[name]
            predicted = fit.predict(
                precision=0.8, recall=0.9, part="real", application=name, at_least=4
            )
            tally.take("prediction, real system", predicted.draws, _share(there, "real"))
        tally.take("level of the second", fit.draws("level", "second"), own["second"]["level"])
        apart = fit.difference("alpha", "second", "first").draws
        tally.take("difference of alpha", apart, own["second"]["alpha"] - own["first"]["alpha"])
    setting = (
        f"2 applications, 20 people × 6 scenarios and a real system each; {wanted - used} of "
        f"{wanted} left out: a level nobody chose, or a failed gate"
    )
    tally.report(ledger, setting=setting, seed=seed, prefix="ordinal applications: ")
    ledger.settle()


FIXED = {
    "slope": 10.0,
    "alpha": 0.4,
    "person_sd": 1.2,
    "thresholds": np.array([4.0, 6.0, 7.5, 9.0]),
}
REAL = {"shift": 1.0, "log_scale": 0.2}


@pytest.mark.filterwarnings("ignore")
def test_ordinal_predictions_hold_a_fixed_truth(ledger):
    """The product's own priors, and as few people as its warning speaks of."""
    seed, people, wanted = 20200, 22, 200
    rng = np.random.default_rng(seed)
    tally, left_out = Tally(rng), 0
    for _ in range(wanted):
        answers = ask.simulate_ordinal_answers(
            people=people, parts={"hypothetical": {}, "real": REAL}, scenarios=SCENARIOS,
            per_person=6, random_state=rng, **FIXED,
        )  # fmt: skip
        try:
            fit = learn.fit_ordinal(
                answers, means=(0,), scale=5, engine="importance", draws=500, random_state=rng
            )
        except UngatedPosteriorError:
            left_out += 1
            continue
        tally.take("slope", fit.draws("slope"), FIXED["slope"])
        for part, kind in (("hypothetical", "imagined"), ("real", "real")):
            predicted = fit.predict(precision=0.8, recall=0.9, part=part, at_least=4)
            truth = _share(FIXED | REAL, part)
            tally.take(f"prediction, {kind} system", predicted.draws, truth)
    for name, hits in tally.hits.items():
        ledger.add(
            "coverage",
            f"ordinal: {name}, fixed truth",
            covers(hits, allowed=0.05),
            setting=f"{people} people × 6 scenarios and a real system, the product's own priors; "
            f"{left_out} of {wanted} failed a gate; five points allowed: so few people lean on the "
            "priors, and below 40 of them the report says so",
            seed=seed,
        )
    ledger.settle()
