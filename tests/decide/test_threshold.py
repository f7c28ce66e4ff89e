"""The posterior of a threshold."""

import re
import time
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, precision_recall_curve, precision_score
from sklearn.svm import LinearSVC

from howgood import decide, learn, score
from howgood.decide.sampling import score_bins
from howgood.decide.thresholds import objective_from, variance_shares
from howgood.errors import InputError, ReversedScoresWarning, UnknownNameError
from howgood.show.decisions import threshold_findings


def test_ten_cases_by_hand():
    # Flagging from .4 on: 4 hits, 1 false alarm, nothing missed; everything else is worse when
    # recall is what counts.
    truth = [0, 0, 0, 1, 0, 1, 1, 1] * 40
    scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] * 40
    choice = decide.threshold(score.PowerMean(p=-1, alpha=0.2), truth, scores, random_state=0)
    assert choice.chosen == 0.4
    assert choice.threshold.mean == pytest.approx(0.4)
    assert choice.recall.mean == pytest.approx((160 + 0.5) / 161, abs=0.002)
    assert choice.precision.mean == pytest.approx(160.5 / 201, abs=0.005)


def test_with_a_large_test_set_it_is_the_maximum_over_the_precision_recall_curve(known):
    generator = np.random.default_rng(4)
    truth = (generator.random(200_000) < 0.3).astype(int)
    scores = np.round(generator.normal(1.5 * truth), 2)
    precision, recall, thresholds = precision_recall_curve(truth, scores)
    for application, alpha in (("recall first", 0.15), ("precision first", 0.85)):
        choice = decide.threshold(known, truth, scores, application=application, random_state=1)
        mean = precision[:-1] ** alpha * recall[:-1] ** (1 - alpha)
        at_chosen = mean[np.searchsorted(thresholds, choice.chosen)]
        assert at_chosen == pytest.approx(mean.max(), abs=5e-4)  # the top is flat
        assert choice.variance_shares["test set"] == pytest.approx(1.0)


def test_one_positive_in_a_thousand_is_no_coarser_than_the_precision_recall_curve():
    generator = np.random.default_rng(5)
    truth = (generator.random(300_000) < 0.001).astype(int)
    scores = generator.normal(3.0 * truth)
    metric = score.PowerMean(p=0, alpha=0.35)
    choice = decide.threshold(metric, truth, scores, random_state=1)
    precision, recall, thresholds = precision_recall_curve(truth, scores)
    mean = precision[:-1] ** 0.35 * recall[:-1] ** 0.65
    assert mean[np.searchsorted(thresholds, choice.chosen)] > mean.max() - 0.005
    order = np.argsort(scores)[::-1]
    best = []
    for _ in range(60):  # the Bayesian bootstrap of every case, at every threshold
        weights = generator.standard_exponential(truth.size)[order]
        hits = np.cumsum(weights * truth[order])
        drawn = (hits / np.cumsum(weights)) ** 0.35 * (hits / hits[-1]) ** 0.65
        best.append(scores[order][np.argmax(drawn)])
    assert choice.threshold.sd == pytest.approx(np.std(best), rel=0.5)


@pytest.mark.parametrize("p", [-1.0, 0.0, 1.0, 2.5])
def test_the_best_threshold_of_a_draw_is_found_by_trying_them_all(make_people, scored, p):
    people = make_people(
        {"a": {"alpha": 0.4, "intercept": -9.0, "slope": 12.0, "p": p}}, spread=0.4, n_draws=30
    )
    bins = score_bins(*scored, pos_label=1, where="test")
    tables = bins.resampled(20, np.random.default_rng(3))
    objective = objective_from(people, application="a", n_people=30)
    found = objective.best(tables)
    draws = people.acceptance_draws("a")
    for person in range(30):
        one = draws.taken(np.array([person]))
        shares = one.shares(tables.precision, tables.recall)[0]
        picked = shares[np.arange(20), found[person]]
        np.testing.assert_allclose(picked, shares.max(axis=1), rtol=1e-9)


def test_people_who_value_recall_get_a_lower_threshold(asked, scored):
    low = decide.threshold(asked, *scored, application="recall first", random_state=2)
    high = decide.threshold(asked, *scored, application="precision first", random_state=2)
    assert low.chosen < high.chosen
    assert low.threshold.interval.upper < high.threshold.mean
    assert low.acceptance.interval.lower < low.expected < low.acceptance.interval.upper
    assert sum(low.variance_shares.values()) == pytest.approx(1.0)
    assert low.variance_shares["people"] > 0.0


