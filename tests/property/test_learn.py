"""What must hold for everything learned: order of rows, names, units, sides, and saving."""

import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.registry import about, cases

from howgood import ask, learn, score
from howgood.errors import HowgoodWarning
from howgood.records.elicitation import AnsweredQuery

few = settings(max_examples=cases(20), deadline=None)
fewest = settings(max_examples=cases(3), deadline=None)
seeds = st.integers(0, 1000)
counts = st.integers(0, 60)
SWAPPED = {"first": "second", "second": "first", "same": "same"}


def _labelled(seed, n=90):
    rng = np.random.default_rng(seed)
    scores = rng.random(n)
    truth = rng.random(n) < scores
    truth[:2] = (False, True)
    return truth, scores


@cache
def _answers():
    return ask.simulate_answers(
        {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}, people=15, random_state=1
    )


@cache
def _fit():
    return learn.fit_acceptability(_answers(), means=(0,), draws=400, random_state=1)


@cache
def _ordinal():
    answers = ask.simulate_ordinal_answers(people=15, random_state=1)
    return _quiet(learn.fit_ordinal, answers, means=(0,), draws=300, random_state=1)


def _quiet(call, *arguments, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowgoodWarning)
        return call(*arguments, **named)


@about("learn.ConfusionMatrix")
@few
@given(cells=st.tuples(counts, counts, counts, st.integers(1, 60)), factor=st.integers(1, 9))
def test_a_matrix_survives_plain_values_and_its_rates_any_size(cells, factor):
    names = ("true_positives", "false_negatives", "false_positives", "true_negatives")
    matrix = learn.ConfusionMatrix(**dict(zip(names, cells, strict=True)))
    larger = learn.ConfusionMatrix(**{k: v * factor for k, v in matrix.to_dict().items()})
    assert learn.ConfusionMatrix.from_dict(matrix.to_dict()) == matrix
    for rate in ("precision", "recall", "specificity"):
        assert getattr(larger, rate) == pytest.approx(getattr(matrix, rate), nan_ok=True)


@about("learn.threshold_matrices", "learn.ThresholdMatrices")
@few
@given(seed=seeds, power=st.floats(0.5, 4))
def test_matrices_ignore_the_order_of_rows_and_how_scores_are_stretched(seed, power):
    truth, scores = _labelled(seed)
    one = learn.threshold_matrices(truth, scores)
    other = learn.threshold_matrices(truth[::-1], (scores**power)[::-1])
    assert tuple(one) == tuple(other)
    assert all(
        one.thresholds_of(each) == reached for each, reached in zip(one, one.ranges, strict=True)
    )


@about("learn.classifier_matrices")
@few
@given(seed=seeds)
def test_a_classifiers_matrices_are_those_of_its_scores(seed):
    truth, scores = _labelled(seed)

    class Model:
        classes_ = np.array([0, 1])

        def predict_proba(self, features):
            return np.column_stack([1 - features, features])

    made = learn.classifier_matrices(Model(), scores, truth.astype(int))
    assert tuple(made) == tuple(learn.threshold_matrices(truth, scores))


@about("learn.table_matrices")
@few
@given(seed=seeds, factor=st.integers(2, 5))
def test_a_table_of_systems_ignores_how_many_cases_were_counted(seed, factor):
    rng = np.random.default_rng(seed)
    found, cleared = rng.integers(0, 21, 5), rng.integers(0, 31, 5)
    table = {
        "true_positives": found, "false_negatives": 20 - found,
        "false_positives": 30 - cleared, "true_negatives": cleared,
    }  # fmt: skip
    found_larger = {name: factor * column for name, column in table.items()}
    assert learn.table_matrices(table) == learn.table_matrices(found_larger)


@about("learn.optimal_range")
@few
@given(seed=seeds, a0=st.floats(0.02, 0.98))
def test_the_best_matrix_for_a_weight_has_that_weight_in_its_range(seed, a0):
    matrices = tuple(learn.threshold_matrices(*_labelled(seed)))
    metric = score.LinearMetric(a0=a0)
    values = [metric.of_counts(*each.to_dict().values()) for each in matrices]
    reached = learn.optimal_range(matrices[int(np.argmax(values))], matrices)
    assert reached is not None
    assert reached.lower - 1e-9 <= a0 <= reached.upper + 1e-9


