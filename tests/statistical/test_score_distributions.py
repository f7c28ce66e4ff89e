"""Brute-force proofs: simulated feedback falls where the distributions say."""

import numpy as np
import pytest
from scipy.stats import kstest

from howgood import score


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 5, 50, 1000])
@pytest.mark.parametrize("metric", [score.rmse, score.mse, score.mae])
def test_brute_force_draws_follow_the_exact_distribution(metric, n):
    rng = np.random.default_rng(n)
    mean, prediction = rng.uniform(1, 5, n), rng.uniform(1, 5, n)
    sd = np.where(rng.random(n) < 0.3, 0.0, rng.uniform(0.2, 1.9, n)) if n > 1 else np.ones(1)
    exact = metric(mean, sd, prediction)
    answers = mean + sd * rng.standard_normal((4000, n))
    errors = answers - prediction
    values = np.abs(errors).mean(axis=1) if metric is score.mae else (errors**2).mean(axis=1)
    values = np.sqrt(values) if metric is score.rmse else values
    # Twelve tests: a p-value below 1e-4 comes up by chance once in eight hundred runs.
    assert kstest(values, exact.cdf).pvalue > 1e-4


@pytest.mark.slow
def test_ninety_five_percent_intervals_hold_ninety_five_percent_of_repetitions():
    rng = np.random.default_rng(7)
    hits = []
    for _ in range(300):
        n = int(rng.integers(2, 60))
        mean, sd, prediction = rng.uniform(1, 5, n), rng.uniform(0, 1.5, n), rng.uniform(1, 5, n)
        interval = score.rmse(mean, sd, prediction).interval(0.95)
        answers = mean + sd * rng.standard_normal((200, n))
        values = np.sqrt(np.mean((answers - prediction) ** 2, axis=1))
        hits.append(np.mean((values >= interval.lower) & (values <= interval.upper)))
    # 60,000 repetitions: three standard errors are .0027.
    assert np.mean(hits) == pytest.approx(0.95, abs=0.0027)
