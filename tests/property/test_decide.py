"""What must hold for every decision: names do not matter, more is asked of a higher share."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.registry import about, cases

from howgood import decide, score
from howgood.records.acceptance import AcceptanceDraws

few = settings(max_examples=cases(20), deadline=None)
seeds = st.integers(0, 1000)
alphas = st.floats(0.1, 0.9)
people = st.builds(
    AcceptanceDraws,
    application=st.just("alarm"),
    p=st.sampled_from([-1.0, 0.0, 1.0]),
    alpha=alphas,
    intercept=st.floats(-14.0, -9.0),
    slope=st.floats(14.0, 20.0),
    person_sd=st.floats(0.0, 3.0),
)


def _noisy(seed, n=30):
    rng = np.random.default_rng(seed)
    mean, sd = rng.uniform(1, 5, n), rng.uniform(0.2, 1.0, n)
    systems = {name: mean + rng.normal(0, 0.3 * (k + 1), n) for k, name in enumerate("abc")}
    return mean, sd, systems


@about("decide.rank", "decide.Ranking", "decide.Ordering")
@few
@given(seed=seeds, order=st.permutations("abc"))
def test_order_of_rows_and_order_and_names_of_systems_change_no_probability(seed, order):
    mean, sd, systems = _noisy(seed)
    one = decide.rank(systems, mean=mean, sd=sd)
    renamed = {f"system {name}": systems[name][::-1] for name in order}
    other = decide.rank(renamed, mean=mean[::-1], sd=sd[::-1])
    assert [f"system {name}" for name in one.order] == list(other.order)
    assert other.error("system a", "system b") == pytest.approx(one.error("a", "b"), abs=1e-9)
    assert one.error("a", "b") + one.error("b", "a") == pytest.approx(1.0, abs=1e-9)
    for name in "abc":
        assert one.rank_probabilities[name].sum() == pytest.approx(1.0, abs=1e-6)
    shares = [each.probability for each in one.orderings()]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1 + 1e-6


@about("decide.rank_sums")
@few
@given(seed=seeds, paired=st.booleans())
def test_ranking_sums_is_ranking_the_rows(seed, paired):
    mean, sd, systems = _noisy(seed)
    table = {"mean": mean, "sd": sd, **systems}
    sums = score.squared_error_sums(table, mean="mean", sd="sd", predictions=list("abc"))
    one = decide.rank(systems, mean=mean, sd=sd, metric="mse", paired=paired)
    other = decide.rank_sums(sums, metric="mse", paired=paired)
    assert other.error("a", "c") == pytest.approx(one.error("a", "c"), abs=1e-6)
    assert other.order == one.order


@about("decide.rank_ratings")
@few
@given(seed=seeds)
def test_the_order_of_ratings_changes_no_ranking(seed):
    rng = np.random.default_rng(seed)
    users = np.repeat(np.arange(8), 3)
    table = {"user": users, "item": np.zeros(24, int), "rating": rng.integers(1, 6, 24)}
    table |= {"a": 3.0 + users / 8, "b": 2.0 + users / 9}
    shuffled = rng.permutation(24)
    one = decide.rank_ratings(table, predictions=["a", "b"])
    again = {name: np.asarray(column)[shuffled] for name, column in table.items()}
    other = decide.rank_ratings(again, predictions=["a", "b"])
    assert other.error("a", "b") == pytest.approx(one.error("a", "b"), abs=1e-9)


@about("decide.Needed")
@few
@given(seed=seeds, errors=st.tuples(st.floats(0.01, 0.2), st.floats(0.21, 0.4)))
def test_more_certainty_never_needs_fewer_pairs(seed, errors):
    mean, sd, systems = _noisy(seed)
    ranking = decide.rank(systems, mean=mean, sd=sd)
    first, second = ranking.order[0], ranking.order[2]
    strict, lax = (ranking.needed(first, second, error=error) for error in errors)
    if strict.pairs is not None and lax.pairs is not None:
        assert strict.pairs >= lax.pairs


@about("decide.target")
@few
@given(who=people, shares=st.tuples(st.floats(0.1, 0.45), st.floats(0.5, 0.9)))
def test_a_higher_share_needs_a_higher_mean(who, shares):
    low, high = (decide.target(who, "alarm", share=share).needed_mean for share in shares)
    # None: no accuracy makes as many people accept.
    assert high is None or (low is not None and low.mean < high.mean)


@about("decide.trade_off")
@few
@given(who=people, shares=st.tuples(st.floats(0.1, 0.4), st.floats(0.5, 0.9)))
def test_a_trade_off_never_gives_up_more_for_a_higher_share(who, shares):
    low, high = (decide.trade_off(who, "alarm", share=share) for share in shares)
    rising = low.curve["accepting"][np.argsort(low.curve["accuracy"])]
    assert np.all(np.diff(rising) >= -1e-9)
    if high.least_accuracy is not None:
        assert low.least_accuracy is not None
        assert low.least_accuracy <= high.least_accuracy


def _labels(seed, n=60):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    truth[:2] = (0, 1)
    return truth, np.where(rng.random(n) < 0.8, truth, 1 - truth)


@about("decide.acceptance")
@few
@given(who=people, seed=seeds)
def test_acceptance_is_a_share_that_ignores_the_order_of_rows(who, seed):
    truth, predicted = _labels(seed)
    one = decide.acceptance(who, truth, predicted, application="alarm", random_state=1)
    other = decide.acceptance(
        who, truth[::-1], predicted[::-1], application="alarm", random_state=1
    )
    assert 0 <= one.interval.lower <= one.interval.upper <= 1
    assert other.mean == pytest.approx(one.mean, abs=1e-9)


@about("decide.gate")
@few
@given(who=people, seed=seeds)
def test_asking_more_of_a_system_never_lets_it_pass(who, seed):
    truth, predicted = _labels(seed)
    grade = {"fail": 0, "investigate": 1, "pass": 2}
    verdicts = [
        grade[decide.gate(who, "alarm", truth, predicted, share=share, random_state=1).verdict]
        for share in (0.2, 0.5, 0.8)
    ]
    assert verdicts == sorted(verdicts, reverse=True)


@about("decide.go_live")
@few
@given(who=people, order=st.permutations(range(4)))
def test_when_to_go_live_ignores_the_order_of_the_curve(who, order):
    curve = {
        "size": np.array([10, 20, 40, 80]),
        "precision": np.array([0.5, 0.7, 0.9, 0.99]),
        "recall": np.array([0.5, 0.75, 0.9, 0.99]),
    }
    one = decide.go_live(who, "alarm", curve, random_state=1).size
    shuffled = {name: column[list(order)] for name, column in curve.items()}
    assert decide.go_live(who, "alarm", shuffled, random_state=1).size == one


class _TwoApplications:
    def __init__(self, first, second):
        self.by_name = {"one": first, "two": second}
        self.applications = ("one", "two")

    def acceptance_draws(self, application):
        return self.by_name[application]


@about("decide.best_application")
@few
@given(who=people, seed=seeds)
def test_an_application_everybody_finds_harder_is_never_best(who, seed):
    truth, predicted = _labels(seed)
    harder = replace(who, application="two", intercept=who.intercept - 3.0)
    model = _TwoApplications(replace(who, application="one"), harder)
    choice = decide.best_application(model, truth, predicted, random_state=1)
    assert choice.best != "two"


class _TwoSegments:
    applications = ("one",)
    segments = ("first", "second")

    def __init__(self, first, second):
        self.by_name = {"first": first, "second": second}

    def in_segment(self, segment):
        return self.by_name[segment]

    def acceptance_draws(self, application):
        return self.by_name["first"]


@about("decide.one_threshold")
@few
@given(who=people, seed=seeds)
def test_segments_of_the_same_people_lose_nothing_by_one_threshold(who, seed):
    truth, _ = _labels(seed)
    scores = np.random.default_rng(seed).normal(size=len(truth)) + np.asarray(truth)
    same = replace(who, application="one")
    choice = decide.one_threshold(_TwoSegments(same, same), truth, scores, random_state=1)
    assert choice.own["first"] == choice.own["second"] == choice.common
    assert choice.lost_overall.mean == 0.0


@about("decide.positive_scores")
@few
@given(scores=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_positive_scores_are_what_the_classifier_says(scores):
    class Model:
        def predict_proba(self, features):
            return np.column_stack([1 - np.asarray(features), features])

    assert decide.positive_scores(Model(), scores).tolist() == scores


@about("decide.study_size")
@settings(max_examples=1, deadline=None)
@given(seed=seeds)
def test_a_wider_interval_never_needs_more_people(seed):
    alarm = {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}
    found = [
        decide.study_size(alarm, width=width, people=(12,), studies=1, random_state=seed).people
        for width in (0.9, 0.6)
    ]
    assert found[1] is None or found[0] == found[1]
