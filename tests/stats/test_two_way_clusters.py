"""Means over items and raters: by hand, against t-tests, and against what they estimate."""

import numpy as np
import pytest
from scipy.stats import norm, ttest_rel
from scipy.stats import t as student

from howgood.stats.two_way_clusters import clustered_means, same_tail_variances


def _rows(table):
    """Return values (n, groups) and codes of a table (items, raters, groups); NaN: no rating."""
    item, rater = np.nonzero(np.isfinite(table[..., 0]))
    return table[item, rater], item, rater


def _apart(shape):
    """Return the variance of the difference of the first two groups."""
    return shape[0, 0] + shape[1, 1] - 2 * shape[0, 1]


def _of(part):
    """Return what a part contributes to the variance of that difference, as estimated."""
    return part.mean_square * _apart(part.shape)


def _noise_within(parts):
    return parts["noise"].mean_square * _apart(parts["raters"].shape)


def _parts(table, **step):
    return {each.name: each for each in clustered_means(*_rows(table), **step).components}


def test_two_items_two_raters_by_hand():
    # Second minus first group: 1, 2 (item one) and 3, 6 (item two).
    table = np.zeros((2, 2, 2))
    table[:, :, 1] = [[1.0, 2.0], [3.0, 6.0]]
    assert clustered_means(*_rows(table)).means.tolist() == [0.0, 3.0]
    parts = _parts(table)
    # Items: means 1.5 and 4.5, variance 4.5, over 2. Raters: means 2 and 4, variance 2, over 2.
    assert _apart(parts["items"].shape) == pytest.approx(2.25)
    assert _of(parts["raters"]) == pytest.approx(1.0)
    # Both: variances 0.5 and 4.5 over two raters each, over 2 squared items.
    assert _noise_within(parts) == pytest.approx((0.25 + 2.25) / 4)
    assert [parts[each].freedom for each in ("items", "raters", "noise")] == [1.0, 1.0, 1.0]


def test_one_rater_is_the_paired_t_test():
    rng = np.random.default_rng(1)
    table = rng.normal(0, 1, (12, 1, 2)) + rng.normal(0, 2, (12, 1, 1))
    parts = _parts(table)
    expected = ttest_rel(table[:, 0, 0], table[:, 0, 1])
    assert list(parts) == ["items"]
    means = clustered_means(*_rows(table)).means
    t = (means[0] - means[1]) / np.sqrt(_apart(parts["items"].shape))
    assert (t, parts["items"].freedom) == pytest.approx((expected.statistic, expected.df))


def test_a_rater_with_several_items_of_their_own_is_one_observation():
    """Nested: 5 raters, 4 items each. The t-test of the raters' means is the reference."""
    rng = np.random.default_rng(2)
    by_rater = rng.normal(0, 3, (5, 1, 1)) * np.array([0.0, 1.0]) + rng.normal(0, 1, (5, 4, 2))
    found = clustered_means(by_rater.reshape(20, 2), np.arange(20), np.repeat(np.arange(5), 4))
    parts = {each.name: each for each in found.components}
    means = by_rater.mean(axis=1)
    # An item with one rater is that rater's: what items show is the noise, and counted once.
    whole = _of(parts["items"]) + _of(parts["raters"]) - _noise_within(parts)
    t = (found.means[0] - found.means[1]) / np.sqrt(whole)
    assert t == pytest.approx(ttest_rel(means[:, 0], means[:, 1]).statistic)
    assert parts["raters"].freedom == pytest.approx(4.0)


def test_groups_that_come_out_alike_differ_by_little_whatever_a_third_does():
    rng = np.random.default_rng(3)
    table = rng.normal(0, 1, (20, 3, 3))
    table[..., 1] = table[..., 0] + 0.01
    table[..., 2] *= 50
    for name in ("items", "raters"):
        assert _apart(_parts(table)[name].shape) == pytest.approx(0.0, abs=1e-12)


def test_items_that_all_look_alike_hide_a_step():
    table = np.zeros((3, 1, 2)) + np.arange(3.0)[:, None, None] + np.array([0.0, 1.0])
    # As if two more had been one step above and below: 2 step² / 4, over 3.
    assert _apart(_parts(table, step=0.5)["items"].shape) == pytest.approx(2 * 0.25 / 4 / 3)
    assert _apart(_parts(table)["items"].shape) == 0.0


def test_raters_who_agree_in_everything_add_nothing():
    table = np.repeat(np.random.default_rng(4).normal(0, 1, (6, 1, 2)), 3, axis=1)
    parts = _parts(table)
    found = [_of(parts["raters"]), _noise_within(parts)] if "raters" in parts else []
    assert found == pytest.approx([0.0] * len(found), abs=1e-20)


N_ITEMS, N_RATERS = 40, 8


@pytest.mark.parametrize("each", [8, 3, 1])
def test_the_variance_is_the_spread_over_other_items_and_raters(each):
    """What is estimated, against 1,500 repetitions with new items, raters and noise."""
    rng = np.random.default_rng(5)
    gaps, variances = [], []
    seen = rng.random((N_ITEMS, N_RATERS)).argsort(axis=1) < each
    for _ in range(1500):
        table = rng.normal(0, 1.0, (N_ITEMS, 1, 1)) + rng.normal(0, 0.6, (N_ITEMS, 1, 2))
        table = table + rng.normal(0, 0.5, (1, N_RATERS, 1)) + rng.normal(0, 0.4, (1, N_RATERS, 2))
        table = table + rng.normal(0, 0.8, (N_ITEMS, N_RATERS, 2))
        table[~seen] = np.nan
        found = clustered_means(*_rows(table))
        parts = {part.name: part for part in found.components}
        gaps.append(found.means[1] - found.means[0])
        raters = max(_of(parts["raters"]) - _noise_within(parts), 0)
        variances.append(_apart(parts["items"].shape) + raters)
    # The sum of squares has a relative error of root (2 / 1500) = 3.7 %.
    assert np.mean(variances) == pytest.approx(np.var(gaps), rel=0.12)


def test_same_tails_are_students():
    gaps, freedoms = np.array([0.0, 0.3, -1.2, 4.0]), np.array([2.0, 5.0, 1.3, 60.0])
    variances = np.array([0.5, 1.0, 2.0, 0.7])
    wide = same_tail_variances(gaps, variances, freedoms)
    assert norm.cdf(-gaps / np.sqrt(wide)) == pytest.approx(
        student.cdf(-gaps / np.sqrt(variances), freedoms), rel=1e-9
    )
    assert np.all(wide > variances)
    assert same_tail_variances(np.array([1.0]), np.zeros(1), np.array([3.0])).tolist() == [0.0]


def test_tails_far_out_are_students_too():
    freedom, gap = np.array([60.0]), np.array([20.0])
    wide = same_tail_variances(gap, np.ones(1), freedom)
    beyond = student.logsf(20.0, 60.0)
    assert beyond < -50  # 1 minus so little is 1 to all digits
    assert norm.logsf(gap / np.sqrt(wide)) == pytest.approx(beyond, rel=1e-9)
    # Where no number is small enough for the tail, the difference is certain.
    assert same_tail_variances(np.array([1e300]), np.ones(1), freedom).tolist() == [0.0]
