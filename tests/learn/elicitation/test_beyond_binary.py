"""Fractional, multiclass and fair elicitation: recovery, and the same interface."""

import numpy as np
import pytest

from howgood import learn, score
from howgood.errors import HowgoodError, InputError
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicited_metric import FractionalMetric
from howgood.records.outcomes_by_class import (
    ClassOutcome,
    DiagonalMetric,
    FairMetric,
    GroupOutcome,
)


def uniform_curve(t):
    return ConfusionMatrix(
        true_positives=(1 - t * t) / 2,
        false_negatives=t * t / 2,
        false_positives=(1 - t) ** 2 / 2,
        true_negatives=t - t * t / 2,
    )


def three_classes(seed, n=3000):
    rng = np.random.default_rng(seed)
    probability = rng.dirichlet([1, 1, 1], size=n)
    return (rng.random((n, 1)) > probability.cumsum(axis=1)).sum(axis=1), probability


def two_groups(seed, n=4000):
    rng = np.random.default_rng(seed)
    scores, groups = rng.random(n), rng.choice(["a", "b"], n)
    truth = rng.random(n) < scores ** np.where(groups == "a", 0.7, 1.6)
    return truth.astype(int), scores, groups


def choosing_by(value, *, sensitivity=None, seed=0):
    rng = np.random.default_rng(seed)

    def oracle(first, second):
        gap = value(first) - value(second)
        if sensitivity is None:
            return "first" if gap > 0 else "second"
        return "first" if rng.random() < 1 / (1 + np.exp(-sensitivity * gap)) else "second"

    return oracle


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_f_beta_comes_back_exactly_in_the_population(beta):
    # F_beta with half positives: p11 = 1, q11 = 1 / (1 + beta²) = -q00, q0 = 1/2.
    metric = learn.ask_oracle(
        learn.FractionalElicitor(uniform_curve, tolerance=1e-5),
        score.FBetaMetric(beta=beta).prefers,
    ).metric
    expected = (1.0, 0.0, 1 / (1 + beta**2), -1 / (1 + beta**2), 0.5)
    assert (metric.p11, metric.p00, metric.q11, metric.q00, metric.q0) == pytest.approx(
        expected, abs=0.001
    )


def order_agreement(one, two):
    pairs = learn.held_out_queries(
        [uniform_curve(t).displayed() for t in np.linspace(0.02, 0.98, 60)], n=300, random_state=0
    )
    return np.mean([one(q.first, q.second) == two(q.first, q.second) for q in pairs])


def test_jaccard_comes_back_as_f1_which_ranks_alike():
    def jaccard(m):
        return m.true_positives / (m.true_positives + m.false_negatives + m.false_positives)

    result = learn.ask_oracle(
        learn.FractionalElicitor(uniform_curve, tolerance=1e-5), choosing_by(jaccard)
    )
    assert result.metric.q11 == pytest.approx(0.5, abs=0.001)
    assert order_agreement(result.metric.prefers, score.FBetaMetric(beta=1.0).prefers) > 0.99


def test_a_general_ratio_ranks_systems_as_its_owner_does():
    # phi(perfect) = 1: q0 = (p11 - q11)/2 + (p00 - q00)/2.
    person = FractionalMetric(p11=0.7, p00=0.3, q11=0.4, q00=-0.2, q0=0.4)
    result = learn.ask_oracle(
        learn.FractionalElicitor(uniform_curve, tolerance=1e-5, grid=0.005), person.prefers
    )
    assert result.metric.p11 == pytest.approx(0.7, abs=0.02)
    assert order_agreement(result.metric.prefers, person.prefers) > 0.99


def test_forty_questions_at_the_published_tolerance():
    search = learn.FractionalElicitor(uniform_curve)
    assert learn.ask_oracle(search, score.FBetaMetric(beta=1.0).prefers).queries == 40
    search.undo()
    assert search.query().number == 40


