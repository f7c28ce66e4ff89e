import numpy as np
import pytest
from scipy.stats import beta

from howgood import learn, score
from howgood.errors import InputError
from howgood.learn.elicitation.group import group_agreement
from howgood.records.elicitation import AnsweredQuery

_RNG = np.random.default_rng(0)
_SCORES = _RNG.beta(0.5, 0.9, 2000)
MATRICES = learn.threshold_matrices(_RNG.random(2000) < _SCORES, _SCORES)


def answers_of(person, queries):
    return [
        AnsweredQuery(query=each, choice=person.prefers(each.first, each.second))
        for each in queries
    ]


def test_agreement_is_the_papers_m():
    person = score.LinearMetric(a0=0.2)
    answered = answers_of(person, learn.held_out_queries(MATRICES, random_state=3))
    flipped = [
        AnsweredQuery(query=each.query, choice={"first": "second", "second": "first"}[each.choice])
        for each in answered[:2]
    ]
    result = learn.agreement(person, flipped + answered[2:])
    assert (result.n_agreeing, result.n_questions) == (13, 15)
    assert round(result.percent) == 87  # as printed in Table 3 for 13 of 15
    expected = beta.ppf([0.05, 0.95], 13.5, 2.5)
    assert [result.share.interval.lower, result.share.interval.upper] == pytest.approx(
        expected, abs=0.002
    )


def test_answers_without_preference_are_counted_apart():
    person = score.LinearMetric(a0=0.2)
    answered = answers_of(person, learn.held_out_queries(MATRICES, random_state=3))
    same = [AnsweredQuery(query=answered[0].query, choice="same")]
    result = learn.agreement(person, same + answered[1:])
    assert (result.n_questions, result.n_without_preference) == (14, 1)


def test_balanced_questions_spread_over_the_weight_of_indifference():
    spread = {}
    for balanced in (False, True):
        queries = learn.held_out_queries(MATRICES, n=400, balanced=balanced, random_state=1)
        ratios = [
            abs(each.first.true_positives - each.second.true_positives)
            / abs(each.first.true_negatives - each.second.true_negatives)
            for each in queries
        ]
        spread[balanced] = np.std(np.log(ratios))
    assert spread[True] > 1.3 * spread[False]


def test_no_answers_no_agreement():
    with pytest.raises(InputError, match="held_out"):
        learn.agreement(score.LinearMetric(a0=0.2), [])


def test_a_groups_agreement_is_the_mean_of_shares_as_counted():
    """Twelve of 15 and five of five: .9, as the baselines beside it are counted."""
    person = score.LinearMetric(a0=0.2)
    answered = answers_of(person, learn.held_out_queries(MATRICES, random_state=3))
    other_side = {"first": "second", "second": "first"}
    flipped = [
        AnsweredQuery(query=each.query, choice=other_side[each.choice]) for each in answered[:3]
    ]
    people = [
        learn.agreement(person, flipped + answered[3:]),
        learn.agreement(person, answered[:5]),
    ]
    found = group_agreement(people, random_state=1)
    assert found.mean == pytest.approx((12 / 15 + 5 / 5) / 2)
    assert found.n_respondents == 2
    alone = group_agreement(people[:1], random_state=1)
    assert [alone.mean, alone.interval.lower, alone.interval.upper] == pytest.approx(
        [0.8, *beta.ppf([0.05, 0.95], 12.5, 3.5)], abs=0.003
    )
