"""Weights of classes and groups as full citizens: stopping, checks, fit, logs, rules, files."""

import json
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import learn
from howgood.cli.main import run
from howgood.errors import HowgoodError, InputError, NoEvidenceWarning
from howgood.flow.study_files.check import check_study
from howgood.flow.study_files.new import template
from howgood.kinds.criteria.screens import replayed
from howgood.learn.elicitation.outcome_weights import judged_weights
from howgood.records.decision_rules import GroupThresholds, WeightedArgmax
from howgood.records.elicitation import WeightsResult
from howgood.records.outcomes_by_class import ClassOutcome, DiagonalMetric, FairMetric
from howgood.show.weights import weights_findings, weights_table

RNG = np.random.default_rng(1)
CHANCES = RNG.dirichlet([1, 1, 1], size=900)
NUMBERS = (RNG.random((900, 1)) > CHANCES.cumsum(axis=1)).sum(axis=1)
LABELS = np.array(["cat", "dog", "bird"])[NUMBERS]
SCORES, GROUPS = RNG.random(900), RNG.choice(["f", "m"], 900)
TRUTH = (RNG.random(900) < SCORES ** np.where(GROUPS == "m", 0.7, 1.6)).astype(int)
CLASSES = learn.weighted_outcomes(NUMBERS, CHANCES, n=60, random_state=0)
BY_GROUP = learn.group_outcomes(TRUTH, SCORES, GROUPS, n=60, random_state=0)


def choosing(weights):
    def choose(first, second):
        gap = np.dot(np.subtract(first.features, second.features), weights)
        return "same" if abs(gap) < 1e-9 else "first" if gap > 0 else "second"

    return choose


@pytest.fixture
def table(tmp_path):
    rows = ["y,p_cat,p_dog,p_bird,t,s,sex"]
    rows += [
        f"{label},{a:.6f},{b:.6f},{c:.6f},{t},{s:.6f},{g}"
        for label, (a, b, c), t, s, g in zip(LABELS, CHANCES, TRUTH, SCORES, GROUPS, strict=True)
    ]
    (tmp_path / "cases.csv").write_text("\n".join(rows))
    return tmp_path / "cases.csv"


def test_it_stops_when_the_weights_are_known_and_not_at_forty():
    result = learn.ask_oracle(
        learn.MulticlassElicitor(CLASSES, random_state=1), choosing([0.5, 0.3, 0.2])
    )
    assert result.stopped == "precise enough"
    assert result.choices < 40
    assert result.fits
    assert result.agreement.n_questions + result.agreement.n_without_preference == 8
    assert [each.mean for each in result.weights.values()] == pytest.approx(
        [0.5, 0.3, 0.2], abs=0.05
    )


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_random_clicks_and_one_side_have_no_weights_and_no_rule(seed):
    rng = np.random.default_rng(seed)
    clicks = learn.MulticlassElicitor(CLASSES, random_state=seed)
    left = learn.FairElicitor(BY_GROUP, random_state=seed)
    for learner, who in (
        (clicks, lambda *_: rng.choice(["first", "second"])),
        (left, lambda *_: "first"),
    ):
        result = learn.ask_oracle(learner, who)
        # Clicks at random are a misfit, or say too little: either way there is nothing to use.
        assert result.evidence == "little" if result.fits else result.misfit
        assert (result.metric, result.best) == (None, None)
        said = "Not enough information" if result.fits else "No weights describe this person"
        assert weights_findings(result)[0].text.startswith(said)
        assert weights_findings(result)[1].text.startswith("What to ask next: ")
        assert set(weights_table(result)["weight"]) == {"not known"}
        for ask_for in (result.rule, result.scorer):
            with pytest.raises(InputError, match="weights"):
                ask_for()


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_change_of_mind_about_classes_is_noticed_and_named(seed):
    early, late = choosing([0.8, 0.1, 0.1]), choosing([0.1, 0.1, 0.8])
    learner = learn.MulticlassElicitor(CLASSES, random_state=seed)
    while (query := learner.query()) is not None:
        learner.answer((early if query.number <= 14 else late)(query.first, query.second))
    result = learner.result()
    assert any("change of mind" in reason for reason in result.misfit)
    assert "Ask what changed, then begin a new interview." in result.advice
    assert (result.metric, result.best) == (None, None)


