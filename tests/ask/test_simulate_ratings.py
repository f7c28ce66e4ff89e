"""Simulated repeated ratings have the published mix."""

import numpy as np
import pytest

from howgood.ask import simulate_ratings
from howgood.errors import InputError
from howgood.learn import rater_consistency


def distinct_per_pair(ratings, trials):
    return np.array([len(set(row)) for row in ratings["rating"].reshape(-1, trials)])


@pytest.mark.parametrize(("users", "items", "trials"), [(100, 6, 5), (40, 3, 3), (20, 5, 9)])
def test_the_mix_is_the_published_one(users, items, trials):
    ratings = simulate_ratings(users=users, items=items, trials=trials, random_state=1)
    n_distinct = distinct_per_pair(ratings, trials)
    shares = [np.mean(n_distinct == 1), np.mean(n_distinct == 2), np.mean(n_distinct > 2)]
    assert shares == pytest.approx([0.35, 0.50, 0.15])
    consistency = rater_consistency(ratings)
    assert list(consistency.pair_shares.values()) == pytest.approx(shares)
    assert list(consistency.user_shares.values()) == pytest.approx(shares)


def test_the_table_holds_every_pair_and_trial_once_on_five_stars():
    ratings = simulate_ratings(users=7, items=4, trials=5, random_state=2)
    keys = set(zip(*(ratings[name].tolist() for name in ("user", "item", "trial")), strict=True))
    assert len(keys) == len(ratings) == 7 * 4 * 5
    assert set(np.unique(ratings["rating"])) <= {1, 2, 3, 4, 5}


def test_the_smallest_spread_of_five_wavering_ratings_is_the_papers():
    ratings = simulate_ratings(users=200, items=5, random_state=3)["rating"].reshape(-1, 5)
    variances = ratings.var(axis=1)
    assert variances[variances > 0].min() == pytest.approx(0.16)
    assert variances.max() <= 3.84


def test_a_small_number_of_users_keeps_the_mix_up_to_rounding():
    for users in range(1, 30):
        n_distinct = distinct_per_pair(simulate_ratings(users=users, items=1, random_state=0), 5)
        counts = np.bincount(np.minimum(n_distinct, 3), minlength=4)[1:]
        assert np.abs(counts - users * np.array([0.35, 0.5, 0.15])).max() < 1


def test_the_same_seed_gives_the_same_ratings():
    first, second = (simulate_ratings(users=9, items=2, random_state=5)["rating"] for _ in "ab")
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("change", [{"users": 0}, {"items": 0}, {"trials": 2}])
def test_impossible_sizes_are_refused(change):
    with pytest.raises(InputError, match="at least"):
        simulate_ratings(**({"users": 3, "items": 3} | change))
