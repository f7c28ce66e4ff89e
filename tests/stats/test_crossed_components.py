"""Variance components: a table by hand, dense matrices as reference, and what designs can tell."""

import numpy as np
import pytest
from tests.stats.crossed_rows import crossed_means

NAMES = ("i", "r", "si", "sr", "ir", "sir")


def _rows(table):
    """Return values and codes of a table (items, raters, groups); NaN where nobody graded."""
    item, rater, group = np.nonzero(np.isfinite(table))
    return table[item, rater, group], group, item, rater


def _by_name(found):
    return {each.name: each for each in found.components}


def _analysis_of_variance(table):
    """Return mean squares and degrees of freedom of a full table, as textbooks have them."""
    n_items, n_raters, n_groups = table.shape
    mean = table.mean()
    i = table.mean(axis=(1, 2)) - mean
    r = table.mean(axis=(0, 2)) - mean
    s = table.mean(axis=(0, 1)) - mean
    ir = table.mean(axis=2) - mean - i[:, None] - r
    si = table.mean(axis=1) - mean - i[:, None] - s
    sr = table.mean(axis=0) - mean - r[:, None] - s
    rest = table - mean - i[:, None, None] - r[:, None] - s - ir[:, :, None] - si[:, None, :] - sr
    freedom = {
        "i": n_items - 1,
        "r": n_raters - 1,
        "si": (n_items - 1) * (n_groups - 1),
        "sr": (n_raters - 1) * (n_groups - 1),
        "ir": (n_items - 1) * (n_raters - 1),
        "sir": (n_items - 1) * (n_raters - 1) * (n_groups - 1),
    }
    effects = {"i": i, "r": r, "si": si, "sr": sr, "ir": ir, "sir": rest}
    squares = {name: np.sum(each**2) * table.size / each.size for name, each in effects.items()}
    return {name: (squares[name] / freedom[name], freedom[name]) for name in NAMES}


def _random(seed, shape=(9, 4, 3)):
    rng = np.random.default_rng(seed)
    items, raters, groups = shape
    table = rng.normal(0, 0.6, shape) + np.arange(groups)
    table += rng.normal(0, 0.5, (items, 1, 1)) + rng.normal(0, 0.5, (1, raters, 1))
    table += rng.normal(0, 0.3, (items, 1, groups)) + rng.normal(0, 0.4, (1, raters, groups))
    return table + rng.normal(0, 0.3, (items, raters, 1))


def test_two_items_two_raters_two_groups_by_hand():
    # Second minus first group: 1, 2 (item one) and 3, 6 (item two).
    table = np.zeros((2, 2, 2))
    table[:, :, 1] = [[1.0, 2.0], [3.0, 6.0]]
    found = crossed_means(*_rows(table))
    assert found.means == pytest.approx([0.0, 3.0])
    # Differences: items -1.5, +1.5; raters -1, +1; rest -0.5, 0.5, 0.5, -0.5 around 3. Half of a
    # difference is what it adds in each group: 4 values a level, 2 levels and 2 groups.
    squares = {"si": 2 * 2 * 2 * 0.75**2, "sr": 2 * 2 * 2 * 0.5**2, "sir": 8 * 0.25**2}
    parts = _by_name(found)
    for name, square in squares.items():
        assert (parts[name].mean_square, parts[name].freedom) == pytest.approx((square, 1.0))
    assert parts["si"].variance == pytest.approx((4.5 - 0.5) / 2)
    assert parts["sr"].variance == pytest.approx((2.0 - 0.5) / 2)
    # The variance of a mean's part that groups do not share: (MS_si + MS_sr - MS_e) / 4.
    v = sum(parts[name].variance * parts[name].shape[0, 0] for name in squares)
    assert v == pytest.approx((4.5 + 2.0 - 0.5) / 4)


