"""Is the posterior of acceptability right? Calibration by simulation, recovery, NUTS.

Simulation-based calibration (Talts et al., 2018): parameters are drawn from the prior, answers from
the parameters; the rank of the true value among posterior draws must then be uniform. Nothing but a
correct posterior passes.
"""

import warnings

import numpy as np
import pytest
from scipy.stats import chi2

from howgood import ask, learn
from howgood.errors import DroppedRowsWarning
from howgood.records.priors import Beta, HalfNormal, Normal, Priors
from howgood.stats.power_mean import power_mean

pytestmark = pytest.mark.slow

N_RANKS, N_BINS = 99, 10
# Six parameters and kinds of check share one error rate of about one in a thousand.
SMALLEST_P = 2e-4

BINARY = Priors(
    name="calibration",
    intercept=Normal(-8.0, 3.0),
    slope=Normal(11.0, 4.0),
    alpha=Beta(2.0, 2.0),
    person_sd=HalfNormal(2.0),
)
ORDINAL = Priors(
    name="calibration",
    threshold=Normal(8.0, 3.0),
    slope=Normal(10.0, 3.0),
    alpha=Beta(2.0, 2.0),
    shift=Normal(1.0, 1.5),
    log_scale=Normal(0.0, 0.4),
    person_sd=HalfNormal(1.5),
)


def _rank(draws, truth):
    thinned = draws[np.linspace(0, len(draws) - 1, N_RANKS).astype(int)]
    return int(np.sum(thinned < truth))


def _assert_uniform(ranks, name):
    counts, _ = np.histogram(ranks, bins=N_BINS, range=(0, N_RANKS + 1))
    expected = len(ranks) / N_BINS
    statistic = float(np.sum((counts - expected) ** 2 / expected))
    assert chi2.sf(statistic, N_BINS - 1) > SMALLEST_P, f"{name}: {counts.tolist()}"


def test_the_binary_posterior_is_calibrated():
    rng = np.random.default_rng(20150418)
    ranks = {name: [] for name in ("intercept", "slope", "alpha", "person_sd", "share")}
    probability_of_truth, chosen = [], []
    for _ in range(200):
        truth = {
            "intercept": rng.normal(-8, 3),
            "slope": rng.normal(11, 4),
            "alpha": rng.beta(2, 2),
            "p": int(rng.integers(-1, 2)),
        }
        sd = abs(rng.normal(0, 2))
        answers = ask.simulate_answers(
            {"x": truth}, people=12, per_person=8, person_sd=sd, random_state=rng
        )
        fit = _quiet_fit(answers, rng)
        for name in ("intercept", "slope", "alpha"):
            ranks[name].append(_rank(fit.draws(name, "x"), truth[name]))
        ranks["person_sd"].append(_rank(fit.person_sd_draws(), sd))
        known = fit.acceptance_draws("x").shares(0.8, 0.9, who="average")
        mean = _mean(truth)
        share = 1 / (1 + np.exp(-(truth["intercept"] + truth["slope"] * mean)))
        ranks["share"].append(_rank(known, share))
        probability_of_truth.append(fit.mean_probabilities[truth["p"]])
        chosen.append([fit.mean_probabilities[p] for p in (-1, 0, 1)])
    for name, values in ranks.items():
        _assert_uniform(values, name)
    # On average the posterior probability of a kind of mean is its prior probability, and the
    # truth gets the mean of the squared probabilities.
    np.testing.assert_allclose(np.mean(chosen, axis=0), 1 / 3, atol=0.05)
    expected = np.mean(np.sum(np.square(chosen), axis=1))
    assert np.mean(probability_of_truth) == pytest.approx(expected, abs=0.05)


def test_the_binary_posterior_with_continuous_p_is_calibrated():
    rng = np.random.default_rng(20150420)
    ranks = {name: [] for name in ("p", "intercept", "slope", "alpha", "person_sd", "share")}
    for _ in range(200):
        truth = {
            "intercept": rng.normal(-8, 3),
            "slope": rng.normal(11, 4),
            "alpha": rng.beta(2, 2),
            "p": rng.normal(),
        }
        sd = abs(rng.normal(0, 2))
        answers = ask.simulate_answers(
            {"x": truth}, people=12, per_person=8, person_sd=sd, random_state=rng
        )
        fit = _quiet_fit(answers, rng, means="continuous")
        for name in ("intercept", "slope", "alpha"):
            ranks[name].append(_rank(fit.draws(name, "x"), truth[name]))
        ranks["p"].append(_rank(fit.order_draws(), truth["p"]))
        ranks["person_sd"].append(_rank(fit.person_sd_draws(), sd))
        share = 1 / (1 + np.exp(-(truth["intercept"] + truth["slope"] * _mean(truth))))
        known = fit.acceptance_draws("x").shares(0.8, 0.9, who="average")
        ranks["share"].append(_rank(known, share))
    for name, values in ranks.items():
        _assert_uniform(values, name)


