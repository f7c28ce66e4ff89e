"""Fits with the product's own priors: a fixed truth, and both engines on the public answers.

Parameters drawn from the prior are in `test_acceptability_studies` and `test_ordinal_studies`.
"""

import numpy as np
import pytest
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
        fit = learn.fit_acceptability(
            answers, means=(0,), draws=1000, flawless=False, random_state=rng
        )
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
