"""Orders of Gaussian scores against independent integrators and closed cases."""

import math
from itertools import islice, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import ndtr

from howgood.stats import gaussian_ranks
from howgood.stats.gaussian_ranks import (
    lower_orthant,
    order_errors,
    ordered_draws,
    rank_probabilities,
    ranks_of_draws,
    shares_above,
)


def distances(covariance):
    own = np.diag(covariance)
    return own[:, None] + own[None, :] - 2 * covariance


def orthant_by_quadrature(means, covariance):
    """P(X < 0, Y < 0) as one integral over the first coordinate, by an adaptive rule."""
    s1, s2 = np.sqrt(np.diag(covariance))
    rho = covariance[0, 1] / (s1 * s2)

    def inner(z):
        second = (-means[1] / s2 - rho * z) / math.sqrt(1 - rho**2)
        return stats.norm.pdf(z) * stats.norm.cdf(second)

    top = -means[0] / s1
    return integrate.quad(inner, min(-12.0, top - 1), top, epsabs=1e-13, limit=200)[0]


def test_means_whose_product_underflows_keep_their_side():
    assert lower_orthant(np.array([1e-200, 1e-200]), np.eye(2)) == pytest.approx(0.25, abs=1e-15)


@settings(max_examples=60, deadline=None)
@given(m1=st.floats(-3, 3), m2=st.floats(-3, 3), rho=st.floats(-0.99, 0.99), s=st.floats(0.2, 5))
def test_the_orthant_equals_an_adaptive_integral(m1, m2, rho, s):
    covariance = np.array([[1.0, rho * s], [rho * s, s * s]])
    expected = orthant_by_quadrature(np.array([m1, m2]), covariance)
    assert lower_orthant(np.array([m1, m2]), covariance) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("means", "covariance", "expected"),
    [
        ([0, 0], [[1, 0.5], [0.5, 1]], 1 / 4 + math.asin(0.5) / (2 * math.pi)),
        ([0, 1], [[1, 0], [0, 1]], 0.5 * stats.norm.cdf(-1)),
        ([0.0, -1.0], [[1, 0], [0, 1]], 0.5 * stats.norm.cdf(1)),
        ([-0.5, 0.0], [[1, 0], [0, 1]], 0.5 * stats.norm.cdf(0.5)),
        ([0, 0], [[4, 3], [3, 9]], 1 / 4 + math.asin(0.5) / (2 * math.pi)),
        ([1, 2], [[1, 1], [1, 1]], stats.norm.cdf(-2)),
        ([-1, 0.5], [[1, -1], [-1, 1]], stats.norm.cdf(1) + stats.norm.cdf(-0.5) - 1),
        ([-1, 0.5], [[0, 0], [0, 1]], stats.norm.cdf(-0.5)),
        ([1, 0.5], [[0, 0], [0, 1]], 0.0),
        ([0.5, -1], [[1, 0], [0, 0]], stats.norm.cdf(-0.5)),
        ([0, 0.5], [[0, 0], [0, 1]], 0.5 * stats.norm.cdf(-0.5)),
        ([1.0, 2.2e-311], [[1, 0], [0, 1]], 0.5 * stats.norm.cdf(-1)),
        ([3.4e-38, 2.2e-311], [[1, 0], [0, 1]], 0.25),
    ],
)
def test_closed_and_singular_orthants(means, covariance, expected):
    found = lower_orthant(np.array(means, dtype=float), np.array(covariance, dtype=float))
    assert found == pytest.approx(expected, abs=1e-14)


def test_exchangeable_scores_have_equal_chances():
    for n_scores in (2, 3, 4, 7):
        found = rank_probabilities(
            np.zeros(n_scores), distances(np.eye(n_scores)), generator=np.random.default_rng(0)
        )
        allowed = 1e-12 if n_scores <= 3 else 5 * found.mcse
        assert np.abs(found.ranks - 1 / n_scores).max() <= allowed
        assert found.mcse < 0.002


