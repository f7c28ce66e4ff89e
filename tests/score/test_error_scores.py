"""RMSE, MSE and MAE as distributions: hand cases, methods, feedback and wrong input."""

import json

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr
from scipy.stats import chi2

from howgood import score
from howgood.errors import InputError, LengthMismatchError, MissingValueError
from howgood.stats.folded_normal import FoldedMean

NAN, INF = float("nan"), float("inf")


def test_mse_has_the_moments_of_the_paper():
    # deviations 0 and 2, sd 1: E = 1 + 4/2, V = (2 (1 + 1) + 4 (0 + 4)) / 4
    distribution = score.mse([3, 4], 1.0, [3, 2])
    assert distribution.mean == pytest.approx(3.0)
    assert distribution.variance == pytest.approx(5.0)


def test_the_papers_method_is_its_equations_12_and_13():
    mean, sd, prediction = np.array([3.0, 4, 2]), np.array([0.5, 1, 2]), np.array([3.0, 3, 4])
    paper = score.rmse(mean, sd, prediction, method="paper")
    deviation = mean - prediction
    assert paper.mean == pytest.approx(np.sqrt(np.mean(sd**2 + deviation**2)))
    variance = np.sum(sd**4 + 2 * sd**2 * deviation**2) / (2 * 3 * np.sum(sd**2 + deviation**2))
    assert paper.variance == pytest.approx(variance)
    assert paper.quantile(0.5) == pytest.approx(paper.mean)
    assert paper.method == "paper"


def test_no_spread_gives_a_point_by_every_method():
    for method in ("exact", "paper", "monte-carlo"):
        for metric, value in ((score.rmse, 5**0.5), (score.mse, 5.0), (score.mae, 2.0)):
            sure = metric([1.0, 4.0], 0.0, [2.0, 1.0], method=method, draws=10, random_state=0)
            assert sure.mean == pytest.approx(value)
            assert sure.sd == pytest.approx(0.0, abs=1e-12)
            assert sure.cdf(value * 0.999) == 0.0
            assert sure.cdf(value * 1.001) == 1.0
            assert sure.quantile(0.2) == pytest.approx(value)


def test_a_perfect_prediction_has_no_headroom_and_a_certain_one_all():
    assert score.rmse([3, 4], 1.0, [3, 4]).headroom == 0.0
    assert score.mae([3, 4], 1.0, [3, 4]).headroom == 0.0
    assert score.mae([3, 4], 1.0, [3, 4]).mean == pytest.approx(np.sqrt(2 / np.pi))
    assert score.rmse([3, 4], 0.0, [3, 5]).headroom == 1.0
    assert score.rmse([3], 0.0, [3]).headroom == 0.0
    assert score.magic_barrier([0.6, 0.8]) == pytest.approx(np.sqrt(0.5))
    assert score.rmse([3, 4], [0.6, 0.8], 3).barrier == pytest.approx(np.sqrt(0.5))


def test_monte_carlo_agrees_with_exact_and_repeats_with_its_seed():
    rng = np.random.default_rng(1)
    mean, sd = rng.uniform(1, 5, 40), rng.choice([0.0, 0.4, 0.8], 40)
    for metric in (score.rmse, score.mse, score.mae):
        exact = metric(mean, sd, 3.0)
        drawn = metric(mean, sd, 3.0, method="monte-carlo", draws=20_000, random_state=3)
        again = metric(mean, sd, 3.0, method="monte-carlo", draws=20_000, random_state=3)
        assert drawn.mean == again.mean
        assert drawn.provenance.seed == 3
        assert drawn.mean == pytest.approx(exact.mean, abs=5 * exact.sd / np.sqrt(20_000))
        assert drawn.sd == pytest.approx(exact.sd, rel=0.03)
        x = exact.quantile(np.array([0.05, 0.5, 0.95]))
        assert drawn.cdf(x) == pytest.approx([0.05, 0.5, 0.95], abs=0.015)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 40])