@about("learn.held_out_queries", "learn.agreement")
@few
@given(seed=seeds, a0=st.floats(0.05, 0.95))
def test_a_metric_agrees_with_itself_and_never_with_its_opposite(seed, a0):
    matrices = learn.threshold_matrices(*_labelled(seed))
    person = score.LinearMetric(a0=a0)
    asked = learn.held_out_queries(matrices, n=5, random_state=seed)
    assert asked == learn.held_out_queries(matrices, n=5, random_state=seed)
    choices = [person.prefers(each.first, each.second) for each in asked]
    if "same" in choices:
        return
    same = [AnsweredQuery(query=q, choice=c) for q, c in zip(asked, choices, strict=True)]
    opposite = [
        AnsweredQuery(query=q, choice=SWAPPED[c]) for q, c in zip(asked, choices, strict=True)
    ]
    assert learn.agreement(person, same).percent == 100.0
    assert learn.agreement(person, opposite).percent == 0.0


@about("learn.FractionalElicitor")
@fewest
@given(beta=st.floats(0.5, 3.0))
def test_a_fractional_search_finds_a_metric_that_prefers_alike(beta):
    def curve(t):
        return learn.ConfusionMatrix(
            true_positives=(1 - t * t) / 2, false_negatives=t * t / 2,
            false_positives=(1 - t) ** 2 / 2, true_negatives=t - t * t / 2,
        )  # fmt: skip

    search = learn.FractionalElicitor(curve, tolerance=1e-4)
    found = learn.ask_oracle(search, score.FBetaMetric(beta=beta).prefers).metric
    assert found.p11 == pytest.approx(1.0, abs=0.1)
    assert found.q11 == pytest.approx(1 / (1 + beta**2), abs=0.1)


@cache
def _three_classes():
    rng = np.random.default_rng(0)
    probability = rng.dirichlet([1, 1, 1], size=600)
    truth = (rng.random((600, 1)) > probability.cumsum(axis=1)).sum(axis=1)
    return truth, probability


@about("learn.MulticlassBisection")
@fewest
@given(choices=st.lists(st.sampled_from(["first", "second"]), min_size=60, max_size=60))
def test_whatever_is_answered_class_weights_are_shares(choices):
    search = learn.MulticlassBisection(*_three_classes(), tolerance=0.1)
    for choice in choices:
        if search.query() is None:
            break
        search.answer(choice)
    weights = np.array(search.result().metric.weights)
    assert np.all(weights >= 0)
    assert weights.sum() == pytest.approx(1.0)


@about("learn.weighted_outcomes", "learn.MulticlassElicitor")
@fewest
@given(seed=seeds, choices=st.lists(st.sampled_from(list(SWAPPED)), min_size=2, max_size=2))
def test_the_same_seed_and_answers_learn_the_same_class_weights(seed, choices):
    found = []
    for _ in range(2):
        outcomes = learn.weighted_outcomes(*_three_classes(), random_state=seed)
        learner = learn.MulticlassElicitor(outcomes, max_queries=5, random_state=seed)
        for choice in choices:
            learner.answer(choice)
        found.append({k: v.mean for k, v in learner.result().weights.items()})
    assert found[0] == found[1]
    assert sum(found[0].values()) == pytest.approx(1.0, abs=1e-6)


@about("learn.group_outcomes", "learn.FairElicitor")
@fewest
@given(seed=seeds, choices=st.lists(st.sampled_from(list(SWAPPED)), min_size=2, max_size=2))
def test_names_of_groups_change_nothing_that_is_learned(seed, choices):
    truth, scores = _labelled(seed, n=400)
    groups, found = np.arange(400) % 2, []
    for names in (["a", "b"], ["one", "two"]):
        outcomes = learn.group_outcomes(truth, scores, np.array(names)[groups], random_state=seed)
        learner = learn.FairElicitor(outcomes, random_state=seed)
        for choice in choices:
            learner.answer(choice)
        found.append([each.mean for each in learner.result().weights.values()])
    assert found[0] == pytest.approx(found[1])