def test_fractional_elicitation_works_on_real_thresholds():
    truth, scores, _ = two_groups(0)
    result = learn.ask_oracle(
        learn.FractionalElicitor(learn.threshold_matrices(truth, scores)),
        score.FBetaMetric(beta=1.0).prefers,
    )
    assert result.metric.p11 > 0.8


@pytest.mark.parametrize("weights", [(0.5, 0.3, 0.2), (0.2, 0.2, 0.6)])
def test_published_bisections_recover_class_weights(weights):
    truth, probability = three_classes(0, n=40_000)
    person = DiagonalMetric(weights=weights, labels=(0, 1, 2))
    search = learn.MulticlassBisection(truth, probability, tolerance=0.01)
    result = learn.ask_oracle(search, choosing_by(person.of))
    assert result.metric.weights == pytest.approx(weights, abs=0.04)
    assert result.queries == 4 * 2 * 7  # 4 (k - 1) ceil(log2 100)


def test_two_classes_by_hand():
    # One class gets half the weight of the other: m = a1 / (a1 + a2) = 2/3.
    truth, probability = three_classes(1, n=40_000)
    two = truth < 2
    pair = probability[two][:, :2]
    search = learn.MulticlassBisection(truth[two], pair / pair.sum(axis=1, keepdims=True))
    person = DiagonalMetric(weights=(2 / 3, 1 / 3), labels=(0, 1))
    result = learn.ask_oracle(search, choosing_by(person.of))
    assert result.metric.weights[0] == pytest.approx(2 / 3, abs=0.05)


def test_class_weights_are_recovered_under_noise_in_forty_questions():
    errors = []
    for seed in range(4):
        weights = np.random.default_rng(seed).dirichlet([3, 3, 3])
        truth, probability = three_classes(seed)
        outcomes = learn.weighted_outcomes(truth, probability, random_state=seed)
        result = learn.ask_oracle(
            learn.MulticlassElicitor(outcomes, random_state=seed),
            choosing_by(lambda o, w=weights: w @ np.array(o.features), sensitivity=1.0, seed=seed),
        )
        means = [each.mean for each in result.weights.values()]
        errors.append(np.abs(np.array(means) - weights).max())
    assert np.mean(errors) <= 0.04


def test_the_weight_of_fairness_is_recovered():
    person = FairMetric(weights=(0.35, 0.25, 0.3, 0.1))
    outcomes = learn.group_outcomes(*two_groups(0), random_state=0)
    result = learn.ask_oracle(
        learn.FairElicitor(outcomes, random_state=1, max_queries=60), choosing_by(person.of)
    )
    means = [each.mean for each in result.weights.values()]
    assert means == pytest.approx(person.weights, abs=0.06)
    assert result.violation_weight.mean == pytest.approx(person.violation_weight, abs=0.06)
    assert person.of(result.best) == pytest.approx(max(person.of(o) for o in outcomes), abs=0.01)
    # What was learned scores systems, those shown and others.
    assert result.metric.weights == pytest.approx(means)
    assert result.best == max(outcomes, key=result.metric.of)


def test_learned_weights_of_classes_score_predictions_under_their_names():
    truth, chances = three_classes(0)
    outcomes = learn.weighted_outcomes(truth, chances, random_state=0)
    named = learn.MulticlassElicitor(outcomes, labels=["a", "b", "c"], random_state=1)
    # Fewer than 3 to learn from are not enough evidence; one checks attention.
    for choice in ("first", "second", "first", "second"):
        named.answer(choice)
    metric, weights = named.result().metric, named.result().weights
    assert metric(list("abca"), list("abbc")) == pytest.approx(
        (weights["a"].mean + weights["b"].mean) / 4
    )
    numbered = learn.MulticlassElicitor(outcomes, random_state=1)
    for choice in ("first", "second", "first", "second"):
        numbered.answer(choice)
    assert numbered.result().metric(truth, truth) > numbered.result().metric(truth, 0 * truth)


