"""Ranking: by hand, against shared draws, and what must not change it."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import foldnorm
from scipy.stats import t as student

from howgood.decide import rank, rank_sums
from howgood.errors import InputError, LengthMismatchError, UnknownNameError
from howgood.records.table import Table
from howgood.score import squared_error_sums


def correlated_systems(n, *, rms, correlation, seed):
    """Feedback and two systems whose deviations have exactly these RMS values and correlation."""
    rng = np.random.default_rng(seed)
    mean = rng.uniform(1, 5, n)
    one, two = rng.normal(size=(2, n))
    one /= math.sqrt(np.mean(one**2))
    two -= one * np.mean(one * two)
    two /= math.sqrt(np.mean(two**2))
    second = correlation * one + math.sqrt(1 - correlation**2) * two
    sd = np.sqrt(rng.uniform(0.16, 3.86, n))
    return {"first": mean - rms[0] * one, "second": mean - rms[1] * second}, mean, sd


def scores_of_shared_draws(predictions, mean, sd, *, draws, seed, metric="mse"):
    rng = np.random.default_rng(seed)
    power = 2 if metric == "mse" else 1
    scores = np.empty((draws, len(predictions)))
    for draw in range(draws):
        feedback = rng.normal(mean, sd)
        scores[draw] = [np.mean(np.abs(feedback - each) ** power) for each in predictions.values()]
    return scores


def test_two_pairs_by_hand():
    ranking = rank({"a": [1.0, 2.0], "b": [3.0, 2.0]}, mean=[1.5, 2.0], sd=[0.5, 9.0])
    # MSE differs by (0.25 - 2.25) / 2 = -1; its variance is 4 * 0.25 * 4 / 4 = 1.
    assert ranking.error("a", "b") == pytest.approx(ndtr(-1.0), rel=1e-14)
    assert ranking.error("b", "a") == pytest.approx(ndtr(1.0), rel=1e-14)
    assert ranking.order == ("a", "b")
    assert ranking.best_probability["a"] == pytest.approx(ndtr(1.0), rel=1e-14)
    assert ranking.scores[0] == pytest.approx(math.sqrt((0.25 + 81 + 0.25) / 2))
    assert ranking.barrier == pytest.approx(math.sqrt((0.25 + 81) / 2))
    assert ranking.headroom["a"] == pytest.approx(1 - math.sqrt(81.25 / 81.5))


def _two_pairs(**more):
    predictions = {"a": [1.0, 2.0], "b": [3.0, 2.0]}
    return rank(predictions, mean=[1.5, 2.0], sd=[0.5, 0.2], **more)


def test_scores_of_two_pairs_by_hand():
    # Mean square (.25 + .04 + .25) / 2 = .27; its variance 2 Σ(σ⁴ + 2 σ² Δ²) / n².
    variance = 2 * (0.5**4 + 0.2**4 + 2 * 0.25 * 0.25) / 4
    mse, rmse = _two_pairs(metric="mse"), _two_pairs()
    assert mse.scores[0] == pytest.approx(0.27)
    assert mse.score_sds[0] == pytest.approx(math.sqrt(variance))
    assert mse.barrier == pytest.approx((0.25 + 0.04) / 2)
    assert rmse.score_sds[0] == pytest.approx(math.sqrt(variance / (4 * 0.27)))  # Eq. 13
    assert (mse.difference_scale, rmse.difference_scale) == ("mse", "mse")
    assert _two_pairs(paired=False).difference_scale == "rmse"


def test_trials_correct_the_spread_of_two_pairs_by_hand():
    # Four trials: the fourth powers count 4/3 * 2/5, the others 4/3 (see `TrialSums`).
    variance = 2 * 4 / 3 * (2 / 5 * (0.5**4 + 0.2**4) + 2 * 0.25 * 0.25) / 4
    found = _two_pairs(metric="mse", trials=4)
    # What is expected is the mean of four such scores, so a re-rating is 1 + 1/4 off.
    assert found.score_sds[0] == pytest.approx(math.sqrt(variance * 5 / 4))
    # A difference has variance 4 Σ σ² (1 - 3)² / n², corrected by 4/3; its mean by 1/3.
    assert found.difference_variances[0, 1] == pytest.approx(4 / 3 * 4 * 0.25 * 4 / 4)
    # Its variance is estimated: (4 + 1) / 3 (Σ s)² / Σ s² degrees of freedom, with s = sd².
    t = student(5 / 3 * 0.29**2 / (0.25**2 + 0.04**2))
    doubt = 4 / 3 * 0.25
    assert found.true_error("a", "b") == pytest.approx(t.cdf(-1.0 / math.sqrt(doubt)))
    assert found.error("a", "b") == pytest.approx(t.cdf(-1.0 / math.sqrt(4 * doubt + doubt)))
    assert found.best_probability["a"] == pytest.approx(1 - found.error("a", "b"))


def test_pairs_of_different_numbers_of_trials_are_weighted_by_their_variance():
    # σ² (ddof 1) is .25 * 4/3 and .04 * 9/8; the means are off by a quarter and a ninth of that.
    table = {"mu": [1.5, 2.0], "sigma": [0.5, 0.2], "svd": [1.0, 2.0], "times": [4, 9]}
    names = {"mean": "mu", "sd": "sigma", "predictions": ["svd"]}
    sums = squared_error_sums(table, **names, trials="times")
    first, second = 0.25 * 4 / 3, 0.04 * 9 / 8
    assert sums.doubt == pytest.approx((first / 4 + second / 9) / (first + second))
    known = squared_error_sums(table, **names)
    assert (known.doubt, known.freedom) == (0.0, math.inf)
    certain = squared_error_sums({**table, "sigma": [0.0, 0.0]}, **names, trials="times")
    assert (certain.doubt, certain.freedom) == (0.0, math.inf)


@pytest.mark.parametrize("paired", [True, False])
def test_absolute_scores_are_those_of_folded_normal_variables(paired):
    found = _two_pairs(metric="mae", paired=paired)
    parts = {
        "a": [foldnorm(1.0, scale=0.5), foldnorm(0.0, scale=0.2)],
        "b": [foldnorm(3.0, scale=0.5), foldnorm(0.0, scale=0.2)],
    }
    means = [sum(law.mean() for law in laws) / 2 for laws in parts.values()]
    variances = [sum(law.var() for law in laws) / 4 for laws in parts.values()]
    np.testing.assert_allclose(found.scores, means)
    np.testing.assert_allclose(found.score_sds, np.sqrt(variances))
    words = "independent scores (Eq. 5)"
    if paired:  # two pairs are too few for the central limit theorem
        words = "paired, exact moments; errors and ranks by shared draws"
    assert (found.paired, found.provenance.method) == (paired, words)
    gap = means[0] - means[1]
    np.testing.assert_allclose(found.differences, [[0, gap], [-gap, 0]], atol=1e-12)
    if not paired:
        expected = [[0, sum(variances)], [sum(variances), 0]]
        np.testing.assert_allclose(found.difference_variances, expected)


def test_the_mae_of_one_pair_is_decided_by_who_is_nearer():
    # a predicts 1, b predicts 3: a is worse where the answer lies above 2.
    found = rank({"a": [1.0], "b": [3.0]}, mean=[1.5], sd=[0.5], metric="mae")
    expected = 1 - ndtr((2 - 1.5) / 0.5)
    mcse = math.sqrt(expected * (1 - expected) / found.provenance.settings["draws"])
    assert found.error("a", "b") == pytest.approx(expected, abs=4 * mcse)
    assert found.error("a", "b") + found.error("b", "a") == pytest.approx(1.0)
    assert found.best_probability["a"] == pytest.approx(1 - found.error("a", "b"))
    again = rank({"a": [1.0], "b": [3.0]}, mean=[1.5], sd=[0.5], metric="mae")
    assert again.error("a", "b") == found.error("a", "b")


def test_the_mae_of_two_pairs_rated_twice_by_hand():
    # Ratings 1 and 2; 2 and 4. Absolute errors of a: 0 and 1; 0 and 2. Of b: 2 and 1; 2 and 0.
    found = rank(
        {"a": [1.0, 2.0], "b": [3.0, 4.0]}, mean=[1.5, 3.0], sd=[0.5, 1.0], trials=2, metric="mae"
    )
    np.testing.assert_allclose(found.scores, [(0.5 + 1) / 2, (1.5 + 1) / 2])
    # Differences -2 and 0; -2 and 2: variances 2 and 8 (ddof 1), of the mean of two pairs a fourth.
    assert found.difference_variances[0, 1] == pytest.approx((2 + 8) / 4)
    assert found.mean_variances[0, 1] == pytest.approx((2 + 8) / 4 / 2)
    # Satterthwaite's (n + 1) / 3 (Σ s)² / Σ s².
    t = student((2 + 1) / 3 * (0.25 + 1) ** 2 / (0.25**2 + 1))
    assert found.error("a", "b") == pytest.approx(t.cdf(-0.5 / math.sqrt(2.5 * 1.5)))
    assert found.true_error("a", "b") == pytest.approx(t.cdf(-0.5 / math.sqrt(2.5 / 2)))
    assert found.barrier == pytest.approx(
        math.sqrt(2 / math.pi) * math.sqrt(2) * 0.75 * math.sqrt(math.pi / 2)
    )


def test_ratings_that_never_came_between_two_predictions_do_not_make_their_order_certain():
    # 1.5 and 2.5 lie on the same side of both predictions, which one more rating need not.
    found = rank({"a": [3.0], "b": [3.2]}, mean=[2.0], sd=[0.5], trials=2, metric="mae")
    assert 0 < found.error("a", "b") < 0.5
    certain = rank({"a": [3.0], "b": [3.2]}, mean=[2.0], sd=[0.0], trials=2, metric="mae")
    assert certain.error("a", "b") == 0


@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("trials", [1, 2, 3])
@pytest.mark.parametrize("n_systems", [2, 3, 5])
def test_scores_order_errors_and_ranks_of_the_mae_are_of_one_distribution(n, trials, n_systems):
    rng = np.random.default_rng([n, trials, n_systems])
    for _ in range(5):
        opinion, sd = rng.uniform(1, 5, n), rng.gamma(2.0, 0.4, n)
        ratings = opinion + sd * rng.standard_normal((trials, n))
        predictions = {f"s{k}": opinion + rng.normal(0, 0.6, n) for k in range(n_systems)}
        found = rank(
            predictions,
            mean=ratings.mean(axis=0),
            sd=sd if trials == 1 else ratings.std(axis=0),
            trials=trials,
            metric="mae",
        )
        assert list(found.order) == sorted(
            predictions, key=lambda name: found.scores[found.index(name)]
        )
        np.testing.assert_allclose(found.differences, found.scores[:, None] - found.scores)
        np.testing.assert_allclose(found.errors + found.errors.T, 1.0)
        assert (found.errors < 0.5).tolist() == (found.differences < 0).tolist()
        # The expected rank is one more than how many are expected to be ahead.
        behind = found.errors.sum(axis=1) - 0.5
        expected = found.ranks @ np.arange(n_systems)
        np.testing.assert_allclose(expected, behind, atol=4 * n_systems * found.mcse + 1e-9)
        ahead = (1 - found.errors + np.eye(n_systems)).min(axis=1)
        assert (found.ranks[:, 0] <= ahead + 4 * found.mcse + 1e-9).all()


def test_predictions_much_nearer_to_opinions_than_ratings_are_ranked_by_their_scores():
    """b is right of seven people in ten and far off of the others; a is off of all."""
    rng = np.random.default_rng(2)
    a, b = np.full(1000, 4.0), np.where(np.arange(1000) % 10 < 7, 3.0, 5.0)
    for n in (60, 1000):
        said, flipped = [], 0
        for _ in range(20):
            first, again = 3 + 0.5 * rng.standard_normal((2, n))
            found = rank({"a": a[:n], "b": b[:n]}, mean=first, sd=0.5, trials=1, metric="mae")
            said.append(found.error(*found.order))
            gap = np.mean(np.abs(again - a[:n]) - np.abs(again - b[:n]))
            flipped += (gap > 0) != (found.order[0] == "b")
        assert max(said) < 0.5
        if n == 1000:  # b is 5 sds ahead, and was said to be behind with .15
            assert (np.mean(said) < 0.02, flipped) == (True, 0)


def test_what_no_draw_has_shown_is_rare_but_not_impossible():
    found = rank({"a": [1.0], "b": [9.0]}, mean=[1.0], sd=[0.5], metric="mae")  # 8 sd away
    # None of the documented 65,536 re-ratings, and half of one more in which all orders are alike.
    assert found.error("a", "b") == 0.5 / 65_537
    assert found.error("b", "a") == pytest.approx(1 - 0.5 / 65_537, abs=1e-15)
    assert found.best_probability["a"] == pytest.approx(1 - found.error("a", "b"), abs=1e-15)
    certain = rank({"a": [1.0], "b": [9.0], "c": [1.0]}, mean=[1.0], sd=[0.0], metric="mae")
    assert certain.errors.tolist() == [[0.5, 0.0, 0.5], [1.0, 0.5, 1.0], [0.5, 0.0, 0.5]]


def test_from_fifty_pairs_on_the_errors_of_the_mae_need_no_draws():
    for n, is_drawn in ((49, True), (50, False)):
        predictions, mean, sd = several(3, n=n)
        found = rank(predictions, mean=mean, sd=sd, metric="mae")
        assert ("draws" in found.provenance.settings) == is_drawn
        assert found.mcse > 0  # the ranks of three are counted either way


@pytest.mark.parametrize("n", [10, 60, 3000])
@pytest.mark.parametrize("trials", [math.inf, 1, 3])
def test_tied_systems_are_as_likely_ahead_as_behind_by_mae(n, trials):
    rng = np.random.default_rng(n)
    mean, same = rng.uniform(1, 5, n), rng.uniform(1, 5, n)
    found = rank({"a": same, "b": same}, mean=mean, sd=1.0, metric="mae", trials=trials)
    assert found.error("a", "b") == found.error("b", "a") == 0.5
    assert found.best_probability["a"] == pytest.approx(0.5, abs=4 * found.mcse + 1e-12)


def loud_case(n, n_systems, *, seed):
    """Pairs of which one in twenty varies ten times as much, and systems far apart there."""
    rng = np.random.default_rng(seed)
    mean, sd, is_loud = rng.uniform(1, 5, n), rng.gamma(2, 0.2, n), np.arange(n) % 20 == 0
    base = mean + rng.normal(0, 0.5, n)
    predictions = {
        f"s{k}": base + rng.normal(0, 0.35, n) + is_loud * rng.normal(0, 3, n)
        for k in range(n_systems)
    }
    return predictions, mean, np.where(is_loud, 10 * sd, sd)


@pytest.mark.parametrize(("n", "n_systems"), [(50, 2), (60, 4), (200, 3)])
def test_a_few_loud_raters_do_not_mislead_the_mae(n, n_systems):
    # A few pairs decide, so that the difference is far from normal, whose limit was .13 off here.
    predictions, mean, sd = loud_case(n, n_systems, seed=n)
    found = rank(predictions, mean=mean, sd=sd, metric="mae")
    rng, repeats = np.random.default_rng(1), 60_000
    scores = np.zeros((repeats, n_systems))
    predicted = np.stack(list(predictions.values()), axis=1)
    for v in range(n):
        scores += np.abs(mean[v] + sd[v] * rng.standard_normal((repeats, 1)) - predicted[v])
    for i in range(n_systems):
        for k in range(i):
            happened = float(np.mean(scores[:, i] >= scores[:, k]))
            se = math.sqrt(max(happened * (1 - happened), 1e-4) / repeats)
            assert found.errors[i, k] == pytest.approx(happened, abs=4 * se)
        best = float(np.mean(scores.argmin(axis=1) == i))
        se = math.sqrt(max(best * (1 - best), 1e-4) / repeats)
        assert found.ranks[i, 0] == pytest.approx(best, abs=4 * math.hypot(se, found.mcse))


def test_many_pairs_state_how_far_the_ranks_of_the_mae_may_be_off():
    predictions, mean, sd = loud_case(4000, 3, seed=4)
    found = rank(predictions, mean=mean, sd=sd, metric="mae")
    assert "rank draws" not in found.provenance.settings
    assert 0 < found.mcse < 0.02


def test_more_pairs_are_more_than_there_are():
    # Skewed: the Gaussian that plans is content, while the draws are not.
    mean, sd = np.zeros(3), np.array([1.0, 1.0, 1.0])
    systems = {"a": np.array([0.0, 0.0, 0.0]), "b": np.array([2.2, 0.0, 0.0])}
    ranking = rank(systems, mean=mean, sd=sd, metric="mae")
    for target in np.linspace(0.01, 0.45, 45):
        part = ranking.needed("a", "b", error=float(target)).rerating
        assert part.status == ("reached" if part.error_now < target else "needed")
        assert (part.more_pairs > 0) == (part.status == "needed")


@pytest.mark.parametrize("n", [6, 60])
def test_few_trials_give_absolute_differences_the_tails_of_student(n):
    predictions, mean, sd = several(2, n=n, seed=3)
    trials = np.where(np.arange(n) % 2, 4, 3)
    found = rank(predictions, mean=mean, sd=sd, trials=trials, metric="mae")
    # As for the MSE: (n + 1) / 3 (Σ s)² / Σ s², with n the trials that correct Σ s as much.
    s = sd**2
    corrected = np.sum(s * trials / (trials - 1))
    n_trials = corrected / (corrected - s.sum())
    t = student((n_trials + 1) / 3 * s.sum() ** 2 / np.sum(s**2))
    gap, doubt = found.differences[0, 1], found.mean_variances[0, 1]
    assert found.true_error("s0", "s1") == pytest.approx(t.cdf(gap / math.sqrt(doubt)))
    spread = found.difference_variances[0, 1] + doubt
    assert found.error("s0", "s1") == pytest.approx(t.cdf(gap / math.sqrt(spread)))


def test_certain_feedback_leaves_no_doubt():
    ranking = rank({"a": [1.0, 2.0], "b": [1.0, 2.5], "c": [1.0, 2.0]}, mean=[1.0, 2.0], sd=0.0)
    assert ranking.error("a", "b") == 0.0
    assert ranking.error("b", "a") == 1.0
    assert ranking.error("a", "c") == 0.5
    assert ranking.tie_groups == (("a", "c"), ("b",))
    assert ranking.best_probability == {"a": 0.5, "b": 0.0, "c": 0.5}
    assert ranking.headroom["a"] == 0.0


@pytest.mark.parametrize("metric", ["mse", "mae"])
def test_people_who_always_answer_alike_leave_no_doubt_however_few_times_they_are_asked(metric):
    systems = {"a": [1.0, 2.0], "b": [1.0, 2.5], "c": [1.0, 1.5]}
    found = rank(systems, mean=[1.0, 2.0], sd=0.0, trials=2, metric=metric)
    expected = [[0.5, 0.0, 0.0], [1.0, 0.5, 0.5], [1.0, 0.5, 0.5]]
    assert (found.errors.tolist(), found.true_errors.tolist()) == (expected, expected)


@pytest.mark.parametrize("correlation", [0.0, 0.9, -0.9])
@pytest.mark.parametrize("metric", ["mse", "mae"])
def test_paired_error_equals_shared_draws(correlation, metric):
    predictions, mean, sd = correlated_systems(60, rms=(1.0, 1.1), correlation=correlation, seed=3)
    draws = 20_000
    scores = scores_of_shared_draws(predictions, mean, sd, draws=draws, seed=5, metric=metric)
    observed = np.mean(scores[:, 0] >= scores[:, 1])
    error = rank(predictions, mean=mean, sd=sd, metric=metric).error("first", "second")
    allowed = 4 * math.sqrt(error * (1 - error) / draws)
    # The MAE's difference is Gaussian only in the limit; 60 pairs leave at most half a point.
    assert observed == pytest.approx(error, abs=allowed + (0.005 if metric == "mae" else 0.0))


def test_moments_of_the_mae_equal_shared_draws():
    predictions, mean, sd = correlated_systems(50, rms=(1.0, 1.4), correlation=0.3, seed=4)
    scores = scores_of_shared_draws(predictions, mean, sd, draws=20_000, seed=6, metric="mae")
    ranking = rank(predictions, mean=mean, sd=sd, metric="mae")
    np.testing.assert_allclose(ranking.scores, scores.mean(axis=0), rtol=0.005)
    np.testing.assert_allclose(ranking.score_sds, scores.std(axis=0), rtol=0.03)
    apart = scores[:, 0] - scores[:, 1]
    assert ranking.differences[0, 1] == pytest.approx(apart.mean(), rel=0.01)
    assert ranking.difference_variances[0, 1] == pytest.approx(apart.var(), rel=0.05)
    assert ranking.barrier == pytest.approx(np.mean(sd) * math.sqrt(2 / math.pi))


@pytest.mark.parametrize(
    ("rms", "correlation", "independent", "paired"),
    [
        ((0.9, 1.0), 0.5, 0.155, 0.0137),
        ((0.9, 1.0), 0.9, 0.162, 1.1e-6),
        ((2.0, 2.2), -0.9, 0.0027, 0.0109),
    ],
)
def test_eq_5_and_the_paired_error_on_the_papers_test_data(rms, correlation, independent, paired):
    """The values printed in the specification are one draw of such data; ours surround them."""
    found = []
    for seed in range(100):
        predictions, mean, sd = correlated_systems(
            1000, rms=rms, correlation=correlation, seed=seed
        )
        both = (
            rank(predictions, mean=mean, sd=sd, paired=False).error("first", "second"),
            rank(predictions, mean=mean, sd=sd).error("first", "second"),
        )
        found.append(both)
    low, high = np.quantile(np.log(found), [0.005, 0.995], axis=0)
    assert low[0] <= math.log(independent) <= high[0]
    assert low[1] <= math.log(paired) <= high[1]


def test_eq_5_uses_the_papers_moments():
    predictions, mean, sd = correlated_systems(300, rms=(0.9, 1.0), correlation=0.5, seed=1)
    moments = []
    for each in predictions.values():
        total = np.mean(sd**2 + (mean - each) ** 2)
        spread = np.sum(sd**4 + 2 * sd**2 * (mean - each) ** 2)
        moments.append((math.sqrt(total), spread / (2 * 300 * 300 * total)))  # Eq. 12, 13
    (m1, v1), (m2, v2) = moments
    expected = ndtr((m1 - m2) / math.sqrt(v1 + v2))
    ranking = rank(predictions, mean=mean, sd=sd, paired=False)
    assert ranking.error("first", "second") == pytest.approx(expected, rel=1e-12)
    assert ranking.provenance.method == "independent scores (Eq. 5)"


def several(n_systems, *, n=400, seed=7):
    rng = np.random.default_rng(seed)
    mean = rng.uniform(1, 5, n)
    predictions = {
        f"s{k}": mean + rng.normal(0, 1 + 0.02 * k, n) + 0.1 * rng.normal()
        for k in range(n_systems)
    }
    return predictions, mean, np.sqrt(rng.uniform(0, 3, n))


@pytest.mark.parametrize("n_systems", [2, 3, 5, 8])
def test_rank_probabilities_equal_shared_draws(n_systems):
    predictions, mean, sd = several(n_systems)
    ranking = rank(predictions, mean=mean, sd=sd)
    draws = 10_000
    scores = scores_of_shared_draws(predictions, mean, sd, draws=draws, seed=8)
    places = np.argsort(np.argsort(scores, axis=1), axis=1)
    for system in range(n_systems):
        observed = np.bincount(places[:, system], minlength=n_systems) / draws
        assert np.abs(observed - ranking.ranks[system]).max() < 4 * math.sqrt(0.25 / draws)
    np.testing.assert_allclose(ranking.ranks.sum(axis=0), 1)
    np.testing.assert_allclose(ranking.ranks.sum(axis=1), 1)
    assert ranking.mcse < 0.002


def test_all_orderings_are_listed_up_to_six_systems_and_sum_to_one():
    predictions, mean, sd = several(4)
    orderings = rank(predictions, mean=mean, sd=sd).orderings()
    assert {each.order for each in orderings} == set(permutations(predictions))
    assert sum(each.probability for each in orderings) == pytest.approx(1)
    chances = [each.probability for each in orderings]
    assert chances == sorted(chances, reverse=True)


def test_beyond_six_systems_the_most_probable_orderings_are_listed():
    predictions, mean, sd = several(8)
    ranking = rank(predictions, mean=mean, sd=sd)
    assert len(ranking.orderings()) == 20
    assert len(ranking.orderings(most=3)) == 3


def test_the_same_call_gives_the_same_numbers():
    predictions, mean, sd = several(5)
    first, second = (rank(predictions, mean=mean, sd=sd) for _ in range(2))
    np.testing.assert_array_equal(first.ranks, second.ranks)
    assert first.provenance == second.provenance


def test_identical_systems_share_their_ranks_whatever_their_number():
    predictions, mean, sd = several(3)
    twins = predictions | {"twin": predictions["s0"], "triplet": predictions["s0"]}
    ranking = rank(twins, mean=mean, sd=sd)
    np.testing.assert_array_equal(ranking.ranks[0], ranking.ranks[3])
    np.testing.assert_array_equal(ranking.ranks[0], ranking.ranks[4])
    assert ranking.error("s0", "twin") == ranking.error("twin", "s0") == 0.5
    everyone = rank(dict.fromkeys("abc", mean), mean=mean, sd=sd)
    np.testing.assert_allclose(everyone.ranks, 1 / 3)
    assert everyone.tie_groups == (("a", "b", "c"),)


@settings(max_examples=25, deadline=None)
@given(
    n_systems=st.integers(2, 5),
    seed=st.integers(0, 10_000),
    paired=st.booleans(),
    metric=st.sampled_from(["rmse", "mse", "mae"]),
)
def test_relabelling_systems_and_reordering_rows_relabels_the_ranking(
    n_systems, seed, paired, metric
):
    rng = np.random.default_rng(seed)
    predictions, mean, sd = several(n_systems, n=60, seed=seed)  # fewer draw re-ratings for MAE
    kwargs = {"metric": metric, "paired": paired}
    ranking = rank(predictions, mean=mean, sd=sd, **kwargs)
    rows = rng.permutation(60)
    names = list(predictions)
    shuffled = [names[each] for each in rng.permutation(n_systems)]
    other = rank(
        {name: predictions[name][rows] for name in shuffled},
        mean=mean[rows],
        sd=sd[rows],
        **kwargs,
    )
    assert other.order == ranking.order
    for a in names:
        for b in names:
            assert other.error(a, b) == pytest.approx(ranking.error(a, b), rel=1e-8, abs=1e-12)
            assert ranking.error(a, b) + ranking.error(b, a) == pytest.approx(1, abs=1e-14)
        allowed = 6 * (ranking.mcse + other.mcse) + 1e-10
        gap = np.abs(other.rank_probabilities[a] - ranking.rank_probabilities[a]).max()
        assert gap <= allowed


@settings(max_examples=25, deadline=None)
@given(factor=st.floats(0.01, 100), shift=st.floats(-50, 50), seed=st.integers(0, 1000))
def test_another_unit_changes_no_probability(factor, shift, seed):
    predictions, mean, sd = several(3, n=40, seed=seed)
    ranking = rank(predictions, mean=mean, sd=sd)
    moved = {name: values * factor + shift for name, values in predictions.items()}
    other = rank(moved, mean=mean * factor + shift, sd=sd * factor)
    np.testing.assert_allclose(other.errors, ranking.errors, atol=1e-8)
    np.testing.assert_allclose(other.ranks, ranking.ranks, atol=1e-7)


def test_the_best_system_comes_first_in_every_view():
    predictions, mean, sd = several(4)
    ranking = rank(predictions, mean=mean, sd=sd)
    table = ranking.table()
    assert tuple(table["system"]) == ranking.order
    assert list(table["score"]) == sorted(table["score"])
    assert ranking.error_table()["system"][0] == ranking.order[0]
    assert table["error_to_next"][0] == ranking.error(*ranking.order[:2])
    assert ranking.to_dict()["order"] == list(ranking.order)


def test_rank_intervals_hold_all_but_the_level():
    predictions, mean, sd = several(6)
    ranking = rank(predictions, mean=mean, sd=sd, level=0.2)
    for name, (lower, upper) in ranking.rank_intervals.items():
        chances = ranking.rank_probabilities[name]
        assert chances[: lower - 1].sum() <= 0.1 + 1e-9
        assert chances[upper:].sum() <= 0.1 + 1e-9


def test_ties_are_cut_where_the_first_of_the_group_is_distinguishable():
    rng = np.random.default_rng(1)
    mean, noise = rng.uniform(1, 5, 1000), rng.normal(size=1000)
    # b misses by as much as a, but in the other direction; c by three times as much.
    predictions = {"a": mean + noise, "b": mean - 1.001 * noise, "c": mean + 3 * noise}
    ranking = rank(predictions, mean=mean, sd=1.0)
    assert ranking.error("a", "b") > 0.4
    assert ranking.tie_groups == (("a", "b"), ("c",))


# Needed ---------------------------------------------------------------------------------------


def test_needed_pairs_bring_the_error_just_below_the_target():
    predictions, mean, sd = correlated_systems(100, rms=(1.0, 1.1), correlation=0.2, seed=2)
    needed = rank(predictions, mean=mean, sd=sd).needed("first", "second", error=0.01)
    assert needed.status == "needed"
    assert needed.true_order is None
    z = float(ndtr_inverse(needed.rerating.error_now))
    for pairs, below in ((needed.pairs, True), (needed.pairs - 1, False)):
        assert (ndtr(z * math.sqrt(pairs / 100)) < 0.01) == below
    repeats = needed.rerating.repeats
    averaged = rank(predictions, mean=mean, sd=sd / math.sqrt(repeats))
    assert averaged.error("first", "second") < 0.01
    fewer = rank(predictions, mean=mean, sd=sd / math.sqrt(repeats - 1))
    assert fewer.error("first", "second") >= 0.01


def ndtr_inverse(probability):

    return ndtri(probability)


def test_no_number_of_pairs_proves_the_worse_system_better():
    predictions, mean, sd = correlated_systems(100, rms=(1.0, 1.1), correlation=0.2, seed=2)
    ranking = rank(predictions, mean=mean, sd=sd)
    never = ranking.needed("second", "first")
    assert never.status == "never"
    assert never.pairs is None
    assert rank({"a": mean, "b": mean}, mean=mean, sd=sd).needed("a", "b").status == "never"
    assert ranking.needed("first", "second", error=0.49).status == "reached"
    assert never.to_dict()["rerating"]["status"] == "never"


# Few trials -----------------------------------------------------------------------------------


def test_a_rerating_and_the_true_order_are_two_probabilities():
    predictions, mean, sd = correlated_systems(200, rms=(1.0, 1.05), correlation=0.3, seed=9)
    ranking = rank(predictions, mean=mean, sd=sd, trials=5)
    gap = float(np.mean((mean - predictions["first"]) ** 2 - (mean - predictions["second"]) ** 2))
    noise = float(np.sum(sd**2 * (predictions["first"] - predictions["second"]) ** 2))
    rerating = 4 * noise * (5 / 4) / 200**2
    assert ranking.difference_variances[0, 1] == pytest.approx(rerating)  # ddof 1, and no more
    t = student(6 / 3 * np.sum(sd**2) ** 2 / np.sum(sd**4))
    # The mean of five ratings differs from people's mean opinion by σ² / 5, from the next rating
    # by σ² (1 + 1/5).
    both = ranking.error("first", "second"), ranking.true_error("first", "second")
    assert both == pytest.approx(
        (t.cdf(gap / math.sqrt(1.2 * rerating)), t.cdf(gap / math.sqrt(rerating / 5)))
    )
    needed = ranking.needed("first", "second", error=1e-4)
    assert needed.pairs == max(needed.rerating.pairs, needed.true_order.pairs)
    parts = (needed.rerating, 1.2 * rerating, 1), (needed.true_order, rerating / 5, 5)
    assert tuple(part.error_now for part, *_ in parts) == both
    for part, variance, behind in parts:
        for ratings, below in ((part.repeats, True), (part.repeats - 1, False)):
            assert (ndtr(gap / math.sqrt(variance * behind / ratings)) < 1e-4) == below
        for pairs, below in ((part.pairs, True), (part.pairs - 1, False)):
            assert (ndtr(gap / math.sqrt(variance * 200 / pairs)) < 1e-4) == below


def test_many_trials_are_means_that_are_known():
    predictions, mean, sd = correlated_systems(200, rms=(1.0, 1.05), correlation=0.3, seed=9)
    for metric in ("rmse", "mae"):
        known = rank(predictions, mean=mean, sd=sd, metric=metric)
        many = rank(predictions, mean=mean, sd=sd, metric=metric, trials=10**6)
        # Around ratings seen, MAEs are taken as Gaussian: two hundred pairs nearly are.
        allowed = 1e-4 if metric == "rmse" else 1e-3
        np.testing.assert_allclose(many.errors, known.errors, rtol=allowed)
        np.testing.assert_allclose(many.score_sds, known.score_sds, rtol=1e-4)
        few = rank(predictions, mean=mean, sd=sd, metric=metric, trials=2)
        assert known.error("first", "second") < few.error("first", "second") < 0.5


def test_without_trials_the_true_order_is_not_asked():
    ranking = rank({"a": [1.0], "b": [2.0]}, mean=[1.2], sd=[0.5])
    assert ranking.true_errors is None
    with pytest.raises(InputError, match="trials"):
        ranking.true_error("a", "b")


# Any metric -----------------------------------------------------------------------------------


def test_any_metric_is_ranked_on_shared_draws():
    predictions, mean, sd = correlated_systems(80, rms=(1.0, 1.2), correlation=0.8, seed=3)
    seen = []
    ranking = rank(
        predictions,
        mean=mean,
        sd=sd,
        metric=lambda y_true, y_pred: float(np.mean((y_true - y_pred) ** 2)),
        greater_is_better=False,
        draws=4000,
        random_state=1,
        progress=lambda share, step: seen.append(share),
    )
    exact = rank(predictions, mean=mean, sd=sd).error("first", "second")
    assert ranking.error("first", "second") == pytest.approx(exact, abs=4 * math.sqrt(0.25 / 4000))
    assert ranking.provenance.seed == 1
    assert seen[-1] == 1.0
    assert ranking.mcse > 0


def test_simulated_scores_are_summarised_as_the_metric_gave_them():
    given = []

    def worst(y_true, y_pred):
        given.append(float(np.max(np.abs(y_true - y_pred))))
        return given[-1]

    predictions, mean, sd = several(3, n=20)
    found = rank(
        predictions, mean=mean, sd=sd, metric=worst, greater_is_better=False, draws=25,
        random_state=4,
    )  # fmt: skip
    draws = np.reshape(given, (25, 3))
    assert (found.paired, found.n, found.metric, found.difference_scale) == (
        True, 20, "worst", "score",
    )  # fmt: skip
    np.testing.assert_allclose(found.scores, draws.mean(axis=0))
    np.testing.assert_allclose(found.score_sds, draws.std(axis=0, ddof=1))
    for one in range(3):
        for other in range(3):
            apart = draws[:, one] - draws[:, other]
            assert found.differences[one, other] == pytest.approx(apart.mean())
            assert found.difference_variances[one, other] == pytest.approx(apart.var(ddof=1))


def test_two_simulated_reratings_are_enough_and_one_is_not():
    predictions, mean, sd = several(2, n=5)
    asked = {"mean": mean, "sd": sd, "metric": lambda a, b: abs(a - b).max()}
    assert rank(predictions, **asked, greater_is_better=False, draws=2).score_sds.shape == (2,)
    with pytest.raises(InputError, match="at least 2 re-ratings"):
        rank(predictions, **asked, greater_is_better=False, draws=1)


def test_greater_is_better_turns_the_order_round():
    predictions, mean, sd = several(3, n=50)

    def score(y_true, y_pred):
        return -float(np.mean((y_true - y_pred) ** 2))

    upwards = rank(predictions, mean=mean, sd=sd, metric=score, greater_is_better=True, draws=200)
    downwards = rank(
        predictions, mean=mean, sd=sd, metric=score, greater_is_better=False, draws=200
    )
    assert upwards.order == downwards.order[::-1]
    assert upwards.order == rank(predictions, mean=mean, sd=sd).order
    a, b = upwards.order[:2]
    assert upwards.needed(a, b, error=0.4).status in ("reached", "needed")


def test_a_gain_has_the_errors_and_ranks_of_the_loss_it_is_the_opposite_of():
    predictions, mean, sd = several(4, n=20)

    def loss(y_true, y_pred):
        return float(np.median(np.abs(y_true - y_pred)))

    def gain(y_true, y_pred):
        return -loss(y_true, y_pred)

    arguments = {"mean": mean, "sd": sd, "draws": 300, "random_state": 2}
    down = rank(predictions, metric=loss, greater_is_better=False, **arguments)
    up = rank(predictions, metric=gain, greater_is_better=True, **arguments)
    np.testing.assert_allclose(up.errors, down.errors)
    np.testing.assert_allclose(up.ranks, down.ranks)
    assert (up.order, up.likely_orderings) == (down.order, down.likely_orderings)
    assert up.errors[0, 1] != up.errors[1, 0]


def test_known_trials_widen_the_spread_to_one_degree_of_freedom():
    predictions, mean, sd = several(3, n=25)
    wider = sd * math.sqrt(4 / 3)  # four trials, ddof 0 to ddof 1

    def worst(y_true, y_pred):
        return float(np.max(np.abs(y_true - y_pred)))

    # What to expect takes ddof 0: the mean of four ratings holds a quarter of the noise already.
    more = {"metric": worst, "greater_is_better": False, "draws": 40}
    few = rank(predictions, mean=mean, sd=sd, trials=4, **more)
    # The next rating is off from the mean of four by their variance and a quarter of it.
    spread = rank(predictions, mean=mean, sd=wider * math.sqrt(5 / 4), **more)
    np.testing.assert_allclose(few.difference_variances, spread.difference_variances)
    np.testing.assert_allclose(few.scores, rank(predictions, mean=mean, sd=sd, **more).scores)
    assert few.provenance.settings["draws"] == 40


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_independent_scores_are_ranked_as_independent_gaussians(metric):
    predictions, mean, sd = several(5, n=30)
    found = rank(predictions, mean=mean, sd=sd, metric=metric, paired=False)
    drawn = np.random.default_rng(3).normal(found.scores, found.score_sds, (40_000, 5))
    places = np.argsort(np.argsort(drawn, axis=1), axis=1)
    shares = np.stack([(places == place).mean(axis=0) for place in range(5)], axis=1)
    np.testing.assert_allclose(found.ranks, shares, atol=5 * math.sqrt(0.25 / 40_000))
    assert np.all(np.diag(found.difference_variances) == 0)


def test_draws_that_tie_count_one_half_and_shares_have_their_standard_error():
    predictions = {"a": [1.0, 2.0], "b": [1.0, 2.0], "c": [1.0, 9.0]}

    def hits(y_true, y_pred):
        return float(np.mean(np.abs(y_true - y_pred) < 4))

    ranking = rank(
        predictions, mean=[1.0, 2.0], sd=0.1, metric=hits, greater_is_better=True, draws=50
    )
    # a and b always hit both, c always one: a certain tie in front of a certain last.
    assert ranking.error("a", "b") == 0.5
    assert ranking.error("a", "c") == 0.0
    assert ranking.score_sds.tolist() == [0.0, 0.0, 0.0]
    assert ranking.ranks[2].tolist() == [0.0, 0.0, 1.0]
    share = ranking.ranks[0, 0]
    assert ranking.mcse == pytest.approx(math.sqrt(share * (1 - share) / 50))


def test_a_ranking_records_how_it_was_made():
    predictions, mean, sd = several(3, n=30)
    ranking = rank(predictions, mean=mean, sd=sd)
    assert ranking.level == 0.05
    settings_used = ranking.provenance.settings
    assert (settings_used["metric"], settings_used["paired"], settings_used["level"]) == (
        "rmse", True, 0.05,
    )  # fmt: skip
    assert "engine" in settings_used["sums"]
    assert {"numpy", "scipy"} <= set(ranking.provenance.versions)
    assert ranking.provenance.rows_used == 30
    assert "sums" not in rank(predictions, mean=mean, sd=sd, metric="mae").provenance.settings


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_level_and_seed_reach_the_ranking_and_zero_is_the_default_seed(metric):
    predictions, mean, sd = several(4, n=30)
    asked = rank(predictions, mean=mean, sd=sd, metric=metric, level=0.2, random_state=7)
    assert (asked.level, asked.provenance.seed) == (0.2, 7)
    assert rank(predictions, mean=mean, sd=sd, metric=metric).provenance.seed == 0


def test_sums_are_ranked_with_the_same_defaults_as_rows():
    predictions, mean, sd = several(4, n=30)
    table = {"mu": mean, "sigma": sd, **predictions}
    sums = squared_error_sums(table, mean="mu", sd="sigma", predictions=list(predictions))
    plain = rank_sums(sums)
    assert (plain.level, plain.provenance.seed, plain.metric, plain.paired) == (
        0.05, 0, "rmse", True,
    )  # fmt: skip
    with pytest.raises(InputError, match="between 0 and 1"):
        rank_sums(sums, level=5)


# Sums and refusals ----------------------------------------------------------------------------


def test_ranking_sums_of_parts_equals_ranking_the_whole():
    predictions, mean, sd = several(4)
    table = {"mu": mean, "sigma": sd, **predictions}

    def sums(rows):
        part = {name: values[rows] for name, values in table.items()}
        return squared_error_sums(part, mean="mu", sd="sigma", predictions=list(predictions))

    ranking = rank_sums(sums(slice(0, 150)) + sums(slice(150, None)))
    whole = rank(predictions, mean=mean, sd=sd)
    np.testing.assert_allclose(ranking.errors, whole.errors, rtol=1e-9)
    assert ranking.order == whole.order
    assert ranking.n == 400


BAD = [
    ({"mean": [1.0, float("nan")]}, InputError, "1 in 'mean'"),
    ({"sd": [0.1, -0.2]}, InputError, "negative"),
    ({"sd": [0.1, 0.2, 0.3]}, LengthMismatchError, "'sd'|sd has 3"),
    ({"mean": ["low", "high"]}, InputError, "expected numbers"),
    ({"metric": "auc"}, InputError, "one of rmse, mse, mae"),
    ({"metric": len}, InputError, "greater_is_better"),
    ({"level": 5}, InputError, "between 0 and 1"),
    ({"level": 0}, InputError, "between 0 and 1"),
    ({"level": 1}, InputError, "between 0 and 1"),
    ({"level": 1.5, "metric": "mae"}, InputError, "between 0 and 1"),
    ({"sd": [0.1, 0.2, 0.3], "metric": "mae"}, LengthMismatchError, "'sd'|sd has 3"),
    ({"trials": 0}, InputError, "fewer than 1 trial"),
    ({"missing": "keep"}, InputError, "one of error, drop"),
    ({"missing": "keep", "metric": "mae"}, InputError, "one of error, drop"),
]


@pytest.mark.parametrize(("change", "kind", "words"), BAD)
def test_wrong_input_is_named(change, kind, words):
    arguments = {"mean": [1.0, 2.0], "sd": [0.1, 0.2]} | change
    with pytest.raises(kind, match=words):
        rank({"a": [1.0, 2.0], "b": [2.0, 1.0]}, **arguments)


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_columns_of_unequal_length_are_refused_where_they_were_given(metric):
    with pytest.raises(LengthMismatchError) as caught:
        rank({"a": [1.0, 2.0], "b": [2.0, 1.0]}, mean=[1.0, 2.0], sd=[0.1] * 3, metric=metric)
    assert caught.value.where == "rank"


def test_wrong_systems_are_named():
    with pytest.raises(InputError, match="at least two systems"):
        rank({"a": [1.0]}, mean=[1.0], sd=[0.1])
    with pytest.raises(InputError, match="a dict of system name"):
        rank([[1.0], [2.0]], mean=[1.0], sd=[0.1])
    with pytest.raises(InputError, match="no system"):
        rank({}, mean=[1.0], sd=[0.1])
    with pytest.raises(InputError, match="no row"):
        rank({"a": [], "b": []}, mean=[], sd=[])
    ranking = rank({"svd": [1.0], "knn": [2.0]}, mean=[1.0], sd=[0.1])
    with pytest.raises(UnknownNameError, match="Did you mean 'svd'"):
        ranking.error("svdd", "knn")
    with pytest.raises(InputError, match=r"between 0 and 0\.5"):
        ranking.needed("svd", "knn", error=0.7)


def test_dropped_rows_are_recorded():
    predictions = {"a": [1.0, 2.0, np.nan], "b": [2.0, 2.0, 2.0]}
    for metric in ("rmse", "mae"):
        ranking = rank(predictions, mean=[1.0, 2.0, 3.0], sd=0.3, missing="drop", metric=metric)
        assert ranking.n == 2
        assert ranking.provenance.rows_dropped == {"missing or not finite": 1}


def test_absolute_errors_of_numbers_that_no_sum_holds_are_refused_kindly():
    with pytest.raises(InputError, match="so large"):
        rank({"A": [1.0, 1e308], "B": [2.0, 3.0]}, mean=[1.0, 2.0], sd=[0.5, 0.5], metric="mae")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_is_its_columns(library):
    systems = {"svd": [3.1, 4.2, 2.2, 4.6], "three": [3.0] * 4}
    mean = [3.0, 4.0, 2.0, 5.0]
    from_frame = rank(Table(systems).to_frame(library), mean=mean, sd=0.5)
    assert from_frame.error("svd", "three") == rank(systems, mean=mean, sd=0.5).error(
        "svd", "three"
    )


def test_predictions_that_are_no_table_are_refused_with_both_ways_out():
    with pytest.raises(InputError, match=r"dict of system name to array, or a data frame"):
        rank([[3.1, 4.2], [3.0, 3.0]], mean=[3.0, 4.0], sd=0.5)