@about("learn.calibration_report")
@few
@given(seed=seeds)
def test_calibration_ignores_the_order_of_rows(seed):
    truth, scores = _labelled(seed)
    one = learn.calibration_report(truth, scores, random_state=1)
    other = learn.calibration_report(truth[::-1], scores[::-1], random_state=1)
    assert other.error == pytest.approx(one.error)
    assert 0 <= one.error <= 1


@about("learn.fit_recalibration")
@few
@given(seed=seeds, stretch=st.floats(0.5, 3.0), shift=st.floats(-2, 2))
def test_recalibration_gives_rising_probabilities_in_any_unit(seed, stretch, shift):
    truth, shares = _labelled(seed)
    scores = 10 * shares - 5  # no probabilities: those are read as such
    one = learn.fit_recalibration(truth, scores)(scores)
    scaled = stretch * scores + shift
    other = learn.fit_recalibration(truth, scaled)(scaled)
    assert np.all((one >= 0) & (one <= 1))
    assert np.all(np.diff(one[np.argsort(scores)]) >= -1e-9)
    assert other == pytest.approx(one, abs=2e-3)


rated = st.lists(st.tuples(*[st.integers(1, 5)] * 3), min_size=1, max_size=8)


def _rating_table(ratings, *, flipped=False):
    flat = [(user, value) for user, repeats in enumerate(ratings) for value in repeats]
    users, found = zip(*(flat[::-1] if flipped else flat), strict=True)
    return {"user": list(users), "item": [0] * len(flat), "rating": list(found)}


@about("learn.rating_uncertainty", "learn.rater_consistency", "learn.RaterConsistency")
@few
@given(ratings=rated)
def test_what_ratings_say_ignores_the_order_of_rows(ratings):
    one, other = _rating_table(ratings), _rating_table(ratings, flipped=True)
    first, second = learn.rating_uncertainty(one), learn.rating_uncertainty(other)
    assert first["mean"] == pytest.approx(second["mean"])
    assert first["sd"] == pytest.approx(second["sd"])
    assert first["mean"] == pytest.approx([np.mean(each) for each in ratings])
    shares = learn.rater_consistency(one).pair_shares
    assert shares == learn.rater_consistency(other).pair_shares
    assert sum(shares.values()) == pytest.approx(1.0)


@about("learn.assumed_uncertainty", "learn.rating_coherence")
@few
@given(ratings=rated, sd=st.floats(0, 2), shift=st.integers(-3, 3))
def test_spread_ignores_where_the_scale_begins(ratings, sd, shift):
    table = _rating_table([row[:1] for row in ratings])
    assert set(learn.assumed_uncertainty(table, sd=sd)["sd"].tolist()) == {sd}
    table = _rating_table(ratings) | {"genre": ["a", "b", "a"] * len(ratings)}
    moved = table | {"rating": [value + shift for value in table["rating"]]}
    one, other = (learn.rating_coherence(each, attributes="genre")["sd"] for each in (table, moved))
    assert other == pytest.approx(one, abs=1e-9, nan_ok=True)


@about("learn.unbiased_variance", "learn.unbiased_fourth_power")
@few
@given(sd=st.floats(0, 3), trials=st.integers(2, 20), factor=st.floats(0.1, 10))
def test_powers_of_a_spread_scale_as_powers(sd, trials, factor):
    for power, function in ((2, learn.unbiased_variance), (4, learn.unbiased_fourth_power)):
        one, other = float(function(sd, trials)), float(function(factor * sd, trials))
        assert other == pytest.approx(factor**power * one, rel=1e-9, abs=1e-12)
        assert float(function(sd, 10**7)) == pytest.approx(sd**power, rel=1e-5, abs=1e-12)


lights = st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("ABC")), min_size=1, max_size=25)


