"""When the model does not describe a person: the rivals by hand, and what is said then."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import binom

from howgood import ask, decide, learn, score
from howgood.errors import InputError
from howgood.learn.elicitation.belief import Belief
from howgood.learn.elicitation.family_registry import make_families
from howgood.learn.elicitation.fit import (
    Foretold,
    _AllStates,
    beaten_probability,
    chances_of_first,
    disagreement_probability,
    information,
    rivals,
)
from howgood.learn.elicitation.further import (
    asks_further,
    most_further,
    says_enough,
    share_of_closing,
)
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicitation import AnsweredQuery, Query
from howgood.show.elicitation import elicitation_findings, save_elicitation_picture

_RNG = np.random.default_rng(0)
_SCORES = _RNG.beta(0.5, 0.9, 3000)
_TRUTH = _RNG.random(3000) < _SCORES
MATRICES = learn.threshold_matrices(_TRUTH, _SCORES)
FEW = MATRICES[:: len(MATRICES) // 8]


def _answered(choices, kind="choice"):
    rng = np.random.default_rng(1)
    pairs = [rng.choice(len(FEW), 2, replace=False) for _ in choices]
    return [
        AnsweredQuery(query=Query(first=FEW[i], second=FEW[j], kind=kind), choice=choice)
        for (i, j), choice in zip(pairs, choices, strict=True)
    ]


def _counts(matrix):
    return np.array(list(matrix.to_dict().values()), dtype=float)


def test_bayes_factors_match_plain_sums():
    belief = Belief(make_families(("linear", "cap")))
    answered = _answered(["first", "second", "first", "same"] * 3 + ["first"] * 2)
    found = rivals(_AllStates.of(belief, answered))
    prior = np.concatenate([each.ravel() for each in belief.weights()])
    chance = np.array([
        np.concatenate([v.ravel() for v in belief.likelihood(
            _counts(each.query.first), _counts(each.query.second), each.choice)])
        for each in answered
    ])  # fmt: skip
    whole = prior @ chance.prod(axis=0)
    n = len(answered)
    turns = range(6, n - 6 + 1)
    changed = np.mean(
        [(prior @ chance[:k].prod(axis=0)) * (prior @ chance[k:].prod(axis=0)) for k in turns]
    )
    assert found.changes == pytest.approx(changed / whole, rel=1e-4)
    same = np.array([each.choice == "same" for each in answered])

    def guessed(part):
        return np.mean(
            [np.where(part, q, (1 - q) / 2).prod() for q in (0.02, 0.1, 1 / 3)] if part.size else 1
        )

    assert found.random == pytest.approx(guessed(same) / whole, rel=1e-4)
    tired = np.mean([(prior @ chance[:k].prod(axis=0)) * guessed(same[k:]) for k in turns])
    assert found.tires == pytest.approx(tired / whole, rel=1e-4)
    # 8 first, 3 second, 3 same: nearly always one of the three.
    sides = [0.95**m * 0.025 ** (14 - m) for m in (8, 3, 3)]
    assert found.one_side == pytest.approx(np.exp(logsumexp(np.log(sides))) / 3 / whole, rel=1e-4)


def test_a_sure_person_disagrees_as_the_binomial_says():
    """One state alone, a lapse of 2 % and no doubt: the number of slips is binomial."""
    belief = Belief(make_families(("linear",)))
    sure = ConfusionMatrix(
        true_positives=35, false_negatives=0, false_positives=5, true_negatives=60
    )
    bad = ConfusionMatrix(
        true_positives=5, false_negatives=30, false_positives=45, true_negatives=20
    )
    flat = [np.full_like(each, -1e9) for each in belief._log_weights]
    # a0 = .5, razor-sharp, never indifferent, slips 10 % of the time, to any of the three answers.
    flat[0][60, 4, 0, 3] = 0.0
    belief._log_weights = flat
    held_out = [
        AnsweredQuery(
            query=Query(first=sure, second=bad, kind="held-out"),
            choice="second" if wrong else "first",
        )
        for wrong in (True, False, True, False, False)
    ]
    chances, metric = chances_of_first(belief, held_out), score.LinearMetric(a0=0.5)
    chance, expected = disagreement_probability(chances, held_out, metric)
    slip = (0.1 / 3) / (1 - 0.1 / 3)  # of answers that prefer a side
    assert chance == pytest.approx(binom.sf(1, 5, slip), rel=1e-6)
    assert expected == pytest.approx(5 * (1 - slip), rel=1e-6)
    # A baseline that prefers the worse side is right in the two slips, and in nothing else.
    ahead = beaten_probability(chances, held_out, metric, _Contrary())
    assert ahead == pytest.approx(binom.sf(1, 5, slip), rel=1e-6)
    # One that always agrees with the metric is never ahead.
    assert beaten_probability(chances, held_out, metric, metric) == 1.0


class _Contrary:
    """Prefers whatever has fewer true positives."""

    def prefers(self, first, second):
        return "first" if first.true_positives < second.true_positives else "second"


def test_information_is_how_much_better_than_a_coin_the_other_answers_are_predicted():
    belief = Belief(make_families(("linear", "cap")))
    learned = _answered(["first", "second", "first", "same"] * 2)
    others = _answered(["second", "first", "first"], kind="held-out")
    chance = {
        kind: np.array([
            np.concatenate([v.ravel() for v in belief.likelihood(
                _counts(one.query.first), _counts(one.query.second), one.choice)])
            for one in some
        ])
        for kind, some in (("learned", learned), ("others", others))
    }  # fmt: skip
    prior = np.concatenate([weights.ravel() for weights in belief.weights()])
    posterior = prior * chance["learned"].prod(axis=0)
    predicted = posterior @ chance["others"].prod(axis=0) / posterior.sum()
    # A coin that lands on "same" in 2, 10 or 33 % of throws: two of eight so far, three sides now.
    shares = np.array([0.02, 0.1, 1 / 3])
    seen = shares**2 * ((1 - shares) / 2) ** 6
    coin = (seen * ((1 - shares) / 2) ** 3).sum() / seen.sum()
    # In whichever order they were asked: half of the others in between, half at the end.
    mixed = [*learned[:4], others[0], *learned[4:], *others[1:]]
    assert information(_AllStates.of(belief, mixed)) == pytest.approx(predicted / coin, rel=1e-4)


@given(
    st.lists(st.sampled_from(["first", "second", "same"]), min_size=12, max_size=12),
    st.permutations(["catch"] * 2 + ["held-out"] * 3 + ["extra", "repeat"]),
)
@settings(max_examples=10, deadline=None)
def test_information_kept_up_answer_by_answer_is_that_of_all_answers(choices, kinds):
    belief, learned = Belief(make_families(("linear", "cap"))), _answered(choices[:5])
    for one in learned:
        belief.update(
            belief.likelihood(_counts(one.query.first), _counts(one.query.second), one.choice)
        )
    others = [
        AnsweredQuery(query=Query(first=one.query.first, second=one.query.second, kind=kind),
                      choice=one.choice)
        for one, kind in zip(_answered(choices[5:]), kinds, strict=True)
    ]  # fmt: skip
    told = Foretold(belief)
    for one in others:
        told.take(one)
    everything = [*learned, *others]
    assert told.n_tested == 5
    assert told.factor(everything) == pytest.approx(
        information(_AllStates.of(belief, everything)), rel=1e-4
    )


def test_when_answers_say_enough_and_when_further_pairs_are_asked():
    # Fewer than 8 say nothing; above 10 to 1 is enough, below 1 to 20 hopeless; 24 end it.
    assert says_enough(0.001, 7)
    assert not asks_further(0.001, 7)
    assert (says_enough(10.1, 8), asks_further(10.1, 8)) == (True, False)
    assert (says_enough(9.9, 8), asks_further(9.9, 8)) == (False, True)
    assert (says_enough(0.06, 8), asks_further(0.06, 8)) == (False, True)
    assert (says_enough(0.04, 8), asks_further(0.04, 8)) == (False, False)
    assert (says_enough(9.9, 24), asks_further(9.9, 24)) == (False, False)
    assert [most_further(n) for n in (0, 7, 8, 17, 24, 40)] == [0, 0, 16, 7, 0, 0]


@given(st.integers(0, 40), st.integers(0, 24))
def test_progress_through_the_last_questions_neither_jumps_nor_goes_back(planned, further):
    shares = [share_of_closing(done, planned, is_over=False) for done in range(planned + further)]
    shares.append(share_of_closing(planned + further, planned, is_over=True))
    steps = np.diff(shares)
    assert shares[-1] == 1.0
    assert (steps > 0).all()
    # The last of them may be two ordinary steps, none is larger.
    assert (steps <= 2 / (planned + 1) + 1e-12).all()


def test_further_pairs_are_asked_of_those_whose_answers_do_not_inform_yet():
    rng, n_extra = np.random.default_rng(4), []
    metric = score.LinearMetric(a0=0.2)
    for slips in (0.0, 0.25, 0.25, 0.25):
        learner = learn.Elicitor(MATRICES, random_state=7)
        asked = set()
        while (query := learner.query()) is not None:
            wanted = metric.prefers(query.first, query.second)
            other = "second" if wanted == "first" else "first"
            learner.answer(other if rng.random() < slips else wanted)
            pair = frozenset((query.first, query.second))
            assert query.kind in ("repeat", "catch") or pair not in asked
            asked.add(pair)
            assert learner.closing() is None or 0 <= learner.closing()[1] <= 1
        n_extra.append(sum(one.query.kind == "extra" for one in learner.answers))
        assert len(learner.answers) <= learner.most_questions
        assert learner.result().agreement.n_questions <= 15
        again = learn.Elicitor(MATRICES, random_state=7)
        for one in learner.answers:
            assert again.query() == one.query
            again.answer(one.choice)
        assert again.query() is None
    assert n_extra[0] == 0
    assert max(n_extra[1:]) > 0


@given(st.lists(st.sampled_from(["first", "second", "same"]), min_size=1, max_size=25))
@settings(max_examples=20, deadline=None)
def test_swapping_sides_throughout_changes_no_verdict(choices):
    """Except for the rival that takes one side: swapping the screen is not swapping the person."""
    belief = Belief(make_families(("linear",)))
    answered = _answered(choices)
    mirrored = {"first": "second", "second": "first", "same": "same"}
    swapped = [
        AnsweredQuery(
            query=Query(first=each.query.second, second=each.query.first),
            choice=mirrored[each.choice],
        )
        for each in answered
    ]
    one, other = (rivals(_AllStates.of(belief, some)) for some in (answered, swapped))
    for name in ("random", "one_side", "tires", "changes"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-3, abs=1e-12)


def _interviewed(respondent, seed=3, **settings):
    learner = learn.Elicitor(MATRICES, random_state=seed, **settings)
    return learn.ask_oracle(learner, respondent), learner


def test_somebody_who_always_takes_the_left_is_told_no_metric_on_any_road():
    result, learner = _interviewed(lambda *_: "first")
    assert not result.fits
    assert any("the same answer" in reason for reason in result.misfit)
    assert (result.metric, result.a0, result.ratio, result.family) == (None,) * 4
    assert (result.matrix, result.counts, result.thresholds, result.optimal_range) == (None,) * 4
    assert result.interval is None
    assert result.to_dict()["fits"] is False
    assert result.to_dict()["misfit"] == list(result.misfit)
    with pytest.raises(InputError, match="does not describe"):
        decide.threshold(result, _TRUTH, _SCORES)
    with pytest.raises(InputError, match="no metric"):
        save_elicitation_picture(result, MATRICES, "nowhere.svg")
    said = [each.text for each in elicitation_findings(result, ask.GENERIC_WORDING)]
    assert said[0].startswith("No metric considered here describes this person")
    assert said[1].startswith("What is known: of ")
    assert said[2].startswith("What to ask next: Explain once more")
    assert not any("Flag scores" in text for text in said)
    assert learn.replay(learn.elicitation_log(learner)).result().misfit == result.misfit


def test_a_change_of_mind_is_noticed_and_named():
    answers = iter(range(1000))
    early, late = score.LinearMetric(a0=0.08), score.LinearMetric(a0=0.6)
    result, _ = _interviewed(lambda *pair: (early if next(answers) < 14 else late).prefers(*pair))
    assert not result.fits
    assert any("change of mind" in reason for reason in result.misfit)
    assert result.advice == ("Ask what changed, then begin a new interview.",)


@pytest.mark.parametrize("people", [3, pytest.param(6, marks=pytest.mark.slow)])
def test_answers_like_a_coin_get_no_metric_but_noise_alone_is_no_misfit(people):
    """Who answers at random is given no metric; who errs in one answer of five is described."""
    rng = np.random.default_rng(8)
    coins = [
        _interviewed(lambda *_: str(rng.choice(["first", "second"])), seed=seed)[0]
        for seed in range(people)
    ]
    # By Markov's inequality 15 % of coins may pass; hardly any does.
    assert sum(coin.metric is not None for coin in coins) <= 1
    assert all(coin.metric or coin.evidence == "little" or not coin.fits for coin in coins)
    metric = score.LinearMetric(a0=0.2)
    noisy = [
        _interviewed(ask.simulate_respondent(metric, flips=0.2, random_state=seed), seed=seed)[0]
        for seed in range(people)
    ]
    fitting = [one for one in noisy if one.fits]
    assert len(fitting) >= people - 1
    assert sum(0.2 in one.interval for one in fitting) >= len(fitting) - 1
    clean, _ = _interviewed(metric.prefers)
    assert np.median([one.interval.width for one in fitting]) > 2 * clean.interval.width


def test_too_little_information_is_said_on_every_road(tmp_path):
    from dataclasses import replace

    found, _ = _interviewed(score.LinearMetric(a0=0.2).prefers)
    result = replace(
        found, metric=None, family=None, matrix=None, counts=None, thresholds=None,
        optimal_range=None, is_informative=False, advice=("Ask more.",),
    )  # fmt: skip
    assert (result.evidence, result.fits) == ("little", True)
    assert result.interval == found.interval  # how wide it is remains known
    for act in (
        lambda: decide.threshold(result, _TRUTH, _SCORES),
        result.scorer,
        lambda: save_elicitation_picture(result, MATRICES, "nowhere.svg"),
    ):
        with pytest.raises(InputError, match="hardly be distinguished from random clicks"):
            act()
    said = [finding.text for finding in elicitation_findings(result, ask.GENERIC_WORDING)]
    assert said[0].startswith("Not enough information: answers that can hardly be distinguished")
    assert "If it is linear, one" in said[0]
    assert said[2] == "What to ask next: Ask more."
    result.save(tmp_path / "little.json")
    again = learn.load_elicited(tmp_path / "little.json")
    assert (again.evidence, again.metric) == ("little", None)
    assert again.interval.lower == pytest.approx(result.interval.lower, abs=1e-9)
    assert again.to_dict()["evidence"] == "little"


@pytest.mark.parametrize(
    "person",
    [score.LinearMetric(a0=0.1), score.FBetaMetric(beta=2.0), score.CappedMetric(cap=0.04)],
)
def test_whom_the_model_describes_fits(person):
    result, _ = _interviewed(person.prefers)
    assert result.fits
    assert result.misfit == result.advice == ()
    assert result.metric is not None
