"""What must hold for every score distribution, whatever the feedback."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import score

deviations = st.floats(-4.0, 4.0)
spreads = st.one_of(st.just(0.0), st.floats(0.01, 3.0))
pair_lists = st.lists(st.tuples(deviations, spreads), min_size=1, max_size=12)
METRICS = [score.rmse, score.mse]


def _distribution(metric, pairs, **options):
    deviation, sd = np.array(pairs).T
    return metric(deviation, sd, 0.0, **options)


@settings(max_examples=60, deadline=None)
@given(pairs=pair_lists, q=st.floats(1e-12, 1 - 1e-12))
@pytest.mark.parametrize("metric", METRICS)
def test_quantiles_invert_the_distribution_function(metric, pairs, q):
    distribution = _distribution(metric, pairs)
    x = distribution.quantile(q)
    if distribution.variance == 0.0:
        assert x == pytest.approx(distribution.mean)
    else:
        # The quantile is a floating-point number: the neighbours' probabilities must enclose q.
        below, above = distribution.cdf(x * np.array([1 - 2e-14, 1 + 2e-14]))
        assert below * (1 - 1e-9) <= q <= above * (1 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(pairs=pair_lists)
@pytest.mark.parametrize("metric", METRICS)
def test_probabilities_rise_and_add_up(metric, pairs):
    distribution = _distribution(metric, pairs)
    x = np.linspace(0.0, distribution.mean + 6 * distribution.sd + 0.1, 41)
    cdf = distribution.cdf(x)
    assert np.all(np.diff(cdf) >= -1e-11)
    assert np.all((cdf >= 0) & (cdf <= 1))
    assert cdf + distribution.sf(x) == pytest.approx(np.ones(41), abs=1e-11)


@settings(max_examples=40, deadline=None)
@given(pairs=pair_lists, factor=st.floats(0.1, 30.0))
def test_changing_the_unit_changes_rmse_in_proportion(pairs, factor):
    one = _distribution(score.rmse, pairs)
    other = _distribution(score.rmse, [(d * factor, s * factor) for d, s in pairs])
    assert other.mean == pytest.approx(factor * one.mean, rel=1e-9, abs=1e-12)
    assert other.sd == pytest.approx(factor * one.sd, rel=1e-6, abs=1e-9)
    assert other.headroom == pytest.approx(one.headroom, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(pairs=pair_lists)
def test_rmse_is_the_root_of_mse(pairs):
    root, square = _distribution(score.rmse, pairs), _distribution(score.mse, pairs)
    x = np.linspace(0.01, 5.0, 9)
    assert root.cdf(x) == pytest.approx(square.cdf(x**2), abs=1e-12)
    assert root.mean**2 + root.variance == pytest.approx(square.mean, rel=1e-12, abs=1e-300)
    assert root.mean <= np.sqrt(square.mean) * (1 + 1e-12)


@settings(max_examples=40, deadline=None)
@given(pairs=pair_lists)
@pytest.mark.parametrize("metric", [score.rmse, score.mse, score.mae])
def test_the_order_of_pairs_does_not_matter_and_headroom_is_a_share(metric, pairs):
    forth, back = _distribution(metric, pairs), _distribution(metric, pairs[::-1])
    assert forth.mean == pytest.approx(back.mean, rel=1e-12, abs=1e-300)
    assert forth.variance == pytest.approx(back.variance, rel=1e-9, abs=1e-15)
    assert 0.0 <= forth.headroom <= 1.0


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 6), st.integers(0, 1000))
def test_categories_that_mimic_certainty_score_like_plain_numbers(n, seed):
    rng = np.random.default_rng(seed)
    answers, prediction = rng.integers(1, 6, n), rng.uniform(1, 5, n)
    feedback = score.categorical_feedback(np.eye(5)[answers - 1], values=[1, 2, 3, 4, 5])
    for metric in (score.rmse, score.mse, score.mae):
        sure = metric(answers, 0.0, prediction)
        same = metric(prediction=prediction, feedback=feedback)
        assert same.mean == pytest.approx(sure.mean, rel=1e-12)
        assert same.sd == pytest.approx(0.0, abs=1e-7)
