"""What must hold for every score: order of rows, units, limits, and the sums it can come from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.registry import about, cases

from howgood import learn, score

few = settings(max_examples=cases(20), deadline=None)
values = st.floats(-4.0, 4.0)
spreads = st.one_of(st.just(0.0), st.floats(0.05, 2.0))
rows = st.lists(st.tuples(values, spreads, values, values), min_size=2, max_size=12)
seeds = st.integers(0, 1000)
counts = st.integers(0, 40)


def _columns(pairs):
    mean, sd, first, second = np.array(pairs).T
    return mean, sd, first, second


def _sums(pairs, order=None):
    mean, sd, first, second = (column[order or slice(None)] for column in _columns(pairs))
    table = {"mean": mean, "sd": sd, "a": first, "b": second}
    return score.squared_error_sums(table, mean="mean", sd="sd", predictions=["a", "b"])


@about("score.rmse", "score.mse", "score.mae", "score.ScoreDistribution")
@few
@given(pairs=rows, shift=values)
@pytest.mark.parametrize("metric", [score.rmse, score.mse, score.mae])
def test_order_of_rows_and_a_common_shift_change_no_score(metric, pairs, shift):
    mean, sd, first, _ = _columns(pairs)
    one = metric(mean, sd, first)
    other = metric((mean + shift)[::-1], sd[::-1], (first + shift)[::-1])
    assert other.mean == pytest.approx(one.mean, rel=1e-7, abs=1e-9)
    assert other.sd == pytest.approx(one.sd, rel=1e-5, abs=1e-6)


@about("score.magic_barrier")
@few
@given(sd=st.lists(spreads, min_size=1, max_size=9), factor=st.floats(0.1, 10))
def test_the_barrier_scales_with_the_unit_and_ignores_order(sd, factor):
    one = score.magic_barrier(np.array(sd))
    assert min(sd) - 1e-12 <= one <= max(sd) + 1e-12
    assert score.magic_barrier(factor * np.array(sd[::-1])) == pytest.approx(factor * one)


@about("score.squared_error_sums", "score.SquaredErrorSums", "score.from_sums")
@few
@given(pairs=rows)
def test_a_score_from_sums_is_the_score_from_rows_in_any_order(pairs):
    mean, sd, first, _ = _columns(pairs)
    sums = _sums(pairs, order=list(range(len(pairs)))[::-1])
    direct, summed = score.mse(mean, sd, first), score.from_sums(sums, "a", metric="mse")
    assert summed.mean == pytest.approx(direct.mean, rel=1e-9, abs=1e-12)
    assert summed.variance == pytest.approx(direct.variance, rel=1e-7, abs=1e-12)


@about("score.absolute_error_sums", "score.AbsoluteErrorSums")
@few
@given(pairs=rows, cut=st.integers(0, 9))
def test_absolute_errors_of_parts_in_any_order_add_up_to_those_of_the_rows(pairs, cut):
    mean, sd, first, second = _columns(pairs)
    table = {"mean": mean, "sd": sd, "a": first, "b": second}
    halves = (slice(None, cut), slice(cut, None))
    kept = [half for half in halves if len(mean[half])]
    parts = [
        score.absolute_error_sums(
            {name: column[half] for name, column in table.items()},
            mean="mean", sd="sd", predictions=["a", "b"],
        )
        for half in kept[::-1]
    ]  # fmt: skip
    sums = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    for name in ("a", "b"):
        direct = score.mae(mean, sd, table[name])
        assert sums.mae(name)[0] == pytest.approx(direct.mean, rel=1e-9, abs=1e-12)
        assert sums.mae(name)[1] == pytest.approx(direct.sd, rel=1e-6, abs=1e-7)
    assert sums.n == len(pairs)


@about("score.rating_sums")
@few
@given(
    ratings=st.lists(st.tuples(*[st.integers(1, 5)] * 3), min_size=2, max_size=8), prediction=values
)
def test_sums_of_repeated_ratings_ignore_the_order_of_rows(ratings, prediction):
    flat = [(user, value) for user, repeats in enumerate(ratings) for value in repeats]
    found = []
    for order in (flat, flat[::-1]):
        users, given_ratings = zip(*order, strict=True)
        table = {"user": users, "item": [1] * len(flat), "rating": given_ratings}
        table["a"] = [prediction] * len(flat)
        found.append(score.rating_sums(table, predictions=["a"]))
    assert found[0].n == found[1].n == len(ratings)
    assert found[0].barrier == pytest.approx(found[1].barrier, abs=1e-12)


@about("score.significance_width", "score.significant_rmse", "score.significant_mae")
@few
@given(pairs=rows, factor=st.floats(0.2, 5.0))
@pytest.mark.parametrize("metric", [score.significant_rmse, score.significant_mae])
def test_significant_errors_scale_with_the_unit(metric, pairs, factor):
    mean, sd, first, _ = _columns(pairs)
    sd = np.maximum(sd, 0.05)
    width = score.significance_width(mean, sd, first)
    scaled = score.significance_width(factor * mean, factor * sd, factor * first)
    assert scaled == pytest.approx(factor * width)
    one = metric(mean, sd, first, normalise="none")
    other = metric(factor * mean, factor * sd, factor * first, normalise="none")
    assert other.mean == pytest.approx(factor * one.mean, rel=1e-6, abs=1e-9)


def _bias(y_true, y_pred):
    return float(np.mean(y_pred - y_true))


@about("score.propagate", "score.PropagatedScore")
@few
@given(pairs=rows, seed=seeds)
def test_a_metric_of_certain_feedback_is_certain(pairs, seed):
    mean, _, first, _ = _columns(pairs)
    result = score.propagate(
        _bias, mean=mean, sd=0.0, prediction=first, draws=50, random_state=seed
    )
    assert result.sd == pytest.approx(0.0, abs=1e-12)
    assert result.mean == pytest.approx(_bias(mean, first), abs=1e-12)


@about("score.propagate_systems", "score.PairedScores")
@few
@given(pairs=rows, seed=seeds, gain=st.floats(0.01, 3.0))
def test_paired_systems_share_their_draws(pairs, seed, gain):
    mean, sd, first, _ = _columns(pairs)
    paired = score.propagate_systems(
        _bias, mean=mean, sd=sd, predictions={"a": first, "b": first + gain},
        draws=50, random_state=seed,
    )  # fmt: skip
    assert paired.probability_above("b", "a") == 1.0
    assert paired.probability_above("a", "b") == 0.0


@about("score.categorical_feedback", "score.empirical_feedback", "score.DiscreteFeedback")
@few
@given(
    ratings=st.lists(st.lists(st.integers(1, 5), min_size=4, max_size=4), min_size=1, max_size=6)
)
def test_counted_ratings_and_their_shares_are_the_same_feedback(ratings):
    table = np.array(ratings, dtype=float)
    empirical = score.empirical_feedback(table)
    shares = np.array([[np.mean(row == value) for value in range(1, 6)] for row in table])
    categorical = score.categorical_feedback(shares, values=[1, 2, 3, 4, 5])
    assert empirical.mean == pytest.approx(categorical.mean)
    assert empirical.sd == pytest.approx(categorical.sd)
    assert empirical.n == categorical.n == len(ratings)


@about("score.CappedMetric")
@few
@given(tp=counts, fn=counts, fp=counts, tn=st.integers(1, 40), cap=st.floats(0.01, 0.9))
def test_keeping_the_cap_always_beats_breaking_it(tp, fn, fp, tn, cap):
    metric, total = score.CappedMetric(cap=cap), tp + fn + fp + tn
    value = float(metric.of_counts(tp, fn, fp, tn))
    assert value == pytest.approx(float(metric.of_counts(3 * tp, 3 * fn, 3 * fp, 3 * tn)))
    if abs(fn / total - cap) > 1e-9:
        assert (value >= 0) == (fn / total < cap)


@about("score.AlarmCapMetric")
@few
@given(tp=counts, fn=counts, fp=counts, tn=st.integers(1, 40), cap=st.floats(0.01, 0.9))
def test_a_budget_of_alarms_mirrors_a_cap_on_misses(tp, fn, fp, tn, cap):
    budget, mirrored = score.AlarmCapMetric(alarms=cap), score.CappedMetric(cap=cap)
    assert float(budget.of_counts(tp, fn, fp, tn)) == float(mirrored.of_counts(tn, fp, fn, tp))


@about("score.LimitsMetric")
@few
@given(tp=counts, fn=counts, fp=counts, tn=st.integers(1, 40), limits=st.tuples(
    st.floats(0, 0.9), st.floats(0, 0.9)))  # fmt: skip
def test_within_both_limits_all_is_equally_good(tp, fn, fp, tn, limits):
    metric, total = score.LimitsMetric(misses=limits[0], alarms=limits[1]), tp + fn + fp + tn
    excess = max(fn / total - limits[0], 0) + max(fp / total - limits[1], 0)
    assert float(metric.of_counts(tp, fn, fp, tn)) == pytest.approx(-excess, abs=1e-9)


@about("score.PowerCostMetric")
@few
@given(tp=counts, fn=counts, fp=counts, tn=st.integers(1, 40), a0=st.floats(0.01, 0.99))
def test_power_costs_are_linear_at_one_and_rise_with_every_error(tp, fn, fp, tn, a0):
    linear = score.LinearMetric(a0=a0)
    total = tp + fn + fp + tn
    at_most = (a0 * (fp + tn) + (1 - a0) * (tp + fn)) / total
    one = float(score.PowerCostMetric(a0=a0, power=1.0).of_counts(tp, fn, fp, tn))
    assert one == pytest.approx(float(linear.of_counts(tp, fn, fp, tn)) - at_most)
    for power in (0.5, 2.0):
        metric = score.PowerCostMetric(a0=a0, power=power)
        value = float(metric.of_counts(tp, fn, fp, tn))
        assert float(metric.of_counts(tp + 1, fn, fp, tn)) >= value  # one error less among more
        assert value >= -max(fn, fp) / total - 1e-12


@about("score.MonotoneMetric")
@few
@given(rises=st.lists(st.floats(0, 1), min_size=3, max_size=3), fn=counts, fp=counts)
def test_more_errors_never_score_higher(rises, fn, fp):
    costs = tuple(np.cumsum([0.0, *rises]))
    shares = (0.0, 0.1, 0.3, 0.6)
    metric = score.MonotoneMetric(misses=shares, miss_costs=costs, alarms=shares, alarm_costs=costs)
    value = float(metric.of_counts(100 - fn, fn, fp, 100 - fp))
    for more in ((1, 0), (0, 1)):
        worse = metric.of_counts(100 - fn - more[0], fn + more[0], fp + more[1], 100 - fp - more[1])
        assert float(worse) <= value + 1e-12


lights = st.lists(
    st.tuples(st.sampled_from("xy"), st.sampled_from("ABC"), st.sampled_from("ABC")),
    min_size=6,
    max_size=25,
)


def _relevance(data, seed=0):
    rooms, truth, predicted = (list(column) for column in zip(*data, strict=True))
    table = learn.outcome_probabilities(
        {"room": rooms, "light": truth}, outcome="light", context=["room"]
    )
    report = score.relevance_report(
        truth, predicted, contexts={"room": rooms}, table=table, random_state=seed
    )
    return table, report


@about("score.relevance_report", "score.RelevanceReport")
@few
@given(data=lights)
def test_a_relevance_report_ignores_the_order_of_rows_and_holds_the_accuracy(data):
    _, one = _relevance(data)
    _, other = _relevance(data[::-1])
    assert other.value == pytest.approx(one.value, nan_ok=True)
    assert one.accuracy == pytest.approx(np.mean([truth == guess for _, truth, guess in data]))
    graded = one.scores[~np.isnan(one.scores)]
    assert np.all((graded >= 0) & (graded <= 100 + 1e-9))


@about("score.relevance_sums", "score.RelevanceSums")
@few
@given(data=lights, cut=st.integers(1, 5))
def test_counts_of_parts_in_any_order_add_up_to_the_relevance_of_the_rows(data, cut):
    _, report = _relevance(data)
    parts = [
        score.relevance_sums(
            dict(zip(("room", "light", "guess"), zip(*part, strict=True), strict=True)),
            outcome="light", predicted="guess", context=["room"],
        )
        for part in (data[cut:][::-1], data[:cut])
    ]  # fmt: skip
    sums = parts[0] + parts[1]
    assert sums.score() == pytest.approx(report.value)
    assert sums.accuracy == pytest.approx(report.accuracy)
    assert sums.n == len(data)


@about("score.relevance_sweep", "score.RelevanceSweep")
@few
@given(data=lights, steps=st.integers(2, 7))
def test_a_sweep_has_a_line_per_model_with_the_score_in_its_interval(data, steps):
    _, report = _relevance(data)
    lines = score.relevance_sweep({"m": report}, steps=steps).lines
    assert len(lines) == steps
    kept = ~np.isnan(lines["lower"])
    assert np.all(lines["lower"][kept] <= lines["upper"][kept] + 1e-9)


class _Constant:
    def __init__(self, answers):
        self.answers = answers

    def predict(self, features):
        return np.array(self.answers)


@about("score.relevance_scorer", "score.RelevanceScorer")
@few
@given(data=lights)
def test_a_scorer_gives_the_score_of_the_predictions(data):
    rooms, truth, predicted = (list(column) for column in zip(*data, strict=True))
    table, report = _relevance(data)
    scorer = score.relevance_scorer(table, columns=[0])
    features = np.array(rooms, dtype=object)[:, None]
    assert scorer(_Constant(predicted), features, np.array(truth)) == pytest.approx(
        report.value, nan_ok=True
    )