def test_too_little_information_about_weights_is_said_and_saved(tmp_path):
    learner = learn.MulticlassElicitor(CLASSES, random_state=1)
    found = learn.ask_oracle(learner, choosing([0.5, 0.3, 0.2]))
    result = replace(found, metric=None, best=None, is_informative=False, advice=("Ask more.",))
    assert (result.evidence, result.fits) == ("little", True)
    assert weights_findings(result)[0].text.startswith("Not enough information")
    assert weights_findings(result)[1].text == "What to ask next: Ask more."
    with pytest.raises(InputError, match="hardly be distinguished from random clicks"):
        result.rule()
    result.save(tmp_path / "weights.json")
    again = type(result).load(tmp_path / "weights.json")
    assert (again.evidence, again.to_dict()["is_informative"]) == ("little", False)


def test_the_better_side_of_a_check_is_known_on_both_sides():
    learner = learn.FairElicitor(BY_GROUP, random_state=3)
    choose = choosing([0.25] * 4)
    result = learn.ask_oracle(learner, choose)
    assert result.checks.catch_asked == 3
    assert result.checks.catch_wrong == 0
    wrong = {"first": "second", "second": "first", "same": "same"}
    learner = learn.FairElicitor(BY_GROUP, random_state=3)
    while (query := learner.query()) is not None:
        said = choose(query.first, query.second)
        learner.answer(wrong[said] if query.kind == "catch" else said)
    assert learner.result().checks.catch_wrong == 3


def test_the_rule_of_classes_by_hand_and_by_brute_force():
    rule = WeightedArgmax(weights=(0.6, 0.4), labels=("a", "b"))
    assert rule.predict([[0.45, 0.55], [0.3, 0.7]]).tolist() == ["a", "b"]  # .27 > .22, .18 < .28
    metric = DiagonalMetric(weights=(0.5, 0.3, 0.2), labels=(0, 1, 2))
    best = metric(
        NUMBERS, WeightedArgmax(weights=metric.weights, labels=(0, 1, 2)).predict(CHANCES)
    )
    others = [
        metric(NUMBERS, WeightedArgmax(weights=tuple(each), labels=(0, 1, 2)).predict(CHANCES))
        for each in np.random.default_rng(0).dirichlet([1, 1, 1], 100)
    ]
    assert best >= np.mean(others)
    assert best >= max(others) - 0.01  # on these cases another rule may be luckier by a few
    assert WeightedArgmax.from_dict(rule.to_dict()) == rule
    with pytest.raises(InputError, match="2 columns"):
        rule.predict([[0.2, 0.3, 0.5]])


def test_the_rule_of_groups_leads_to_the_outcome_it_was_chosen_for():
    outcome = BY_GROUP[7]
    labels = GroupThresholds(thresholds=outcome.thresholds).predict(SCORES, GROUPS)
    metric = FairMetric(weights=(0.4, 0.3, 0.2, 0.1))
    # Shown out of 100 per group: at most one case in a hundred apart on each rate.
    assert metric(TRUTH, labels, groups=GROUPS) == pytest.approx(metric.of(outcome), abs=0.02)
    with pytest.raises(HowgoodError, match="x"):
        GroupThresholds(thresholds={"f": 0.5}).predict([0.5], ["x"])


def test_a_scorer_takes_the_group_from_a_column():
    class Model:
        def predict(self, cases):
            return (cases[:, 0] >= 0.5).astype(int)

    cases = np.column_stack([SCORES, GROUPS == "m"])
    metric = FairMetric(weights=(0.4, 0.3, 0.2, 0.1))
    by_hand = metric(TRUTH, SCORES >= 0.5, groups=GROUPS, pos_label=1)
    assert metric.scorer(group=1)(Model(), cases, TRUTH) == pytest.approx(by_hand)