def test_the_fair_metric_by_hand():
    # Recall 3/4 and 1/2, specificity 1/2 and 1; pooled recall 5/8, specificity 3/4.
    cells = ("true_positives", "false_negatives", "false_positives", "true_negatives")
    outcome = GroupOutcome(
        groups={
            "a": ConfusionMatrix(**dict(zip(cells, (3, 1, 2, 2), strict=True))),
            "b": ConfusionMatrix(**dict(zip(cells, (2, 2, 0, 4), strict=True))),
        }
    )
    assert outcome.features == pytest.approx((62.5, 75.0, -25.0, -50.0))
    metric = FairMetric(weights=(0.4, 0.3, 0.2, 0.1))
    assert metric.of(outcome) == pytest.approx(0.25 + 0.225 - 0.05 - 0.05)


def test_searches_are_functions_of_seed_and_answers_and_never_repeat_a_pair():
    outcomes = learn.weighted_outcomes(*three_classes(0), random_state=0)
    answers = ["first", "second", "same", "second", "first", "first"]
    runs = []
    for _ in range(2):
        learner = learn.MulticlassElicitor(outcomes, random_state=5)
        shown = []
        for answer in answers:
            shown.append(learner.query())
            learner.answer(answer)
        runs.append((shown, learner.query(), learner.result().to_dict()))
    assert runs[0] == runs[1]
    assert len({frozenset((q.first, q.second)) for q in runs[0][0]}) == len(answers)
    learner.undo()
    assert learner.query() == runs[0][0][-1]


def test_no_shown_system_is_best_on_everything():
    outcomes = learn.weighted_outcomes(*three_classes(2), random_state=0)
    learner = learn.MulticlassElicitor(outcomes, random_state=3, max_queries=15)
    while (query := learner.query()) is not None:
        gaps = np.subtract(query.first.features, query.second.features)
        assert gaps.max() > 0 > gaps.min()
        learner.answer("first")


@pytest.mark.parametrize(
    ("truth", "chances", "words"),
    [
        ([0, 1, 1], np.ones((3, 3)) / 3, "each present"),
        ([0, 1], np.ones((3, 2)) / 2, "same length"),
        ([0, 1], np.array([[0.5, np.nan], [0.5, 0.5]]), "finite"),
    ],
)
def test_unusable_classes_are_refused(truth, chances, words):
    with pytest.raises(HowgoodError, match=words):
        learn.weighted_outcomes(truth, chances)


def test_unusable_groups_and_systems_are_refused():
    with pytest.raises(InputError, match="both classes"):
        learn.group_outcomes([1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], ["a", "a", "b", "b"])
    same = [ClassOutcome(correct=(1, 1), totals=(2, 2))] * 4
    with pytest.raises(InputError, match="trade-off"):
        learn.MulticlassElicitor(same)
    with pytest.raises(InputError, match="two groups"):
        GroupOutcome(groups={"a": uniform_curve(0.5)})
    with pytest.raises(InputError, match="above its total"):
        ClassOutcome(correct=(3, 1), totals=(2, 2))
    with pytest.raises(InputError, match="grid"):
        learn.FractionalElicitor(uniform_curve, grid=0)


def test_a_seed_is_kept_and_a_generator_gives_one():
    outcomes = learn.weighted_outcomes(*three_classes(2, n=300), random_state=0)
    assert learn.MulticlassElicitor(outcomes, random_state=7).seed == 7
    generator = np.random.default_rng(1)
    seeds = {learn.MulticlassElicitor(outcomes, random_state=generator).seed for _ in range(3)}
    assert len(seeds) == 3  # one generator, another interview each time