def test_mae_of_few_pairs_equals_numerical_convolution(n):
    rng = np.random.default_rng(n)
    deviation, sd = rng.uniform(-1, 1, n), rng.uniform(0.5, 1.0, n)
    ours = score.mae(deviation, sd, 0.0)
    step = 1e-3
    grid = np.arange(0, 12_000) * step + step / 2
    transform = np.ones(2**17 * 2 // 2 + 1, dtype=complex)
    for d, s in zip(deviation, sd, strict=True):
        density = np.exp(-0.5 * ((grid - d) / s) ** 2) + np.exp(-0.5 * ((grid + d) / s) ** 2)
        mass = density / density.sum()
        transform *= np.fft.rfft(mass, 2**18)
    total = np.cumsum(np.fft.irfft(transform, 2**18))
    for q in (0.01, 0.3, 0.5, 0.8, 0.99):
        x = ours.quantile(q)
        # Sum of n midpoints: cell j ends at (j + 1) steps, shifted by half a step per term.
        place = x * n / step - n / 2 + 0.5
        low = int(np.floor(place))
        expected = total[low - 1] + (place - low) * (total[low] - total[low - 1])
        assert expected == pytest.approx(q, abs=2e-5)


def test_mae_series_and_exact_function_agree():
    rng = np.random.default_rng(2)
    law = FoldedMean(rng.uniform(-2, 2, 400), rng.uniform(0.2, 1.5, 400))
    other = FoldedMean(law._location * 400, law._sd * 400)
    other.series = None
    x = law.mean + np.sqrt(law.variance) * np.array([-2.9, -1, 0, 1, 2.9])
    assert law.series is not None
    assert law.cdf(x) == pytest.approx(other.cdf(x), abs=1e-11)


def test_categories_are_listed_exactly_by_hand():
    feedback = score.categorical_feedback([[0.2, 0.8], [0.5, 0.5]], values=[4, 5])
    distribution = score.mse(prediction=[5, 5], feedback=feedback)
    # squared errors are 1 or 0 each: both 0 with .4, one with .5, both 1 with .1
    assert distribution.cdf(np.array([0.0, 0.5, 1.0])) == pytest.approx([0.4, 0.9, 1.0])
    assert distribution.sf(0.5) == pytest.approx(0.1)
    assert distribution.mean == pytest.approx(0.35)
    assert "listed" in distribution.provenance.method


def test_repeated_ratings_are_categories_of_equal_weight():
    ratings = [[3, 4, 4, 5], [2, 2, 3, 3]]
    empirical = score.rmse(prediction=[4, 2], feedback=score.empirical_feedback(ratings))
    table = [[0, 0.25, 0.5, 0.25], [0.5, 0.5, 0, 0]]
    categorical = score.rmse(
        prediction=[4, 2], feedback=score.categorical_feedback(table, values=[2, 3, 4, 5])
    )
    assert empirical.mean == pytest.approx(categorical.mean, rel=1e-12)
    assert empirical.barrier == pytest.approx(np.sqrt((0.5 + 0.25) / 2))


def test_many_categories_have_exact_moments_and_a_fitting_shape():
    rng = np.random.default_rng(4)
    feedback = score.categorical_feedback(rng.dirichlet(np.ones(5), 60), values=[1, 2, 3, 4, 5])
    prediction = rng.uniform(1, 5, 60)
    ours = score.mse(prediction=prediction, feedback=feedback)
    errors = (feedback.values - prediction[:, None]) ** 2
    means = np.sum(errors * feedback.probabilities, axis=1)
    spreads = np.sum(errors**2 * feedback.probabilities, axis=1) - means**2
    assert ours.mean == pytest.approx(means.mean(), rel=1e-12)
    assert ours.variance == pytest.approx(spreads.sum() / 60**2, rel=1e-10)
    draws = np.mean((feedback.draw(rng, 40_000) - prediction) ** 2, axis=1)
    x = ours.quantile(np.array([0.01, 0.2, 0.5, 0.9]))
    assert [np.mean(draws <= point) for point in x] == pytest.approx(
        [0.01, 0.2, 0.5, 0.9], abs=0.01
    )


def test_missing_pairs_are_an_error_or_dropped_and_counted():
    with pytest.raises(MissingValueError, match=r"column 'sd'.*1 of 3.*row 2.*missing='drop'"):
        score.rmse([1, 2, 3], [1, NAN, 1], [1, 2, 3])
    kept = score.rmse([1, 2, 3], [1, NAN, 1], [1, 2, NAN], missing="drop")
    assert kept.n == 1
    assert kept.provenance.rows_dropped == {"missing": 2}
    assert kept.provenance.settings["missing"] == "drop"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([1, 2], [1], [1, 2, 3]), LengthMismatchError, "mean has 2.*prediction has 3"),
        (([1, 2], [1, -0.1], [1, 2]), InputError, "'sd'.*-0.1 in row 2"),
        (([1, INF], [1, 1], [1, 2]), InputError, "'mean'.*infinite.*row 2"),
        (([1, INF, -INF], [1], [1]), InputError, "'mean'.*2 of 3 values infinite.*row 2"),
        (([], [], []), InputError, "no values"),
        ((["a", "b"], [1, 1], [1, 2]), InputError, "'mean'.*not numbers"),
        ((np.array([1, {}]), [1, 1], [1, 2]), InputError, "'mean'.*not numbers"),
        (([[1, 2]], [1], [1]), InputError, "shape"),
        (([NAN], [1], [1]), MissingValueError, "1 of 1"),
        ((None, [1], [1]), InputError, "do not fit together"),
    ],
)
@pytest.mark.parametrize("metric", [score.rmse, score.mse, score.mae])
def test_wrong_input_is_named(metric, arguments, error, words):
    with pytest.raises(error, match=words):
        metric(*arguments)


