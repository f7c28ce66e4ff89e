"""Paired draws of the acceptability model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from howgood.errors import LengthMismatchError
from howgood.records.acceptance import AcceptanceDraws


def _draws(**changed):
    values = {
        "p": [-1.0, 0.0, 1.0],
        "alpha": [0.5, 0.25, 0.75],
        "intercept": [-8.0, -10.0, -12.0],
        "slope": [12.0, 14.0, 16.0],
        "person_sd": [0.0, 0.0, 0.0],
    }
    return AcceptanceDraws(application="alarm", **(values | changed))


def test_means_and_shares_by_hand():
    draws = _draws()
    harmonic = 2 * 0.5 * 1.0 / 1.5
    geometric = 0.5**0.25
    arithmetic = 0.75 * 0.5 + 0.25
    np.testing.assert_allclose(draws.means(0.5, 1.0), [harmonic, geometric, arithmetic])
    expected = expit([-8 + 12 * harmonic, -10 + 14 * geometric, -12 + 16 * arithmetic])
    np.testing.assert_allclose(draws.shares(0.5, 1.0), expected)
    np.testing.assert_allclose(draws.shares(0.5, 1.0, who="average"), expected)


def test_the_population_agrees_with_simulated_people():
    draws = _draws(person_sd=[2.4, 2.4, 2.4])
    people = np.random.default_rng(4).normal(0, 2.4, 400_000)
    location = -10 + 14 * 0.8**0.25 * 0.9**0.75
    assert draws.shares(0.8, 0.9)[1] == pytest.approx(expit(location + people).mean(), abs=0.003)


@settings(deadline=None)
@given(st.floats(0.05, 0.95), st.floats(0.1, 5.0))
def test_the_needed_mean_gives_the_wanted_share(share, person_sd):
    draws = _draws(person_sd=[person_sd] * 3)
    np.testing.assert_allclose(draws.shares_at_mean(draws.mean_for_share(share)), share, atol=1e-6)


def test_without_growth_no_accuracy_is_enough():
    assert np.isinf(_draws(slope=[-1.0, 0.0, 5.0]).mean_for_share(0.8)).tolist() == [
        True,
        True,
        False,
    ]


def test_thinning_keeps_rows_together():
    rows = np.arange(1000.0)
    draws = AcceptanceDraws(
        application="a", p=rows, alpha=rows, intercept=rows, slope=rows, person_sd=rows
    ).thinned(10)
    assert len(draws) == 10
    np.testing.assert_array_equal(draws.alpha, draws.slope)
    assert draws.thinned(50) is draws


def test_draws_of_unequal_length_are_refused():
    with pytest.raises(LengthMismatchError, match="slope has 1"):
        _draws(slope=[1.0])