def test_two_and_three_scores_are_closed_form():
    """Independent scores: an angle for equal means, the law of one difference for two."""
    generator = np.random.default_rng(0)
    two = rank_probabilities(np.array([0.3, 0.0]), distances(np.diag([1, 3])), generator=generator)
    chances = {(0, 1): stats.norm.cdf(-0.15), (1, 0): stats.norm.cdf(0.15)}
    assert dict(two.orderings) == pytest.approx(chances, abs=1e-14)
    sds = np.array([1.0, 1.0, 2.0])
    three = rank_probabilities(np.zeros(3), distances(np.diag(sds**2)), generator=generator)
    assert len(three.orderings) == 6
    for (a, b, c), chance in three.orderings:
        # a - b and b - c share b alone.
        slope = -(sds[b] ** 2) / math.sqrt(
            (sds[a] ** 2 + sds[b] ** 2) * (sds[b] ** 2 + sds[c] ** 2)
        )
        assert chance == pytest.approx(1 / 4 + math.asin(slope) / (2 * math.pi), abs=1e-14)
    assert two.mcse == three.mcse == 0
    same = rank_probabilities(np.ones(3), np.zeros((3, 3)), generator=generator)
    assert [chance for _, chance in same.orderings] == pytest.approx([1 / 6] * 6, abs=1e-15)
    alone = rank_probabilities(np.ones(1), np.zeros((1, 1)), generator=generator)
    assert alone.orderings == (((0,), 1.0),)


def first_by_quadrature(score, means, sds):
    """P(one independent score is below all others), over the score's own density."""
    z = np.linspace(-9, 9, 2_001)  # of a smooth integrand, the plain sum has all digits
    below = [
        ndtr((mean - means[score] - sds[score] * z) / sd)
        for other, (mean, sd) in enumerate(zip(means, sds, strict=True))
        if other != score
    ]
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return float((density * np.prod(below, axis=0)).sum() * (z[1] - z[0]))


def test_chances_of_the_first_and_last_place_equal_an_integral():
    means, sds = np.array([0.0, 0.0, 0.0, 0.1, -0.1]), np.array([0.3, 0.1, 0.4, 0.2, 0.15])
    found = rank_probabilities(
        means, distances(np.diag(sds**2)), generator=np.random.default_rng(6)
    )
    first = [first_by_quadrature(each, means, sds) for each in range(5)]
    last = [first_by_quadrature(each, -means, sds) for each in range(5)]
    np.testing.assert_allclose(found.ranks[:, 0], first, atol=5 * found.mcse)
    np.testing.assert_allclose(found.ranks[:, -1], last, atol=5 * found.mcse)
    assert found.mcse < math.sqrt(0.25 / 65_536)  # better than as many independent draws


def test_the_unit_of_scores_changes_nothing():
    rng = np.random.default_rng(7)
    factor, means = rng.normal(size=(5, 5)), rng.normal(size=5)
    one, other = (
        rank_probabilities(
            unit * means, unit**2 * distances(factor @ factor.T), generator=np.random.default_rng(8)
        ).ranks
        for unit in (1.0, 2.0**-40)
    )
    np.testing.assert_allclose(other, one, atol=4 / 65_536)  # a point in a thousand may round over


def test_directions_have_the_covariance_of_centred_scores_and_no_more_columns_than_its_rank():
    rng = np.random.default_rng(9)
    centring = np.eye(6) - 1 / 6
    for rank in [1] * 20 + [2, 3, 5]:
        factor = rng.normal(size=(6, rank))
        covariance = factor @ factor.T
        found = gaussian_ranks._directions(distances(covariance))
        assert found.shape == (6, rank)
        np.testing.assert_allclose(found @ found.T, centring @ covariance @ centring, atol=1e-12)


def test_three_scores_agree_with_sampling_many_more():
    rng = np.random.default_rng(3)
    factor = rng.normal(size=(3, 3))
    means, covariance = np.array([0.0, 0.3, -0.2]), factor @ factor.T
    found = rank_probabilities(means, distances(covariance), generator=rng)
    draws = rng.multivariate_normal(means, covariance, 200_000)
    sampled, orderings = ranks_of_draws(ordered_draws(draws, generator=rng))
    assert np.abs(found.ranks - sampled).max() < 4 * math.sqrt(0.25 / 200_000)
    exact = dict(found.orderings)
    assert all(abs(exact[order] - share) < 0.005 for order, share in orderings)
    assert sum(exact.values()) == pytest.approx(1)