def test_text_labels_of_groups_need_the_positive_one_named():
    metric, labels = FairMetric(weights=(0.4, 0.3, 0.2, 0.1)), np.where(TRUTH == 1, "ill", "well")
    said = np.where(SCORES >= 0.5, "ill", "well")
    by_hand = metric(TRUTH, SCORES >= 0.5, groups=GROUPS)
    assert metric(labels, said, groups=GROUPS, pos_label="ill") == pytest.approx(by_hand)
    with pytest.raises(InputError, match="Say pos_label="):
        metric(labels, said, groups=GROUPS)
    with pytest.raises(InputError, match="Encode both alike"):
        metric(labels, SCORES >= 0.5, groups=GROUPS, pos_label="ill")


@given(st.lists(st.sampled_from(["first", "second", "same"]), max_size=8), st.integers(0, 99))
@settings(max_examples=6, deadline=None)
def test_undo_is_as_if_the_answer_had_never_been_given(answers, seed):
    def after(said):
        learner = learn.FairElicitor(BY_GROUP[:25], random_state=seed)
        for choice in said:
            learner.answer(choice)
        return learner

    live = after([*answers, "first"])
    live.undo()
    assert live.query() == after(answers).query()
    assert live.result().to_dict() == after(answers).result().to_dict()


def test_one_call_resumes_and_the_result_comes_back_from_its_file(tmp_path):
    log = tmp_path / "log.json"
    person = choosing([0.2, 0.2, 0.6])
    asked = []

    def tired(first, second):
        asked.append(1)
        if len(asked) > 3:
            raise KeyboardInterrupt
        return person(first, second)

    call = {"scores": CHANCES, "y": NUMBERS, "resume": log, "random_state": 2}
    with pytest.raises(KeyboardInterrupt):
        learn.elicit(ui=tired, **call)
    assert len(json.loads(log.read_text())["answers"]) == 3
    result = learn.elicit(ui=person, **call)
    whole = learn.elicit(ui=person, scores=CHANCES, y=NUMBERS, random_state=2)
    assert result.to_dict() == whole.to_dict()
    result.save(tmp_path / "weights.json")
    assert WeightsResult.load(tmp_path / "weights.json").to_dict() == result.to_dict()
    with pytest.raises(InputError, match="another table"):
        learn.elicit(ui=person, **(call | {"scores": CHANCES[::-1]}))
    written = json.loads(log.read_text())
    written["answers"][0], written["answers"][1] = written["answers"][1], written["answers"][0]
    log.write_text(json.dumps(written))
    with pytest.raises(InputError, match="do not lead to"):
        learn.elicit(ui=person, **call)


def test_a_fitted_classifier_with_text_labels():
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit(CHANCES, LABELS)
    result = learn.elicit(model, CHANCES, LABELS, ui=choosing([0.6, 0.2, 0.2]), random_state=1)
    assert max(result.weights, key=lambda name: result.weights[name].mean) == "bird"
    assert set(result.rule().predict(model.predict_proba(CHANCES))) <= set(LABELS)


def test_a_class_that_nobody_was_shown_is_not_said_to_weigh_less():
    chances = np.random.default_rng(1).dirichlet([20, 20, 0.01], size=3000)
    labels = (chances[:, 0] < chances[:, 1]).astype(int)
    labels[0] = 2
    result = learn.elicit(scores=chances, y=labels, ui=choosing([0.2, 0.2, 0.6]), random_state=1)
    said = weights_findings(result)[0].text
    assert "Not enough answers to say whether" in said
    assert "times as much" not in said


