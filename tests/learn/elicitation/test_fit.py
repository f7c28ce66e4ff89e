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
    _held_out_reasons,
    _sign_test,
    disagreement_probability,
    rivals,
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
    found = rivals(belief, answered)
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
    flat[0][60, 4, 0, 1] = 0.0  # a0 = .5, razor-sharp, never indifferent, lapses 10 %
    belief._log_weights = flat
    held_out = [
        AnsweredQuery(
            query=Query(first=sure, second=bad, kind="held-out"),
            choice="second" if wrong else "first",
        )
        for wrong in (True, False, True, False, False)
    ]
    chance, expected = disagreement_probability(belief, held_out, score.LinearMetric(a0=0.5))
    slip = (0.1 / 3) / (1 - 0.1 / 3)  # of answers that prefer a side
    assert chance == pytest.approx(binom.sf(1, 5, slip), rel=1e-6)
    assert expected == pytest.approx(5 * (1 - slip), rel=1e-6)


@pytest.mark.parametrize(("ahead", "behind"), [(5, 0), (4, 1), (0, 3), (2, 2)])
def test_the_sign_test_is_scipys(ahead, behind):
    from scipy.stats import binomtest

    if ahead:
        reference = binomtest(ahead, ahead + behind, 0.5, alternative="greater").pvalue
        assert _sign_test(ahead, behind) == pytest.approx(reference)
    else:
        assert _sign_test(ahead, behind) == 1.0


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
    one, other = rivals(belief, answered), rivals(belief, swapped)
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


@pytest.mark.parametrize(("right", "is_named"), [(11, False), (10, True), (15, False)])
def test_agreement_that_a_coin_might_reach_is_a_reason(right, is_named):
    """Of 15 coins, 11 or more heads come up in 5.9 % of tries, 10 or more in 15.1 %."""
    metric, belief = score.LinearMetric(a0=0.3), Belief(make_families(("linear",)))
    other = {"first": "second", "second": "first"}
    held_out = []
    for place, query in enumerate(learn.held_out_queries(MATRICES, n=15, random_state=1)):
        choice = metric.prefers(query.first, query.second)
        held_out.append(
            AnsweredQuery(query=query, choice=choice if place < right else other[choice])
        )
    reasons = [reason for reason, _ in _held_out_reasons(belief, held_out, metric, {})]
    assert any("as a coin might" in reason for reason in reasons) == is_named


@pytest.mark.parametrize(
    "person",
    [score.LinearMetric(a0=0.1), score.FBetaMetric(beta=2.0), score.CappedMetric(cap=0.04)],
)
def test_whom_the_model_describes_fits(person):
    result, _ = _interviewed(person.prefers)
    assert result.fits
    assert result.misfit == result.advice == ()
    assert result.metric is not None
