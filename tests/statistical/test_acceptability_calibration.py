"""Fits with the product's own priors: a fixed truth, and both engines on the public answers.

Parameters drawn from the prior are in `test_acceptability_studies` and `test_ordinal_studies`.
"""

import numpy as np
import pytest
from scipy.special import expit
from tests.statistical.judging import Judgement, covers, two_sided
from tests.statistical.tally import Tally

from howgood import ask, learn
from howgood.errors import DroppedRowsWarning

pytestmark = pytest.mark.slow


def test_intervals_hold_a_fixed_truth_as_often_as_they_say(ledger):
    seed = 20157
    truth = {"alarm": {"alpha": 0.35, "intercept": -11.0, "slope": 14.0, "p": 0}}
    rng = np.random.default_rng(seed)
    tally = Tally(rng)
    for _ in range(200):
        answers = ask.simulate_answers(truth, people=25, per_person=8, random_state=rng)
        fit = learn.fit_acceptability(answers, means=(0,), draws=1000, random_state=rng)
        for name in ("alpha", "slope", "intercept"):
            tally.take(name, fit.draws(name, "alarm"), truth["alarm"][name])
    for name, hits in tally.hits.items():
        ledger.add(
            "coverage",
            f"{name}, fixed truth",
            covers(hits, allowed=0.02),
            setting="25 people × 8 scenarios, the product's own priors; two points allowed: at "
            "one fixed truth, priors leave a trace",
            seed=seed,
        )
    ledger.settle()


FIXED = (
    {"alpha": 0.35, "intercept": -11.0, "slope": 14.0, "p": 0},
    {"alpha": 0.6, "intercept": -15.0, "slope": 19.0, "p": 0},
)
PERSON_SD = 2.4


def _accepting(truth):
    """Return the share accepting 80 % precision with 90 % recall, by brute quadrature."""
    place = truth["intercept"] + truth["slope"] * 0.8 ** truth["alpha"] * 0.9 ** (
        1 - truth["alpha"]
    )
    people = np.linspace(-8, 8, 4001)
    weight = np.exp(-(people**2) / 2)
    return float(expit(place + PERSON_SD * people) @ weight / weight.sum())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("people", "allowed"), [(4, 0.12), (8, 0.06), (25, 0.02)])
def test_predicted_shares_hold_a_fixed_truth(people, allowed, ledger):
    """Few people: priors are weaker than nothing known, but not the truth; the product says so."""
    seed = 20199
    rng = np.random.default_rng([seed, people])
    tally, name = Tally(rng), f"prediction, fixed truth, {people} people"
    for truth in FIXED:
        for _ in range(120):
            answers = ask.simulate_answers(
                {"x": truth}, people=people, per_person=8, person_sd=PERSON_SD, random_state=rng
            )
            fit = learn.fit_acceptability(answers, means=(0,), draws=1000, random_state=rng)
            predicted = fit.predict(precision=0.8, recall=0.9, application="x")
            tally.take(name, predicted.draws, _accepting(truth))
    ledger.add(
        "coverage",
        name,
        covers(tally.hits[name], allowed=allowed),
        setting=f"two truths, 8 scenarios each, the product's own priors; {allowed:.0%} allowed"
        + (": priors leave a trace" if people >= 10 else ": so few people lean on the priors, "
           "and below 10 of them findings say so"),
        seed=seed,
    )  # fmt: skip
    ledger.settle()


COLUMNS = {"precision": "ppv", "recall": "tpr", "rating": "acceptable"}


def _one_kind_of_mean(kay_file, p, engine, draws):
    with pytest.warns(DroppedRowsWarning):
        return learn.fit_acceptability(
            kay_file,
            columns=COLUMNS,
            priors="kay2015",
            means=(p,),
            engine=engine,
            draws=draws,
            random_state=1,
        )


def test_both_engines_agree_on_the_public_answers(kay_file, ledger):
    pytest.importorskip("nutpie")
    ours = {p: _one_kind_of_mean(kay_file, p, "importance", 20_000) for p in (-1, 0, 1)}
    nuts = {p: _one_kind_of_mean(kay_file, p, "nuts", 24_000) for p in (-1, 0, 1)}
    largest, n = _largest_gap(ours, nuts)
    judgement = Judgement(
        n=n,
        found=f"means at most {largest:.1f} standard errors apart; p = -1, 0, 1: "
        f"{_shares(ours).round(3).tolist()} and {_shares(nuts).round(3).tolist()}",
        p_value=min(1.0, n * two_sided(largest)),
        notices="a mean off by 5.5 standard errors",
    )
    ledger.add(
        "engines",
        "Kay et al. (2015), public answers",
        judgement,
        setting="the published priors, three kinds of mean, 20,000 and 24,000 draws",
        seed=1,
    )
    ledger.settle()
    for p in (-1, 0, 1):
        # The standard error of the difference, in posterior sds: .05 must be three of these.
        error = np.sqrt(1 / ours[p].diagnostics.effective_draws + 1 / _effective(nuts[p]))
        assert 3 * error < 0.05
        first, second = ours[p].summary(), nuts[p].summary()
        away = (first["mean"] - second["mean"]) / second["sd"]
        np.testing.assert_allclose(away, 0, atol=0.05)
        np.testing.assert_allclose(first["sd"] / second["sd"], 1, atol=0.05)
    np.testing.assert_allclose(_shares(ours), _shares(nuts), atol=0.01)


def _largest_gap(ours, nuts):
    """Return the largest standardised gap of two posterior means, and of how many."""
    gaps = []
    for p, fit in ours.items():
        first, second = fit.summary(), nuts[p].summary()
        per_draw = 1 / fit.diagnostics.effective_draws + 1 / nuts[p].diagnostics.effective_draws
        away = (first["mean"] - second["mean"]) / second["sd"]
        gaps.append(np.abs(away) / np.sqrt(per_draw))
    return float(np.max(gaps)), int(np.size(gaps))


def _effective(fit):
    assert fit.diagnostics.engine == "nuts"
    return fit.diagnostics.effective_draws


def _shares(fits):
    """Probabilities of the kinds of mean, equally likely beforehand, from their evidences."""
    evidence = np.exp(np.array([fits[p].log_evidence[p] - fits[0].log_evidence[0] for p in fits]))
    return evidence / evidence.sum()