def test_groups_count_by_their_size_however_they_are_displayed():
    """A large group of which half is found and a small one of which nearly all are."""
    rng = np.random.default_rng(4)
    sizes = {"large": 1900, "small": 100}
    groups = np.repeat(list(sizes), list(sizes.values()))
    truth = rng.random(2000) < 0.4
    scores = np.clip(0.5 * truth + 0.5 * rng.random(2000), 0, 1)
    outcomes = learn.group_outcomes(truth, scores, groups, n=40, random_state=1)
    for outcome in outcomes:
        real = {name: truth[groups == name] for name in sizes}
        # Everybody's recall: the groups' own, weighted by their real positives.
        expected = sum(
            matrix.recall * real[name].sum() for name, matrix in outcome.groups.items()
        ) / sum(each.sum() for each in real.values())
        assert outcome.recall == pytest.approx(expected)
        assert outcome.features[0] == pytest.approx(100 * expected)
    apart = max(
        outcomes, key=lambda each: each.groups["small"].recall - each.groups["large"].recall
    )
    unweighted = np.mean([matrix.recall for matrix in apart.groups.values()])
    assert apart.recall < unweighted - 0.1


def test_everybodys_recall_is_that_of_the_cases_themselves():
    """Displayed numbers round each group to one in a hundred; no more than that may be lost."""
    rng = np.random.default_rng(5)
    groups = rng.choice(["a", "b", "c"], 3000, p=[0.8, 0.15, 0.05])
    scores = rng.random(3000)
    truth = rng.random(3000) < scores ** np.select([groups == "a", groups == "b"], [1, 2], 3)
    (outcome,) = learn.group_outcomes(truth, scores, groups, n=1, random_state=3)
    levels = np.random.default_rng(3).random((1, 3))[0]
    flagged = np.zeros(3000, dtype=bool)
    for name, level in zip("abc", levels, strict=True):
        inside = groups == name
        flagged[inside] = scores[inside] >= np.quantile(scores[inside], level)
    shown = min(each.positives for each in outcome.groups.values())
    assert outcome.recall == pytest.approx(np.mean(flagged[truth]), abs=1 / shown)
    assert outcome.specificity == pytest.approx(np.mean(~flagged[~truth]), abs=0.02)
    assert outcome.to_dict()["c"]["real_positives"] == np.sum(truth & (groups == "c"))


@pytest.mark.parametrize(
    "changes",
    [
        {"sizes": {"a": (1, 1)}},
        {"groups": {
            "a": ConfusionMatrix(true_positives=0, false_negatives=0, false_positives=1,
                                 true_negatives=9),
            "b": ConfusionMatrix(true_positives=1, false_negatives=0, false_positives=1,
                                 true_negatives=9),
        }},
    ],
)  # fmt: skip
def test_groups_that_cannot_be_compared_are_refused(changes):
    matrix = ConfusionMatrix(
        true_positives=3, false_negatives=1, false_positives=2, true_negatives=2
    )
    with pytest.raises(InputError, match="GroupOutcome"):
        GroupOutcome(**({"groups": {"a": matrix, "b": matrix}} | changes))


@pytest.mark.parametrize("out_of", [100, 1000, "auto"])
def test_displayed_classes_always_add_up(out_of):
    rng = np.random.default_rng(2)
    for _ in range(20):
        k = int(rng.integers(3, 8))
        chances = rng.dirichlet(rng.uniform(0.2, 2, k), size=150)
        truth = np.concatenate([np.arange(k), rng.integers(0, k, 150 - k)])
        for outcome in learn.weighted_outcomes(truth, chances, n=3, out_of=out_of, random_state=1):
            total = sum(outcome.totals)
            assert total == (out_of if out_of != "auto" else total)
            assert total in (100, 1000, 10_000)
            exact = np.bincount(truth, minlength=k) / 150 * total
            assert np.abs(np.array(outcome.totals) - exact).max() < 1


def test_weights_of_classes_need_preferences():
    truth, chances = three_classes(0)
    outcomes = learn.weighted_outcomes(truth, chances, random_state=0)
    learner = learn.MulticlassElicitor(outcomes, max_queries=10, random_state=1)
    result = learn.ask_oracle(learner, lambda *_: "same")
    assert (result.evidence, result.metric, result.best) == ("none", None, None)
    assert result.to_dict()["best"] is None
