"""Likelihoods of groups with one unseen quantity each, against loops over their definition."""

import math

import numpy as np
import pytest

from howgood.stats.random_intercepts import (
    GroupCounts,
    log_marginal,
    log_marginal_many,
    log_marginal_of_choices,
)


def _by_loops(groups, log_terms, node_weights):
    """Return the log likelihood and its slopes, group by group and node by node."""
    value, slopes = 0.0, np.zeros_like(log_terms)
    for counts, alike in zip(groups.counts, groups.alike, strict=True):
        logs = [
            math.log(weight) + sum(n * term for n, term in zip(counts, column, strict=True))
            for weight, column in zip(node_weights, log_terms.T, strict=True)
        ]
        highest = max(logs)
        share = [math.exp(one - highest) for one in logs]
        value += alike * (highest + math.log(math.fsum(share)))
        for outcome, n in enumerate(counts):
            slopes[outcome] += alike * n * np.array(share) / math.fsum(share)
    return value, slopes


# Factors on the counts: in the second case the nodes of a group lie thousands of logs apart, so
# that its likelihood holds only if the greatest of them is taken out before the exponential.
@pytest.mark.parametrize("factor", [1, 1000])
def test_the_likelihood_and_its_slopes_are_those_of_loops(factor):
    rng = np.random.default_rng(1)
    groups = GroupCounts(
        factor * rng.integers(0, 4, (5, 3)).astype(float), np.array([1.0, 3, 1, 2, 1])
    )
    log_terms = np.log(rng.uniform(0.01, 0.99, (3, 7)))
    node_weights = rng.dirichlet(np.ones(7))
    value, slopes = _by_loops(groups, log_terms, node_weights)
    found, found_slopes = log_marginal(groups, log_terms, node_weights)
    assert found == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(found_slopes, slopes, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("factor", [1, 1000])
def test_many_sets_of_parameters_have_the_likelihoods_of_loops(factor):
    rng = np.random.default_rng(2)
    groups = GroupCounts(
        factor * rng.integers(0, 4, (5, 3)).astype(float), np.array([1.0, 3, 1, 2, 1])
    )
    log_terms = np.log(rng.uniform(0.01, 0.99, (3, 4, 7)))
    node_weights = rng.dirichlet(np.ones(7))
    expected = [_by_loops(groups, log_terms[:, draw], node_weights)[0] for draw in range(4)]
    found = log_marginal_many(groups, log_terms.astype(np.float32), node_weights)
    # Single precision.
    assert found == pytest.approx(expected, rel=3e-6)


def test_answers_of_yes_or_no_have_the_likelihoods_of_loops():
    rng = np.random.default_rng(3)
    groups = GroupCounts(rng.integers(0, 4, (6, 4)).astype(float), np.array([1.0, 3, 1, 2, 1, 5]))
    center, spread = rng.normal(0, 4, (2, 5, 3)), rng.normal(0, 3, (5, 7))
    place, weights = np.array([0, 0, 0, 1, 1, 2, 2]), rng.dirichlet(np.ones(7))
    x = center[:, :, place] + spread
    terms = -np.concatenate([np.logaddexp(0, -x), np.logaddexp(0, x)])
    expected = [_by_loops(groups, terms[:, draw], weights)[0] for draw in range(5)]
    found = log_marginal_of_choices(groups, center, spread, weights, place=place)
    assert found == pytest.approx(expected, rel=3e-6)
    one = log_marginal_of_choices(groups, center[:, :, :1], spread, weights)
    same = log_marginal_of_choices(groups, center, spread, weights, place=0 * place)
    assert one == pytest.approx(same)