@pytest.mark.parametrize("seed", range(5))
def test_a_full_table_is_the_analysis_of_variance(seed):
    table = _random(seed)
    parts = _by_name(crossed_means(*_rows(table)))
    for name, (mean_square, freedom) in _analysis_of_variance(table).items():
        assert parts[name].mean_square == pytest.approx(mean_square, rel=1e-9)
        assert parts[name].freedom == pytest.approx(freedom)
    assert parts["r"].finer == ("sir", "sr", "ir")
    # 9 items, 4 raters, 3 groups: values per level.
    assert [parts[name].size for name in NAMES] == pytest.approx([12, 27, 4, 9, 3, 1])


def _indicators(codes):
    return (codes[:, None] == np.unique(codes)).astype(float)


def _dense(values, group, item, rater, names, cluster=None):
    """Variances by the same moments, with matrices of rows by rows."""
    code = {"s": group, "i": item, "r": rater, "c": cluster}
    levels = {}
    for name in ("s", *names):
        joint = np.zeros(len(values), dtype=int)
        for letter in name:
            joint = joint * (code[letter].max() + 1) + code[letter]
        levels[name] = _indicators(joint)
    fixed = levels["s"]
    off = np.eye(len(values)) - fixed @ np.diag(1 / fixed.sum(axis=0)) @ fixed.T
    forms = [off @ z @ np.diag(1 / z.sum(axis=0)) @ z.T @ off for z in (levels[n] for n in names)]
    squares = [values @ form @ values for form in forms]
    expected = [[np.sum((form @ levels[n]) * levels[n]) for n in names] for form in forms]
    weight = np.zeros((len(values), fixed.shape[1]))
    for row in range(len(values)):
        same = (item == item[row]) & (group == group[row])
        weight[row, group[row]] = 1 / ((item.max() + 1) * same.sum())
    shapes = {n: (levels[n].T @ weight).T @ (levels[n].T @ weight) for n in names}
    return dict(zip(names, np.linalg.solve(expected, squares), strict=True)), shapes


@pytest.mark.parametrize("seed", range(6))
def test_uneven_designs_equal_dense_matrices(seed):
    rng = np.random.default_rng(seed)
    table = _random(seed, (8, 5, 3))
    gone = rng.random(table.shape) < 0.4
    gone[np.arange(8)[:, None], rng.integers(5, size=(8, 3)), np.arange(3)] = False
    if seed % 2:  # the same raters for all groups of an item
        gone = np.broadcast_to(gone.all(axis=2, keepdims=True) | gone[:, :, :1], gone.shape).copy()
        gone[:, 0] = False
    table[gone] = np.nan
    rows = _rows(table)
    found = _by_name(crossed_means(*rows))
    variances, shapes = _dense(*rows, list(found))
    for name, each in found.items():
        assert each.variance == pytest.approx(variances[name], rel=1e-7, abs=1e-9)
        np.testing.assert_allclose(each.shape, shapes[name], atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_uneven_clusters_equal_dense_matrices(seed):
    rng = np.random.default_rng(seed)
    table = _random(seed, (12, 4, 3))
    gone = rng.random(table.shape) < 0.3
    gone[:, 0] = False
    table[gone] = np.nan
    values, group, item, rater = _rows(table)
    cluster = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3])[item]
    found = _by_name(crossed_means(values, group, item, rater, cluster=cluster))
    assert {"sc", "c", "si", "sr"} <= set(found)
    variances, shapes = _dense(values, group, item, rater, list(found), cluster)
    for name, part in found.items():
        assert part.variance == pytest.approx(variances[name], rel=1e-6, abs=1e-8)
        np.testing.assert_allclose(part.shape, shapes[name], atol=1e-12)