@about("learn.outcome_probabilities")
@few
@given(data=lights, factor=st.floats(0.1, 9))
def test_probabilities_of_outcomes_ignore_order_and_the_size_of_weights(data, factor):
    rooms, outcomes = (list(column) for column in zip(*data, strict=True))
    table = {"room": rooms, "light": outcomes, "w": [factor] * len(data)}
    flipped = {name: column[::-1] for name, column in table.items()}
    one = learn.outcome_probabilities(table, outcome="light", context=["room"])
    other = learn.outcome_probabilities(flipped, outcome="light", context=["room"], weights="w")
    first, second = one.to_table(), other.to_table()
    assert second["probability"] == pytest.approx(first["probability"])
    assert first["probability"].sum() == pytest.approx(len(set(rooms)))


@about("learn.fit_relevance_weights", "learn.RelevanceWeights")
@fewest
@given(seed=seeds, factor=st.floats(0.1, 10))
def test_learned_weights_ignore_the_unit_of_grades(seed, factor):
    choices = {"room": ["x"] * 10, "light": [*"AAAAABBBCC"]}
    table = learn.outcome_probabilities(choices, outcome="light", context=["room"])
    # Both distances count alike, with A at .5, B at .3, C at .2; grades that rise have no weights.
    grades = 95 - 40 * np.array([0.2, 0.3, 0.4, 0.3, 0.3, 0.4])
    grades += np.random.default_rng(seed).uniform(-1, 1, 6)
    judged = {"room": ["x"] * 6, "light": [*"BCACCB"], "shown": [*"AABBAC"]}
    shares = [
        _quiet(
            learn.fit_relevance_weights, judged | {"grade": grades * unit}, table=table,
            predicted="shown", grade="grade", scale=(0.0, 100.0 * unit), random_state=0,
        ).alpha_share.mean
        for unit in (1.0, factor)
    ]  # fmt: skip
    assert 0 <= shares[0] <= 1
    assert shares[1] == pytest.approx(shares[0], abs=1e-6)


@about("learn.item_correlations")
@few
@given(ratings=st.lists(st.tuples(*[st.integers(1, 7)] * 2), min_size=3, max_size=12))
def test_a_correlation_is_the_same_both_ways_and_in_any_order(ratings):
    def table(rows):
        first, second = zip(*rows, strict=True)
        n = len(rows)
        return ask.read_answers(
            {"participant": [f"p{i}" for i in range(n)], "application": ["x"] * n,
             "precision": [1.0] * n, "recall": [0.5] * n, "rating": first, "usefulness": second},
            scale=7,
        )  # fmt: skip

    one = learn.item_correlations(table(ratings))
    other = learn.item_correlations(table([row[::-1] for row in ratings[::-1]]))
    if one is None or other is None:
        return
    assert other["spearman"] == pytest.approx(one["spearman"], nan_ok=True)


@about("learn.fit_acceptability")
@settings(max_examples=1, deadline=None)
@given(order=st.randoms(use_true_random=False))
def test_a_fit_ignores_order_of_rows_and_names_of_people(order):
    answers = _answers()
    places = list(range(len(answers)))
    order.shuffle(places)
    shuffled = {name: column[places] for name, column in answers.items()}
    shuffled["participant"] = np.array([f"new {each}" for each in shuffled["participant"]])
    other = learn.fit_acceptability(shuffled, means=(0,), draws=400, random_state=1)
    one, again = _fit().estimate("alpha", "alarm"), other.estimate("alpha", "alarm")
    assert again.mean == pytest.approx(one.mean, abs=0.25 * one.sd)


@about("learn.AcceptabilityFit", "learn.load_fit")
@few
@given(precision=st.floats(0.3, 0.9), recall=st.floats(0.3, 0.9), gain=st.floats(0.01, 0.1))
def test_a_saved_fit_predicts_the_same_and_more_accuracy_is_accepted_by_more(
    precision, recall, gain
):
    fit = _fit()
    with tempfile.TemporaryDirectory() as folder:
        fit.save(Path(folder) / "fit.npz")
        again = learn.load_fit(Path(folder) / "fit.npz")
    here = {"precision": precision, "recall": recall, "application": "alarm"}
    better = here | {"precision": precision + gain, "recall": recall + gain}
    assert again.predict(**here).mean == fit.predict(**here).mean
    assert fit.predict(**here).mean <= fit.predict(**better).mean + 1e-12