def _mean(truth):
    return float(power_mean(0.8, 0.9, p=truth["p"], alpha=truth["alpha"]))


def _quiet_fit(answers, rng, means=(-1, 0, 1)):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some simulated studies are one-sided, as they should be
        return learn.fit_acceptability(
            answers, priors=BINARY, means=means, draws=500, random_state=rng
        )


def test_the_ordinal_posterior_is_calibrated():
    rng = np.random.default_rng(20150423)
    names = ("slope", "alpha", "person_sd", "shift", "log_scale", "threshold")
    ranks = {name: [] for name in names}
    while len(ranks["slope"]) < 100:
        thresholds = np.sort(rng.normal(8, 3, 4))
        truth = {
            "slope": rng.normal(10, 3),
            "alpha": rng.beta(2, 2),
            "person_sd": abs(rng.normal(0, 1.5)),
            "shift": rng.normal(1, 1.5),
            "log_scale": rng.normal(0, 0.4),
            "threshold": thresholds[1],
        }
        answers = ask.simulate_ordinal_answers(
            people=20,
            parts={
                "hypothetical": {},
                "real": {"shift": truth["shift"], "log_scale": truth["log_scale"]},
            },
            slope=truth["slope"],
            alpha=truth["alpha"],
            person_sd=truth["person_sd"],
            thresholds=thresholds,
            random_state=rng,
        )
        if set(answers["rating"]) != set(range(1, 6)):
            # A level nobody chose has no threshold: another model. Whether that happens says
            # something about the parameters, so such studies get the weight they have: none.
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = learn.fit_ordinal(
                answers, means=(0,), scale=5, priors=ORDINAL, draws=500, random_state=rng
            )
        for name in ("slope", "alpha", "person_sd"):
            ranks[name].append(_rank(fit.draws(name), truth[name]))
        for name in ("shift", "log_scale"):
            ranks[name].append(_rank(fit.part_draws(name, "real"), truth[name]))
        ranks["threshold"].append(_rank(fit.averaged_draws[:, 1], truth["threshold"]))
    for name, values in ranks.items():
        _assert_uniform(values, name)


def test_intervals_hold_the_truth_as_often_as_they_say():
    truth = {"alarm": {"alpha": 0.35, "intercept": -11.0, "slope": 14.0, "p": 0}}
    rng = np.random.default_rng(7)
    hits = {"alpha": [], "slope": [], "intercept": []}
    for _ in range(150):
        answers = ask.simulate_answers(truth, people=25, per_person=8, random_state=rng)
        fit = learn.fit_acceptability(answers, means=(0,), draws=1000, random_state=rng)
        for name, found in hits.items():
            found.append(truth["alarm"][name] in fit.estimate(name, "alarm").interval)
    for name, found in hits.items():
        # Three binomial standard errors; priors are wide, so coverage is close to nominal.
        assert abs(np.mean(found) - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 150) + 0.01, name


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


def test_both_engines_agree_on_the_public_answers(kay_file):
    pytest.importorskip("nutpie")
    ours = {p: _one_kind_of_mean(kay_file, p, "importance", 20_000) for p in (-1, 0, 1)}
    nuts = {p: _one_kind_of_mean(kay_file, p, "nuts", 24_000) for p in (-1, 0, 1)}
    for p in (-1, 0, 1):
        # The standard error of the difference, in posterior sds: .05 must be three of these.
        error = np.sqrt(1 / ours[p].diagnostics.effective_draws + 1 / _effective(nuts[p]))
        assert 3 * error < 0.05
        first, second = ours[p].summary(), nuts[p].summary()
        away = (first["mean"] - second["mean"]) / second["sd"]
        np.testing.assert_allclose(away, 0, atol=0.05)
        np.testing.assert_allclose(first["sd"] / second["sd"], 1, atol=0.05)
    np.testing.assert_allclose(_shares(ours), _shares(nuts), atol=0.01)


def _effective(fit):
    assert fit.diagnostics.engine == "nuts"
    return fit.diagnostics.effective_draws


def _shares(fits):
    """Probabilities of the kinds of mean, equally likely beforehand, from their evidences."""
    evidence = np.exp(np.array([fits[p].log_evidence[p] - fits[0].log_evidence[0] for p in fits]))
    return evidence / evidence.sum()
