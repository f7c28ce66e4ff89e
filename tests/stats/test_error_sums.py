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
    assert found.noise[0, 1] == pytest.approx(np.sum(SD**2 * apart**2), rel=1e-9, abs=0)
    assert found.noise[1, 0] == found.noise[0, 1]
    expected = np.sum(SD**2 * apart**2 / (TRIALS - 1))
    assert found.trials.mean_noise[0, 1] == pytest.approx(expected, rel=1e-9, abs=0)


def test_every_sum_is_its_definition():
    found = error_sums(MEAN, SD, PREDICTIONS, powers=3, trials=TRIALS)
    variance, few = SD**2, TRIALS
    assert (found.n, found.max_variance) == (N, variance.max())
    assert found.max_variance < 1
    np.testing.assert_allclose(found.variance_powers, [np.sum(variance**s) for s in (1, 2, 3)])
    for k, predicted in enumerate(PREDICTIONS):
        away = (MEAN - predicted) ** 2
        expected = [np.sum(away * variance**s) for s in (0, 1, 2)]
        np.testing.assert_allclose(found.deviation_powers[k], expected)
        assert found.gaps[k] == pytest.approx(np.sum(away - (MEAN - PREDICTIONS[0]) ** 2))
        unbiased = few / (few - 1) * ((few - 2) / (few + 1) * variance**2 + 2 * variance * away)
        assert found.trials.second_power[k] == pytest.approx(np.sum(unbiased))
        for i, other in enumerate(PREDICTIONS):
            apart = variance * (predicted - other) ** 2
            assert found.noise[i, k] == pytest.approx(np.sum(apart))
            assert found.trials.mean_noise[i, k] == pytest.approx(np.sum(apart / (few - 1)))
    assert found.trials.variance == pytest.approx(np.sum(variance * few / (few - 1)))


def test_differences_of_predictions_far_from_zero_keep_their_digits():
    far = [each + 1e7 for each in PREDICTIONS]
    near = [each - 1e7 for each in far]  # what rounding left of them
    found, expected = (
        error_sums(mean, SD, each, powers=1).noise
        for mean, each in ((MEAN + 1e7, far), (MEAN, near))
    )
    np.testing.assert_allclose(found, expected, rtol=1e-10)
