"""What another test set might have shown."""

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.metrics import confusion_matrix

from howgood.decide import sampling
from howgood.decide.sampling import Counts, ScoreBins, counted, resampled, score_bins
from howgood.errors import InputError, LengthMismatchError


def test_counts_are_scikit_learns_confusion_matrix():
    generator = np.random.default_rng(0)
    truth, predicted = generator.integers(0, 2, (2, 50))
    (tn, fp), (fn, tp) = confusion_matrix(truth, predicted)
    counts = counted(truth, predicted, pos_label=1, where="test")
    assert [float(each) for each in counts.cells()] == [tp, fn, fp, tn]


def test_a_resampled_table_has_dirichlet_moments():
    tables = resampled(Counts.of_cells(8, 2, 4, 86), 200_000, np.random.default_rng(1))
    cells = np.array([8.5, 2.5, 4.5, 86.5])
    drawn = np.column_stack(tables.cells())
    share = cells / cells.sum()
    np.testing.assert_allclose(drawn.mean(axis=0), share, atol=3e-4)
    np.testing.assert_allclose(
        drawn.var(axis=0), share * (1 - share) / (cells.sum() + 1), rtol=0.03
    )
    # Recall alone is then Beta(8.5, 2.5).
    assert tables.recall.mean() == pytest.approx(8.5 / 11, abs=1e-3)


def test_bins_give_the_confusion_table_of_every_threshold():
    truth, scores = np.array([0, 1, 0, 1, 1]), np.array([0.1, 0.2, 0.2, 0.7, 0.9])
    bins = score_bins(truth, scores, pos_label=1, where="test")
    counts = bins.counts()
    assert bins.thresholds.tolist() == [0.1, 0.2, 0.7, 0.9]
    for index, threshold in enumerate(bins.thresholds):
        (tn, fp), (fn, tp) = confusion_matrix(truth, scores >= threshold)
        found = [float(each[index]) for each in counts.cells()]
        assert found == [tp, fn, fp, tn]


def test_binned_weights_are_a_bayesian_bootstrap_of_the_cases(scored):
    truth, scores = scored
    truth, scores = truth[:60], scores[:60]
    bins = score_bins(truth, scores, pos_label=1, where="test")
    ours = bins.resampled(20_000, np.random.default_rng(2))
    # Independent: one weight per case, summed by definition.
    weights = np.random.default_rng(3).dirichlet(np.ones(60), size=20_000)
    at = int(np.searchsorted(bins.thresholds, 0.8))
    flagged = scores >= bins.thresholds[at]
    precision = weights[:, flagged & (truth == 1)].sum(1) / weights[:, flagged].sum(1)
    assert ours.precision[:, at].mean() == pytest.approx(precision.mean(), abs=0.003)
    assert ours.precision[:, at].std() == pytest.approx(precision.std(), rel=0.03)
    lower, upper = int(np.searchsorted(bins.thresholds, 0.2)), at
    joint = [np.corrcoef(ours.recall[:, lower], ours.recall[:, upper])[0, 1]]
    recall = [
        weights[:, (scores >= bins.thresholds[k]) & (truth == 1)].sum(1)
        / weights[:, truth == 1].sum(1)
        for k in (lower, upper)
    ]
    assert joint[0] == pytest.approx(np.corrcoef(recall)[0, 1], abs=0.03)


