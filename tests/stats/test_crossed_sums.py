"""Sums of blocks of whole items add up to those of all rows, whatever their order and raters."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stats.crossed_rows import crossed_means

from howgood.stats import crossed_sums as module
from howgood.stats.crossed_components import means_from_sums
from howgood.stats.crossed_sums import blocks_of, crossed_sums


def _rows(seed, *, gaps):
    """Grades far from zero of 4 systems, 12 items in 4 clusters, 5 raters, some of them missing."""
    rng = np.random.default_rng(seed)
    item, group, rater = (codes.ravel() for codes in np.indices((12, 4, 5)))
    kept = (rater == rng.integers(0, 5, (12, 4))[item, group]) | (rng.random(item.size) > gaps)
    item, group, rater = item[kept], group[kept], rater[kept]
    rater = np.unique(rater, return_inverse=True)[1]
    value = 1000 + group + rng.normal(size=12)[item] + rng.normal(size=5)[rater]
    value += rng.normal(size=(4, 5))[group, rater] + rng.normal(size=item.size)
    return value, group, item, rater, item // 3


def _same(found, expected):
    assert found.means == pytest.approx(expected.means, rel=1e-12)
    assert [part.name for part in found.components] == [part.name for part in expected.components]
    for part, whole in zip(found.components, expected.components, strict=True):
        assert part.finer == whole.finer
        assert part.variance == pytest.approx(whole.variance, abs=1e-8)
        assert part.mean_square == pytest.approx(whole.mean_square, abs=1e-8)
        assert part.freedom == pytest.approx(whole.freedom)
        assert part.shape == pytest.approx(whole.shape, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    gaps=st.sampled_from([0.0, 0.4, 0.8]),
    clustered=st.booleans(),
    order=st.permutations(range(4)),
)
def test_blocks_add_up_in_any_order(seed, gaps, clustered, order):
    value, group, item, rater, cluster = _rows(seed, gaps=gaps)
    expected = crossed_means(value, group, item, rater, cluster=cluster if clustered else None)
    parts = []
    for block in order:
        rows = cluster == block
        # Blocks are counted from numbers of their own, as on machines that know no other block.
        anchor = np.full(4, value[rows][0])
        bunch = cluster[rows] if clustered else None
        some = (values[rows] for values in (value, group, item, rater))
        parts.append(crossed_sums(*some, cluster=bunch, anchor=anchor))
    _same(means_from_sums(reduce(add, parts)), expected)


def test_many_rows_are_taken_in_blocks(monkeypatch):
    value, group, item, rater, _ = _rows(1, gaps=0.4)
    expected = crossed_means(value, group, item, rater)
    monkeypatch.setattr(module, "_MOST_ROWS", 20)
    monkeypatch.setattr(module, "_FEWEST_ROWS", 20)
    blocks = list(blocks_of(item, 4))
    assert len(blocks) > 5
    assert sorted(np.concatenate(blocks)) == list(range(len(item)))
    assert all(
        set(item[one]).isdisjoint(item[two]) for one in blocks for two in blocks if one is not two
    )
    _same(crossed_means(value, group, item, rater), expected)


def test_raters_of_different_blocks_stay_apart():
    """Two items with raters of their own: every rater keeps the own column."""
    block = {"group": np.array([0, 1]), "item": np.zeros(2, dtype=int), "cluster": None}
    anchor = np.zeros(2)
    one = crossed_sums(np.array([1.0, 2.0]), rater=np.array([7, 7]), anchor=anchor, **block)
    other = crossed_sums(np.array([3.0, 5.0]), rater=np.array([2, 2]), anchor=anchor, **block)
    both = one + other
    assert both.raters.tolist() == [2, 7]
    assert both.by_rater["values",].tolist() == [[3.0, 1.0], [5.0, 2.0]]
    assert (both.lowest, both.highest) == (1.0, 5.0)
