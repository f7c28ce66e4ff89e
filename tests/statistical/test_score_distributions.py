"""Brute-force proofs: simulated feedback falls where the distributions of scores say."""

import numpy as np
import pytest
from tests.statistical.judging import COVERAGES, binned, covers

from howgood import score

pytestmark = pytest.mark.slow

METRICS = {"RMSE": score.rmse, "MSE": score.mse, "MAE": score.mae}


def _case(rng, n):
    """Random feedback: wide and narrow, a third of it certain, a system good or bad."""
    mean = rng.uniform(1, 5, n)
    prediction = mean + rng.normal(0, rng.choice([0.0, 0.1, 1.0]), n)
    sd = rng.choice([0.1, 1.0, 3.0]) * rng.gamma(2.0, 0.4, n)
    certain = rng.random(n) < 1 / 3
    certain[0] = False  # a score that is certain has no distribution
    return mean, np.where(certain, 0.0, sd), prediction


def _observed(name, mean, sd, prediction, rng, repeats):
    errors = mean + sd * rng.standard_normal((repeats, mean.size)) - prediction
    if name == "MAE":
        return np.abs(errors).mean(axis=1)
    squared = (errors**2).mean(axis=1)
    return np.sqrt(squared) if name == "RMSE" else squared


@pytest.mark.parametrize("name", METRICS)
def test_brute_force_draws_follow_the_exact_distribution(name, ledger):
    seed, repeats, n_bins = 20180, 10_000, 20
    rng = np.random.default_rng([seed, *name.encode()])
    counts, probabilities = [], []
    for n in np.tile([1, 2, 3, 5, 20, 100, 500], 6):
        case = _case(rng, n)
        exact = METRICS[name](*case)
        # Edges from other re-ratings: the bins are then about, and the cdf says exactly how, even.
        edges = np.quantile(_observed(name, *case, rng, 400), np.arange(1, n_bins) / n_bins)
        values = np.concatenate([_observed(name, *case, rng, repeats // 5) for _ in range(5)])
        counts.append(np.bincount(np.searchsorted(edges, values), minlength=n_bins))
        probabilities.append(np.diff(np.concatenate([[0.0], exact.cdf(edges), [1.0]])))
    ledger.add(
        "brute force",
        f"distribution of {name}",
        binned(counts, probabilities),
        setting=f"{len(counts)} random cases of 1 to 500 pairs, {repeats:,} re-ratings each, "
        f"in {n_bins} bins",
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize("name", METRICS)
def test_intervals_hold_as_many_repetitions_as_they_say(name, ledger):
    seed = 20181
    rng = np.random.default_rng([seed, *name.encode()])
    hits = {level: [] for level in COVERAGES}
    for _ in range(150):
        case = _case(rng, int(rng.integers(1, 80)))
        exact, values = METRICS[name](*case), _observed(name, *case, rng, 100)
        for level, found in hits.items():
            interval = exact.interval(level)
            found.append((values >= interval.lower) & (values <= interval.upper))
    ledger.add(
        "coverage",
        f"{name} quantiles",
        covers({level: np.concatenate(found) for level, found in hits.items()}),
        setting="150 random cases of 1 to 79 pairs, 100 re-ratings each",
        seed=seed,
    )
    ledger.settle()


def test_propagated_intervals_hold_another_re_rating_as_often_as_they_say(ledger):
    seed = 20182
    rng = np.random.default_rng(seed)
    hits = {level: [] for level in COVERAGES}
    for _ in range(250):
        mean, sd, prediction = _case(rng, int(rng.integers(2, 40)))
        draws = score.propagate(
            lambda truth, guess: float(np.mean(np.abs(truth - guess) ** 3)),
            mean=mean, sd=sd, prediction=prediction, random_state=rng,
        )  # fmt: skip
        errors = mean + sd * rng.standard_normal((20, mean.size)) - prediction
        again = np.mean(np.abs(errors) ** 3, axis=1)
        for level, found in hits.items():
            interval = draws.interval(level)
            found.append((again >= interval.lower) & (again <= interval.upper))
    ledger.add(
        "coverage",
        "propagated metric",
        covers({level: np.concatenate(found) for level, found in hits.items()}, allowed=0.005),
        setting="mean cubed error of 2 to 39 pairs, 20 more re-ratings in each of 250 cases; "
        "half a point allowed for 1,000 draws",
        seed=seed,
    )
    ledger.settle()
