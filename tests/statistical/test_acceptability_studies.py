"""Whole simulated studies of acceptability, from people to decisions: is everything calibrated?

Parameters come from the prior, answers from the parameters; each study is fitted once, and every
quantity the product prints about it is compared with the truth (Talts et al., 2018).
"""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from tests.statistical.judging import expected_counts
from tests.statistical.tally import Tally

from howgood import ask, decide, learn
from howgood.errors import UngatedPosteriorError
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.priors import Beta, HalfNormal, Normal, Priors
from howgood.stats.power_mean import power_mean

pytestmark = pytest.mark.slow

PRIORS = Priors(
    name="calibration",
    intercept=Normal(-8.0, 3.0),
    slope=Normal(11.0, 4.0),
    alpha=Beta(2.0, 2.0),
    person_sd=HalfNormal(2.0),
)


# Few scenarios, seen by everybody: fits are quick, and the model is the same.
SCENARIOS = ask.scenarios(precision=(1 / 2, 5 / 6, 1), recall=(2 / 3, 1))


def _application(rng, p):
    return {
        "intercept": rng.normal(-8, 3),
        "slope": rng.normal(11, 4),
        "alpha": rng.beta(2, 2),
        "p": p,
    }


def _study_of_two(rng):
    """Return two applications with one kind of mean, the spread of people, and their answers."""
    p = int(rng.integers(-1, 2))
    truths, sd = {name: _application(rng, p) for name in "xy"}, abs(rng.normal(0, 2))
    answers = ask.simulate_answers(
        truths, people=12, scenarios=SCENARIOS, person_sd=sd, random_state=rng
    )
    return truths, sd, answers


def _fitted(answers, rng, means):
    """Return the fit, or None where a gate fails: that depends on the answers alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some simulated studies are one-sided, as they should be
        try:
            return learn.fit_acceptability(
                answers, priors=PRIORS, means=means, flawless=False,
                engine="importance", draws=4000,
                random_state=rng,
            )  # fmt: skip
        except UngatedPosteriorError:
            return None


def _share(truth, sd, precision, recall):
    """Return the accepting share of the population: people integrated by brute quadrature."""
    place = truth["intercept"] + truth["slope"] * power_mean(
        precision, recall, p=truth["p"], alpha=truth["alpha"]
    )
    people = np.linspace(-8, 8, 4001)
    weight = np.exp(-(people**2) / 2)
    return float(expit(place + sd * people) @ weight / weight.sum())


def _labels(counts):
    return np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)


def _take_parameters(tally, fit, truths, sd):
    truth = truths["x"]
    for name in ("intercept", "slope", "alpha"):
        tally.take(name, fit.draws(name, "x"), truth[name])
    tally.take("spread of people", fit.person_sd_draws(), sd)
    _take_predictions(tally, fit, truth, sd)


def _take_predictions(tally, fit, truth, sd):
    at = {"precision": 0.8, "recall": 0.9, "application": "x"}
    tally.take("prediction, population", fit.predict(**at).draws, _share(truth, sd, 0.8, 0.9))
    mean = float(power_mean(0.8, 0.9, p=truth["p"], alpha=truth["alpha"]))
    tally.take(
        "prediction, average person",
        fit.predict(**at, who="average").draws,
        float(expit(truth["intercept"] + truth["slope"] * mean)),
    )


def _take_decisions(tally, fit, truths, sd, rng):
    """Test sets come from Jeffreys' prior, the one the product uses for them."""
    truth, fit = truths["x"], fit.acceptance_draws("x").thinned(500)
    cells = rng.dirichlet(np.full(4, 0.5))
    counts = rng.multinomial(200, cells)
    precision, recall = cells[0] / (cells[0] + cells[2]), cells[0] / (cells[0] + cells[1])
    if counts[0] + counts[1] > 0:
        gate = decide.gate(fit, "x", *_labels(counts), share=0.5, random_state=rng)
        share = _share(truth, sd, precision, recall)
        tally.take("acceptance of a classifier", gate.acceptance.draws, share)
        tally.gates.append((gate.p_enough, share >= 0.5))
    target = decide.target(fit, "x", share=0.8, precision=0.8, recall=0.8)
    here = _share(truth, sd, 0.8, 0.8)
    tally.take("share at perfect accuracy", target.at_best.draws, _share(truth, sd, 1.0, 1.0))
    for name, estimate, at in (
        ("gain per point of precision", target.precision_gain, (0.81, 0.8)),
        ("gain per point of recall", target.recall_gain, (0.8, 0.81)),
    ):
        tally.take(name, estimate.draws, _share(truth, sd, *at) - here)
    known = AcceptanceDraws(application="x", **truth, person_sd=sd)
    needed = float(known.mean_for_share(0.8)[0])
    # The estimate is conditional on the share being reachable, and so is this comparison.
    if needed <= 1 and target.needed_mean is not None:
        tally.take("needed accuracy (target)", target.needed_mean.draws, max(needed, 0.0))
    curve = {"size": [1], "true_positives": [40], "false_negatives": [5], "false_positives": [9]}
    table = decide.go_live(fit, "x", curve, share=0.5, random_state=rng).table
    likely = rng.dirichlet(np.array([40, 5, 9, 0]) + 0.5)
    share = _share(
        truth, sd, likely[0] / (likely[0] + likely[2]), likely[0] / (likely[0] + likely[1])
    )
    tally.lived.append((float(table["p_enough"][0]), share >= 0.5))


