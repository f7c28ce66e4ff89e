"""Simulated people answer as the models say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import ask
from howgood.errors import InputError

ALARM = {"alarm": {"alpha": 0.3, "intercept": -6.0, "slope": 8.0, "p": -1}}


def test_the_share_accepting_is_the_models():
    one = ask.scenarios(precision=[0.5], recall=[1])
    answers = ask.simulate_answers(ALARM, people=40_000, scenarios=one, person_sd=0, random_state=1)
    mean = 1 / (0.3 / 0.5 + 0.7 / 1.0)
    expected = 1 / (1 + np.exp(6 - 8 * mean))
    assert answers["accepted"].mean() == pytest.approx(expected, abs=0.01)  # four standard errors


def test_people_with_weights_of_their_own_accept_as_many_as_the_model_says():
    """The mean over a normal logit of alpha, by Gauss-Hermite quadrature."""
    one = ask.scenarios(precision=[0.5], recall=[1])
    alarm = {"alarm": {**ALARM["alarm"], "slope": 16.0, "intercept": -12.0}}
    answers = ask.simulate_answers(
        alarm, people=40_000, scenarios=one, person_sd=0, alpha_sd=2.0, random_state=1
    )
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    alpha = 1 / (1 + np.exp(-(np.log(0.3 / 0.7) + 2.0 * nodes)))
    accepting = 1 / (1 + np.exp(12 - 16 / (alpha / 0.5 + (1 - alpha) / 1.0)))
    expected = weights @ accepting / weights.sum()
    assert answers["accepted"].mean() == pytest.approx(expected, abs=0.01)  # four standard errors
    assert abs(expected - 1 / (1 + np.exp(12 - 16 / (0.3 / 0.5 + 0.7)))) > 0.02  # and not alike


def test_accepted_means_a_rating_of_at_least_five():
    answers = ask.simulate_answers(ALARM, people=50, random_state=2)
    np.testing.assert_array_equal(answers["accepted"], answers["rating"] >= 5)
    assert set(answers["rating"]) <= set(range(1, 8))


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 20), st.integers(1, 16), st.integers(0, 99))
def test_everybody_sees_distinct_scenarios(people, per_person, seed):
    answers = ask.simulate_answers(ALARM, people=people, per_person=per_person, random_state=seed)
    assert len(answers) == people * per_person
    for person in set(answers["participant"]):
        mine = answers["participant"] == person
        seen = list(zip(answers["precision"][mine], answers["recall"][mine], strict=True))
        assert len(set(seen)) == per_person


def test_the_same_seed_gives_the_same_people():
    first, second = (ask.simulate_answers(ALARM, people=5, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first["rating"], second["rating"])


@pytest.mark.parametrize(
    "wrong",
    [{"people": 0}, {"people": 5, "per_person": 17},
     *({"people": 5, name: sd} for name in ("person_sd", "alpha_sd")
       for sd in (-1.0, np.nan, np.inf))],
)  # fmt: skip
def test_impossible_studies_are_refused(wrong):
    with pytest.raises(InputError, match="simulated study"):
        ask.simulate_answers(ALARM, **wrong)


def test_parameters_must_be_complete():
    with pytest.raises(InputError, match="Add 'slope'"):
        ask.simulate_answers({"x": {"alpha": 0.5, "intercept": 0.0}}, people=3)


def test_ordinal_ratings_follow_the_cumulative_model():
    answers = ask.simulate_ordinal_answers(
        people=20_000,
        parts={"hypothetical": {}, "real": {"shift": 1.0, "log_scale": -0.5}},
        thresholds=(9.0, 11.0),
        slope=10.0,
        alpha=0.5,
        person_sd=0.0,
        systems=[(0.81, 1.0)],
        random_state=4,
    )
    real = answers["part"] == "real"
    assert real.sum() == 20_000
    # Mean .9: center 9 + 1; P(Y <= l) = logit^-1((threshold - 10) / e^-.5).
    scale = np.exp(-0.5)
    expected = 1 / (1 + np.exp(-(np.array([9.0, 11.0]) - 10) / scale))
    found = [np.mean(answers["rating"][real] <= level) for level in (1, 2)]
    np.testing.assert_allclose(found, expected, atol=0.014)
