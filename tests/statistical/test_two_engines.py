"""Importance sampling and NUTS on twenty small random studies: one posterior, or not?"""

import warnings

import numpy as np
import pytest
from scipy.stats import kurtosis
from tests.statistical.judging import Judgement, agree, two_sided

from howgood import ask, learn
from howgood.errors import UngatedPosteriorError
from howgood.learn.binary_model import BinaryModel
from howgood.learn.engines.nuts import sample_chains
from howgood.records.priors import Beta, HalfNormal, Normal, Priors

pytestmark = pytest.mark.slow

PRIORS = Priors(
    name="calibration",
    intercept=Normal(-8.0, 3.0),
    slope=Normal(11.0, 4.0),
    alpha=Beta(2.0, 2.0),
    person_sd=HalfNormal(2.0),
)
BATCH, DRAWS = 5, 4000


def _study(rng):
    """Return a fit by importance sampling of a study with parameters from the prior."""
    while True:
        truth = {
            "intercept": rng.normal(-8, 3),
            "slope": rng.normal(11, 4),
            "alpha": rng.beta(2, 2),
            "p": int(rng.integers(-1, 2)),
        }
        answers = ask.simulate_answers(
            {"x": truth}, people=8, per_person=6, person_sd=abs(rng.normal(0, 2)), random_state=rng
        )
        means = "continuous" if rng.random() < 0.2 else (truth["p"],)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return learn.fit_acceptability(
                    answers, means=means, priors=PRIORS, flawless=False,
                engine="importance", draws=DRAWS,
                    random_state=rng,
                )  # fmt: skip
            except UngatedPosteriorError:
                continue  # then the product itself goes to NUTS


def _gaps(fit, rng):
    """Return standardised gaps of means (whitened) and of log sds, and the gap of log evidence."""
    order = fit.order_draws()
    is_continuous = np.ptp(order) > 0
    model = BinaryModel(fit.cells, fit.priors, None if is_continuous else float(order[0]))
    sample = sample_chains({0.0: model}, draws=DRAWS, rng=rng)[0.0].sample
    ours = fit.averaged_draws[:, : model.size]
    nuts = model.natural(sample.draws)[:, : model.size]
    # The least effective parameter of the chains speaks for all: gaps err to the small side.
    per_draw = 1 / sample.effective + 1 / fit.diagnostics.effective_draws
    noise = np.cov(nuts, rowvar=False) * per_draw
    means = np.linalg.solve(np.linalg.cholesky(noise), ours.mean(axis=0) - nuts.mean(axis=0))
    ratio = np.log(np.std(ours, axis=0) / np.std(nuts, axis=0))
    sds = ratio / np.sqrt((kurtosis(nuts, fisher=False) - 1) / 4 * per_draw)
    # A learned p has no rival, so the fit keeps no evidence of it.
    evidence = next(iter(fit.log_evidence.values()), np.nan) - sample.log_evidence
    return means, sds, ratio, evidence


@pytest.mark.parametrize("batch", range(4))
def test_both_engines_find_the_same_posterior(batch, ledger):
    pytest.importorskip("nutpie")
    seed = 20155
    rng = np.random.default_rng([seed, batch])
    means, sds, ratios, evidence = zip(
        *(_gaps(_study(rng), rng) for _ in range(BATCH)), strict=True
    )
    which = f"data sets {batch * BATCH + 1} to {(batch + 1) * BATCH}"
    setting = "8 people × 6 scenarios, p known or learned; 4,000 draws each"
    words = f"log evidence differs by {np.nanmax(np.abs(evidence)):.2f} at most"
    judgement = agree(np.concatenate(means), found=words)
    ledger.add("engines", f"posterior means, {which}", judgement, setting=setting, seed=seed)
    largest, n = float(np.max(np.abs(np.concatenate(sds)))), np.concatenate(sds).size
    judgement = Judgement(
        n=n,
        found=f"sds differ by {np.max(np.abs(np.expm1(np.concatenate(ratios)))):.1%} at most",
        p_value=min(1.0, n * two_sided(largest)),
        notices="an sd off by 5.3 standard errors in one data set",
    )
    ledger.add("engines", f"posterior sds, {which}", judgement, setting=setting, seed=seed)
    ledger.settle()