def test_binary_studies_are_calibrated(ledger):
    seed, wanted = 20150, 500
    rng = np.random.default_rng(seed)
    tally, left_out, kinds = Tally(rng), 0, []
    tally.gates, tally.lived = [], []
    for _ in range(wanted):
        truths, sd, answers = _study_of_two(rng)
        fit = _fitted(answers, rng, (-1, 0, 1))
        if fit is None:
            left_out += 1
            continue
        _take_parameters(tally, fit, truths, sd)
        difference = fit.difference("alpha", "x", "y").draws
        tally.take("difference of alpha", difference, truths["x"]["alpha"] - truths["y"]["alpha"])
        _take_decisions(tally, fit, truths, sd, rng)
        kinds.append((fit.mean_probabilities[-1], truths["x"]["p"] == -1))
    setting = f"two applications, 12 people × 6 scenarios; {left_out} of {wanted} failed a gate"
    tally.report(ledger, setting=setting, seed=seed, prefix="binary: ")
    for name, events in (
        ("kind of mean is harmonic", kinds),
        ("gate: enough people accept", tally.gates),
        ("go live: enough people accept", tally.lived),
    ):
        said, happened = np.array(events, dtype=float).T
        judgement = expected_counts(happened, said, what="true")
        ledger.add("probability", name, judgement, setting=setting, seed=seed)
    ledger.settle()


def test_predictions_of_binary_studies_are_calibrated_again(ledger):
    """More studies, another seed: one row of the first five hundred had a p of .003."""
    seed, wanted = 20159, 700
    rng = np.random.default_rng(seed)
    tally, left_out = Tally(rng), 0
    for _ in range(wanted):
        truths, sd, answers = _study_of_two(rng)
        fit = _fitted(answers, rng, (-1, 0, 1))
        if fit is None:
            left_out += 1
            continue
        _take_predictions(tally, fit, truths["x"], sd)
    setting = f"two applications, 12 people × 6 scenarios; {left_out} of {wanted} failed a gate"
    tally.report(ledger, setting=setting, seed=seed, prefix="binary, again: ")
    ledger.settle()


def test_studies_with_continuous_p_are_calibrated(ledger):
    seed, wanted = 20151, 300
    rng = np.random.default_rng(seed)
    tally, left_out = Tally(rng), 0
    for _ in range(wanted):
        truths, sd = {"x": _application(rng, float(rng.normal()))}, abs(rng.normal(0, 2))
        answers = ask.simulate_answers(
            truths, people=12, scenarios=SCENARIOS, person_sd=sd, random_state=rng
        )
        fit = _fitted(answers, rng, "continuous")
        if fit is None:
            left_out += 1
            continue
        tally.take("p", fit.order_draws(), truths["x"]["p"])
        _take_parameters(tally, fit, truths, sd)
    setting = f"one application, 12 people × 6 scenarios; {left_out} of {wanted} failed a gate"
    tally.report(ledger, setting=setting, seed=seed, prefix="continuous p: ")
    ledger.settle()
