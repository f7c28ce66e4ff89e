"""Quadrature, group likelihoods, modes, importance sampling and evidence, against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from scipy.special import expit, logit

from howgood.stats.importance import (
    StudentMixture,
    StudentT,
    WeightedDraws,
    _weighted_quantiles,
    bridge_log_evidence,
    hessian,
    inverse_curvature,
    maximise,
    weigh,
    weighted,
)
from howgood.stats.random_intercepts import (
    GroupCounts,
    log_marginal,
    log_marginal_many,
    normal_nodes,
)


@pytest.mark.parametrize(("power", "moment"), [(0, 1), (1, 0), (2, 1), (4, 3), (6, 15)])
def test_nodes_give_the_moments_of_a_normal_variable(power, moment):
    nodes, weights = normal_nodes()
    # What lies beyond six standard deviations is missing: about 2 φ(6) 6^(power - 1).
    beyond = 4 * math.exp(-18) / math.sqrt(2 * math.pi) * 6 ** max(power - 1, 0)
    assert weights @ nodes**power == pytest.approx(moment, abs=beyond)


@given(st.floats(-700, 10))
def test_logit_undoes_the_logistic_curve(x):
    assert logit(expit(x)) == pytest.approx(x, abs=1e-9)


def _by_hand(counts, alike, log_terms, weights):
    """The same sum, written as loops."""
    total = 0.0
    for group, times in zip(counts, alike, strict=True):
        inside = sum(
            weight * math.exp(sum(n * term for n, term in zip(group, column, strict=True)))
            for weight, column in zip(weights, log_terms.T, strict=True)
        )
        total += times * math.log(inside)
    return total


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_the_group_likelihood_is_the_sum_written_out(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (5, 3)).astype(float)
    groups = GroupCounts(counts, rng.integers(1, 4, 5).astype(float))
    _, weights = normal_nodes(9)
    log_terms = -rng.exponential(size=(3, 9))
    value, slopes = log_marginal(groups, log_terms, weights)
    assert value == pytest.approx(_by_hand(counts, groups.alike, log_terms, weights), rel=1e-10)
    many = log_marginal_many(groups, log_terms[:, None, :].astype(np.float32), weights)
    assert many[0] == pytest.approx(value, abs=1e-4)
    bumped = log_terms.copy()
    bumped[1, 4] += 1e-6
    change = (log_marginal(groups, bumped, weights)[0] - value) / 1e-6
    assert slopes[1, 4] == pytest.approx(change, abs=1e-4)


def test_groups_that_look_alike_are_counted_together():
    rows = GroupCounts.from_rows(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 0, 1]), 2)
    assert sorted(map(tuple, np.column_stack([rows.counts, rows.alike]))) == [
        (0, 1, 1),
        (1, 1, 2),
    ]


def test_many_groups_in_blocks_give_the_same():
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 3, (40_000, 2)).astype(float)
    groups = GroupCounts(counts, np.ones(40_000))
    _, weights = normal_nodes()
    log_terms = -rng.exponential(size=(2, 65))
    joint = np.exp(counts @ log_terms) @ weights
    assert log_marginal(groups, log_terms, weights)[0] == pytest.approx(np.log(joint).sum())


def _normal_target(size, seed):
    rng = np.random.default_rng(seed)
    root = np.tril(rng.normal(size=(size, size))) + 2 * np.eye(size)
    centre = 3 * rng.normal(size=size)
    precision = np.linalg.inv(root @ root.T)

    def value_and_gradient(x):
        pull = precision @ (x - centre)
        return -0.5 * float((x - centre) @ pull), -pull

    def log_density(points):
        away = points - centre
        return -0.5 * np.einsum("ij,jk,ik->i", away, precision, away)

    log_evidence = 0.5 * size * math.log(2 * math.pi) + float(np.log(np.abs(np.diag(root))).sum())
    return centre, root @ root.T, value_and_gradient, log_density, log_evidence


@pytest.mark.parametrize("size", [1, 4, 12])
def test_mode_and_curvature_of_a_normal_density(size):
    centre, covariance, value_and_gradient, _, _ = _normal_target(size, size)
    mode = maximise(value_and_gradient, np.zeros(size))
    np.testing.assert_allclose(mode, centre, atol=1e-4)
    found = inverse_curvature(hessian(value_and_gradient, mode))
    np.testing.assert_allclose(found, covariance, rtol=1e-4, atol=1e-5)


def test_the_mode_of_a_curved_valley_is_found():
    def banana(x):
        a, b = x
        value = -((1 - a) ** 2) - 100 * (b - a * a) ** 2
        return value, np.array([2 * (1 - a) + 400 * a * (b - a * a), -200 * (b - a * a)])

    np.testing.assert_allclose(maximise(banana, np.array([-1.2, 1.0])), [1, 1], atol=1e-3)


@pytest.mark.parametrize("size", [1, 5, 13])
def test_importance_sampling_recovers_evidence_mean_and_covariance(size):
    centre, covariance, _, log_density, log_evidence = _normal_target(size, 7)
    rng = np.random.default_rng(1)
    sample = weigh(log_density, StudentT.from_moments(centre + 0.1, covariance), 20_000, rng)
    assert sample.khat < 0.5
    assert sample.log_evidence == pytest.approx(log_evidence, abs=0.03)
    mean, found = sample.moments()
    spread = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose((mean - centre) / spread, 0, atol=0.05)
    np.testing.assert_allclose(np.diag(found) / spread**2, 1, atol=0.08)


def test_a_split_t_integrates_to_one():
    proposal = StudentT(np.zeros(1), np.eye(1), np.array([3.0]), np.array([0.5]))
    grid = np.linspace(-400, 800, 1_200_001)
    density = np.exp(proposal.log_density(grid[:, None]))
    assert density.sum() * (grid[1] - grid[0]) == pytest.approx(1, abs=1e-4)
    draws = proposal.sample(100_000, np.random.default_rng(2))[:, 0]
    # The side is chosen in proportion to its reach.
    assert np.mean(draws > 0) == pytest.approx(3 / 3.5, abs=0.005)


def test_a_split_t_fits_a_skewed_density_better():
    def log_density(points):  # a log-normal variable
        log_x = np.log(np.maximum(points[:, 0], 1e-300))
        return np.where(points[:, 0] > 0, -log_x - 0.5 * log_x**2, -np.inf)

    rng = np.random.default_rng(4)
    mean, variance = math.exp(0.5), math.expm1(1) * math.e
    plain = weigh(
        log_density, StudentT.from_moments(np.array([mean]), np.eye(1) * variance), 5000, rng
    )
    split = weigh(log_density, StudentT.around(plain), 5000, rng)
    assert split.efficiency > plain.efficiency
    assert split.log_evidence == pytest.approx(0.5 * math.log(2 * math.pi), abs=0.05)


def test_the_density_of_a_split_t_at_its_centre():
    root = np.array([[2.0, 0.0], [0.5, 1.5]])
    up, down = np.array([3.0, 1.0]), np.array([0.5, 2.0])
    found = StudentT(np.array([1.0, -1.0]), root, up, down, 5.0).log_density(
        np.array([[1.0, -1.0]])
    )
    # Each axis is stretched by the mean of its two sides.
    whole = stats.multivariate_t([1.0, -1.0], root @ root.T, df=5.0).logpdf([1.0, -1.0])
    assert found[0] == pytest.approx(whole - math.log(1.75) - math.log(1.5))


def test_a_t_around_normal_draws_reaches_as_far_to_either_side():
    rng = np.random.default_rng(3)
    draws = rng.multivariate_normal([1.0, -2.0], [[2.0, 0.6], [0.6, 1.0]], 60_000)
    found = StudentT.around(WeightedDraws(draws, np.full(60_000, 1 / 60_000), 0.0, 0.0))
    assert found.dof == 7.0
    np.testing.assert_allclose(found.centre, [1.0, -2.0], atol=0.03)
    np.testing.assert_allclose(found.root @ found.root.T, [[2.0, 0.6], [0.6, 1.0]], atol=0.05)
    np.testing.assert_allclose([found.up, found.down], 1.0, atol=0.03)
    # An exponential variable: quantiles .0513, .6931, 2.9957 about a mean and sd of 1.
    skewed = rng.exponential(size=(60_000, 1))
    split = StudentT.around(WeightedDraws(skewed, np.full(60_000, 1 / 60_000), 0.0, 0.0))
    assert split.centre == pytest.approx([0.6931], abs=0.03)
    assert split.up == pytest.approx([(2.9957 - 0.6931) / 1.6449], abs=0.06)
    assert split.down == pytest.approx([(0.6931 - 0.0513) / 1.6449], abs=0.02)


def test_sides_are_stretched_within_bounds():
    # Nearly all draws at 0 and a few far up: nothing below, and more than four sd above.
    draws = np.concatenate([np.zeros(93), np.full(7, 1.0)])[:, None]
    found = StudentT.around(WeightedDraws(draws, np.full(100, 0.01), 0.0, 0.0))
    assert found.down[0] == 0.3
    high = np.concatenate([np.zeros(940), np.full(60, 1.0)])[:, None]
    assert StudentT.around(WeightedDraws(high, np.full(1000, 1e-3), 0.0, 0.0)).up[0] <= 4.0


@pytest.mark.parametrize("scale", [np.diag([1.0, 0.0]), np.ones((2, 2)), np.diag([1e6, -1e-9])])
def test_a_scale_that_is_nearly_singular_is_widened_a_little(scale):
    found = StudentT.from_moments(np.zeros(2), scale)
    widened = found.root @ found.root.T - scale
    np.testing.assert_allclose(widened - np.diag(np.diag(widened)), 0, atol=1e-9)
    lift = np.diag(widened)
    # Doubled from a millionth of a millionth of the mean variance until it is enough.
    assert np.all(lift > 0)
    assert lift.max() <= 1e-11 * np.trace(scale) + 4e-9


def test_resampling_keeps_the_weights():
    rng = np.random.default_rng(5)
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    sample = WeightedDraws(np.arange(4.0)[:, None], weights, 0.0, 0.0)
    _, counts = np.unique(sample.resampled(1000, rng), return_counts=True)
    np.testing.assert_allclose(counts / 1000, [0.1, 0.2, 0.3, 0.4], atol=0.001)


def test_equal_weights_count_fully_and_one_weight_counts_once():
    def sample(weights, **more):
        return WeightedDraws(np.zeros((4, 1)), np.array(weights), 0.0, 0.0, **more)

    assert sample([0.25] * 4).effective == pytest.approx(4)
    assert sample([1.0, 0.0, 0.0, 0.0]).effective == pytest.approx(1)
    # Kish: 1 / (.25 + .0625 + .0625) = 8 / 3.
    assert sample([0.5, 0.25, 0.25, 0.0]).efficiency == pytest.approx(2 / 3)
    assert sample([0.25] * 4, independent=2.5).effective == 2.5


def test_equal_ratios_need_no_smoothing_and_hardly_any_draws_cannot_be_judged():
    even = weighted(np.zeros((200, 1)), np.full(200, 2.5))
    np.testing.assert_allclose(even.weights, 1 / 200)
    assert (even.khat, even.log_evidence) == (0.0, pytest.approx(2.5))
    few = weighted(np.zeros((2, 1)), np.array([0.0, math.log(3)]))
    np.testing.assert_allclose(few.weights, [0.25, 0.75])
    assert (few.khat, few.log_evidence) == (math.inf, pytest.approx(math.log(2)))


def test_weighted_quantiles_by_hand():
    # Each value stands at the middle of its weight: 1/6, 1/2 and 5/6.
    found = _weighted_quantiles(np.array([2.0, 0.0, 1.0]), np.full(3, 1 / 3), (0.25, 0.5, 1.0))
    assert found == pytest.approx([0.25, 1.0, 2.0])


def test_draws_without_any_density_fail_every_gate():
    sample = weighted(np.zeros((10, 1)), np.full(10, -np.inf))
    assert (sample.khat, sample.log_evidence) == (math.inf, -math.inf)
    np.testing.assert_allclose(sample.weights, 0.1)


@pytest.mark.parametrize("size", [1, 6])
def test_bridge_sampling_finds_the_evidence_of_a_normal_density(size):
    centre, covariance, _, log_density, log_evidence = _normal_target(size, 9)
    rng = np.random.default_rng(6)
    draws = rng.multivariate_normal(centre, covariance, 4000)
    found = bridge_log_evidence(draws, log_density, n_effective=4000, rng=rng)
    assert found == pytest.approx(log_evidence, abs=0.05)


def test_bridge_sampling_solves_the_optimal_bridges_equation():
    def log_density(
        points,
    ):  # logarithms of gamma variables: skewed, so that one step is not enough
        return (3.0 * points - np.exp(points)).sum(axis=1)

    draws = np.log(np.random.default_rng(1).gamma(3.0, size=(600, 2)))
    found = bridge_log_evidence(draws, log_density, n_effective=400.0, rng=np.random.default_rng(2))
    # The same halves and the same proposal, the equation solved by another method.
    rng = np.random.default_rng(2)
    shaping, bridged = np.split(rng.permutation(draws), 2)
    proposal = StudentT.from_moments(shaping.mean(axis=0), np.cov(shaping.T, bias=True))
    fresh = proposal.sample(300, rng)
    one, two = (log_density(x) - proposal.log_density(x) for x in (bridged, fresh))
    ours, theirs = 200 / 500, 300 / 500  # effective draws of the bridged half, fresh draws

    def imbalance(log_z):
        left = np.mean(np.exp(two) / (ours * np.exp(two) + theirs * np.exp(log_z)))
        right = np.mean(np.exp(log_z) / (ours * np.exp(one) + theirs * np.exp(log_z)))
        return math.log(left) - math.log(right)

    assert found == pytest.approx(optimize.brentq(imbalance, -5, 15, xtol=1e-12), abs=1e-6)
    assert found == pytest.approx(2 * math.lgamma(3.0), abs=0.2)


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_weights_do_not_depend_on_the_size_of_the_density(seed):
    log_ratio = np.random.default_rng(seed).normal(size=200)
    draws = np.arange(200.0)[:, None]
    first, second = weighted(draws, log_ratio), weighted(draws, log_ratio + 100)
    np.testing.assert_allclose(first.weights, second.weights, rtol=1e-6)
    assert second.log_evidence == pytest.approx(first.log_evidence + 100)


def _bent(points):
    """A standard normal ridge bent into a parabola: no single t resembles it. Evidence 2π."""
    across, along = points.T
    return -0.5 * across**2 - 0.5 * (along - 2.0 * across**2) ** 2


def test_a_mixture_of_t_integrates_to_one():
    rng = np.random.default_rng(8)
    sample = weigh(
        _bent, StudentT.from_moments(np.array([0.0, 2.0]), np.diag([1.0, 9.0])), 500, rng
    )
    proposal = StudentMixture.around(sample, n_components=3, dof=5.0, rng=rng)
    assert proposal.shares.sum() == pytest.approx(1)
    grid = np.stack(np.meshgrid(np.linspace(-30, 30, 801), np.linspace(-90, 110, 1601)), axis=-1)
    density = np.exp(proposal.log_density(grid.reshape(-1, 2)))
    assert density.sum() * (60 / 800) * (200 / 1600) == pytest.approx(1, abs=0.01)


def test_a_mixture_of_t_follows_a_bent_density():
    rng = np.random.default_rng(9)
    start = StudentT.from_moments(np.array([0.0, 2.0]), np.diag([1.0, 9.0]))
    plain = weigh(_bent, start, 4000, rng)
    single = weigh(_bent, StudentT.around(plain, dof=5.0), 4000, rng)
    several = plain
    for _ in range(3):  # as the engine does: each round shows more of the far ends
        proposal = StudentMixture.around(several, n_components=8, dof=5.0, rng=rng)
        several = weigh(_bent, proposal, 4000, rng)
    assert several.efficiency > 1.3 * single.efficiency
    assert several.log_evidence == pytest.approx(math.log(2 * math.pi), abs=0.06)
    # E[along] = 2 E[across²] = 2, sd 3: four standard errors of the effective draws.
    assert several.moments()[0] == pytest.approx([0, 2], abs=4 * 3 / math.sqrt(several.effective))


def test_a_mixture_of_t_fits_a_normal_density_cut_by_an_edge():
    def half(points):  # what one-sided answers leave of a wide prior: half of it
        return -0.5 * (points**2).sum(axis=1) - np.logaddexp(0.0, -600.0 * points[:, 0])

    rng = np.random.default_rng(10)
    plain = weigh(half, StudentT.from_moments(np.array([0.8, 0, 0]), np.eye(3)), 4000, rng)
    proposal = StudentMixture.around(plain, n_components=8, dof=5.0, rng=rng)
    found = weigh(half, proposal, 4000, rng)
    assert found.khat < 0.5
    assert found.efficiency > weigh(half, StudentT.around(plain, dof=5.0), 4000, rng).efficiency
    assert found.log_evidence == pytest.approx(
        1.5 * math.log(2 * math.pi) - math.log(2), abs=4 / math.sqrt(found.effective)
    )


def test_a_step_far_too_long_is_taken_back_without_a_warning():
    def ridge(x):  # nearly straight at the start, so that the curvature there says nothing
        return float(x[0] - np.exp(x[0])), np.array([1.0 - np.exp(x[0])])

    np.testing.assert_allclose(maximise(ridge, np.array([-30.0])), [0.0], atol=1e-3)
