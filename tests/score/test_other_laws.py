"""Feedback of other laws, first-order propagation, families of draws, significant losses."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from howgood import decide, score
from howgood.errors import InputError, SignificantOnlyWarning


def test_a_beta_has_the_mean_sd_and_quantiles_asked_for():
    feedback = score.beta_feedback([2.0, 4.5, 3.0], [0.6, 0.4, 0.0], lowest=1, highest=5)
    assert feedback.mean == pytest.approx([2.0, 4.5, 3.0])
    assert feedback.sd == pytest.approx([0.6, 0.4, 0.0], abs=1e-12)
    share, variance = (4.5 - 1) / 4, (0.4 / 4) ** 2
    size = share * (1 - share) / variance - 1
    law = stats.beta(share * size, (1 - share) * size, loc=1, scale=4)
    # Of 32 equally probable values, no distribution function comes closer than half a step.
    assert stats.kstest(feedback.values[1], law.cdf).statistic < 1 / 32
    assert feedback.values[1].min() > 1
    assert feedback.values[1].max() < 5


@pytest.mark.parametrize(
    ("mean", "sd", "ends"), [(6.0, 0.5, (1, 5)), (3.0, 2.5, (1, 5)), (3.0, 0.5, (5, 1))]
)
def test_a_beta_that_cannot_be_is_refused(mean, sd, ends):
    with pytest.raises(InputError):
        score.beta_feedback(mean, sd, lowest=ends[0], highest=ends[1])


def test_ranking_on_two_possible_answers_by_hand():
    """One pair answers 1 or 3, the other 2: errors of a (1, 2) and b (3, 2) are mirror images."""
    feedback = score.categorical_feedback([[0.5, 0.0, 0.5], [0, 1, 0]], values=[1, 2, 3])
    ranking = decide.rank({"a": [1, 2], "b": [3, 2], "c": [2, 2]}, feedback=feedback, metric="mse")
    assert ranking.scores == pytest.approx([1.0, 1.0, 0.5])
    assert ranking.differences[0, 1] == pytest.approx(0)
    # (a - b) is -2 or 2: variance 4; a's own score is 0 or 2: variance 1.
    assert ranking.difference_variances[0, 1] == pytest.approx(4.0)
    assert ranking.score_sds[0] == pytest.approx(1.0)
    assert ranking.error("a", "b") == pytest.approx(0.5, abs=0.01)
    # c always scores .5: a beats it half of the time.
    assert ranking.error("c", "a") == pytest.approx(0.5, abs=0.01)
    assert ranking.barrier == pytest.approx(0.5)


@pytest.mark.parametrize("metric", ["rmse", "mse", "mae"])
@pytest.mark.parametrize("n", [20, 120])
def test_ranking_on_other_laws_is_what_brute_force_finds(metric, n):
    rng = np.random.default_rng(n)
    mean = rng.uniform(1.5, 4.5, n)
    feedback = score.beta_feedback(mean, 0.5, lowest=1, highest=5)
    systems = {"a": mean + rng.normal(0, 0.4, n), "b": mean + rng.normal(0, 0.5, n)}
    ranking = decide.rank(systems, feedback=feedback, metric=metric)
    answers = feedback.draw(rng, 20_000)
    away = [np.abs(answers - system) for system in systems.values()]
    drawn = [(one if metric == "mae" else one**2).mean(axis=1) for one in away]
    assert ranking.error("a", "b") == pytest.approx(np.mean(drawn[0] >= drawn[1]), abs=0.015)
    # As of Gaussian feedback, the RMSE expected is the root of the expected MSE.
    means = np.array([one.mean() for one in drawn])
    assert ranking.scores == pytest.approx(np.sqrt(means) if metric == "rmse" else means, rel=0.01)
    sds = [(np.sqrt(one) if metric == "rmse" else one).std() for one in drawn]
    assert ranking.score_sds == pytest.approx(sds, rel=0.05)


def test_gaussian_answers_in_many_categories_rank_as_gaussian_feedback_does():
    rng = np.random.default_rng(8)
    mean, sd = rng.normal(3, 1, 80), rng.uniform(0.3, 0.8, 80)
    grid = np.linspace(-4, 4, 81)
    weights = np.exp(-(grid**2) / 2)
    feedback = score.DiscreteFeedback(
        values=mean[:, None] + sd[:, None] * grid,
        probabilities=np.broadcast_to(weights / weights.sum(), (80, 81)),
        kind="categorical",
    )
    systems = {"a": mean + rng.normal(0, 0.5, 80), "b": mean + rng.normal(0, 0.55, 80)}
    for metric in ("rmse", "mae"):
        one = decide.rank(systems, mean=mean, sd=sd, metric=metric)
        other = decide.rank(systems, feedback=feedback, metric=metric)
        assert other.error("a", "b") == pytest.approx(one.error("a", "b"), abs=0.005)
        assert other.score_sds == pytest.approx(one.score_sds, rel=0.02)


def test_a_metric_of_ones_own_is_drawn_on_other_laws():
    feedback = score.categorical_feedback([[0.3, 0.7], [0, 1]], values=[0, 1])

    def accuracy(y_true, y_pred):
        return float(np.mean(y_true == y_pred))

    ranking = decide.rank(
        {"ones": [1, 1], "zeros": [0, 0]}, feedback=feedback, metric=accuracy,
        greater_is_better=True, draws=4000,
    )  # fmt: skip
    assert ranking.order == ("ones", "zeros")
    assert ranking.scores[0] == pytest.approx(0.85, abs=0.02)


@pytest.mark.parametrize(
    "given",
    [{}, {"mean": [3.0, 3.0]}, {"feedback": True, "sd": 1.0}, {"feedback": True, "paired": False},
     {"feedback": True, "metric": "srmse"}],
)  # fmt: skip
def test_feedback_goes_alone(given):
    feedback = score.empirical_feedback([[3, 4], [2, 2]])
    wanted = {**given, **({"feedback": feedback} if "feedback" in given else {})}
    with pytest.raises(InputError):
        decide.rank({"a": [3, 2], "b": [4, 2]}, **wanted)


def test_predictions_of_another_length_or_missing_are_refused():
    feedback = score.empirical_feedback([[3, 4], [2, 2]])
    with pytest.raises(InputError):
        decide.rank({"a": [3, 2, 1], "b": [4, 2, 1]}, feedback=feedback)
    with pytest.raises(InputError, match="not finite"):
        decide.rank({"a": [3, np.nan], "b": [4, 2]}, feedback=feedback)


def test_significant_ranking_errors_are_eq_5_of_significant_scores():
    rng = np.random.default_rng(4)
    mean = rng.normal(3, 1, 300)
    systems = {"a": mean + 0.6, "b": mean + 0.7}
    for name, metric in (("srmse", score.significant_rmse), ("smae", score.significant_mae)):
        ranking = decide.rank(systems, mean=mean, sd=0.5, metric=name, paired=False)
        a, b = (metric(mean, 0.5, system) for system in systems.values())
        expected = stats.norm.cdf((a.mean - b.mean) / np.hypot(a.sd, b.sd))
        assert ranking.error("a", "b") == pytest.approx(expected)
        with pytest.raises(InputError, match="paired=False"):
            decide.rank(systems, mean=mean, sd=0.5, metric=name)


def test_first_order_with_covariances_by_hand():
    """The product of 2 and 3 with variances .01, .04 and covariance .015."""

    def product(y_true, y_pred):
        return float(y_true[0] * y_true[1])

    matrix = [[0.01, 0.015], [0.015, 0.04]]
    found = score.first_order(product, mean=[2, 3], covariance=matrix, prediction=[0, 0])
    assert found.mean == pytest.approx(6.0)
    assert found.variance == pytest.approx(9 * 0.01 + 4 * 0.04 + 2 * 6 * 0.015)
    known = score.first_order(
        product, mean=[2, 3], covariance=matrix, prediction=[0, 0],
        gradient=lambda y, p: np.array([y[1], y[0]]),
    )  # fmt: skip
    assert known.variance == pytest.approx(found.variance)


@given(st.integers(2, 6), st.integers(0, 5_000))
@settings(max_examples=25, deadline=None)
def test_first_order_is_exact_for_linear_metrics(n, seed):
    rng = np.random.default_rng(seed)
    root, weights = rng.normal(size=(n, n)), rng.normal(size=n)
    covariance = root @ root.T

    def linear(y_true, y_pred):
        return float(weights @ (y_true - y_pred))

    found = score.first_order(
        linear, mean=rng.normal(size=n), covariance=covariance, prediction=np.zeros(n)
    )
    assert found.variance == pytest.approx(weights @ covariance @ weights, rel=1e-6, abs=1e-9)


def test_first_order_of_an_rmse_far_from_its_minimum_is_the_papers():
    rng = np.random.default_rng(1)
    mean, prediction = rng.normal(3, 1, 200), rng.normal(3, 2, 200)

    def rmse(y_true, y_pred):
        return float(np.sqrt(np.mean((y_true - y_pred) ** 2)))

    found = score.first_order(rmse, mean=mean, sd=0.3, prediction=prediction)
    paper = score.rmse(mean, 0.3, prediction, method="paper")
    assert found.sd == pytest.approx(paper.sd, rel=0.03)
    drawn = score.propagate(rmse, mean=mean, sd=0.3, prediction=prediction, random_state=9)
    assert found.sd == pytest.approx(drawn.sd, rel=0.1)


@pytest.mark.parametrize(
    "given",
    [{}, {"sd": 1.0, "covariance": np.eye(2)}, {"covariance": np.eye(3)},
     {"covariance": [[1, 0.5], [0.2, 1]]}, {"covariance": [[1, 2], [2, 1]]}, {"sd": -1.0}],
)  # fmt: skip
def test_first_order_refuses_what_is_no_covariance(given):
    with pytest.raises(InputError):
        score.first_order(lambda y, p: float(y[0]), mean=[1, 2], prediction=[1, 2], **given)


@pytest.mark.parametrize(
    ("family", "law"),
    [("normal", stats.norm(-2, 0.5)), ("lognormal", stats.lognorm(0.8, scale=2)),
     ("gamma", stats.gamma(1.5, scale=2)), ("weibull", stats.weibull_min(3.5, scale=2)),
     ("beta", stats.beta(0.8, 2.5))],
)  # fmt: skip
def test_the_family_that_was_drawn_is_found_with_its_parameters(family, law):
    draws = law.rvs(4000, random_state=np.random.default_rng(6))
    found = score.fit_family(draws)
    assert found.family == family
    assert found.distance < 3 * found.by_chance + 1e-3
    assert found.largest_gap == pytest.approx(
        stats.kstest(draws, _law(family, found.parameters).cdf).statistic
    )


def _law(family, parameters):
    if family == "normal":
        return stats.norm(parameters["mean"], parameters["sd"])
    if family == "lognormal":
        return stats.lognorm(parameters["log_sd"], scale=np.exp(parameters["log_mean"]))
    if family == "beta":
        return stats.beta(parameters["a"], parameters["b"])
    of = {"gamma": stats.gamma, "weibull": stats.weibull_min}[family]
    return of(parameters["shape"], scale=parameters["scale"])


def test_a_family_that_does_not_fit_has_a_distance_that_says_so():
    rng = np.random.default_rng(7)
    draws = np.concatenate([rng.normal(0, 0.1, 2000), rng.normal(3, 0.1, 2000)])
    found = score.fit_family(draws, families=["normal"])
    assert found.distance > 20 * found.by_chance
    assert found.table()["family"].tolist() == ["normal"]


@given(st.floats(0.1, 20), st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_the_distance_does_not_depend_on_the_unit(factor, seed):
    draws = np.random.default_rng(seed).gamma(3, 1, 300)
    one = score.fit_family(draws, families=["gamma"])
    other = score.fit_family(factor * draws, families=["gamma"])
    assert other.distance == pytest.approx(one.distance, abs=2e-3)


@pytest.mark.parametrize(
    ("draws", "families"),
    [([1.0] * 50, None), (range(5), None), ([np.nan] * 50, None), (np.arange(-5, 50), ["gamma"]),
     (np.arange(1, 50), ["cauchy"])],
)  # fmt: skip
def test_draws_that_say_nothing_are_refused(draws, families):
    with pytest.raises(InputError):
        score.fit_family(list(draws), families=families)


@pytest.mark.parametrize("normalise", ["none", "density", "count"])
@pytest.mark.parametrize("interval", ["literal", "test"])
def test_significant_absolute_and_squared_losses_are_those_in_closed_form(normalise, interval):
    rng = np.random.default_rng(3)
    mean, sd, prediction = rng.normal(3, 1, 600), rng.uniform(0, 1, 600), rng.normal(3, 1, 600)
    sd[:20] = 0.0
    given = {"interval": interval, "normalise": normalise}
    with pytest.warns(SignificantOnlyWarning) if normalise == "density" else nullcontext():
        found = score.significant(np.abs, mean, sd, prediction, **given)
    expected = score.significant_mae(mean, sd, prediction, **given)
    assert found.mean == pytest.approx(expected.mean, rel=1e-9)
    assert found.sd == pytest.approx(expected.sd, rel=1e-7)
    assert found.barrier == pytest.approx(expected.barrier, rel=1e-9)


def test_a_significant_loss_of_ones_own_is_the_integral_over_the_tails():
    def pinball(deviation):
        return np.where(deviation > 0, 0.8 * deviation, -0.2 * deviation)

    found = score.significant(pinball, 3.4, 0.7, 3.0, normalise="none")
    width = float(score.significance_width([3.4], 0.7, [3.0])[0])
    density = stats.norm(0.4, 0.7).pdf
    expected = (
        quad(lambda u: float(pinball(np.array(u))) * density(u), width, 12)[0]
        + quad(lambda u: float(pinball(np.array(u))) * density(u), -12, -width)[0]
    )
    assert found.mean == pytest.approx(expected, rel=1e-8)


def test_a_loss_that_is_a_mean_is_refused():
    with pytest.raises(InputError, match="single deviations"):
        score.significant(lambda u: float(np.mean(u)), [1, 2], 0.5, [1, 2], normalise="none")