@about("learn.fit_ordinal", "learn.OrdinalFit", "learn.load_ordinal_fit")
@few
@given(precision=st.floats(0.3, 1), recall=st.floats(0.3, 1), at_least=st.integers(2, 6))
def test_a_saved_ordinal_fit_predicts_the_same_and_high_ratings_are_rarer(
    precision, recall, at_least
):
    fit = _ordinal()
    with tempfile.TemporaryDirectory() as folder:
        fit.save(Path(folder) / "fit.npz")
        again = learn.load_ordinal_fit(Path(folder) / "fit.npz")
    here = {"precision": precision, "recall": recall, "part": fit.parts[0]}
    low, high = (fit.predict(**here, at_least=level).mean for level in (at_least, at_least + 1))
    assert again.predict(**here, at_least=at_least).mean == low
    assert 0 <= high <= low + 1e-12 <= 1 + 1e-9


@cache
def _multinomial():
    answers = ask.simulate_ordinal_answers(people=15, random_state=1)
    settings_of = {"only_part": "hypothetical", "means": (0,), "draws": 300, "random_state": 1}
    return _quiet(learn.fit_multinomial, answers, **settings_of)


@about("learn.fit_multinomial", "learn.MultinomialFit")
@few
@given(precision=st.floats(0.3, 1), recall=st.floats(0.3, 1), at_least=st.integers(2, 6))
def test_shares_of_ratings_add_up_and_high_ratings_are_rarer(precision, recall, at_least):
    fit = _multinomial()
    shares = fit.level_shares(precision, recall)
    assert sum(share.mean for share in shares.values()) == pytest.approx(1.0)
    low, high = (
        fit.predict(precision, recall, at_least=level).mean for level in (at_least, at_least + 1)
    )
    assert 0 <= high <= low + 1e-12 <= 1 + 1e-9


@about("learn.leave_one_person_out", "learn.LeftOut")
@settings(max_examples=1, deadline=None)
@given(order=st.randoms(use_true_random=False))
def test_every_rating_of_a_real_system_is_predicted_once_in_any_order(order):
    answers = ask.simulate_ordinal_answers(people=40, random_state=1)
    places = list(range(len(answers)))
    order.shuffle(places)
    shuffled = {name: column[places] for name, column in answers.items()}
    found = learn.leave_one_person_out(shuffled, means=(0,), draws=500, random_state=1)
    real = np.asarray(answers["part"]) != "hypothetical"
    assert len(found.predictions) == real.sum()
    off = np.abs(found.predictions["predicted"] - found.predictions["rating"])
    assert found.mean_absolute_error == pytest.approx(off.mean())


@about("learn.elicit", "learn.load_elicited")
@fewest
@given(seed=seeds, names=st.sampled_from([("a", "b"), (0, 5), ("no", "yes")]))
def test_names_of_labels_change_no_metric_and_a_file_keeps_it(seed, names):
    truth, scores = _labelled(seed, n=300)
    settings = {"families": ("linear",), "max_queries": 6, "held_out": 0, "random_state": seed}
    person = score.LinearMetric(a0=0.3).prefers
    plain = learn.elicit(scores=scores, y=truth.astype(int), ui=person, **settings)
    labels = np.where(truth, names[1], names[0])
    named = learn.elicit(scores=scores, y=labels, pos_label=names[1], ui=person, **settings)
    assert named.metric == plain.metric
    assert named.positive == names[1]
    with tempfile.TemporaryDirectory() as folder:
        named.save(Path(folder) / "metric.json")
        again = learn.load_elicited(Path(folder) / "metric.json")
    assert (again.metric, again.positive, again.misfit) == (
        named.metric, named.positive, named.misfit,
    )  # fmt: skip
