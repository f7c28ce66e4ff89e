"""Significant metrics: the paper's Fig. 7, quadrature, and limits."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import norm

from howgood import score
from howgood.errors import InputError
from howgood.score.error_metrics import significance_half_width

READINGS = [(i, n) for i in ("literal", "test") for n in ("none", "density", "count")]


def _error(metric, deviation, sd):
    better, worse = metric(deviation, sd, 0.0), metric(1.1 * deviation, sd, 0.0)
    return ndtr((better.mean - worse.mean) / np.hypot(better.sd, worse.sd))


def _crossing(metric):
    # The paper's test data: 1000 pairs, variances uniform over what five 5-star ratings allow.
    shares = (np.arange(1000) + 0.5) / 1000
    sd = np.sqrt(0.16 + shares * (3.86 - 0.16))
    return brentq(lambda d: _error(metric, d, sd) - 0.05, 0.1, 3.9)


def test_the_default_reading_reproduces_figure_7():
    assert _crossing(lambda *a: score.rmse(*a, method="paper")) == pytest.approx(1.35, abs=0.02)
    assert _crossing(score.significant_rmse) == pytest.approx(0.61, abs=0.01)


@pytest.mark.parametrize(
    "reading", [r for r in READINGS if r not in (("literal", "none"), ("literal", "density"))]
)
def test_other_readings_do_not_reproduce_figure_7(reading):
    interval, normalise = reading

    def metric(*a):
        return score.significant_rmse(*a, interval=interval, normalise=normalise)

    assert abs(_crossing(metric) - 0.61) > 0.3


def test_the_literal_interval_holds_its_mass_around_the_prediction():
    deviation, sd = np.array([0.0, 0.5, -2.0, 7.0]), np.array([1.0, 0.3, 1.5, 0.2])
    width = significance_half_width(deviation, sd, level=0.05, interval="literal")
    inside = ndtr((width - deviation) / sd) - ndtr((-width - deviation) / sd)
    assert inside == pytest.approx(np.full(4, 0.95), abs=1e-14)


@pytest.mark.parametrize("interval", ["literal", "test"])
@pytest.mark.parametrize(("deviation", "sd"), [(0.0, 1.0), (0.7, 0.5), (-2.0, 0.8)])
def test_one_pair_equals_quadrature(interval, deviation, sd):
    a = significance_half_width(np.array([deviation]), np.array([sd]), level=0.1, interval=interval)
    pieces = ((-12 * sd + deviation, -a[0]), (a[0], 12 * sd + deviation))

    def integral(power):
        return sum(
            quad(lambda u: abs(u) ** power * np.exp(-0.5 * ((u - deviation) / sd) ** 2), *piece)[0]
            for piece in pieces
            if piece[0] < piece[1]
        ) / (sd * np.sqrt(2 * np.pi))

    mass, first, second, fourth = (integral(power) for power in (0, 1, 2, 4))
    options = {"level": 0.1, "interval": interval}
    absolute = score.significant_mae([deviation], [sd], [0.0], normalise="none", **options)
    assert absolute.mean == pytest.approx(first, rel=1e-8)
    assert absolute.variance == pytest.approx(second - first**2, rel=1e-7)
    root = score.significant_rmse([deviation], [sd], [0.0], normalise="density", **options)
    square = second / mass
    assert root.mean == pytest.approx(np.sqrt(square), rel=1e-8)
    assert root.variance == pytest.approx((fourth / mass - square**2) / (4 * square), rel=1e-6)


@pytest.mark.parametrize(("interval", "normalise"), READINGS)
@pytest.mark.parametrize("metric", [score.significant_rmse, score.significant_mae])
def test_no_spread_is_the_limit_of_little_spread(metric, interval, normalise):
    sure = metric([1.0, -2.0], 0.0, 0.0, interval=interval, normalise=normalise)
    nearly = metric([1.0, -2.0], 1e-6, 0.0, interval=interval, normalise=normalise)
    assert sure.mean == pytest.approx(nearly.mean, rel=1e-4)
    assert sure.sd == pytest.approx(nearly.sd, abs=1e-3)


def test_wrong_choices_are_named():
    with pytest.raises(InputError, match="level: 5"):
        score.significant_rmse([1], [1], [1], level=5)
    with pytest.raises(InputError, match="interval='wide'"):
        score.significant_rmse([1], [1], [1], interval="wide")
    with pytest.raises(InputError, match="normalise='all'"):
        score.significant_mae([1], [1], [1], normalise="all")


def test_the_width_alone_holds_all_but_the_level():
    """Around the prediction, in the feedback's own distribution; and the test's by hand."""
    mean, sd, prediction = np.array([3.0, 4.0, 1.0]), np.array([0.5, 1.0, 2.0]), np.full(3, 3.0)
    width = score.significance_width(mean, sd, prediction, level=0.1)
    inside = norm.cdf(prediction + width, mean, sd) - norm.cdf(prediction - width, mean, sd)
    np.testing.assert_allclose(inside, 0.9, rtol=1e-12)
    by_test = score.significance_width(mean, 1.0, prediction, interval="test")
    np.testing.assert_allclose(by_test, 1.959963984540054, rtol=1e-12)
    with pytest.raises(InputError, match="level"):
        score.significance_width(mean, sd, prediction, level=2.0)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, np.nan])
def test_a_level_of_nothing_or_all_is_no_level(level):
    with pytest.raises(InputError, match="level: "):
        score.significant_rmse([1], [1], [1], level=level)


def test_only_values_below_zero_are_counted_as_such():
    with pytest.raises(InputError, match=r"1 of 3 values below 0 \(first: -2 in row 2\)"):
        score.significant_rmse([1, 1, 1], [0, -2, 1], [1, 1, 1])


@pytest.mark.parametrize("normalise", ["none", "density"])
def test_several_pairs_average_the_single_ones(normalise):
    pairs = [(3.0, 0.5, 2.0), (4.0, 1.0, 4.5), (1.0, 2.0, 3.0)]
    alone = [
        score.significant_mae([mean], [sd], [guess], normalise=normalise)
        for mean, sd, guess in pairs
    ]
    together = score.significant_mae(*map(list, zip(*pairs, strict=True)), normalise=normalise)
    assert together.mean == pytest.approx(np.mean([each.mean for each in alone]))
    assert together.variance == pytest.approx(sum(each.variance for each in alone) / 9)


def test_counting_pairs_alike_is_the_mean_outside_with_the_spread_of_a_ratio():
    def found(n, normalise):
        return score.significant_mae([1.0] * n, 0.6, 0.2, normalise=normalise)

    first = found(1, "none").mean
    second = found(1, "none").variance + first**2
    mass = first / found(1, "density").mean
    counted = found(5, "count")
    assert counted.mean == pytest.approx(first / mass)
    # The ratio of sums S / M linearised: Var(S - r M) / (n m)^2, and E(S - r M) is 0.
    assert counted.variance == pytest.approx((second - first**2 / mass) / (5 * mass**2))


def test_an_unknown_reading_of_the_interval_has_no_width():
    with pytest.raises(InputError, match="interval='wide'"):
        score.significance_width([1], [1], [1], interval="wide")


def test_counting_unequal_pairs_has_the_spread_of_the_ratio_of_drawn_sums():
    """Of S / M with S the sum and M the number of deviations outside, linearised at the means."""
    mean, sd = np.array([1.5, 0.0, 0.4]), np.array([0.5, 0.6, 0.3])
    options = {"level": 0.2, "interval": "test"}
    width = score.significance_width(mean, sd, 0.0, **options)
    deviation = np.abs(np.random.default_rng(0).normal(mean, sd, (200_000, 3)))
    outside = deviation > width
    size = np.where(outside, deviation, 0.0)
    ratio = size.mean(axis=0).sum() / outside.mean(axis=0).sum()
    spread = np.var(size - ratio * outside, axis=0).sum() / outside.mean(axis=0).sum() ** 2
    found = score.significant_mae(mean, sd, 0.0, normalise="count", **options)
    assert found.mean == pytest.approx(ratio, rel=0.01)
    assert found.variance == pytest.approx(spread, rel=0.02)


@pytest.mark.parametrize("metric", [score.significant_rmse, score.significant_mae])
def test_a_significant_score_tells_how_it_was_made(metric):
    found = metric([3.0, 4.0, np.nan], 0.5, [3.0, 3.0, 3.0], missing="drop")
    given = metric([3.0, 4.0], 0.5, [3.0, 3.0], level=0.05, interval="literal", normalise="density")
    assert (found.n, found.mean, found.sd) == (2, given.mean, given.sd)
    assert found.provenance.rows_used == 2
    assert found.provenance.rows_dropped == {"missing": 1}
    assert found.provenance.settings == {
        "metric": metric.__name__,
        "level": 0.05,
        "interval": "literal",
        "normalise": "density",
        "missing": "drop",
        "feedback": "gaussian",
    }


@pytest.mark.parametrize("metric", [score.significant_rmse, score.significant_mae])
def test_what_is_certain_and_right_scores_nothing(metric):
    found = metric([3.0, 4.0], 0.0, [3.0, 4.0])
    assert (found.mean, found.sd, found.barrier, found.headroom) == (0, 0, 0, 0)


@pytest.mark.parametrize("interval", ["literal", "test"])
@pytest.mark.parametrize(
    ("metric", "power"), [(score.significant_rmse, 2), (score.significant_mae, 1)]
)
@pytest.mark.parametrize("n", [1, 5, 60])
def test_unnormalised_scores_of_few_pairs_have_the_distribution_of_counted_draws(
    n, metric, power, interval
):
    # Mostly nothing counts: an atom at 0, which no Gaussian has.
    rng, repeats = np.random.default_rng([n, power]), 100_000
    mean, sd = rng.uniform(1, 5, n), rng.gamma(2.0, 0.4, n)
    prediction = mean + rng.normal(0, 0.8, n)
    found = metric(mean, sd, prediction, normalise="none", interval=interval)
    width = score.significance_width(mean, sd, prediction, interval=interval)
    deviation = np.abs(mean - prediction + sd * rng.standard_normal((repeats, n)))
    counted = np.where(deviation > width, deviation**power, 0.0).mean(axis=1) ** (1 / power)
    assert found.method == "exact"
    for point in (0.0, *np.quantile(counted, [0.6, 0.9, 0.97, 0.995])):
        share = float(np.mean(counted <= point + 1e-9))
        se = np.sqrt(max(share * (1 - share), 1e-4) / repeats)
        assert float(found.cdf(point + 1e-9)) == pytest.approx(share, abs=4 * se + 2e-3)
    assert found.mean == pytest.approx(counted.mean(), abs=4 * counted.std() / np.sqrt(repeats))
    assert found.sd == pytest.approx(counted.std(), rel=0.05)


def test_one_pair_counts_nothing_with_the_probability_of_its_interval():
    found = score.significant_rmse([3.0], [0.8], [3.5], normalise="none")
    assert float(found.cdf(0.0)) == pytest.approx(0.95)
    assert float(found.quantile(0.9)) == 0.0
    width = float(score.significance_width([3.0], [0.8], [3.5])[0])
    assert float(found.quantile(0.951)) == pytest.approx(width, abs=0.05)


def test_what_is_certain_and_right_never_counts():
    # The first pair adds 0 whatever happens, so that 0 is as likely as of the second alone.
    found = score.significant_rmse([3.0, 3.0], [0.0, 1.0], [3.0, 5.0], normalise="none")
    assert float(found.cdf(0.0)) == pytest.approx(0.95)


@pytest.mark.parametrize(("far", "method"), [(0.0, "exact"), (3.0, "exact"), (297.0, "gaussian")])
def test_a_pair_too_far_off_for_the_lattice_leaves_a_gaussian_that_says_so(far, method):
    prediction = np.full(400, 3.0)
    prediction[0] += far
    found = score.significant_rmse(np.full(400, 3.0), 1.0, prediction, normalise="none")
    assert found.method == method
    assert ("Gaussian" in found.provenance.method) == (method == "gaussian")


@pytest.mark.parametrize("far", [10.0, 20.0, 40.0, 80.0, 160.0])
def test_exact_is_exact_however_far_one_pair_lies_off(far):
    rng, repeats, n = np.random.default_rng(3), 20_000, 100
    mean = np.full(n, 3.0)
    prediction = mean + np.where(np.arange(n) == 0, far, 0.0)
    found = score.significant_rmse(mean, 1.0, prediction, normalise="none")
    if found.method == "gaussian":
        return
    width = score.significance_width(mean, 1.0, prediction)
    deviation = np.abs(mean - prediction + rng.standard_normal((repeats, n)))
    counted = np.sqrt(np.where(deviation > width, deviation**2, 0.0).mean(axis=1))
    for point in np.quantile(counted, [0.1, 0.5, 0.9]):
        share = float(np.mean(counted <= point))
        se = np.sqrt(share * (1 - share) / repeats)
        assert float(found.cdf(point)) == pytest.approx(share, abs=4 * se + 2e-3)