def test_unknown_choices_are_named():
    with pytest.raises(InputError, match=r"method='best'.*'exact'"):
        score.rmse([1], [1], [1], method="best")
    with pytest.raises(InputError, match="missing='skip'"):
        score.rmse([1], [1], [1], missing="skip")
    with pytest.raises(InputError, match=r"quantile, q: 1.5"):
        score.rmse([1], [1], [1]).quantile(1.5)
    with pytest.raises(InputError, match="draws=0"):
        score.rmse([1], [1], [1], method="monte-carlo", draws=0)
    with pytest.raises(InputError, match=r"row 1.*adding up to 0.9"):
        score.categorical_feedback([[0.4, 0.5]], values=[0, 1])
    with pytest.raises(LengthMismatchError):
        score.categorical_feedback([[0.5, 0.5]], values=[0, 1, 2])
    with pytest.raises(InputError, match="no rating"):
        score.empirical_feedback([[NAN, NAN]])


def test_a_distribution_turns_into_plain_values():
    plain = json.loads(json.dumps(score.rmse([3, 4], 0.5, [3, 3]).to_dict()))
    assert plain["metric"] == "rmse"
    assert plain["provenance"]["settings"]["feedback"] == "gaussian"
    assert plain["interval"]["lower"] < plain["mean"] < plain["interval"]["upper"]


def test_monte_carlo_says_how_far_it_is():
    told = []
    score.rmse(
        np.arange(200.0),
        np.linspace(0.1, 1.0, 200),
        3.0,
        method="monte-carlo",
        draws=50,
        random_state=1,
        progress=lambda share, _: told.append(share),
    )
    assert told == sorted(told)
    assert len(told) >= 10
    assert told[-1] == 1.0