def test_the_terminal_asks_logs_resumes_and_saves(table, tmp_path, capsys):
    log, saved, out = (tmp_path / name for name in ("log.json", "saved.json", "out.html"))
    classes = ["elicit", str(table), "--truth", "y", "--classes", "p_cat,p_dog,p_bird",
               "--simulate", "cat=.5,dog=.3,bird=.2", "--seed", "1", "--log", str(log)]  # fmt: skip
    assert run([*classes, "--save", str(saved), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "A right answer on cat is worth" in said
    assert "largest weight times probability" in said
    assert run([*classes, "--json"]) == 0
    loaded = WeightsResult.load(saved).to_dict()
    assert all(loaded[name] == each for name, each in json.loads(capsys.readouterr().out).items())
    group = ["elicit", str(table), "--truth", "t", "--score", "s", "--group", "sex", "--seed", "1"]
    weights = "recall=.4,specificity=.2,recall gap=.3,specificity gap=.1"
    assert run([*group, "--simulate", weights]) == 0
    assert "Rule: flag cases by group (f from" in capsys.readouterr().out
    assert run([*group, "--classes", "p_cat"]) == 2
    assert run([*group, "--simulate", "price=1"]) == 2
    assert run(["elicit", str(table), "--truth", "y", "--classes", "p_cat,p_dog"]) == 2
    assert "bird" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "n_measures"),
    [
        ({"truth": "y", "classes": ["p_cat", "p_dog", "p_bird"]}, 3),
        ({"truth": "t", "score": "s", "group": "sex"}, 4),
    ],
)
def test_a_study_file_takes_the_same_table(table, said, n_measures):
    study, problems = _study(table, {"file": "cases.csv", **said})
    assert problems == []
    plan = study.plan
    assert len(plan.measures) == n_measures
    assert not plan.imagined
    interview = replayed(study, seed=3, choices=("first", "second", "first"))
    pair = interview.pair()
    assert pair.first.name in {each.key for each in plan.alternatives}
    text = " ".join(each.key for each in plan.alternatives)
    assert "cat 0." in text or "f from" in text


def test_a_study_file_says_what_is_wrong_with_its_table(table):
    for said in ({"truth": "y"}, {"truth": "y", "classes": ["p_cat", "no"]}):
        _, problems = _study(table, {"file": "cases.csv", **said})
        assert any("outcomes" in str(each) for each in problems)


def _study(table, outcomes):
    data = tomllib.loads(template("criteria"))
    data["criteria"] = {
        **{name: data["criteria"][name] for name in ("task", "question")}, "outcomes": outcomes
    }  # fmt: skip
    path = table.parent / "study.yaml"
    path.write_text(json.dumps(data))
    checked = check_study(path)
    return checked.study, list(checked.problems)


@pytest.mark.parametrize("family", ["fractional", "quadratic_rates"])
def test_families_asked_for_by_name_find_the_best_system(family):
    truth = np.random.default_rng(5).random(2000) < (
        scores := np.random.default_rng(4).random(2000)
    )
    matrices = learn.threshold_matrices(truth, scores)
    who = {
        "fractional": lambda m: m.true_positives
        / (m.true_positives + m.false_negatives + m.false_positives),
        "quadratic_rates": lambda m: 0.5 * m.recall + 0.5 * m.specificity
        + 0.5 * m.recall * m.specificity,
    }[family]  # fmt: skip

    def person(first, second):
        gap = who(first) - who(second)
        return "same" if abs(gap) < 1e-12 else "first" if gap > 0 else "second"

    learner = learn.Elicitor(matrices, families=("linear", family), random_state=1)
    result = learn.ask_oracle(learner, person)
    assert result.fits
    values = np.array([who(matrices.counts.matrix(i)) for i in range(len(matrices.counts.missed))])
    assert who(result.counts) >= values.max() - 0.05 * (values.max() - values.mean())
    again = learn.replay(json.loads(json.dumps(learn.elicitation_log(learner), default=str)))
    assert again.result().to_dict() == result.to_dict()


def _with_a_rare_class():
    """Return systems out of 10,000 cases, 10 of them of the third class, and somebody about it."""
    rng = np.random.default_rng(4)
    bent = zip(np.cos(turn := np.linspace(0.05, 1.5, 60)), np.sin(turn), strict=True)
    return tuple(
        ClassOutcome(
            correct=(round(6000 * cat), round(3990 * dog), int(rng.integers(2, 9))),
            totals=(6000, 3990, 10),
        )
        for cat, dog in bent
    )


@pytest.fixture(scope="module")
def rare():
    learner = learn.MulticlassElicitor(
        _with_a_rare_class(), labels=["cat", "dog", "fox"], max_queries=20, random_state=1
    )
    return learn.ask_oracle(learner, choosing([0.2, 0.3, 0.5]))


