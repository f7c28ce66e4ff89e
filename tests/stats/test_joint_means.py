"""One joint distribution of means: Student's t, brute force, and what can never be."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student
from tests.stats.crossed_rows import crossed_means

from howgood.stats.crossed_components import Component
from howgood.stats.joint_means import joint_means, next_means

SE = 0.003  # a share of 32,768 draws, at its largest


def _part(name, mean_square, freedom, *, size=1.0, finer=(), shape):
    return Component(
        name=name, variance=mean_square, mean_square=mean_square, freedom=freedom, size=size,
        finer=finer, shape=np.asarray(shape, dtype=float),
    )  # fmt: skip


def _draws(means, parts, seed=1):
    return joint_means(np.asarray(means, dtype=float), parts, generator=np.random.default_rng(seed))


@pytest.mark.parametrize("freedom", [1.0, 2.5, 9.0])
def test_two_means_with_one_component_are_students(freedom):
    found = _draws([0.0, 1.2], [_part("e", 0.8, freedom, shape=np.eye(2))])
    expected = student.cdf(-1.2 / np.sqrt(2 * 0.8), freedom)
    assert np.mean(found.draws[:, 0] > found.draws[:, 1]) == pytest.approx(expected, abs=2 * SE)
    half = student.ppf(0.975, freedom) * np.sqrt([2 * 0.8, 0.8])
    assert 1.959964 * found.apart_sds[0, 1] == pytest.approx(half[0], rel=0.03)
    assert 1.959964 * found.own_sds == pytest.approx([half[1]] * 2, rel=0.03)


def _by_brute_force(means, squares, freedoms, sizes, seed):
    """Weigh a million draws of mean squares, of the spread of systems, and of the means."""
    rng, n, k = np.random.default_rng(seed), 1_000_000, len(means)
    rest, si, sr = (
        square * freedom / rng.chisquare(freedom, n)
        for square, freedom in zip(squares, freedoms, strict=True)
    )
    v = (si + sr - rest) / (sizes[0] * sizes[1])
    away = means - np.mean(means)
    tau = rng.uniform(0, 30 * np.std(means) + 30 * np.sqrt(np.median(v)), n)
    is_possible = (si >= rest) & (sr >= rest)
    v, tau = np.where(is_possible, v, 1.0), np.where(is_possible, tau, 0.0)
    weight = (
        is_possible * (v + tau**2) ** (-(k - 1) / 2) * np.exp(-(away @ away) / 2 / (v + tau**2))
    )
    chosen = rng.choice(n, 200_000, p=weight / weight.sum())
    kept = (tau**2 / (v + tau**2))[chosen, None]
    noise = rng.standard_normal((len(chosen), k)) * np.sqrt(kept * v[chosen, None])
    return kept * away + noise - noise.mean(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("squares", "freedoms"),
    [((0.4, 0.6, 2.0), (54.0, 18.0, 6.0)), ((0.4, 0.5, 0.3), (27.0, 27.0, 3.0))],
)
def test_four_means_equal_brute_force(squares, freedoms):
    """Components of 10 items and 3 raters; in the second case raters vary less than the rest."""
    means = np.array([0.0, 0.25, 0.3, 0.9])
    items, raters = 10, 3
    parts = [
        _part("sir", squares[0], freedoms[0], shape=np.eye(4) / (items * raters)),
        _part("si", squares[1], freedoms[1], size=raters, finer=("sir",), shape=np.eye(4) / items),
        _part("sr", squares[2], freedoms[2], size=items, finer=("sir",), shape=np.eye(4) / raters),
    ]
    found = _draws(means, parts).draws
    expected = _by_brute_force(means, squares, freedoms, (items, raters), 5)
    for one in range(4):
        for other in range(one):
            shares = [np.mean(each[:, one] < each[:, other]) for each in (found, expected)]
            assert shares[0] == pytest.approx(shares[1], abs=0.012)
    best = [np.bincount(each.argmax(axis=1), minlength=4) / len(each) for each in (found, expected)]
    np.testing.assert_allclose(*best, atol=0.012)


def test_what_moves_all_means_alike_has_no_say_in_their_order():
    rest = _part("e", 0.8, 4.0, shape=np.eye(2))
    item = _part("i", 0.3, 2.0, finer=("e",), shape=np.ones((2, 2)))
    alone, both = (_draws([0.0, 1.2], parts) for parts in ([rest], [rest, item]))
    shares = [np.mean(each.draws[:, 0] > each.draws[:, 1]) for each in (alone, both)]
    assert shares[0] == pytest.approx(shares[1], abs=2 * SE)
    assert np.all(both.own_sds > alone.own_sds)


@pytest.mark.parametrize("mean_square", [1e-12, 1e-100, 1e-310, 0.0, -4e-16])
def test_a_mean_square_below_its_floor_is_paretos(mean_square):
    """The noise is known to be 1, so one degree of freedom leaves t times it with t ** -0.5."""
    noise = _part("e", 1.0, 1e9, shape=np.zeros((2, 2)))
    effect = _part("sr", mean_square, 1.0, finer=("e",), shape=np.eye(2))
    found = _draws([0.0, 1.0], [noise, effect])
    # Gaussian noise of variance 2 (t - 1), t = u ** -2, integrated over u in fine steps.
    u = (np.arange(200_000) + 0.5) / 200_000
    expected = norm.cdf(-1 / np.sqrt(2 * (u**-2 - 1))).mean()
    assert np.mean(found.draws[:, 0] > found.draws[:, 1]) == pytest.approx(expected, abs=2 * SE)


def test_an_unlikely_floor_weighs_less_however_small_the_mean_square():
    """Two noises of 3 degrees of freedom: those that leave more room are likelier, as a power."""
    shares = []
    for mean_square in (1e-7, 0.0):
        noise = _part("e", 1.0, 3.0, shape=np.eye(2) / 5)
        effect = _part("sr", mean_square, 4.0, finer=("e",), shape=np.eye(2))
        draws = _draws([0.0, 1.0], [noise, effect]).draws
        shares.append(np.mean(draws[:, 0] > draws[:, 1]))
    assert shares[0] == pytest.approx(shares[1], abs=1e-3)


def test_hardly_any_degrees_of_freedom_leave_the_order_open():
    for mean_square in (0.5, 0.0):
        noise = _part("e", 1.0, 30.0, shape=np.zeros((2, 2)))
        effect = _part("sr", mean_square, 0.0004, finer=("e",), shape=np.eye(2))
        draws = _draws([0.0, 1.0], [noise, effect]).draws
        assert np.isfinite(draws).all()
        assert np.mean(draws[:, 0] > draws[:, 1]) == pytest.approx(0.5, abs=0.01)


def test_where_nothing_moves_the_means_they_are_as_observed():
    for means in ([1.0, 1.0], [0.0, 1.0, 3.0]):
        found = _draws(means, [_part("i", 0.8, 4.0, shape=np.ones((len(means),) * 2))])
        np.testing.assert_allclose(found.draws, np.broadcast_to(means, found.draws.shape))


def test_means_without_any_variance_are_certain():
    for means in ([0.0, 1.0, 1.0], [2.0, 2.0]):
        found = _draws(means, [_part("e", 0.0, 3.0, shape=np.eye(len(means)))])
        np.testing.assert_allclose(found.draws, np.broadcast_to(means, found.draws.shape))
        assert found.apart_sds.max() == 0.0


def test_close_means_of_many_groups_shrink_and_far_ones_do_not():
    """Ten groups that differ by no more than noise: hardly any order among them is known."""
    means = np.linspace(-1, 1, 10) * 0.35
    shares = []
    for unit in (1.0, 30.0):
        found = _draws(unit * means, [_part("e", 0.05, 200.0, shape=np.eye(10))]).draws
        gap = found[:, 9] - found[:, 0]
        shares.append((gap / (unit * 0.7)).mean())
    assert shares[0] < 0.8
    assert shares[1] == pytest.approx(1.0, abs=0.01)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    raters=st.integers(1, 4),
    groups=st.integers(2, 6),
    missing=st.sampled_from([0.0, 0.3]),
)
def test_the_better_of_two_observed_means_is_ahead_at_least_half_the_time(
    seed, raters, groups, missing
):
    rng = np.random.default_rng(seed)
    table = rng.normal(0, 1, (6, raters, groups)) + rng.normal(0, 1, (1, raters, groups))
    gone = rng.random(table.shape) < missing
    gone[:, 0] = False
    item, rater, group = np.nonzero(~gone)
    fitted = crossed_means(table[item, rater, group], group, item, rater)
    draws = _draws(fitted.means, fitted.components, seed).draws
    assert np.isfinite(draws).all()
    order = np.argsort(fitted.means)
    for low, high in pairwise(order):
        assert np.mean(draws[:, low] <= draws[:, high]) >= 0.5


@pytest.mark.parametrize("freedom", [4.0, np.inf])
def test_the_next_difference_of_two_means_is_students(freedom):
    """By hand: it lies around the observed one, as far as both measurements vary."""
    means, doubt, spread = np.array([0.0, 1.0]), np.diag([0.3, 0.2]), np.diag([0.6, 0.4])
    true, after = next_means(
        means, doubt, spread, freedom=freedom, generator=np.random.default_rng(2)
    )
    law = norm if np.isinf(freedom) else student(freedom)
    for draws, variance in ((true, 0.5), (after, 1.5)):
        share = np.mean(draws[:, 0] > draws[:, 1])
        assert share == pytest.approx(law.cdf(-1 / np.sqrt(variance)), abs=2 * SE)


def test_next_means_of_four_groups_by_brute_force():
    """A flat sd of the groups, weighed by its likelihood on a fine grid."""
    means = np.array([0.3, 0.1, 0.0, -0.5])
    doubt, spread = 0.04 * np.eye(4), 0.09 * np.eye(4)
    true, after = next_means(
        means, doubt, spread, freedom=np.inf, generator=np.random.default_rng(3)
    )
    rng, away = np.random.default_rng(4), means - means.mean()
    tau = (np.arange(200_000) + 0.5) / 200_000 * 40
    total = tau**2 + 0.04
    weight = total**-1.5 * np.exp(-(away @ away) / 2 / total)
    tau = rng.choice(tau, 400_000, p=weight / weight.sum())
    kept = (tau**2 / (tau**2 + 0.04))[:, None]
    expected = kept * away + np.sqrt(kept) * 0.2 * rng.standard_normal((len(tau), 4))
    later = expected + 0.3 * rng.standard_normal(expected.shape)
    for draws, reference in ((true, expected), (after, later)):
        for one, other in ((0, 1), (0, 3), (2, 3)):
            share = np.mean(draws[:, one] < draws[:, other])
            assert share == pytest.approx(
                np.mean(reference[:, one] < reference[:, other]), abs=2 * SE
            )


@given(st.integers(2, 6), st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_the_better_of_two_observed_means_stays_ahead_in_at_least_half_of_the_draws(k, seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(k, k))
    means = np.sort(rng.normal(size=k))
    for draws in next_means(
        means, root @ root.T, np.eye(k), freedom=5.0, generator=np.random.default_rng(1)
    ):
        for worse, better in pairwise(range(k)):
            assert np.mean(draws[:, better] >= draws[:, worse]) >= 0.5
