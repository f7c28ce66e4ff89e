"""One system's distribution from sums: equal to that of the pairs, and honest about few of them."""

import numpy as np
import pytest

from howgood import score
from howgood.errors import DroppedRowsWarning, InputError, UnknownNameError
from howgood.score.score_from_sums import _power_sums
from howgood.stats.moments import power_sums

RNG = np.random.default_rng(8)
N = 4000
TABLE = {
    "mu": RNG.uniform(1, 5, N),
    "sigma": RNG.uniform(0.2, 1.5, N),
    "svd": RNG.uniform(1, 5, N),
    "knn": RNG.uniform(1, 5, N),
}
NAMES = {"mean": "mu", "sd": "sigma", "predictions": ["svd", "knn"]}


@pytest.mark.parametrize("metric", ["rmse", "mse"])
def test_sums_give_the_distribution_of_the_pairs(metric):
    ours = score.from_sums(score.squared_error_sums(TABLE, **NAMES), "knn", metric=metric)
    pairs = getattr(score, metric)(TABLE["mu"], TABLE["sigma"], TABLE["knn"])
    x = pairs.mean + pairs.sd * np.linspace(-5, 5, 11)
    assert ours.cdf(x) == pytest.approx(pairs.cdf(x), abs=1e-10)
    assert (ours.mean, ours.sd) == pytest.approx((pairs.mean, pairs.sd), rel=1e-10)
    assert (ours.barrier, ours.headroom) == pytest.approx((pairs.barrier, pairs.headroom))
    assert ours.provenance.settings["system"] == "knn"


def test_paper_method_needs_only_two_cumulants():
    ours = score.from_sums(score.squared_error_sums(TABLE, **NAMES), "svd", method="paper")
    pairs = score.rmse(TABLE["mu"], TABLE["sigma"], TABLE["svd"], method="paper")
    assert (ours.mean, ours.sd) == pytest.approx((pairs.mean, pairs.sd), rel=1e-12)


def test_known_trials_follow_the_degrees_of_freedom():
    """By hand: two pairs, sigma^2 = 1 (ddof 0) from n = 4 trials, deviations 0 and 1."""
    table = {"mu": [3.0, 4.0], "sigma": [1.0, 1.0], "svd": [3.0, 3.0]}
    sums = score.squared_error_sums(table, mean="mu", sd="sigma", predictions=["svd"], trials=4)
    ours = score.from_sums(sums, "svd", metric="mse")
    assert ours.mean == pytest.approx(1.5)  # ddof 0: (1 + 1 + 0 + 1) / 2
    assert ours.barrier == pytest.approx(4 / 3)  # ddof 1
    # second power per pair: 4/3 (2/5 + 2 Delta^2); twice the sum over N^2 is the variance of one
    # more rating, and the score of four is itself a fourth of that unsure
    assert ours.variance == pytest.approx(2 * (4 / 3) * (0.4 + 0.4 + 2.0) / 4 * (1 + 1 / 4))
    assert "widened" in ours.provenance.method


def test_few_pairs_are_said_to_be_a_gamma():
    few = {name: column[:5] for name, column in TABLE.items()}
    ours = score.from_sums(score.squared_error_sums(few, **NAMES), "svd")
    assert ours.method == "gamma"
    assert "too few pairs" in ours.provenance.method


def test_no_spread_is_a_point():
    table = {"mu": [3.0, 4.0], "sigma": [0.0, 0.0], "svd": [3.0, 2.0]}
    sums = score.squared_error_sums(table, mean="mu", sd="sigma", predictions=["svd"])
    assert score.from_sums(sums, "svd").sd == 0.0


def test_unknown_system_and_missing_powers_are_refused():
    sums = score.squared_error_sums(TABLE, **NAMES)
    with pytest.raises(UnknownNameError, match="als"):
        score.from_sums(sums, "als")
    with pytest.raises(InputError, match="expected 12"):
        score.from_sums(score.squared_error_sums(TABLE, **NAMES, powers=4), "svd")
    with pytest.raises(InputError, match="metric"):
        score.from_sums(sums, "svd", metric="mae")


def test_two_trials_of_small_spread_leave_a_small_second_power():
    """By hand: sigma^2 = .01 from n = 2 trials, deviation .1: 2 (0 + 2 .01 .01) per pair."""
    table = {"mu": [3.0, 4.0], "sigma": [0.1, 0.1], "svd": [3.1, 3.9]}
    sums = score.squared_error_sums(table, mean="mu", sd="sigma", predictions=["svd"], trials=2)
    found = score.from_sums(sums, "svd", metric="mse")
    assert found.variance == pytest.approx(2 * 2 * (4 * 1e-4) / 4 * (1 + 1 / 2))


def test_unknown_metrics_and_methods_are_named():
    sums = score.squared_error_sums(TABLE, **NAMES)
    with pytest.raises(InputError, match="metric='mae'"):
        score.from_sums(sums, "svd", metric="mae")
    with pytest.raises(InputError, match="method='monte-carlo'"):
        score.from_sums(sums, "svd", method="monte-carlo")


def _ratings(**more):
    names = {"who": [1, 1, 2, 2, 2], "what": [7, 7, 7, 7, 7], "stars": [3.0, 5.0, 2.0, 2.0, 5.0]}
    return names | {"wave": [1, 2, 1, 2, 3], "svd": [3.5, 3.5, 2.5, 2.5, 2.5]} | more


def test_ratings_may_have_columns_of_any_name():
    sums = score.rating_sums(
        _ratings(), predictions=["svd"], user="who", item="what", rating="stars", trial="wave"
    )
    # Means 4 and 3, deviations .5 and .5; variances (ddof 0) 1 and 2.
    assert sums.n == 2
    assert sums.variance_powers[:2] == pytest.approx([3.0, 5.0])
    assert sums.deviation_powers[0, :2] == pytest.approx([0.5, 0.25 + 0.5])


