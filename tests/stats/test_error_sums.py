"""Sums over rows: parts add up, and nearly equal predictions keep their digits."""

from dataclasses import fields

import numpy as np
import pytest

from howgood.stats.error_sums import ErrorSums, error_sums

RNG = np.random.default_rng(12)
N = 50
MEAN, SD = RNG.uniform(1, 5, N), RNG.uniform(0.2, 1, N)
TRIALS = RNG.integers(2, 9, N).astype(float)
PREDICTIONS = [RNG.uniform(1, 5, N), RNG.uniform(1, 5, N), np.full(N, 3.0)]


def _assert_same(found: ErrorSums, expected: ErrorSums) -> None:
    for field in fields(ErrorSums):
        left, right = getattr(found, field.name), getattr(expected, field.name)
        if left is None:
            assert right is None
            continue
        if field.name != "trials":
            assert left == pytest.approx(right, rel=1e-12)
            continue
        for inner in fields(left):
            assert getattr(left, inner.name) == pytest.approx(getattr(right, inner.name), rel=1e-12)


@pytest.mark.parametrize("trials", [None, TRIALS])
def test_sums_of_parts_are_the_sums_of_all(trials):
    def part(rows):
        few = None if trials is None else trials[rows]
        return error_sums(
            MEAN[rows], SD[rows], [p[rows] for p in PREDICTIONS], powers=4, trials=few
        )

    _assert_same(part(slice(0, 20)) + part(slice(20, N)), part(slice(0, N)))


def test_parts_of_which_one_knows_no_trials_do_not_know_them_together():
    known = error_sums(MEAN, SD, PREDICTIONS, powers=2, trials=TRIALS)
    unknown = error_sums(MEAN, SD, PREDICTIONS, powers=2)
    assert (known + unknown).trials is None
    assert (unknown + known).trials is None


def test_nearly_equal_predictions_are_told_apart_by_their_difference():
    apart = 1e-9 * RNG.uniform(1, 2, N)
    far = 1e3 * np.ones(N)
    predictions = [MEAN, MEAN + apart, far]
    apart = predictions[1] - predictions[0]  # what rounding left of it
    found = error_sums(MEAN, SD, predictions, powers=2, trials=TRIALS)
    assert found.noise[0, 1] == pytest.approx(np.sum(SD**2 * apart**2), rel=1e-9)
    assert found.noise[1, 0] == found.noise[0, 1]
    expected = np.sum(SD**2 * apart**2 / (TRIALS - 1))
    assert found.trials.mean_noise[0, 1] == pytest.approx(expected, rel=1e-9)