def test_quantiles_reach_from_certainty_to_certainty_and_no_further():
    distribution = score.mse([3.0, 3.0], [1.0, 2.0], [3.0, 3.0])
    assert distribution.quantile(0.0) == 0.0
    assert distribution.quantile([0.0, 1.0])[1] == np.inf
    for wrong in (-0.1, 1.5, [0.5, 1.5], [-0.1, 0.5], np.nan):
        with pytest.raises(InputError, match="q"):
            distribution.quantile(wrong)
    assert distribution.quantile([]).size == 0


def _categories():
    return score.categorical_feedback([[0.2, 0.8, 0.0], [0.5, 0.25, 0.25]], values=[3, 4, 6])


@pytest.mark.parametrize(
    ("metric", "arguments"),
    [
        ("mae", {"mean": [3, 4, 2], "sd": [0.5, 0.0, 1.0], "prediction": [3, 2, 2]}),
        ("mae", {"prediction": [3, 5], "feedback": "categories"}),
        ("rmse", {"prediction": [3, 5], "feedback": "categories"}),
    ],
)
def test_drawing_in_batches_gives_as_many_draws_as_asked_for(metric, arguments, monkeypatch):
    from howgood.score import error_score

    if "feedback" in arguments:
        arguments = arguments | {"feedback": _categories()}
    monkeypatch.setattr(error_score, "_ANSWERS_AT_ONCE", 3000)
    told, measure = [], getattr(score, metric)
    drawn = measure(
        **arguments,
        method="monte-carlo",
        draws=10_050,
        random_state=3,
        progress=lambda share, _: told.append(share),
    )
    exact = measure(**arguments)
    assert drawn.law.draws.size == 10_050
    assert drawn.mean == pytest.approx(exact.mean, abs=5 * exact.sd / 100)
    assert drawn.sd == pytest.approx(exact.sd, rel=0.05)
    assert told == sorted(told)
    assert told[0] < 0.2
    assert told[-1] == 1.0
    assert drawn.provenance.settings["method"] == "monte-carlo"
    assert drawn.provenance.settings["draws"] == 10_050
    assert drawn.provenance.seed == 3


def test_rounded_probabilities_are_made_to_add_up():
    feedback = score.categorical_feedback([[0.3333333, 0.6666668]], values=[0, 1])
    assert feedback.probabilities.sum() == pytest.approx(1.0, abs=1e-15)
    assert feedback.probabilities[0, 0] == pytest.approx(0.3333333 / 1.0000001, rel=1e-12)
    assert score.categorical_feedback([[0.0, 1.0]], values=[0, 1]).sd[0] == 0.0


def test_the_papers_method_at_a_score_of_zero_is_a_point_and_near_it_is_not():
    assert score.rmse([3.0], 0.0, [3.0], method="paper").sd == 0.0
    # sqrt(E) = sqrt(.25 + .01), Var = (2 .1^4 + 4 .1^2 .5^2) / (4 E).
    near = score.rmse([3.0], 0.1, [3.5], method="paper")
    assert near.sd == pytest.approx(np.sqrt((2e-4 + 0.01) / (4 * 0.26)))