def test_with_prior_cases_each_threshold_has_the_tables_of_its_own_counts():
    truth, scores = [0, 0, 1, 0, 1, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    bins = score_bins(truth, scores, pos_label=1, where="test")
    drawn = bins.resampled(100_000, np.random.default_rng(7), prior_cases=0.5)
    # From 4 on: two hits, one missed, one false alarm, two rightly left alone.
    cells = np.array([2.5, 1.5, 1.5, 2.5])
    at = np.column_stack([each[:, 3] for each in drawn.cells()])
    share = cells / cells.sum()
    np.testing.assert_allclose(at.mean(axis=0), share, atol=2e-3)
    np.testing.assert_allclose(at.var(axis=0), share * (1 - share) / (cells.sum() + 1), rtol=0.03)


def test_moved_scores_keep_their_classes_and_move_as_far_as_said():
    truth, scores = np.repeat([1, 0], [12, 6]), np.r_[np.arange(10.0, 22.0), np.arange(6.0)]
    bins = score_bins(truth, scores, pos_label=1, where="test")
    tables, places = bins.moved(20_000, np.random.default_rng(1))
    assert np.all(np.diff(places, axis=1) >= 0)
    np.testing.assert_allclose(sum(tables.cells()), 1.0)
    assert tables.true_positives[:, 0].mean() == pytest.approx(12 / 18, abs=0.003)
    # Twelve positives 10 to 21: sd 3.61, quartiles 12 and 18: the sd is smaller than 6 / 1.349 and
    # counts, times 5.3 / 12^1.25. Negatives 0 to 5: sd 1.87 against 3 / 1.349, half of it.
    sds = np.r_[np.full(6, 0.5 * np.std(np.arange(6), ddof=1)),
                np.full(12, 5.3 / 12**1.25 * np.std(np.arange(12), ddof=1))]  # fmt: skip
    around = np.sort(scores) + sds * np.random.default_rng(2).standard_normal((20_000, 18))
    # Sums do not depend on the order the moved scores are in.
    assert places.sum(axis=1).std() == pytest.approx(around.sum(axis=1).std(), rel=0.03)
    assert places.mean() == pytest.approx(scores.mean(), abs=0.01)


@pytest.mark.parametrize(
    "cases",
    [
        [0, 10, 11, 12, 13, 14, 40],  # the quartiles, 10 and 14, are nearer than the sd says
        [0] * 2 + [5] * 9 + [9] * 2,  # half of them share a score: only the sd has a width
        [0] * 6 + [1] * 2 + [2, 3, 70],  # quartiles of cases, not of scores
        [1, 4],  # two cases have a spread
    ],
)
def test_scores_move_by_the_smaller_of_two_widths_of_their_class(cases):
    cases = np.array(cases, float)
    # Negatives share one score and do not move.
    scores, truth = np.r_[cases, np.full(9, -5.0)], np.repeat([1, 0], [cases.size, 9])
    bins = score_bins(truth, scores, pos_label=1, where="test")
    _, places = bins.moved(20_000, np.random.default_rng(6))
    lower, upper = np.quantile(cases, [0.25, 0.75], method="inverted_cdf")
    width = cases.std(ddof=1)
    if upper > lower:
        width = min(width, (upper - lower) / 1.349)
    reach = width * min(0.5, 5.3 / cases.size**1.25)
    # One move for each score that is held.
    expected = reach * np.sqrt(np.unique(cases).size)
    assert places.sum(axis=1).std() == pytest.approx(expected, rel=0.03)


def test_a_single_case_moves_as_the_whole_test_set_would():
    truth, scores = [1, 0, 0, 0], [2.0, 0.0, 0.0, 0.0]
    _, places = score_bins(truth, scores, pos_label=1, where="").moved(
        20_000, np.random.default_rng(6)
    )
    # 2, 0, 0, 0: sd 1, and half of it at most; the negatives share a score and do not move.
    assert places.sum(axis=1).std() == pytest.approx(0.5, rel=0.03)


def test_the_rarer_class_is_counted_whichever_it_is():
    for truth, rarer in (([0, 0, 0, 1], 1), ([0, 1, 1, 1], 1), ([0, 0, 1, 1, 1], 2)):
        assert score_bins(truth, np.arange(len(truth)), pos_label=1, where="").n_rarer == rarer


def test_scores_are_steps_when_most_cases_share_theirs():
    halves = score_bins([0, 1] * 4, np.repeat([1, 2, 3, 4], 2), pos_label=1, where="")
    assert not halves.are_steps
    assert score_bins([0, 1] * 5, [1, 2, 3, 4] + [4] * 6, pos_label=1, where="").are_steps
    assert score_bins([0, 1] * 10, np.repeat([1, 2, 3, 4], 5), pos_label=1, where="").are_steps
    assert not score_bins([0, 1] * 10, np.arange(20.0), pos_label=1, where="").are_steps


def test_many_distinct_scores_are_thinned_to_four_hundred_thresholds():
    generator = np.random.default_rng(5)
    truth, scores = generator.integers(0, 2, 5000), generator.random(5000)
    bins = score_bins(truth, scores, pos_label=1, where="test")
    assert bins.thresholds.size == 400
    assert bins.thresholds[0] == scores.min()
    assert bins.n_cases == 5000


@pytest.mark.parametrize(
    ("truth", "scores", "words"),
    [
        ([0, 0], [0.1, 0.2], "no case labelled 1"),
        ([1, 1], [0.1, 0.2], "only positives"),
        ([0, 1], [0.1, np.nan], "not finite"),
        ([0, 1], ["a", "b"], "numbers"),
        ([0, 1], [[0.2, 0.8], [0.3, 0.7]], "predict_proba"),
        ([0, 1], [0.1, -1e200], r"a score of 1e\+200 or its negative"),
        ([], [], "no case labelled 1 among 0"),
    ],
)
def test_unusable_scores_are_refused_kindly(truth, scores, words):
    with pytest.raises(InputError, match=words):
        score_bins(truth, scores, pos_label=1, where="test")


def test_a_column_of_scores_is_one_score_per_case():
    bins = score_bins([0, 1, 1], [[0.1], [0.2], [0.3]], pos_label=1, where="test")
    assert bins.thresholds.tolist() == [0.1, 0.2, 0.3]


def test_labels_without_a_positive_case_are_refused():
    with pytest.raises(InputError, match="at least one positive case"):
        counted([0, 0], [0, 1], pos_label=1, where="test")


def test_unequal_lengths_are_refused():
    with pytest.raises(LengthMismatchError):
        score_bins([0, 1, 1], [0.1, 0.2], pos_label=1, where="test")
    with pytest.raises(LengthMismatchError):
        counted([0, 1, 1], [0, 1], pos_label=1, where="test")


def test_a_smoothed_table_keeps_the_cases_and_how_many_are_flagged():
    generator = np.random.default_rng(3)
    truth = (generator.random(300) < 0.3).astype(int)
    bins = score_bins(truth, generator.normal(truth), pos_label=1, where="test")
    own = bins.counts()
    for index in (0, 5, 150, 299):
        cells = np.array([float(each) for each in bins.smoothed_at(index).cells()])
        assert cells.min() >= 0
        assert cells.sum() == pytest.approx(300)
        assert cells[0] + cells[1] == pytest.approx(truth.sum())
        flagged = own.true_positives[index] + own.false_positives[index]
        assert cells[0] + cells[2] == pytest.approx(flagged)


def test_tables_on_a_line_and_tables_far_apart_stay_as_they_are():
    steady = score_bins(np.tile([0, 1], 150), np.repeat(np.arange(150.0), 2), pos_label=1, where="")
    far = score_bins([0, 1, 1] * 40, [1.0, 2.0, 3.0] * 40, pos_label=1, where="")
    for bins, index in ((steady, 70), (steady, 0), (steady, 149), (far, 1)):
        own = [float(each[index]) for each in bins.counts().cells()]
        found = [float(each) for each in bins.smoothed_at(index).cells()]
        np.testing.assert_allclose(found, own, atol=1e-9)


@pytest.mark.parametrize(("n_near", "is_smoothed"), [(9, False), (10, True)])
def test_ten_thresholds_nearby_are_enough_to_smooth(n_near, is_smoothed):
    # Ten positives and 990 negatives: nearby is 2 * 10^.8 = 12.6 flagged cases away. All but ten
    # or nine of the cases share one score.
    truth = np.r_[[1, 0, 1, 1, 0, 1, 1, 0, 1], [1] * 4, np.zeros(987)]
    scores = np.r_[np.arange(9.0, 0.0, -1.0), np.zeros(991)]
    if n_near == 10:
        truth, scores = np.r_[0, truth], np.r_[10.0, scores]
    bins = score_bins(truth, scores, pos_label=1, where="test")
    own = bins.counts()
    flagged = own.true_positives + own.false_positives
    at = bins.thresholds.size - 5
    assert np.sum(np.abs(flagged - flagged[at]) < 2 * 10**0.8) == n_near
    smooth = float(bins.smoothed_at(at).true_positives)
    assert (abs(smooth - own.true_positives[at]) > 1e-6) == is_smoothed


def test_a_smoothed_table_is_a_weighted_parabola_through_its_neighbours():
    generator = np.random.default_rng(8)
    truth = (generator.random(400) < 0.4).astype(int)
    bins = score_bins(truth, generator.normal(truth), pos_label=1, where="test")
    own = bins.counts()
    flagged = own.true_positives + own.false_positives
    # The bandwidth of the module's comment: 2 m^.8 cases to either side, weights falling to 0.
    reach = 2 * min(truth.sum(), 400 - truth.sum()) ** 0.8
    for index in (60, 200, 330):
        away = flagged - flagged[index]
        near = np.abs(away) < reach
        weights = np.sqrt(1 - (away[near] / reach) ** 2)  # polyfit squares them
        curve = np.polyfit(away[near], own.true_positives[near], 2, w=weights)
        assert bins.smoothed_at(index).true_positives == pytest.approx(np.polyval(curve, 0.0))


def test_smoothing_among_many_negatives_does_not_bend_a_sharp_corner():
    """Three hundred wide positives among 2,700 negatives: precision falls fast just there.

    A bandwidth counted in all cases took true positives 15 below the truth.
    """
    generator, gaps = np.random.default_rng(12), []
    for _ in range(30):
        truth = np.repeat([1, 0], [300, 2700])
        scores = generator.normal(2.0 * truth, 1.0 + truth)
        bins = score_bins(truth, scores, pos_label=1, where="test")
        index = int(np.searchsorted(bins.thresholds, 2.1))
        expected = 300 * ndtr((2.0 - bins.thresholds[index]) / 2)
        gaps.append(float(bins.smoothed_at(index).true_positives) - expected)
    # 300 positives split about evenly: sd 8.7 each, so 1.6 for the mean of thirty.
    assert abs(np.mean(gaps)) < 3 * 8.7 / np.sqrt(30)


def _standard_errors_missed(cases, apart):
    """What the parabola misses of expected true positives between two normal classes."""
    edges = np.linspace(-6, 6, 401)
    bins = ScoreBins(
        thresholds=edges[:-1],
        positives=cases * np.diff(ndtr(edges - apart / 2)),
        negatives=cases * np.diff(ndtr(edges + apart / 2)),
        are_steps=False,
    )
    middle = 200  # where both classes are equally likely: the best threshold
    found = float(bins.counts().true_positives[middle])
    recall = found / cases
    missed = float(bins.smoothed_at(middle).true_positives) - found
    return missed / np.sqrt(cases * recall * (1 - recall))


@pytest.mark.parametrize("cases", [20, 50, 200, 1000])
def test_the_reach_of_the_parabola_costs_an_interval_at_most_one_point(cases, monkeypatch):
    z = 1.6448536269514722
    missed = abs(_standard_errors_missed(cases, apart=2.0))
    assert ndtr(z - missed) - ndtr(-z - missed) > 0.89
    monkeypatch.setattr(sampling, "_NEARBY", sampling._NEARBY + 1)
    wider = abs(_standard_errors_missed(cases, apart=2.0))
    assert wider > missed
    assert cases == 20 or ndtr(z - wider) - ndtr(-z - wider) < 0.89


def test_where_classes_are_far_apart_the_parabola_misses_to_the_cautious_side():
    assert -1.0 < _standard_errors_missed(50, apart=3.0) < 0.0


def test_a_smoothed_table_never_holds_more_cases_than_there_are():
    # From the highest score down: the curve through the neighbours falls below what is possible.
    falling = np.repeat([0, 1, 0, 1], [8, 40, 44, 8])
    bins = score_bins(falling, -np.arange(100.0), pos_label=1, where="test")
    # Of the one case flagged none is a hit; of 99 cases flagged all 52 negatives are.
    assert [float(each) for each in bins.smoothed_at(99).cells()] == [0, 48, 1, 51]
    assert [float(each) for each in bins.smoothed_at(1).cells()] == [47, 1, 52, 0]


def test_thresholds_are_thinned_only_beyond_the_most_and_keep_both_ends():
    truth, scores = [0, 1, 0, 1, 1], [1.0, 1.0, 1.0, 2.0, 3.0]
    bins = score_bins(truth, scores, pos_label=1, where="test", most=3)
    assert bins.thresholds.tolist() == [1.0, 2.0, 3.0]
    many = score_bins(np.tile([0, 1], 20), np.arange(40.0), pos_label=1, where="test", most=4)
    assert many.thresholds.tolist() == [0.0, 13.0, 26.0, 39.0]


def test_resampled_tables_are_shares_of_all_cases(scored):
    bins = score_bins(*scored, pos_label=1, where="test")
    cells = bins.resampled(5, np.random.default_rng(4)).cells()
    np.testing.assert_allclose(sum(cells), 1.0)
    assert cells[0].shape == (5, bins.thresholds.size)


def test_a_share_of_nothing_is_zero():
    nothing = Counts.of_cells(0, 0, 0, 5)
    assert (nothing.precision, nothing.recall) == (0.0, 0.0)
    some = Counts.of_cells(3, 1, 2, 5)
    assert (some.precision, some.recall) == (0.6, 0.75)


def test_candidate_thresholds_lie_where_a_rare_class_does():
    generator = np.random.default_rng(1)
    truth = np.arange(200_000) < 100
    scores = generator.normal(3.0 * truth)
    bins = score_bins(truth, scores, pos_label=1, where="test")
    assert bins.thresholds.size <= 400
    assert bins.positives.max() <= 2  # every other one at least begins a bin
    assert bins.negatives.max() < 1.5 * 200_000 / 200
    assert (bins.thresholds[0], bins.thresholds[-1]) == (scores.min(), scores.max())