def test_scores_that_share_one_source_of_noise_keep_a_certain_order():
    """Rank one covariance in four dimensions: a + z, a + 2z, ... with z the only noise."""
    slopes = np.array([1.0, 2.0, 3.0, 4.0])
    covariance = np.outer(slopes, slopes)
    found = rank_probabilities(
        np.zeros(4), distances(covariance), generator=np.random.default_rng(1)
    )
    chances = dict(found.orderings)
    assert set(chances) == {(0, 1, 2, 3), (3, 2, 1, 0)}
    assert chances[(0, 1, 2, 3)] == pytest.approx(0.5, abs=0.002)


def test_certain_scores_have_certain_ranks():
    found = rank_probabilities(
        np.array([3.0, 1.0, 2.0, 0.0, 5.0]), np.zeros((5, 5)), generator=np.random.default_rng(0)
    )
    assert found.orderings == (((3, 1, 2, 0, 4), 1.0),)
    assert found.mcse == 1 / (16 * 4096)  # one point of all: never nothing


def test_far_tails_keep_their_digits():
    errors = order_errors(np.array([0.0, 10.0]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert errors[0, 1] == pytest.approx(stats.norm.sf(10), rel=1e-12, abs=0)


def test_scores_that_always_tie_share_their_ranks_evenly_among_others():
    covariance = np.diag([1.0, 1.0, 0.5, 2.0, 1.0])
    covariance[0, 1] = covariance[1, 0] = 1.0  # the first two are one and the same
    means = np.array([0.2, 0.2, 0.0, 0.5, 0.1])
    found = rank_probabilities(means, distances(covariance), generator=np.random.default_rng(4))
    np.testing.assert_allclose(found.ranks.sum(axis=0), 1.0)
    np.testing.assert_allclose(found.ranks.sum(axis=1), 1.0)
    assert found.ranks[0].tolist() == found.ranks[1].tolist()
    # Alone, the pair is first as often as it would be as one score, and each of them half of that.
    single = rank_probabilities(
        means[1:], distances(covariance[1:, 1:]), generator=np.random.default_rng(5)
    )
    assert found.ranks[0, 0] == pytest.approx(single.ranks[0, 0] / 2, abs=4 * found.mcse)


def test_the_sampling_error_is_that_of_independent_scrambles():
    covariance = np.diag([1.0, 0.5, 2.0, 1.5])
    means = np.array([0.0, 0.1, 0.3, -0.2])
    runs = [
        rank_probabilities(means, distances(covariance), generator=np.random.default_rng(seed))
        for seed in range(12)
    ]
    spread = np.std([run.ranks for run in runs], axis=0, ddof=1).max()
    claimed = np.mean([run.mcse for run in runs])
    assert 0.3 * claimed < spread < 2 * claimed


def test_the_sampling_error_of_two_scrambles_is_half_of_what_they_differ(monkeypatch):
    means, variances = np.array([0.0, 0.1, 0.3, -0.2]), distances(np.diag([1.0, 0.5, 2.0, 1.5]))

    def ranked(scrambles):
        monkeypatch.setattr(gaussian_ranks, "_SCRAMBLES", scrambles)
        return rank_probabilities(means, variances, generator=np.random.default_rng(3))

    with pytest.warns(RuntimeWarning):  # one scramble has no spread
        first = ranked(1).ranks
    both = ranked(2)
    # Half of first - second is first - (first + second) / 2.
    assert both.mcse == pytest.approx(np.abs(first - both.ranks).max(), rel=1e-12)


@pytest.mark.parametrize(
    ("draw", "orders"),
    [
        ([2.0, 2.0], [(0, 1), (1, 0)]),
        ([5.0, 0.0, 0.0], [(1, 2, 0), (2, 1, 0)]),
        ([0.0, 0.0, 0.0], list(permutations(range(3)))),
    ],
)
def test_equal_draws_are_put_in_random_order(draw, orders):
    n_draws = 6_000
    draws = np.tile(draw, (n_draws, 1))
    ranks, found = ranks_of_draws(ordered_draws(draws, generator=np.random.default_rng(2)))
    share = 1 / len(orders)
    allowed = 4 * math.sqrt(share * (1 - share) / n_draws)
    assert dict(found) == pytest.approx(dict.fromkeys(orders, share), abs=allowed)
    for score in range(len(draw)):
        for rank in range(len(draw)):
            expected = share * sum(order[rank] == score for order in orders)
            assert ranks[score, rank] == pytest.approx(expected, abs=2 * allowed)


def test_no_more_orderings_are_listed_than_seven_scores_have():
    draws = np.array(list(islice(permutations(range(8)), 5_100)), dtype=float)
    _, orderings = ranks_of_draws(ordered_draws(draws, generator=np.random.default_rng(0)))
    assert len(orderings) == math.factorial(7)
    assert {chance for _, chance in orderings} == {1 / 5_100}


@pytest.mark.parametrize("freedom", [2.5, 8.0])
@pytest.mark.parametrize("n_scores", [2, 3, 4])
def test_few_degrees_of_freedom_are_a_joint_student_t(freedom, n_scores):
    rng = np.random.default_rng(n_scores)
    means, root = rng.normal(0, 1, n_scores), rng.normal(0, 1, (n_scores, n_scores))
    covariance = root @ root.T
    own = np.diag(covariance)
    variances = own[:, None] + own - 2 * covariance
    found = rank_probabilities(means, variances, generator=rng, freedom=freedom)
    drawn = stats.multivariate_t(means, covariance, df=freedom, seed=5).rvs(200_000)
    places = np.argsort(np.argsort(drawn, axis=1), axis=1)
    shares = np.stack([(places == place).mean(axis=0) for place in range(n_scores)], axis=1)
    np.testing.assert_allclose(found.ranks, shares, atol=4 * found.mcse + 0.006)
    # Pairs are Student's, as said of each alone.
    ratio = (means[:, None] - means) / np.sqrt(np.maximum(variances, 1e-300))
    behind = stats.t.cdf(ratio, freedom)
    expected = behind.sum(axis=1) - 0.5
    ranks = found.ranks @ np.arange(n_scores)
    np.testing.assert_allclose(ranks, expected, atol=4 * n_scores * found.mcse + 1e-9)


def test_two_scores_that_cannot_differ_share_their_ranks_whatever_the_freedom():
    found = rank_probabilities(
        np.zeros(2), np.zeros((2, 2)), generator=np.random.default_rng(1), freedom=3.0
    )
    assert found.ranks.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    apart = rank_probabilities(
        np.array([0.0, 1.0]), np.zeros((2, 2)), generator=np.random.default_rng(1), freedom=3.0
    )
    assert apart.ranks.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_equal_scores_of_a_draw_share_their_ranks():
    """By hand: a clear order, a pair in front, three alike."""
    draws = np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 3.0], [2.0, 2.0, 2.0]])
    ranks, _ = ranks_of_draws(ordered_draws(draws, generator=np.random.default_rng(1)))
    third = 1 / 3
    by_hand = [
        [1 + 0.5 + third, 0.5 + third, third],
        [0.5 + third, 1 + 0.5 + third, third],
        [third, third, 2 + third],
    ]
    np.testing.assert_allclose(ranks, np.array(by_hand) / 3, rtol=1e-12)


@pytest.mark.parametrize("n_scores", [4, 20, 300])
def test_pairs_ranks_and_orderings_are_those_of_counting(n_scores):
    """With ties in some draws and none in others; small numbers hold the places of 256 scores."""
    rng = np.random.default_rng(n_scores)
    draws = rng.normal(0, 1, (60, n_scores))
    draws[::3] = np.round(draws[::3])
    draws[1::3] = draws[1]
    ordered = ordered_draws(draws, generator=rng)
    above = (draws[:, :, None] > draws[:, None, :]).mean(axis=0)
    level = (draws[:, :, None] == draws[:, None, :]).mean(axis=0)
    shares = shares_above(ordered)
    np.testing.assert_allclose(shares, above + level / 2, atol=1e-12)
    ranks, orderings = ranks_of_draws(ordered)
    np.testing.assert_allclose(ranks @ np.arange(n_scores), shares.sum(axis=1) - 0.5, atol=1e-9)
    order, share = orderings[0]
    assert order == tuple(np.argsort(draws[1]).tolist())
    assert share >= 20 / 60