def test_with_coarse_scores_the_acceptance_is_that_of_decide_acceptance(asked, scored):
    truth, scores = scored[0], np.clip(np.round(scored[1]), -1, 2)
    choice = decide.threshold(asked, truth, scores, application="recall first", random_state=2)
    again = decide.acceptance(
        asked, truth, scores >= choice.chosen, application="recall first", random_state=3
    )
    assert choice.acceptance.mean == pytest.approx(again.mean, abs=0.01)


def test_any_scikit_learn_metric_can_be_the_objective(scored):
    truth, scores = scored[0][:80], np.round(scored[1][:80], 1)
    ours = decide.threshold(score.PowerMean(p=-1, alpha=0.2), truth, scores, random_state=5)
    theirs = decide.threshold(
        partial(fbeta_score, beta=2.0, zero_division=0), truth, scores, random_state=5
    )
    assert theirs.chosen == ours.chosen
    assert theirs.acceptance is None


def test_an_elicited_weight_brings_its_own_uncertainty():
    generator = np.random.default_rng(2)
    probability = generator.random(4000)
    truth = (generator.random(4000) < probability).astype(int)
    matrices = learn.threshold_matrices(truth, probability)
    oracle = score.LinearMetric(a0=0.3).prefers
    result = learn.ask_oracle(
        learn.Elicitor(matrices, families=("linear",), random_state=1), oracle
    )
    choice = decide.threshold(result, truth, probability, random_state=1)
    # With calibrated scores the best threshold of a linear metric is a0 itself.
    assert choice.threshold.mean == pytest.approx(result.a0.mean, abs=0.05)
    assert choice.variance_shares["people"] > 0
    known = decide.threshold(score.LinearMetric(a0=0.3), truth, probability, random_state=1)
    assert known.chosen == pytest.approx(0.3, abs=0.06)
    assert known.variance_shares["people"] == 0.0


@settings(max_examples=20, deadline=None)
@given(st.floats(0.1, 20.0), st.floats(-50.0, 50.0))
def test_moving_and_stretching_the_scores_moves_the_threshold_along(stretch, shift):
    generator = np.random.default_rng(8)
    truth = np.tile([0, 0, 1], 50)
    scores = np.round(generator.normal(truth), 1)
    metric = score.PowerMean(p=0, alpha=0.4)
    plain = decide.threshold(metric, truth, scores, random_state=6)
    moved = decide.threshold(metric, truth, stretch * scores + shift, random_state=6)
    assert moved.chosen == pytest.approx(stretch * plain.chosen + shift)
    assert moved.threshold.mean == pytest.approx(stretch * plain.threshold.mean + shift)


@pytest.mark.parametrize("scale", ["tiny", "near one"])
def test_thresholds_next_to_0_or_1_are_said_with_digits_enough(scale):
    generator = np.random.default_rng(5)
    truth = np.tile([0, 0, 1], 200)
    scores = 1e-5 / (1 + np.exp(-generator.normal(2 * truth)))
    scores = scores if scale == "tiny" else 1 - 1e-5 + scores
    choice = decide.threshold(score.PowerMean(p=0, alpha=0.5), truth, scores, random_state=1)
    said = re.findall(r"\d\.\d+", threshold_findings(choice)[0].text)
    ends = choice.threshold.interval
    assert len(set(said)) == 3
    assert [float(each) for each in said] == pytest.approx(
        [choice.chosen, ends.lower, ends.upper], abs=1e-7
    )


