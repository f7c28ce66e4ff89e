"""Means over items and raters: by hand, against t-tests, and against what they estimate."""

import numpy as np
import pytest
from scipy.stats import norm, ttest_rel
from scipy.stats import t as student

from howgood.stats.two_way_clusters import clustered_means, same_tail_variances


def _rows(table):
    """Return codes and values of a table (items, raters, groups); NaN where nobody graded."""
    item, rater, group = np.nonzero(np.isfinite(table))
    return table[item, rater, group], group, item, rater


def test_two_items_two_raters_by_hand():
    # Second minus first system: 1, 2 (item one) and 3, 6 (item two).
    table = np.zeros((2, 2, 2))
    table[:, :, 1] = [[1.0, 2.0], [3.0, 6.0]]
    found = clustered_means(*_rows(table))
    assert found.means.tolist() == [0.0, 3.0]
    # Items: means 1.5 and 4.5, variance 4.5, over 2. Raters: means 2 and 4, variance 2, over 2.
    # Both: variances 0.5 and 4.5 over two raters each, over 2 squared items.
    assert found.between.variances[1, 0] == pytest.approx(2.25 + 1.0 - (0.25 + 2.25) / 4)
    assert found.between.freedoms[1, 0] == pytest.approx(2.625**2 / (2.25**2 + 1.0**2))


def test_items_each_with_a_rater_of_its_own_are_the_paired_t_test():
    rng = np.random.default_rng(1)
    grades = rng.normal(0, 1, (12, 2)) + rng.normal(0, 2, (12, 1))
    item = np.repeat(np.arange(12), 2)
    group = np.tile([0, 1], 12)
    expected = ttest_rel(grades[:, 0], grades[:, 1])
    for rater in (None, np.zeros(24, dtype=int), item):
        found = clustered_means(grades.ravel(), group, item, rater)
        t = (found.means[0] - found.means[1]) / np.sqrt(found.between.variances[0, 1])
        assert t == pytest.approx(expected.statistic)
    found = clustered_means(grades.ravel(), group, item, None)
    assert found.between.freedoms[0, 1] == expected.df


def test_a_rater_with_several_items_of_their_own_is_one_observation():
    """Nested: 5 raters, 4 items each. The t-test of the raters' means is the reference."""
    rng = np.random.default_rng(2)
    by_rater = rng.normal(0, 3, (5, 1, 1)) * np.array([0.0, 1.0]) + rng.normal(0, 1, (5, 4, 2))
    item, rater = np.repeat(np.arange(20), 2), np.repeat(np.arange(5), 8)
    found = clustered_means(by_rater.ravel(), np.tile([0, 1], 20), item, rater)
    means = by_rater.mean(axis=1)
    t = (found.means[0] - found.means[1]) / np.sqrt(found.between.variances[0, 1])
    assert t == pytest.approx(ttest_rel(means[:, 0], means[:, 1]).statistic)


N_ITEMS, N_RATERS = 40, 8


def _designs(rng):
    full = np.ones((N_ITEMS, N_RATERS, 2), dtype=bool)
    three, apart = np.zeros_like(full), np.zeros_like(full)
    for item in range(N_ITEMS):
        three[item, rng.choice(N_RATERS, 3, replace=False)] = True
        for group in range(2):
            apart[item, rng.choice(N_RATERS, 2, replace=False), group] = True
    return {"all grade all": full, "three of them": three, "others for each system": apart}


@pytest.mark.parametrize("design", ["all grade all", "three of them", "others for each system"])
def test_the_variance_is_the_spread_over_other_items_and_raters(design):
    """What is estimated, against 2,000 repetitions with new items, raters and noise."""
    rng = np.random.default_rng(3)
    graded = _designs(rng)[design]
    gaps, variances = [], []
    for _ in range(2000):
        table = rng.normal(0, 1.0, (N_ITEMS, 1, 1)) + rng.normal(0, 0.6, (N_ITEMS, 1, 2))
        table = table + rng.normal(0, 0.5, (1, N_RATERS, 1)) + rng.normal(0, 0.4, (1, N_RATERS, 2))
        table = np.where(graded, table + rng.normal(0, 0.8, graded.shape), np.nan)
        found = clustered_means(*_rows(table))
        gaps.append(found.means[1] - found.means[0])
        variances.append(found.between.variances[0, 1])
    # The sum of squares has a relative error of root (2 / 2000) = 3.2 %.
    assert np.mean(variances) == pytest.approx(np.var(gaps), rel=0.1)


def test_same_tails_are_students():
    gaps, freedoms = np.array([0.0, 0.3, -1.2, 4.0]), np.array([2.0, 5.0, 1.3, 60.0])
    variances = np.array([0.5, 1.0, 2.0, 0.7])
    wide = same_tail_variances(gaps, variances, freedoms)
    assert norm.cdf(-gaps / np.sqrt(wide)) == pytest.approx(
        student.cdf(-gaps / np.sqrt(variances), freedoms), rel=1e-9
    )
    assert np.all(wide > variances)
    assert same_tail_variances(np.array([1.0]), np.zeros(1), np.array([3.0])).tolist() == [0.0]
