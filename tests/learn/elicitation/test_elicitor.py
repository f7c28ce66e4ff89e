"""The default search: recovery, purity, honesty about noise, and what is never shown."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from howgood import ask, decide, learn, score
from howgood.errors import FileFormatError, InputError, UnknownNameError
from howgood.learn.elicitation.belief import Belief, choice_table
from howgood.learn.elicitation.families import LAPSES, WIDTHS
from howgood.learn.elicitation.family_registry import make_families
from howgood.records.confusion import ConfusionMatrix
from howgood.show.elicitation import elicitation_findings
from howgood.show.text import to_json

_RNG = np.random.default_rng(0)
_SCORES = _RNG.beta(0.5, 0.9, 3000)
_TRUTH = _RNG.random(3000) < _SCORES
MATRICES = learn.threshold_matrices(_TRUTH, _SCORES)
# A handful of systems, so that property tests are quick.
FEW = MATRICES[:: len(MATRICES) // 8]
CHOICES = st.lists(st.sampled_from(["first", "second", "same"]), max_size=12)


def answered(matrices, answers, **settings):
    learner = learn.Elicitor(matrices, **settings)
    for answer in answers:
        if learner.query() is not None:
            learner.answer(answer)
    return learner


def questions(learner, oracle):
    asked = []
    while (query := learner.query()) is not None:
        asked.append(query)
        learner.answer(oracle(query.first, query.second))
    return asked


def agreement_on_many(learner, person):
    pairs = learn.held_out_queries(MATRICES, n=300, random_state=9)
    decided = [each for each in pairs if person.prefers(each.first, each.second) != "same"]
    return np.mean(
        [
            (learner.predict(each.first, each.second) > 0.5)
            == (person.prefers(each.first, each.second) == "first")
            for each in decided
        ]
    )


@pytest.mark.parametrize("a0", [0.05, 0.2, 0.3, 0.5, 0.8])
def test_a_consistent_linear_respondent_is_recovered(a0):
    learner = learn.Elicitor(MATRICES, random_state=1)
    result = learn.ask_oracle(learner, score.LinearMetric(a0=a0).prefers)
    assert result.a0.mean == pytest.approx(a0, abs=0.04)
    assert result.metric.a0 == pytest.approx(a0, abs=0.04)
    # Where misses weigh twenty times as much, F-beta chooses nearly alike: no certainty there.
    assert result.is_linear or a0 == 0.05
    assert result.checks.catch_wrong == 0
    assert result.checks.repeats_changed == 0
    # The answer that tells linear from F-beta may well be improbable to the others.
    assert len(result.disagreeing) <= 1


@pytest.mark.parametrize(
    ("person", "family"),
    [
        (score.LinearMetric(a0=0.2), "linear"),
        (score.FBetaMetric(beta=0.5), "f_beta"),
        pytest.param(score.FBetaMetric(beta=2.0), "f_beta", marks=pytest.mark.slow),
        (score.CappedMetric(cap=0.03), "cap"),
    ],
)
def test_the_family_and_the_choices_are_recovered_in_twenty_questions(person, family):
    learner = learn.Elicitor(MATRICES, random_state=2, min_queries=20, max_queries=20)
    result = learn.ask_oracle(learner, person.prefers)
    assert max(result.families, key=result.families.get) == family
    assert sum(result.families.values()) == pytest.approx(1)
    assert agreement_on_many(learner, person) >= 0.97


def test_the_system_recommended_is_the_best_for_its_range():
    result = learn.ask_oracle(
        learn.Elicitor(MATRICES, random_state=3), score.LinearMetric(a0=0.25).prefers
    )
    assert result.metric.a0 in result.optimal_range
    flagged = np.unique(_SCORES)[:, None] <= _SCORES  # every threshold, counted by hand
    for a0 in (*result.optimal_range, result.optimal_range.middle, result.metric.a0):
        best = max(a0 * np.sum(~flagged & ~_TRUTH, axis=1)
                   + (1 - a0) * np.sum(flagged & _TRUTH, axis=1))  # fmt: skip
        metric = score.LinearMetric(a0=a0)
        assert metric.of(result.counts) == pytest.approx(best / _TRUTH.size, abs=1e-12)
    assert MATRICES.at(result.thresholds.upper) == result.matrix == result.counts.displayed()
    assert result.counts.true_positives == np.sum(_TRUTH & (result.thresholds.middle <= _SCORES))


@given(CHOICES, st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_the_same_seed_and_answers_always_lead_to_the_same_question(answers, seed):
    one = answered(FEW, answers, random_state=seed, held_out=2)
    other = answered(FEW, answers, random_state=seed, held_out=2)
    assert one.query() == other.query()
    assert one.answers == other.answers
    assert one.result().families == other.result().families


@given(CHOICES, st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_a_replayed_log_equals_the_interview(answers, seed):
    import json

    live = answered(FEW, answers, random_state=seed)
    log = json.loads(to_json(learn.elicitation_log(live)))
    again = learn.replay(log)
    assert again.query() == live.query()
    assert again.result().to_dict() == live.result().to_dict()


@given(CHOICES.filter(bool), st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_undo_is_as_if_the_answer_had_never_been_given(answers, seed):
    live = answered(FEW, answers, random_state=seed)
    live.undo()
    before = answered(FEW, [each.choice for each in live.answers], random_state=seed)
    assert live.query() == before.query()
    assert live.result().to_dict() == before.result().to_dict()


@given(st.integers(0, 10_000), st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_no_identical_pair_is_shown_and_dominated_ones_only_to_check(seed, slips):
    noisy = ask.simulate_respondent(score.LinearMetric(a0=0.3), flips=0.5, random_state=slips)
    learner = learn.Elicitor(FEW, random_state=seed, held_out=5, max_queries=12)
    asked = questions(learner, noisy)
    assert {query.kind for query in asked} >= {"choice", "catch"}
    for query in asked:
        assert query.first != query.second
        is_dominated = query.first.dominates(query.second) or query.second.dominates(query.first)
        assert is_dominated == (query.kind == "catch")


def test_no_pair_is_asked_twice_except_as_a_swapped_repeat():
    asked = questions(
        learn.Elicitor(MATRICES, random_state=5, min_queries=25),
        score.LinearMetric(a0=0.3).prefers,
    )
    pairs = [frozenset((q.first, q.second)) for q in asked if q.kind == "choice"]
    assert len(set(pairs)) == len(pairs)
    shown = {(q.first, q.second) for q in asked if q.kind == "choice"}
    repeats = [q for q in asked if q.kind == "repeat"]
    assert len(repeats) == 2
    assert all((q.second, q.first) in shown for q in repeats)


def test_sides_are_shuffled():
    asked = questions(
        learn.Elicitor(MATRICES, random_state=6, min_queries=25),
        score.LinearMetric(a0=0.3).prefers,
    )
    left_finds_more = [q.first.true_positives > q.second.true_positives for q in asked]
    assert 0.2 < np.mean(left_finds_more) < 0.8


def test_random_clicking_is_noticed_and_care_is_not_suspected():
    rng = np.random.default_rng(7)
    careless = [
        learn.ask_oracle(
            learn.Elicitor(FEW, random_state=seed, max_queries=8),
            lambda *_: rng.choice(["first", "second"]),
        ).checks.looks_careless
        for seed in range(20)
    ]
    assert np.mean(careless) > 0.6  # 89 % expected


def test_a_slip_is_pointed_out():
    learner = learn.Elicitor(MATRICES, random_state=8, min_queries=15, max_queries=15)
    person = score.LinearMetric(a0=0.2)
    slipped = None
    while (query := learner.query()) is not None:
        choice = person.prefers(query.first, query.second)
        clear = abs(person.of(query.first) - person.of(query.second)) > 0.01
        if query.kind == "choice" and slipped is None and query.number > 4 and clear:
            slipped, choice = query.number, {"first": "second", "second": "first"}[choice]
        learner.answer(choice)
    assert slipped in learner.result().disagreeing


def test_a_direct_answer_moves_the_prior_and_is_judged_as_a_baseline():
    even, stated = (make_families(("linear",), direct_ratio=each)[0] for each in (None, 9.0))
    # Half of the prior is the guess, half stays even: a wrong guess cannot outweigh the choices.
    guess = 2 * stated.prior - even.prior
    assert float(guess @ stated.nodes) == pytest.approx(-np.log(9.0), abs=0.02)
    assert (stated.prior >= even.prior / 2 - 1e-12).all()
    learner = learn.Elicitor(MATRICES, random_state=1, direct_ratio=9.0, held_out=15)
    result = learn.ask_oracle(learner, score.LinearMetric(a0=0.1).prefers)
    assert result.agreement.n_questions == 15
    assert set(result.agreement.baselines) == {
        "accuracy",
        "constant a0 = 0.141",
        "direct question",
    }
    assert result.agreement.percent >= 14 / 15 * 100


@pytest.mark.parametrize("ratio", [1e-30, 1e30])
def test_a_guess_beyond_what_systems_can_show_is_heard_as_the_most_they_can(ratio):
    (family,) = make_families(("linear",), direct_ratio=ratio)
    assert family.prior.sum() == pytest.approx(1)
    (even,) = make_families(("linear",))
    guess = 2 * family.prior - even.prior
    assert int(np.argmax(guess)) == (0 if ratio > 1 else guess.size - 1)


def test_a_wrong_guess_is_not_the_reason_to_stop():
    """A guess of 100 where 2 is true ended interviews after 6 questions, with 7 of 12 covered."""
    person = score.LinearMetric(a0=1 / 3).prefers
    for seed in range(4):
        learner = learn.Elicitor(MATRICES, random_state=seed, direct_ratio=100.0)
        result = learn.ask_oracle(learner, person)
        assert 1 / 3 in result.interval
        unguessed = learner._beliefs[1]
        assert unguessed is not learner._belief
        if result.stopped == "precise enough":
            draws = unguessed.family("linear").draws(unguessed.node_weights("linear"))
            low, high = expit(np.quantile(draws, [0.05, 0.95]))
            assert high - low <= 0.1 or (high / (1 - high)) / (low / (1 - low)) <= 2


def test_the_neighbours_of_the_recommended_system_are_asked_about():
    learner = learn.Elicitor(MATRICES, random_state=2)
    result = learn.ask_oracle(learner, score.LinearMetric(a0=0.3).prefers)
    assert result.stopped == "precise enough"
    regrets = learner._belief.regrets(learner._shared.regrets)
    chosen = learner._bank.matrices[int(np.argmin(regrets))]
    asked = [
        {each.query.first, each.query.second}
        for each in learner.answers
        if each.query.kind == "choice"
    ]
    beside = [pair - {chosen} for pair in asked if chosen in pair]
    misses = [other.false_negatives for pair in beside for other in pair]
    assert min(misses) < chosen.false_negatives < max(misses)


def test_indifference_everywhere_is_not_enough_evidence_for_anything():
    learner = learn.Elicitor(MATRICES, random_state=1, held_out=3)
    result = learn.ask_oracle(learner, lambda *_: "same")
    assert result.stopped in ("most questions asked", "no pair left")
    assert (result.evidence, result.preferences, result.choices) == ("none", 0, 25)
    assert (result.metric, result.a0, result.family, result.matrix) == (None,) * 4
    assert (result.counts, result.thresholds, result.optimal_range) == (None,) * 3
    assert result.families == {}
    assert not result.is_linear
    assert learn.replay(learn.elicitation_log(learner)).result().to_dict() == result.to_dict()
    with pytest.raises(InputError, match="evidence"):
        decide.threshold(result, _RNG.random(50) < 0.5, _RNG.random(50))
    said = " ".join(each.text for each in elicitation_findings(result, ask.GENERIC_WORDING))
    assert said.startswith("Not enough evidence: a side was preferred in 0 of 25 questions")
    assert "linear" not in said
    assert "Flag scores" not in said


@pytest.mark.parametrize("preferred", [0, 1, 2, 3])
def test_evidence_begins_with_three_preferences(preferred):
    """Whichever answers they are: before the third nothing is said, from the third on something."""
    answers = ["same"] * 2 + ["first"] * preferred + ["same"] * (3 - preferred)
    learner = learn.Elicitor(FEW, random_state=1, catch_pairs=0, repeats=0)
    for choice in answers:
        learner.answer(choice)
    result = learner.result()
    assert result.preferences == preferred
    assert result.evidence == ("enough" if preferred == 3 else "none")
    assert (result.matrix is None) == (result.metric is None) == (preferred < 3)


def test_mostly_indifferent_answers_give_no_metric():
    """An F2 respondent who sees only large differences was called linear with 99.8 %."""
    metric = score.FBetaMetric(beta=2.0)

    def person(first, second):
        gap = metric.of(first) - metric.of(second)
        return "same" if abs(gap) < 0.2 else "first" if gap > 0 else "second"

    result = learn.ask_oracle(learn.Elicitor(MATRICES, random_state=1), person)
    assert result.is_indifferent
    assert result.evidence == "enough"
    assert (result.family, result.metric, result.matrix) == (None, None, None)
    assert 'most answers were "no preference"' in result.misfit
    said = elicitation_findings(result, ask.GENERIC_WORDING)[0]
    assert 'most answers were "no preference"' in said.text
    assert said.tone == "bad"


def test_posterior_predictions_and_information_match_plain_loops():
    families = make_families(("linear", "f_beta", "cap"), direct_ratio=None)
    belief = Belief(families)
    counts = np.array([list(each.to_dict().values()) for each in FEW], dtype=float)
    first, second = counts[[1, 2, 6]], counts[[3, 5, 2]]
    belief.update(belief.likelihood(first[0], second[0], "first"))
    belief.update(belief.likelihood(first[1], second[1], "same"))

    def chances(x, width, lapse):
        rate, to_same = lapse
        slipped = rate * (1 - to_same) / 2
        one = slipped + (1 - rate) / (1 + np.exp(-(x - width)))
        two = slipped + (1 - rate) / (1 + np.exp(x + width))
        return np.array([one, two, 1 - one - two])

    slips = list(itertools.product((0.02, 0.1, 0.25, 0.5), (0.02, 1 / 3)))
    joint, nodes = [], []
    total = sum(family.weight for family in families)
    for family in families:
        share = family.weight / total
        x = np.stack(family.strengths(first, second))
        for node, noise in itertools.product(range(x.shape[2]), range(x.shape[3])):
            for width, lapse in itertools.product(WIDTHS, slips):
                weight = share * family.prior[node] * family.noise_prior[noise]
                weight /= WIDTHS.size * len(slips)
                each = [
                    np.mean([chances(x[place, pair, node, noise], width, lapse)
                             for place in range(len(x))], axis=0)
                    for pair in range(3)
                ]  # fmt: skip
                weight *= each[0][0] * each[1][2]
                joint.append((weight, each[2]))
                nodes.append((family.name, node))
    weights = np.array([weight for weight, _ in joint])
    weights /= weights.sum()
    outcomes = np.array([outcome for _, outcome in joint])
    assert belief.family_probabilities()["linear"] == pytest.approx(
        weights[[name == "linear" for name, _ in nodes]].sum()
    )
    mixed = weights @ outcomes
    assert belief.predict(first[2:], second[2:])[0] == pytest.approx(
        mixed[0] + mixed[2] / 2, abs=1e-5
    )

    def entropy(p):
        return -sum(value * np.log(value) for value in p if value > 0)

    given_node = {}
    for weight, outcome, node in zip(weights, outcomes, nodes, strict=True):
        mass, total = given_node.get(node, (0.0, np.zeros(3)))
        given_node[node] = (mass + weight, total + weight * outcome)
    expected = entropy(mixed) - sum(m * entropy(t / m) for m, t in given_node.values())
    tables = [choice_table(family.strengths(first[2:], second[2:])) for family in families]
    assert belief.information(tables)[0] == pytest.approx(expected, abs=1e-5)


def test_leaving_an_answer_out_is_exact():
    families = make_families(("linear",), direct_ratio=None)
    counts = np.array([list(each.to_dict().values()) for each in FEW], dtype=float)
    with_it, without_it = Belief(families), Belief(families)
    kept = with_it.likelihood(counts[1], counts[5], "first")
    left_out = with_it.likelihood(counts[2], counts[6], "second")
    for belief, answers in ((with_it, (kept, left_out)), (without_it, (kept,))):
        for likelihood in answers:
            belief.update(likelihood)
    direct = sum(float((w * v).sum()) for w, v in zip(without_it.weights(), left_out, strict=True))
    assert with_it.left_out(left_out) == pytest.approx(direct)


def test_a_table_of_systems_is_enough():
    result = learn.ask_oracle(
        learn.Elicitor(list(FEW), random_state=1), score.LinearMetric(a0=0.2).prefers
    )
    assert result.thresholds is None
    assert result.matrix in FEW


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"families": ()}, InputError),
        ({"families": "linear"}, InputError),
        ({"families": ("linear", "cubic")}, UnknownNameError),
        ({"direct_ratio": 0.0}, InputError),
        ({"direct_ratio": np.inf}, InputError),
        ({"min_queries": 9, "max_queries": 8}, InputError),
    ],
)
def test_wrong_settings_are_refused(arguments, error):
    with pytest.raises(error):
        learn.Elicitor(FEW, **arguments)


def test_fewer_than_three_systems_or_no_trade_off_are_refused():
    with pytest.raises(InputError, match="at least 3"):
        learn.Elicitor(FEW[:2])
    ladder = [
        ConfusionMatrix(
            true_positives=30 + k, false_negatives=10 - k, false_positives=5, true_negatives=55
        )
        for k in range(4)
    ]
    with pytest.raises(InputError, match="trade-off"):
        learn.Elicitor(ladder)


def test_an_edited_log_is_refused():
    live = answered(FEW, ["first", "second", "first"], random_state=4)
    log = learn.elicitation_log(live)
    log["answers"][0]["first"], log["answers"][0]["second"] = (
        log["answers"][0]["second"],
        log["answers"][0]["first"],
    )
    with pytest.raises(FileFormatError, match="answer 1"):
        learn.replay(log)


def test_a_log_with_other_counts_than_were_shown_is_refused():
    live = answered(MATRICES, ["first", "second", "first"], random_state=4, catch_pairs=0)
    log = learn.elicitation_log(live)
    assert learn.replay(log).result().counts == live.result().counts
    log["counts"]["missed"] = [each + 60 for each in log["counts"]["missed"]]
    with pytest.raises(FileFormatError, match="counts"):
        learn.replay(log)


def test_before_any_answer_the_belief_is_the_prior():
    families = make_families(["linear", "cap"], direct_ratio=None)
    belief = Belief(families)
    # Of all families' weights, .45 and .1 are asked for: .45 / .55 and .1 / .55.
    assert belief.family_probabilities() == pytest.approx({"linear": 9 / 11, "cap": 2 / 11})
    for family, weights in zip(families, belief.weights(), strict=True):
        assert belief.node_weights(family.name) == pytest.approx(family.prior / family.prior.sum())
        noise = weights.sum(axis=(0, 2, 3)) / weights.sum()
        assert noise == pytest.approx(family.noise_prior / family.noise_prior.sum())
        # Widths and lapses are even.
        assert weights.sum(axis=(0, 1)) / weights.sum() == pytest.approx(
            np.full((WIDTHS.size, LAPSES.size), 1 / (WIDTHS.size * LAPSES.size))
        )


def test_expected_agreement_is_how_often_the_likelier_side_is_chosen():
    families = make_families(("linear", "f_beta"), direct_ratio=None)
    belief = Belief(families)
    counts = np.array([list(each.to_dict().values()) for each in FEW], dtype=float)
    first, second = counts[[1, 2, 6, 3]], counts[[3, 5, 2, 1]]
    for _ in range(3):  # once alone may be a slip
        belief.update(belief.likelihood(first[0], second[0], "first"))
    chosen = belief.predict(first, second)
    # The last pair is the first with its sides swapped: one is likely, the other unlikely.
    assert chosen[0] > 0.5 > chosen[3]
    tables = [choice_table(family.strengths(first, second)) for family in families]
    found = belief.expected_agreement(tables)
    assert found == pytest.approx(np.maximum(chosen, 1 - chosen).mean(), abs=1e-6)


def test_a_refined_posterior_is_that_of_a_grid_thirty_times_as_fine():
    """A respondent without noise, on the border of two nodes: answers tell more than the grid."""
    nodes = make_families(["linear"], direct_ratio=None)[0].nodes
    a0 = float(expit((nodes[53] + nodes[54]) / 2))
    learner = learn.Elicitor(
        MATRICES, random_state=3, min_queries=20, max_queries=20, catch_pairs=0, repeats=0,
        held_out=0,
    )  # fmt: skip
    result = learn.ask_oracle(learner, score.LinearMetric(a0=a0).prefers)
    fine = np.linspace(-5.344, 5.344, 3631)
    weight = expit(fine) * expit(-fine)
    family = replace(
        make_families(["linear"], direct_ratio=None)[0],
        nodes=fine, prior=weight / weight.sum(), places=(0.0,),
    )  # fmt: skip
    belief = Belief((family,))
    for each in learner.answers:
        sides = (np.array(list(side.to_dict().values()), dtype=float)
                 for side in (each.query.first, each.query.second))  # fmt: skip
        belief.update(belief.likelihood(*sides, each.choice))
    chances = belief.node_weights("linear")
    expected = expit(np.interp([0.05, 0.95], np.cumsum(chances), fine))
    cell = float(expit(nodes[54]) - expit(nodes[53]))
    assert [result.interval.lower, result.interval.upper] == pytest.approx(expected, abs=0.1 * cell)
    assert result.a0.mean == pytest.approx(float(chances @ expit(fine)), abs=0.1 * cell)
    # One 90 % interval in ten misses: the weight must not be far out.
    low, high = np.quantile(result.a0.draws, [0.005, 0.995])
    assert low <= a0 <= high
    assert result.interval.width < 0.9 * cell


def test_refining_keeps_the_prior_where_nothing_was_answered():
    family = make_families(["linear"], direct_ratio=4.0)[0]
    fine = family.refined(family.prior)
    assert fine.nodes.size == family.nodes.size
    # Half the guess, half even in a0, whose logit is 0 on average.
    for each in (family, fine):
        assert float(each.prior @ each.nodes) == pytest.approx(-np.log(4.0) / 2, abs=0.02)
        assert fine.nodes.min() <= -np.log(4.0) - 3 < -np.log(4.0) + 3 <= fine.nodes.max()