def test_a_rating_given_twice_in_one_trial_is_refused_when_trials_are_named():
    twice = _ratings(wave=[1, 1, 1, 2, 3])
    names = {"user": "who", "item": "what", "rating": "stars"}
    assert score.rating_sums(twice, predictions=["svd"], **names).n == 2
    with pytest.raises(InputError, match="wave"):
        score.rating_sums(twice, predictions=["svd"], **names, trial="wave")


def test_missing_ratings_are_dropped_on_request_and_powers_are_as_asked():
    gaps = _ratings(stars=[3.0, 5.0, np.nan, 2.0, 4.0])
    names = {"user": "who", "item": "what", "rating": "stars"}
    with pytest.raises(InputError, match="stars"):
        score.rating_sums(gaps, predictions=["svd"], **names)
    with pytest.warns(DroppedRowsWarning, match="1 in 'stars'"):
        sums = score.rating_sums(gaps, predictions=["svd"], **names, missing="drop", powers=3)
    assert sums.variance_powers == pytest.approx([2.0, 2.0, 2.0])


def test_trials_correct_the_variance_of_two_pairs_by_hand():
    table = {"mu": [1.5, 2.0], "sigma": [0.5, 0.2], "svd": [1.0, 2.0], "times": [4, 4]}
    sums = score.squared_error_sums(
        table, mean="mu", sd="sigma", predictions=["svd"], trials="times"
    )
    found = score.from_sums(sums, "svd", metric="mse", method="paper")
    # The fourth powers count 4/3 * 2/5, squares times variances 4/3 (see `TrialSums`).
    fourth = 4 / 3 * (2 / 5 * (0.5**4 + 0.2**4) + 2 * 0.25 * 0.25)
    # A re-rating differs from the mean of four by a fourth of that more.
    assert found.variance == pytest.approx(2 * fourth / 4 * 5 / 4)
    assert found.provenance.settings["feedback"] == "gaussian"


def test_the_sums_of_one_system_are_those_of_its_pairs():
    sums = score.squared_error_sums(TABLE, **NAMES)
    ours = _power_sums(sums, "knn")
    pairs = power_sums(TABLE["mu"], TABLE["sigma"], TABLE["knn"])
    assert (ours.n, ours.largest_variance) == (pairs.n, pytest.approx(pairs.largest_variance))
    assert ours.variance_sum == pytest.approx(np.sum(TABLE["sigma"] ** 2))
    np.testing.assert_allclose(ours.sums, pairs.sums, rtol=1e-9)


NAMED = {"user": "who", "item": "what", "rating": "stars"}


@pytest.mark.parametrize(
    ("predicted", "words"),
    [
        ({"who": [1, 2], "svd": [3.5, 2.5]}, "what"),
        ({"who": [1, 2], "what": [7, 7], "knn": [3.5, 2.5]}, "svd"),
        ({"who": [1, 2], "what": [7, 7], "svd": ["good", "bad"]}, "numbers"),
    ],
)
def test_tables_of_predictions_that_do_not_fit_are_refused(predicted, words):
    with pytest.raises(InputError, match=f"^predictions.*{words}"):
        score.rating_sums(_ratings(), predictions=["svd"], predicted=predicted, **NAMED)


def test_a_missing_system_that_is_called_like_the_feedback_is_refused():
    with pytest.raises(InputError, match=r"^predictions.*'mean'"):
        score.rating_sums(_ratings(), predictions=["mean"], **NAMED)


@pytest.mark.parametrize("method", ["exact", "paper"])
@pytest.mark.parametrize("metric", ["rmse", "mse"])
def test_few_ratings_widen_the_distribution_about_its_mean(metric, method):
    known = score.squared_error_sums(TABLE, **NAMES, trials=float("inf"))
    once = score.squared_error_sums(TABLE, **NAMES, trials=1)
    # Of single ratings: the score they show, and twice the variance of a re-rating.
    found = score.from_sums(once, "svd", metric=metric, method=method)
    inner = found.law.inner
    assert found.mean == pytest.approx(inner.mean)
    assert found.variance == pytest.approx(2 * inner.variance)
    x = found.mean + found.sd * np.linspace(-4, 4, 9)
    np.testing.assert_allclose(found.cdf(x) + found.sf(x), 1.0, atol=1e-9)
    back = found.quantile(found.cdf(x))
    np.testing.assert_allclose(back, x, rtol=1e-5)
    step = 1e-4 * found.sd
    slope = (found.cdf(x + step) - found.cdf(x - step)) / (2 * step)
    np.testing.assert_allclose(found.pdf(x), slope, rtol=1e-3, atol=1e-6)
    drawn = found.sample(20_000, random_state=1)
    assert drawn.std() == pytest.approx(found.sd, rel=0.03)
    assert score.from_sums(known, "svd", metric=metric).provenance.settings["doubt"] == 0


def test_nothing_is_below_an_error_of_zero():
    table = {"mu": [3.0, 4.0], "sigma": [1.0, 1.0], "svd": [3.1, 4.2]}
    sums = score.squared_error_sums(table, mean="mu", sd="sigma", predictions=["svd"], trials=1)
    found = score.from_sums(sums, "svd", metric="mse")
    assert found.quantile(1e-6) >= 0
    assert (found.cdf(-0.1), found.sf(-0.1), found.pdf(-0.1)) == (0.0, 1.0, 0.0)
    assert found.sample(1000, random_state=1).min() >= 0
