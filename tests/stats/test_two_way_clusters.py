"""Means over items and raters: by hand, against t-tests, and against what they estimate."""

import numpy as np
import pytest
from scipy.stats import norm, ttest_rel
from scipy.stats import t as student

from howgood.stats.two_way_clusters import Spread, clustered_means, same_tail_variances


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


def _sum_of_squares_kept(shares):
    """Expected sum of squares of raters' parts u_r s_r around their mean, for u of variance 1."""
    parts = np.diag(shares) @ (np.eye(len(shares)) - np.outer(np.ones(len(shares)), shares))
    return np.sum(parts**2)


def _by_definition(table, signs):
    """Variance and degrees of freedom of the sum of signs times means, one grade at a time.

    The module's formula, V_items + max(V_raters - V_both, 0), with what a sum of squares misses
    worked out from the model: grade = item's effect + rater's effect + noise.
    """
    n_items, n_raters, _ = table.shape
    graded = np.isfinite(table)
    groups = [g for g in range(table.shape[2]) if signs[g]]
    item_means = {
        g: [np.mean(table[i, graded[i, :, g], g]) for i in range(n_items)] for g in groups
    }
    items, raters = np.zeros(n_items), np.zeros(n_raters)
    both = np.zeros((n_items, n_raters, table.shape[2]))
    weights = np.zeros_like(both)
    for g in groups:
        mean = np.mean(item_means[g])
        for i in range(n_items):
            n = graded[i, :, g].sum()
            off = (item_means[g][i] - mean) / np.sqrt(n_items * (n_items - 1))
            items[i] += signs[g] * off
            for r in np.flatnonzero(graded[i, :, g]):
                weights[i, r, g] = 1 / (n_items * n)
                raters[r] += signs[g] * (table[i, r, g] - mean) / (n_items * n)
                noise = (table[i, r, g] - item_means[g][i]) * np.sqrt(n / (n - 1)) if n > 1 else 0
                both[i, r, g] = noise / (n_items * n) if n > 1 else off
    of_items, of_both = np.sum(items**2), np.sum((both @ signs) ** 2)
    # How much items that a rater happened to see differ is part of the rater's sum.
    around = weights - weights.sum(axis=0) / n_items
    off = {g: np.array(item_means[g]) - np.mean(item_means[g]) for g in groups}
    seen = 0.0
    for a in groups:
        for b in groups:
            effects = off[a] @ off[b] / (n_items - 1) - n_items * np.sum(
                both[..., a] * both[..., b]
            )
            seen += signs[a] * signs[b] * effects * np.sum(around[..., a] * around[..., b])
    shares = weights.sum(axis=0)
    kept = sum(_sum_of_squares_kept(shares[:, g]) for g in groups) / np.sum(shares**2)
    of_raters = max(np.sum(raters**2) - max(seen, 0), 0) / kept
    variance = of_items + max(of_raters - of_both, 0)
    doubt = of_items**2 / (n_items - 1) + of_raters**2 * (1 - kept) / kept
    return variance, variance**2 / doubt


@pytest.mark.parametrize("seed", range(6))
def test_uneven_designs_are_the_sums_of_their_definition(seed):
    """Three systems, graded by one to five of six raters, not the same ones for each."""
    rng = np.random.default_rng(seed)
    n_items, n_raters, lenient = 9, 6, 2.0 * (seed % 3)
    table = rng.normal(0, 1, (n_items, n_raters, 3)) + rng.normal(0, 2, (n_items, 1, 1))
    table += rng.normal(0, lenient, (1, n_raters, 3)) + np.array([0.0, 1.0, 3.0])
    for i in range(n_items):
        for g in range(3):
            others = rng.permutation(n_raters if g < 2 else n_raters - 1)
            table[i, others[rng.integers(1, 6) :], g] = np.nan
    table[:, -1, 2] = np.nan  # the last rater has no grade of the last system
    found = clustered_means(*_rows(table))
    for a in range(3):
        own = found.own.variances[a], found.own.freedoms[a]
        assert own == pytest.approx(_by_definition(table, np.eye(3)[a]), rel=1e-9)
        for b in range(3):
            between = found.between.variances[a, b], found.between.freedoms[a, b]
            # A system does not differ from itself; items alone say how sure that is.
            expected = (0.0, n_items - 1.0)
            if a != b:
                expected = _by_definition(table, np.eye(3)[a] - np.eye(3)[b])
            assert between == pytest.approx(expected, rel=1e-9)


