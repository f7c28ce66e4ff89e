"""A share of trials that belong to units: what is known in closed form, and what must hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit
from scipy.stats import beta, t

from howgood.stats.shares import jeffreys_ends, share_draws


def _ends(successes, trials, *, weights=None, level=0.9, draws=4000):
    successes, trials = np.asarray(successes, float), np.asarray(trials, float)
    found = share_draws(
        successes, trials, weights=trials if weights is None else np.asarray(weights, float),
        draws=draws, generator=np.random.default_rng(7),
    )  # fmt: skip
    return np.quantile(found, [(1 - level) / 2, (1 + level) / 2])


def test_units_that_agree_are_no_surer_than_their_trials():
    # 48 of 60 in all, four fifths in every unit: Jeffreys' interval of 60 trials.
    assert _ends([8] * 6, [10] * 6) == pytest.approx(beta.ppf([0.05, 0.95], 48.5, 12.5), abs=2e-3)


def test_units_that_differ_are_known_as_well_as_their_number_allows():
    rng = np.random.default_rng(5)
    shares = np.clip(rng.normal(0.5, 0.1, 40), 0.05, 0.95)
    trials = np.full(40, 1e6)
    found = logit(_ends(shares * 1e6, trials))
    # Student's interval of the mean, moved to log odds by the slope at the mean.
    mean, sd = shares.mean(), shares.std(ddof=1)
    half = t.ppf(0.95, 39) * sd / np.sqrt(40) / (mean * (1 - mean))
    assert found - logit(mean) == pytest.approx([-half, half], rel=0.08)


def test_one_unit_and_full_agreement_have_jeffreys_end_and_reach_the_share():
    lower, upper = _ends([15], [15])
    assert (lower, upper) == (pytest.approx(beta.ppf(0.05, 15.5, 0.5), abs=2e-3), 1.0)
    lower, upper = _ends([0, 0, 0], [5, 5, 5])
    assert (lower, upper) == (0.0, pytest.approx(beta.ppf(0.95, 0.5, 15.5), abs=2e-3))


def test_equal_weights_count_units_and_trials_count_trials():
    one, all_trials = (
        np.mean(_ends([500, 10], [1000, 100], weights=weights, level=0.01))
        for weights in ([1, 1], [1000, 100])
    )
    assert one == pytest.approx((0.5 + 0.1) / 2, abs=0.02)
    assert all_trials == pytest.approx(510 / 1100, abs=0.02)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
def test_intervals_hold_the_share_are_no_narrower_than_jeffreys_and_turn_over(counts):
    hits, others = np.array(counts, float).T
    trials = hits + others + 1
    lower, upper = _ends(hits, trials, draws=400)
    share = hits.sum() / trials.sum()
    assert 0 <= lower <= share <= upper <= 1
    least = beta.ppf([0.06, 0.94], hits.sum() + 0.5, trials.sum() - hits.sum() + 0.5)
    assert lower <= least[0]
    assert upper >= least[1]
    turned = _ends(trials - hits, trials, draws=400)
    assert 1 - turned[::-1] == pytest.approx([lower, upper], abs=1e-9)


def test_intervals_of_trials_are_jeffreys_and_reach_a_share_of_none_or_all():
    lower, upper = jeffreys_ends([0, 3, 8], 8, probability=0.9)
    assert (lower[0], upper[2]) == (0.0, 1.0)
    assert lower[1:] == pytest.approx(beta.ppf(0.05, [3.5, 8.5], [5.5, 0.5]))
    assert upper[:2] == pytest.approx(beta.ppf(0.95, [0.5, 3.5], [8.5, 5.5]))


def test_half_the_draws_lie_on_either_side_of_the_share():
    hits, trials = np.array([7.0, 5.0, 9.0, 2.0]), np.full(4, 10.0)
    rng = np.random.default_rng(3)
    found = share_draws(hits, trials, weights=trials, draws=1000, generator=rng)
    assert np.all(np.diff(found) >= 0)
    assert found[449] < 23 / 40 < found[550]