def test_few_cases_of_one_class_leave_more_doubt_about_the_threshold():
    """Twenty cases against two thousand like them; probabilities stay between 0 and 1."""
    generator, metric, widths = np.random.default_rng(5), score.PowerMean(p=0, alpha=0.5), {}
    said = {20: "With 10 cases of the rarer class take it as a guess",
            60: "With 30 cases of the rarer class this is rough", 2000: None}  # fmt: skip
    for n, words in said.items():
        truth = np.tile([0, 1], n // 2)
        scores = 1 / (1 + np.exp(-generator.normal(1.5 * truth - 0.75)))
        choice = decide.threshold(metric, truth, scores, random_state=1)
        assert choice.threshold.draws.min() >= 0
        assert choice.threshold.draws.max() <= 1
        widths[n] = choice.threshold.interval.width
        finding = threshold_findings(choice)[0]
        assert finding.tone == ("neutral" if words is None else "unsure")
        assert "of the rarer class" not in finding.text if words is None else words in finding.text
        assert choice.to_dict()["provenance"]["settings"]["cases of the rarer class"] == n // 2
    assert widths[20] > 2 * widths[2000]


def test_the_best_threshold_of_small_test_sets_is_held():
    """Among observed scores alone, 95 % intervals held it 31 % of the time."""
    generator, metric = np.random.default_rng(11), score.LinearMetric(a0=0.2)
    # Positives Normal(1.5), negatives Normal(0), as many of each: .8 times the density of the
    # positives is .2 times that of the negatives where 1.5 t - 1.125 = log(1 / 4).
    best = (1.125 - np.log(4)) / 1.5
    held = []
    for _ in range(60):
        truth = np.tile([0, 1], 10)
        choice = decide.threshold(
            metric, truth, generator.normal(1.5 * truth), random_state=generator
        )
        held.append(best in choice.threshold.interval)
    assert np.mean(held) > 0.75


def test_huge_scores_and_two_cases_have_a_threshold():
    metric = score.PowerMean(p=0, alpha=0.5)
    with np.errstate(all="raise", under="ignore"):
        huge = decide.threshold(metric, [0, 1, 0, 1], [1e99, 2e99, 3e99, -1e99], random_state=1)
    assert huge.threshold.interval.width > 1e99
    two = decide.threshold(metric, [0, 1], [0.2, 0.8], random_state=1)
    assert two.chosen == 0.8
    assert 0.5 in two.threshold.interval


@pytest.mark.parametrize("score_of_one", [1e101, -1e308])
def test_scores_whose_sums_no_number_holds_are_refused(score_of_one):
    scores = [0.2, 0.8, score_of_one, 0.7]
    with pytest.raises(InputError, match=r"scores between -1e\+100 and 1e\+100"):
        decide.threshold(score.PowerMean(p=0, alpha=0.5), [0, 1, 0, 1], scores, random_state=1)


def test_scores_that_are_steps_have_thresholds_on_the_steps():
    generator = np.random.default_rng(3)
    truth = np.tile([0, 0, 1], 20)
    scores = np.clip(np.round(generator.normal(3 + truth)), 1, 5)
    choice = decide.threshold(score.PowerMean(p=0, alpha=0.4), truth, scores, random_state=6)
    assert set(np.unique(choice.threshold.draws)) <= {1.0, 2.0, 3.0, 4.0, 5.0}


def test_variance_shares_recover_known_components():
    generator = np.random.default_rng(9)
    people, tables = generator.normal(0, 3, (400, 1)), generator.normal(0, 2, (1, 400))
    both = generator.normal(0, 1, (400, 400))
    shares = variance_shares(people + tables + both)
    total = people.var(ddof=1) + tables.var(ddof=1) + 1.0
    assert shares["people"] == pytest.approx(people.var(ddof=1) / total, rel=0.03)
    assert shares["test set"] == pytest.approx(tables.var(ddof=1) / total, rel=0.03)
    assert shares["both together"] == pytest.approx(1 / total, rel=0.03)
    assert variance_shares(np.full((5, 5), 0.3)) == {
        "people": 0.0,
        "test set": 0.0,
        "both together": 0.0,
    }


def test_a_fitted_classifier_gives_its_scores():
    generator = np.random.default_rng(1)
    features = generator.normal(size=(100, 2))
    truth = (features[:, 0] > 0).astype(int)
    model = LogisticRegression().fit(features, truth)
    np.testing.assert_allclose(
        decide.positive_scores(model, features), model.predict_proba(features)[:, 1]
    )
    with pytest.raises(InputError, match="without predict_proba"):
        decide.positive_scores(object(), features)


@pytest.mark.parametrize("model", [LogisticRegression(), LinearSVC()])
def test_the_first_class_may_be_the_positive_one(model):
    features = np.random.default_rng(1).normal(size=(100, 2))
    model.fit(features, np.where(features[:, 0] > 0, "sick", "well"))
    of_sick = decide.positive_scores(model, features, pos_label="sick")
    assert of_sick[features[:, 0] > 1].min() > of_sick[features[:, 0] < -1].max()
    of_well = decide.positive_scores(model, features)
    assert (of_well == decide.positive_scores(model, features, pos_label="well")).all()
    assert (of_sick.argsort() == of_well.argsort()[::-1]).all()
    with pytest.raises(InputError, match="classes"):
        decide.positive_scores(model, features, pos_label="ill")


def test_the_same_seed_gives_the_same_answer_and_is_recorded(asked, scored):
    first, second = (
        decide.threshold(asked, *scored, application="recall first", random_state=42)
        for _ in range(2)
    )
    assert first.threshold.mean == second.threshold.mean
    assert first.provenance.seed == 42


def test_unclear_requests_are_refused_kindly(asked, scored):
    with pytest.raises(InputError, match="application="):
        decide.threshold(asked, *scored)
    with pytest.raises(UnknownNameError, match="recall first"):
        decide.threshold(asked, *scored, application="recal first")
    with pytest.raises(InputError, match="PowerMean"):
        decide.threshold(0.5, *scored)
    with pytest.raises(InputError, match="sample_weight"):
        decide.threshold(lambda y_true, y_pred: 1.0, *scored)


def test_a_hundred_thousand_cases_take_about_a_second(asked):
    generator = np.random.default_rng(3)
    truth = (generator.random(100_000) < 0.2).astype(int)
    scores = generator.normal(truth)
    start = time.process_time()
    decide.threshold(asked, truth, scores, application="recall first", random_state=1)
    assert time.process_time() - start < 5


def test_shares_of_variance_know_no_unit():
    best = np.random.default_rng(1).normal(size=(7, 5))
    assert variance_shares(best * 1e99) == pytest.approx(variance_shares(best))


@pytest.mark.parametrize("gap", [np.nan, None, pd.NA])
def test_missing_labels_are_no_negatives(scored, gap):
    truth, scores = scored
    holed = np.array(truth, dtype=object)
    holed[3] = gap
    with pytest.raises(InputError, match=r"labels missing \(first: row 4"):
        decide.threshold(score.LinearMetric(a0=0.3), holed, scores, random_state=1)
    with pytest.raises(InputError, match="would count as negative"):
        score.LinearMetric(a0=0.3)(truth, holed)


def test_scores_that_are_higher_for_the_other_class_are_noticed(scored):
    truth, scores = scored
    with pytest.warns(ReversedScoresWarning, match="labelled 1"):
        decide.threshold(score.LinearMetric(a0=0.3), truth, -np.asarray(scores), random_state=1)
    known = norm.sf(score_bins(truth, scores, pos_label=1, where="test", most=10**6).order_z)
    other = mannwhitneyu(
        scores[truth == 1], scores[truth == 0], alternative="greater", method="asymptotic",
        use_continuity=False,
    )  # fmt: skip
    assert known == pytest.approx(other.pvalue, rel=1e-6)


def test_a_threshold_says_where_no_scores_are_needed():
    rng = np.random.default_rng(3)
    truth, noise = (rng.random(2000) < 0.05).astype(int), rng.random(2000)
    costly, cheap = score.LinearMetric(a0=0.5), score.LinearMetric(a0=0.01)
    none = decide.threshold(costly, truth, noise, random_state=1)
    assert none.not_better_than == "flagging nothing"
    assert "not clearly better than flagging nothing" in " ".join(
        each.text for each in threshold_findings(none)
    )
    everything = decide.threshold(cheap, truth, noise, random_state=1)
    assert everything.not_better_than == "flagging everything"
    useful = decide.threshold(costly, truth, truth + 0.1 * noise, random_state=1)
    assert useful.not_better_than is None


def _precision_or_nothing(y_true, y_pred, *, sample_weight):
    return np.sum(sample_weight * y_true * y_pred) / np.sum(sample_weight * y_pred)


def _precision_or_error(y_true, y_pred, *, sample_weight):
    return float(np.sum(sample_weight * y_true * y_pred)) / float(np.sum(sample_weight * y_pred))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("metric", [_precision_or_nothing, _precision_or_error, precision_score])
def test_a_metric_without_a_value_where_nothing_is_flagged_still_gets_a_threshold(metric):
    truth, noise = np.arange(300) % 2, np.random.default_rng(5).random(300)
    choice = decide.threshold(metric, truth, truth + 0.1 * noise, random_state=1)
    assert choice.not_better_than is None


def test_where_all_thresholds_are_one_nothing_is_spread():
    truth = [0, 1, 0, 0] * 20
    choice = decide.threshold(score.LinearMetric(a0=0.1), truth, [0.3] * 80, random_state=1)
    assert set(choice.variance_shares.values()) == {0.0}


@pytest.mark.parametrize(("n_cases", "is_said"), [(400, False), (4000, True)])
def test_few_positives_among_very_many_cases_flatter_recall_and_that_is_said(n_cases, is_said):
    rng = np.random.default_rng(7)
    truth = (np.arange(n_cases) < 20).astype(int)
    choice = decide.threshold(
        score.PowerMean(p=0, alpha=0.3), truth, rng.normal(3 * truth), random_state=1
    )
    said = " ".join(finding.text for finding in threshold_findings(choice))
    assert ("measure them on other cases" in said) == is_said