def test_the_barrier_of_an_mae_is_the_distance_from_each_median():
    table = [[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]
    feedback = score.categorical_feedback(table, values=[5, 1, 3])  # in no order
    # Medians 1 and 5: .2 * 4 + .3 * 2 = 1.4 and .1 * 4 + .3 * 2 = 1.
    assert feedback.absolute_deviation == pytest.approx([1.4, 1.0])
    assert score.mae(prediction=[1, 5], feedback=feedback).barrier == pytest.approx(1.2)
    gaussian = score.mae([3, 4], [0.5, 1.5], [3, 4])
    assert gaussian.barrier == pytest.approx(np.sqrt(2 / np.pi))


def test_an_interval_needs_a_probability():
    distribution = score.mse([3.0, 3.0], [1.0, 2.0], [3.0, 3.0])
    for wrong in (0.0, 1.0, 95):
        with pytest.raises(InputError, match="probability"):
            distribution.interval(wrong)


def test_scores_are_drawn_from_their_distribution_and_repeat_with_the_seed():
    distribution = score.rmse([3.0, 4.0, 2.0], 1.0, [3.5, 4.0, 3.0])
    draws = distribution.sample(4000, random_state=2)
    assert stats.kstest(draws, distribution.cdf).pvalue > 0.001
    again = distribution.sample(4000, random_state=2)
    np.testing.assert_array_equal(again, draws)


def _how(distribution):
    return distribution.provenance.method


def test_the_provenance_says_in_words_how_a_law_was_found():
    few, many = np.linspace(0.1, 1.0, 5), np.linspace(0.1, 1.0, 5000)
    assert _how(score.mse([1.0, 2.0], 0.0, 3.0)) == "no spread anywhere: a point"
    assert _how(score.mse(few, few, 3.0)).startswith("exact characteristic function")
    assert _how(score.mse(many, many, 3.0)).startswith("12 cumulants")
    assert score.mse(few, few, 3.0).provenance.rows_used == 5
    listed = score.mse(prediction=[3, 5], feedback=_categories())
    assert _how(listed) == "all outcomes listed by convolution"
    assert listed.provenance.settings["feedback"] == _categories().kind
    generator = np.random.default_rng(6)
    feedback = score.categorical_feedback(
        generator.dirichlet(np.ones(5), 300), values=[0.0, 1.1, 2.3, 3.7, 5.9]
    )
    smooth = score.mse(prediction=generator.uniform(1, 5, 300), feedback=feedback)
    assert _how(smooth).endswith("; runs smoothly through its steps")
    assert "smoothly" not in _how(score.mse(many, many, 3.0))


def test_the_papers_method_at_a_mean_square_of_one():
    # One pair, sd 1, no deviation: mean square 1, variance 2; the root has variance 2 / 4.
    paper = score.rmse([3.0], 1.0, [3.0], method="paper")
    assert (paper.mean, paper.variance) == pytest.approx((1.0, 0.5))
    certain = score.rmse([3.0], 0.0, [3.0], method="paper")
    assert (certain.mean, certain.variance) == (0.0, 0.0)


@pytest.mark.parametrize("metric", ["mse", "mae"])
def test_pairs_without_a_prediction_are_dropped_with_their_feedback(metric):
    shares = [[0.2, 0.8, 0.0], [1.0, 0.0, 0.0], [0.5, 0.25, 0.25]]
    measure = getattr(score, metric)
    gaps = measure(
        prediction=[3.5, NAN, 5.0],
        feedback=score.categorical_feedback(shares, values=[3, 4, 6]),
        missing="drop",
    )
    kept = measure(
        prediction=[3.5, 5.0],
        feedback=score.categorical_feedback([shares[0], shares[2]], values=[3, 4, 6]),
    )
    assert (gaps.mean, gaps.variance) == pytest.approx((kept.mean, kept.variance))
    assert (gaps.n, gaps.barrier) == (2, pytest.approx(kept.barrier))


def test_a_barrier_of_negative_spreads_is_refused():
    with pytest.raises(InputError, match="below 0"):
        score.magic_barrier([0.5, -0.1])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([[0.5, 0.5], [1.2, -0.2]], "row 2.*no probability below 0"),
        ([[0.5, 0.5], [0.5, 0.6]], "row 2.*adds up to 1"),
    ],
)
def test_the_row_whose_probabilities_are_wrong_is_named(wrong, words):
    with pytest.raises(InputError, match=words):
        score.categorical_feedback(wrong, values=[0, 1])


def test_finite_values_are_taken_even_where_their_sum_is_not():
    found = score.mae([1e308, 1.5e308], 0.0, [1e308, 1.5e308])
    assert (found.n, found.mean) == (2, 0.0)


def test_one_draw_is_enough_and_none_too_few():
    found = score.mse([3.0], 0.0, [1.0], method="monte-carlo", draws=1)
    assert found.mean == 4.0


