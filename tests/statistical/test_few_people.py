"""The default priors with few people: are shares, probabilities and parameters calibrated?

Parameters come from the preset `howgood` itself (simulation-based calibration; Talts et al., 2018),
or are fixed and far from its middle: strict and lenient people, alike and unlike.
"""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from tests.statistical.judging import Judgement, covers, expected_counts
from tests.statistical.tally import Tally

from howgood import ask, learn
from howgood.errors import UngatedPosteriorError
from howgood.stats.power_mean import power_mean

pytestmark = pytest.mark.slow

SCENARIOS = ask.scenarios(precision=(1 / 2, 5 / 6, 1), recall=(2 / 3, 1))
AT = (0.8, 0.9)
STUDIES = 100


def _share(truth, sd):
    """Return the share accepting precision 0.8 with recall 0.9, by brute quadrature."""
    place = truth["intercept"] + truth["slope"] * power_mean(
        *AT, p=truth["p"], alpha=truth["alpha"]
    )
    people = np.linspace(-8, 8, 4001)
    weight = np.exp(-(people**2) / 2)
    return float(expit(place + sd * people) @ weight / weight.sum())


def _from_the_preset(rng):
    """Return an application and the spread of people as the preset imagines them."""
    slope = abs(rng.normal(0, 15))
    truth = {
        "intercept": rng.normal(0, 1.6) - 0.75 * slope,
        "slope": slope,
        "alpha": rng.uniform(),
        "p": int(rng.integers(-1, 2)),
    }
    return truth, abs(rng.normal(0, 2.5))


def _fitted(answers, p, rng):
    """Return the fit, or None where a gate fails: that depends on the answers alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few people, and some say nothing: as they should
        try:
            return learn.fit_acceptability(
                answers,
                means=(p,),
                flawless=False,
                engine="importance",
                draws=1000,
                random_state=rng,
            )
        except UngatedPosteriorError:
            return None


@pytest.mark.parametrize("people", [3, 5, 10])
def test_the_default_priors_are_calibrated_with_few_people(people, ledger):
    seed = 20261
    rng = np.random.default_rng([seed, people])
    tally, left_out, events = Tally(rng), 0, []
    for _ in range(STUDIES):
        truth, sd = _from_the_preset(rng)
        answers = ask.simulate_answers(
            {"x": truth}, people=people, scenarios=SCENARIOS, person_sd=sd, random_state=rng
        )
        fit = _fitted(answers, truth["p"], rng)
        if fit is None:
            left_out += 1
            continue
        share = _share(truth, sd)
        predicted = fit.predict(precision=AT[0], recall=AT[1], application="x")
        tally.take("prediction, population", predicted.draws, share)
        tally.take("alpha", fit.draws("alpha", "x"), truth["alpha"])
        tally.take("slope", fit.draws("slope", "x"), truth["slope"])
        tally.take("spread of people", fit.person_sd_draws(), sd)
        events.append((np.mean(predicted.draws >= 0.8), share >= 0.8))
    setting = (
        f"parameters from the preset howgood, {people} people × 6 scenarios; {left_out} of "
        f"{STUDIES} failed a gate"
    )
    name = f"default priors, {people} people: "
    tally.report(ledger, setting=setting, seed=seed, prefix=name)
    said, happened = np.array(events, dtype=float).T
    judgement = expected_counts(happened, said, what="true")
    ledger.add("probability", name + "at least 80 % accept", judgement, setting=setting, seed=seed)
    ledger.settle()


@pytest.mark.filterwarnings("ignore")
def test_all_of_n_people_say_what_they_say_under_a_uniform_prior(ledger):
    """Everybody accepts everything: P(share >= 0.8) is 1 - 0.8^(n + 1) if shares are uniform."""
    seed, pairs = 20263, []
    for people in (3, 5, 10, 20, 50):
        rng = np.random.default_rng([seed, people])
        answers = dict(
            ask.simulate_answers(
                {"x": {"alpha": 0.5, "intercept": 0.0, "slope": 1.0}},
                people=people,
                per_person=8,
                random_state=rng,
            )
        )
        del answers["rating"]
        answers["accepted"] = np.ones(len(answers["accepted"]), dtype=bool)
        fit = learn.fit_acceptability(answers, flawless=False, random_state=rng)
        share = fit.predict(precision=0.75, recall=0.75, application="x")
        pairs.append((float(np.mean(share.draws >= 0.8)), 1 - 0.8 ** (people + 1)))
    gap = max(abs(said - uniform) for said, uniform in pairs)
    listed = "; ".join(f"{said:.2f} against {uniform:.2f}" for said, uniform in pairs)
    judgement = Judgement(
        n=len(pairs), found=listed, p_value=float(gap <= 0.1), notices="a probability .1 off"
    )
    ledger.add(
        "probability",
        "all of n people accept: at least 80 % would",
        judgement,
        setting="3, 5, 10, 20 and 50 people × 8 scenarios, precision and recall .75; against a "
        "uniform prior of the share",
        seed=seed,
    )
    ledger.settle()


# The mean logit at 0.75, the slope, the spread of people: all within two sd of the preset's middle,
# most of them far from it.
KINDS = tuple(
    (level, slope, sd) for level in (-2.5, -0.5, 2.0) for slope, sd in ((8.0, 2.5), (16.0, 1.0))
)


@pytest.mark.parametrize("people", [3, 5, 10])
def test_predicted_shares_hold_a_fixed_truth(people, ledger):
    seed = 20262
    rng = np.random.default_rng([seed, people])
    tally, name = Tally(rng), f"prediction, fixed truth, {people} people"
    for level, slope, sd in KINDS:
        for _ in range(30):
            alpha = rng.uniform(0.2, 0.8)
            truth = {"alpha": alpha, "intercept": level - 0.75 * slope, "slope": slope, "p": 0}
            answers = ask.simulate_answers(
                {"x": truth}, people=people, per_person=8, person_sd=sd, random_state=rng
            )
            fit = _fitted(answers, 0, rng)
            if fit is not None:
                predicted = fit.predict(precision=AT[0], recall=AT[1], application="x")
                tally.take(name, predicted.draws, _share(truth, sd))
    ledger.add(
        "coverage",
        name,
        covers(tally.hits[name], allowed=0.02, at_least=True),
        setting="six kinds of people (strict to lenient, alike and unlike), 8 scenarios each, the "
        "default priors; two points allowed: at fixed truths, priors leave a trace",
        seed=seed,
    )
    ledger.settle()