def test_equal_differences_hide_a_spread_of_one_step_whatever_the_unit():
    """Three items: as if two more had been one step above and below, 2 step² / 4, over 3."""
    group, item = np.tile([0, 1], 3), np.repeat(np.arange(3), 2)
    # In floating point, 0.1 + 0.2 is not 0.3: such gaps between differences are none.
    for unit in (0.1, 1e-9, 1e9 / 3):
        values = unit * np.array([0.0, 2.0, 1.0, 3.0, 7.0, 9.0])
        found = clustered_means(values, group, item, None, step=unit)
        hidden = 2 * unit**2 / 4 / 3
        assert found.between.variances == pytest.approx(
            np.array([[0.0, hidden], [hidden, 0.0]]), rel=1e-9, abs=0.0
        )
        plain = clustered_means(values, group, item, None).between.variances
        assert plain == pytest.approx(np.zeros((2, 2)), abs=1e-20 * unit**2)
    # Grades that are all 0 differ no more than others that are all alike.
    for value in (0.0, 4.0):
        found = clustered_means(np.full(6, value), group, item, None, step=1.0)
        assert found.own.variances == pytest.approx([1 / 6, 1 / 6])
        assert found.between.variances[0, 1] == pytest.approx(1 / 6)
    # Small differences are differences: 0, 1e-8 and 2e-8 have variance 1e-16, over 3.
    values = np.array([5.0, 5.0, 5.0, 5.0 + 1e-8, 5.0, 5.0 + 2e-8])
    found = clustered_means(values, group, item, None, step=1.0)
    assert found.between.variances[0, 1] == pytest.approx(1e-16 / 3, rel=1e-6, abs=0)


@pytest.mark.parametrize("raters", [1, 3])
def test_items_of_very_different_difficulty_cost_differences_no_digits(raters):
    rng = np.random.default_rng(4)
    gaps = rng.integers(-4, 5, (10, raters))
    table = np.stack([np.zeros((10, raters)), gaps, 2.0 * gaps], axis=2)
    hard = table + np.arange(10.0)[:, None, None] * 2.0**30
    plain, found = (clustered_means(*_rows(each)).between for each in (table, hard))
    np.testing.assert_allclose(found.variances, plain.variances, rtol=1e-4)


def test_gaussian_sds_give_the_intervals_of_student():
    spread = Spread(variances=np.array([0.25, 4.0]), freedoms=np.array([1.5, 30.0]))
    half = np.array([0.5 * student.ppf(0.975, 1.5), 2.0 * student.ppf(0.975, 30.0)])
    np.testing.assert_allclose(norm.ppf(0.975) * spread.gaussian_sds(), half)
    half = np.array([0.5 * student.ppf(0.9, 1.5), 2.0 * student.ppf(0.9, 30.0)])
    np.testing.assert_allclose(norm.ppf(0.9) * spread.gaussian_sds(0.8), half)


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


def test_tails_far_out_are_students_too():
    freedom, gap = np.array([60.0]), np.array([20.0])
    wide = same_tail_variances(gap, np.ones(1), freedom)
    beyond = student.logsf(20.0, 60.0)
    assert beyond < -50  # 1 minus so little is 1 to all digits
    assert norm.logsf(gap / np.sqrt(wide)) == pytest.approx(beyond, rel=1e-9)
    # Where no number is small enough for the tail, the difference is certain.
    assert same_tail_variances(np.array([1e300]), np.ones(1), freedom).tolist() == [0.0]
