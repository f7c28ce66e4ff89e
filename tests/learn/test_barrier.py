"""The magic barrier of a rerating: its interval for few people, one person and steady people."""

import numpy as np
import pytest
from scipy.stats import t

from howgood.learn.feedback import barrier_of
from howgood.records.table import Table


def _feedback(users, sd, trials=3):
    return Table({"user": users, "sd": np.array(sd), "trials": np.full(len(sd), trials)})


def test_the_barrier_is_the_root_of_the_mean_unbiased_variance():
    found = barrier_of(_feedback(["a", "a", "b"], [1.0, 2.0, 0.0]), most=9.0, seed=1)
    assert found.mean == pytest.approx(np.sqrt((1 + 4 + 0) * 1.5 / 3))
    assert found.n_respondents == 2


def test_many_even_people_give_students_interval_of_the_logarithm():
    variances = np.exp(np.random.default_rng(2).normal(0, 0.05, 12))
    users = [f"u{each}" for each in range(12)]
    found = barrier_of(_feedback(users, np.sqrt(variances * 2 / 3)), most=9.0, seed=1)
    # Nearly equal variances: the logarithm of their mean is their mean logarithm.
    half = t.ppf(0.975, 11) * np.log(variances).std(ddof=1) / np.sqrt(12) / 2
    ends = np.log([found.interval.lower / found.mean, found.interval.upper / found.mean])
    assert ends == pytest.approx([-half, half], rel=0.1)


def test_two_people_say_little_and_no_more_than_the_scale_has_room_for():
    two = barrier_of(_feedback(["a", "b"], [0.3, 1.2]), most=2.0, seed=1)
    assert two.interval.upper == pytest.approx(2.0)
    assert two.interval.lower < 0.1


def test_one_persons_interval_is_over_items():
    found = barrier_of(_feedback(["a"] * 4, [0.3, 0.5, 0.6, 1.0]), most=9.0, seed=1)
    assert found.interval.lower < found.mean < found.interval.upper
    assert found.n_respondents == 1


def test_people_who_never_waver_have_no_barrier():
    found = barrier_of(_feedback(["a", "b"], [0.0, 0.0]), most=2.0, seed=1)
    assert (found.mean, found.interval.lower, found.interval.upper) == (0.0, 0.0, 0.0)