def test_a_class_no_answer_turned_on_has_no_weight_that_looks_learned(rare, tmp_path):
    assert rare.metric is not None
    assert rare.not_learned == ("fox",)
    said = [finding.text for finding in weights_findings(rare)]
    assert not any("fox 0." in text and "assumed" not in text for text in said)
    assert any(text.startswith("Not enough answers to say how much fox counts") for text in said)
    rows = dict(zip(weights_table(rare)["of"], weights_table(rare)["weight"], strict=True))
    assert rows["fox"] == "not enough answers"
    plain = json.loads(json.dumps(rare.to_dict()))
    assert plain["not_learned"] == ["fox"]
    assert plain["weights"]["fox"]["mean"] is None
    assert plain["weights"]["cat"]["mean"] == rare.weights["cat"].mean
    rare.save(tmp_path / "rare.json")
    assert learn.load_elicited(tmp_path / "rare.json").not_learned == ("fox",)
    assert str(rare.weights["fox"]).endswith("no evidence")


def test_a_rule_from_an_assumed_weight_warns(rare):
    with pytest.warns(NoEvidenceWarning, match="how much fox counts"):
        rare.rule()
    with pytest.warns(NoEvidenceWarning, match="how much fox counts"):
        rare.scorer()


def test_with_common_classes_every_weight_is_learned():
    result = learn.ask_oracle(
        learn.MulticlassElicitor(CLASSES, random_state=1), choosing([0.5, 0.3, 0.2])
    )
    assert result.not_learned == ()


def test_weights_that_were_learned_are_shown_as_shares_of_each_other(rare):
    cat, dog = rare.weights["cat"].draws, rare.weights["dog"].draws
    shown = rare.learned["cat"]
    assert list(rare.learned) == ["cat", "dog"]
    assert shown.mean == pytest.approx(float((cat / (cat + dog)).mean()))
    assert 0.4 in shown.interval  # the person's .2 against .3
    assert shown.interval.width < rare.weights["cat"].interval.width
    table = weights_table(rare)
    assert list(table["of"]) == ["cat", "dog", "fox"]
    assert list(table["as a share of"]) == ["cat and dog", "cat and dog", "all"]
    assert weights_findings(rare)[0].text.startswith("Weights among cat and dog: dog 0.")


def test_where_all_weights_were_learned_they_are_shares_of_all():
    result = learn.ask_oracle(
        learn.MulticlassElicitor(CLASSES, random_state=1), choosing([0.5, 0.3, 0.2])
    )
    assert result.learned == result.weights
    assert "as a share of" not in weights_table(result).columns
    assert weights_findings(result)[0].text.startswith("Weights: ")


def test_a_wide_interval_far_from_where_weights_were_expected_is_learned():
    """A weight of .4 to .9 among four, of which one of twenty is above .63 beforehand."""
    large = np.linspace(0.4, 0.9, 1000)[:, None]
    others = np.array([0.5, 0.3, 0.2]) * (1 - large)
    judged = judged_weights(np.column_stack([large, others]))
    assert [weight.evidence for weight in judged] == ["enough"] * 4


def test_less_than_half_a_bit_is_not_learned():
    """Draws from a part of what was expected before tell minus its logarithm."""
    before = np.sort(np.random.default_rng(5).beta(1, 1, 1000))
    pairs = {share: np.sort(before)[: int(1000 * share)] for share in (0.8, 0.6)}
    judged = {
        share: judged_weights(np.column_stack([draws, 1 - draws]))[0].evidence
        for share, draws in pairs.items()
    }
    assert judged == {0.8: "none", 0.6: "enough"}  # 0.32 and 0.74 bits


@pytest.mark.parametrize("k", [2, 3, 8])
def test_no_weight_is_learned_where_the_draws_are_those_before_any_answer(k):
    before = np.random.default_rng(k).dirichlet(np.ones(k), size=1000)
    assert {weight.evidence for weight in judged_weights(before)} == {"none"}


def test_a_small_weight_is_known_well_even_if_its_logarithm_is_not():
    tiny = np.random.default_rng(3).beta(1, 2, 1000) * 0.01
    draws = np.column_stack([tiny, 0.4 * (1 - tiny), 0.6 * (1 - tiny)])
    assert [weight.evidence for weight in judged_weights(draws)] == ["enough"] * 3