def test_even_clusters_by_hand():
    # Two clusters of two items, two groups, nobody known as a rater. Second minus first group: 1, 3
    # and 5, 7, so that cluster means are 2 and 6: half of a difference is what it adds to a group.
    values = np.array([0.0, 0, 0, 0, 1, 3, 5, 7])
    group, item = np.repeat([0, 1], 4), np.tile(np.arange(4), 2)
    found = _by_name(crossed_means(values, group, item, None, cluster=item // 2))
    # Within clusters: deviations of .5 in eight values, 2 degrees of freedom; between: of 1 in
    # eight values, 1 degree of freedom.
    assert (found["sir"].mean_square, found["sir"].freedom) == pytest.approx((8 * 0.25 / 2, 2.0))
    assert (found["sc"].mean_square, found["sc"].freedom) == pytest.approx((8 * 1.0, 1.0))
    # A difference of means so has the variance of two cluster means, (8 / 4) * 2: as 2 and 6 say.
    shape = sum(part.variance * part.shape for name, part in found.items() if "s" in name)
    assert shape[0, 0] + shape[1, 1] == pytest.approx(np.var([2.0, 6.0], ddof=1) / 2)


def test_clusters_of_one_item_change_nothing():
    values, group, item, rater = _rows(_random(3))
    plain = crossed_means(values, group, item, rater)
    same = crossed_means(values, group, item, rater, cluster=item)
    assert [part.name for part in same.components] == [part.name for part in plain.components]
    for one, other in zip(same.components, plain.components, strict=True):
        assert one.variance == pytest.approx(other.variance)


def test_one_rater_leaves_items_and_the_rest():
    table = _random(1)[:, :1]
    found = _by_name(crossed_means(*_rows(table)))
    assert set(found) == {"sir", "i"}
    unknown = _by_name(crossed_means(*_rows(table)[:3], None))
    assert unknown["sir"].mean_square == found["sir"].mean_square
    # What items do to groups is in the rest: (9 - 1)(3 - 1) degrees of freedom.
    assert found["sir"].freedom == pytest.approx(16.0)


def test_raters_with_items_of_their_own_take_them_in():
    table = np.full((12, 4, 3), np.nan)
    full = _random(2, (12, 4, 3))
    for item in range(12):
        table[item, item % 4] = full[item, item % 4]
    found = _by_name(crossed_means(*_rows(table)))
    assert set(found) == {"sir", "sr", "i", "r"}
    assert found["r"].finer == ("sir", "sr", "i")
    freedoms = {"sir": 2 * 8, "sr": 2 * 3, "i": 8, "r": 3}
    assert {name: each.freedom for name, each in found.items()} == pytest.approx(freedoms)


def test_a_rater_per_grade_is_part_of_the_rest():
    table = _random(3)[:, :1, :]
    values, group, item, _ = _rows(table)
    found = _by_name(crossed_means(values, group, item, np.arange(len(values))))
    assert set(found) == {"sir", "i"}


def test_raters_who_grade_unequally_much_count_for_less():
    even, uneven = _random(4, (30, 5, 3)), _random(4, (30, 5, 3))
    uneven[6:, 0] = np.nan
    freedoms = [_by_name(crossed_means(*_rows(each)))["sr"].freedom for each in (even, uneven)]
    assert freedoms[0] == pytest.approx(8.0)
    assert 6.0 < freedoms[1] < 8.0


def test_grades_without_any_spread_hide_one_of_a_step():
    table = np.zeros((3, 1, 2)) + np.arange(3.0)[:, None, None] + np.array([0.0, 1.0])
    found = _by_name(crossed_means(*_rows(table), step=0.5))
    # As if two more items had been a step above and below: 2 step² / (n + 1) for a difference.
    assert found["sir"].mean_square == pytest.approx(0.25 / 4)
    assert _by_name(crossed_means(*_rows(table)))["sir"].mean_square == 0.0


def test_means_are_those_of_items_however_many_raters_they_have():
    table = np.full((2, 3, 2), np.nan)
    table[0, :, 0], table[0, 0, 1] = [1.0, 2.0, 3.0], 5.0
    table[1, 1, 0], table[1, :2, 1] = 6.0, [7.0, 8.0]
    assert crossed_means(*_rows(table)).means == pytest.approx([4.0, 6.25])
