"""Decisions from ordinal fits: the same shares as the fit itself predicts, part by part."""

import numpy as np
import pytest
from scipy.special import expit

from howgood import ask, decide, learn
from howgood.errors import InputError, UnknownNameError


@pytest.fixture(scope="module")
def fit():
    answers = ask.simulate_ordinal_answers(people=60, random_state=1)
    return learn.fit_ordinal(answers, means=(0,), draws=1000, random_state=1)


@pytest.mark.parametrize("part", ["hypothetical", "last 30 days", "last year"])
@pytest.mark.parametrize("at_least", [4, 5, 6])
def test_the_shares_of_decisions_are_those_of_the_fit(fit, part, at_least):
    draws = fit.acceptance_of(part, at_least=at_least)
    expected = fit.predict(precision=0.8, recall=0.7, part=part, at_least=at_least)
    np.testing.assert_allclose(draws.shares(0.8, 0.7), expected.draws, atol=1e-4)


def test_one_draw_by_hand(fit):
    draws = fit.acceptance_of("last year").taken(np.array([3]))
    threshold = fit._named("threshold", None)[3, list(fit.levels).index(5) - 1]
    scale = np.exp(fit.part_draws("log_scale", "last year")[3])
    mean = 0.8 ** fit.draws("alpha")[3] * 0.7 ** (1 - fit.draws("alpha")[3])
    shift = fit.part_draws("shift", "last year")[3]
    logit = (fit.draws("slope")[3] * mean + shift - threshold) / scale
    assert draws.shares(0.8, 0.7, who="average")[0] == pytest.approx(expit(logit))


def test_every_decision_takes_a_part(fit):
    rng = np.random.default_rng(0)
    truth = (rng.random(300) < 0.5).astype(int)
    scores = np.clip(0.25 + 0.5 * truth + 0.2 * rng.normal(size=300), 0, 1)
    predicted = (scores > 0.5).astype(int)
    real, imagined = {"part": "last year"}, {"part": "hypothetical"}
    accepting = [
        decide.acceptance(fit, truth, predicted, **part, random_state=1).mean
        for part in (real, imagined)
    ]
    assert accepting[0] > accepting[1]  # people rate what they use higher
    gate = decide.gate(fit, None, truth, predicted, share=0.5, **real, random_state=1)
    assert gate.acceptance.mean == pytest.approx(accepting[0], abs=0.02)
    needed = [decide.target(fit, share=0.5, **part).needed_mean.mean for part in (real, imagined)]
    assert needed[0] < needed[1]
    assert len(decide.trade_off(fit, **real).curve) == 101
    curve = {"size": [10, 20], "precision": [0.6, 0.9], "recall": [0.6, 0.9]}
    assert decide.go_live(fit, None, curve, share=0.5, **real).table["accepting"][1] > 0.5
    assert decide.threshold(fit, truth, scores, **real, random_state=1).acceptance is not None
    assert len(decide.best_application(fit, truth, predicted, **real).acceptance) == 1


def test_a_part_must_be_named_and_known(fit):
    with pytest.raises(InputError, match="no part named"):
        decide.target(fit)
    with pytest.raises(UnknownNameError):
        decide.target(fit, part="nowhere")
    with pytest.raises(InputError, match="without parts"):
        decide.target(fit.acceptance_of("last year"), part="last year")
    with pytest.raises(InputError, match="stayed below"):
        fit.acceptance_of("last year", at_least=1)