def test_feedback_that_is_no_number_is_refused_among_others():
    with pytest.raises(InputError, match=r"1 values missing or infinite \(first: row 2\)"):
        score.categorical_feedback([[0.5, 0.5], [NAN, 1.0]], values=[0, 1])
    with pytest.raises(InputError, match=r"1 values missing or infinite \(first: row 2\)"):
        score.empirical_feedback([[0.5, NAN], [INF, 1.0]])
    with pytest.raises(InputError, match="expected finite numbers"):
        score.categorical_feedback([[0.5, 0.5]], values=[0, INF])
    with pytest.raises(InputError, match=r"row 2.*no rating at all"):
        score.empirical_feedback([[3.0, NAN], [NAN, NAN]])


def test_all_mass_at_zero_has_an_infinite_density_there():
    certain = score.rmse([1.0, 2.0], 0.0, [1.0, 2.0])
    assert certain.pdf(0.0) == np.inf
    assert certain.pdf(0.1) == 0.0


def test_the_error_of_one_uncertain_answer_begins_with_its_density():
    # |X - 1| for X ~ N(1.3, 2): both halves of the Gaussian meet at 0.
    one = score.mae([1.3], 2.0, [1.0])
    assert one.pdf(0.0) == pytest.approx(2 * stats.norm.pdf(0.0, loc=0.3, scale=2.0))
    # A certain answer beside it, off by one, moves the beginning to 1/2 and doubles the density.
    beside = score.mae([1.3, 5.0], [2.0, 0.0], [1.0, 4.0])
    assert beside.pdf(0.5) == pytest.approx(4 * stats.norm.pdf(0.0, loc=0.3, scale=2.0))
    assert score.mae([1.3, 1.2], [2.0, 1.0], [1.0, 1.0]).pdf(0.0) == 0.0


@pytest.mark.parametrize("ratio", [1e3, 1e7, 1e9])
@pytest.mark.parametrize("n", [2, 5, 60])
def test_far_from_the_fold_the_mae_is_a_gaussian(n, ratio):
    # Nothing is folded a thousand standard deviations away; digits must not get lost on the way.
    law = score.mae(np.full(n, ratio), np.ones(n), np.zeros(n))
    z = np.array([-3.0, -1.0, 0.0, 0.5, 3.0])
    np.testing.assert_allclose(law.cdf(ratio + z / np.sqrt(n)), ndtr(z), atol=1e-6)


@pytest.mark.parametrize("metric", [score.rmse, score.mse, score.mae])
def test_points_beyond_every_number_are_answered_without_integrating(metric, monkeypatch):
    rng, n = np.random.default_rng(6), 20
    mean, sd = rng.uniform(1, 5, n), rng.gamma(2.0, 0.4, n)
    law = metric(mean, sd, mean + rng.normal(0, 0.6, n))
    far = law.mean + law.sd * np.array([1e4, 1e6, np.inf])
    law.cdf(far), law.sf(far)  # sets up how far the tails reach
    from howgood.stats import inversion

    def refuse(*_, **__):
        raise AssertionError("integrated")

    monkeypatch.setattr(inversion, "tail_and_density", refuse)
    assert law.cdf(far).tolist() == [1.0, 1.0, 1.0]
    assert law.sf(far).tolist() == [0.0, 0.0, 0.0]
    # A cdf that is 1 to all its digits needs no integral either.
    assert law.cdf(law.mean + 60 * law.sd) == 1.0


def test_tails_keep_their_digits_as_far_as_numbers_reach():
    law = score.mse(np.zeros(5), np.ones(5), np.zeros(5))
    x = np.array([20.0, 100.0, 250.0, 280.0])
    np.testing.assert_allclose(law.sf(x), chi2.sf(5 * x, 5), rtol=1e-11)
    small = np.array([1e-3, 1e-20, 1e-60])
    np.testing.assert_allclose(law.cdf(small), chi2.cdf(5 * small, 5), rtol=1e-9)
