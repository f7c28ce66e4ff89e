"""Algorithm 1, against the paper's text read literally."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import learn, score
from howgood.errors import InputError
from howgood.learn.elicitation.bisection import optimal_range, shrink
from howgood.records.confusion import ConfusionMatrix

_RNG = np.random.default_rng(0)
_SCORES = _RNG.beta(0.5, 0.9, 2000)
MATRICES = learn.threshold_matrices(_RNG.random(2000) < _SCORES, _SCORES)
RULES = ("first", "default")
# Both ways of answering two systems that score alike.
TIES = {"same": "same", "first": "first"}


def uniform_curve(t):
    """Calibrated scores, uniform on [0, 1]: TP = (1 - t²)/2, FP = (1 - t)²/2."""
    return ConfusionMatrix(
        true_positives=(1 - t * t) / 2,
        false_negatives=t * t / 2,
        false_positives=(1 - t) ** 2 / 2,
        true_negatives=t - t * t / 2,
    )


def literal_algorithm(at, prefers, rule, tolerance):
    """The paper's loop, written from its text: every interval, and the point returned."""
    a, b = 0.0, 1.0
    intervals = [(a, b)]
    while abs(b - a) > tolerance:
        c, d, e = (3 * a + b) / 4, (a + b) / 2, (a + 3 * b) / 4
        ca, dc, ed, be = (
            prefers(at(high), at(low)) for high, low in ((c, a), (d, c), (e, d), (b, e))
        )
        if rule == "default":  # "C_t > C_t' < C_t'' for consecutive: assume increasing"
            ed = ed or be
            dc = dc or ed
            ca = ca or dc
        if not ca or not dc:
            b = d
        elif not ed:
            a, b = c, e
        else:
            a = d
        intervals.append((a, b))
    return intervals, (a + b) / 2


def oracle_of(metric, tie):
    def oracle(first, second):
        choice = metric.prefers(first, second)
        return TIES[tie] if choice == "same" else choice

    return oracle


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("at", [MATRICES.at, uniform_curve], ids=["displayed", "population"])
@pytest.mark.parametrize("a0", [0.0, 0.031, 0.125, 0.141, 0.328, 0.359, 0.5, 0.77, 1.0])
def test_every_interval_is_the_published_one(rule, tie, at, a0):
    oracle = oracle_of(score.LinearMetric(a0=a0), tie)
    expected, point = literal_algorithm(at, lambda x, y: oracle(x, y) == "first", rule, 0.05)
    search = learn.Bisection(at, rule=rule)
    result = learn.ask_oracle(search, oracle)
    assert search.intervals == expected
    assert result.a0 == point
    assert result.queries == 20


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("pattern", list(product([False, True], repeat=4)))
def test_every_answer_pattern_halves_as_published(rule, pattern):
    answers = iter(pattern)
    expected, _ = literal_algorithm(lambda t: t, lambda *_: next(answers), rule, 0.5)
    search = learn.Bisection(uniform_curve, rule=rule, tolerance=0.5)
    for answer in pattern:
        search.answer("first" if answer else "second")
    assert search.intervals == expected
    assert search.query() is None


def test_the_two_rules_differ_on_eleven_of_sixteen_patterns():
    differing = [
        pattern
        for pattern in product([False, True], repeat=4)
        if shrink(pattern, rule="first") != shrink(pattern, rule="default")
    ]
    unimodal = [tuple(k > i for i in range(4)) for k in range(5)]
    assert not set(differing) & set(unimodal)
    assert len(differing) == 11


@given(st.lists(st.sampled_from(["first", "second", "same"]), max_size=40), st.booleans())
def test_each_round_halves_whatever_is_answered(answers, lazy):
    search = learn.Bisection(uniform_curve, lazy=lazy, tolerance=0.01)
    for answer in answers:
        if search.query() is not None:
            search.answer(answer)
    for (a, b), (lower, upper) in zip(search.intervals, search.intervals[1:], strict=False):
        assert upper - lower == pytest.approx((b - a) / 2)
        assert a <= lower < upper <= b


@given(st.floats(0.01, 0.99), st.sampled_from([0.3, 0.1, 0.05, 0.01]))
@settings(max_examples=50)
def test_a_consistent_respondent_is_recovered_within_the_tolerance(a0, tolerance):
    result = learn.ask_oracle(
        learn.Bisection(uniform_curve, tolerance=tolerance), score.LinearMetric(a0=a0).prefers
    )
    assert abs(result.a0 - a0) <= tolerance
    assert a0 in result.interval


@given(st.floats(0.01, 0.99))
@settings(max_examples=50)
def test_the_lazy_variant_gives_the_same_interval_with_half_the_questions(a0):
    prefers = score.LinearMetric(a0=a0).prefers
    full = learn.ask_oracle(learn.Bisection(uniform_curve), prefers)
    lazy = learn.ask_oracle(learn.Bisection(uniform_curve, lazy=True), prefers)
    assert lazy.interval == full.interval
    assert 5 <= lazy.queries <= 10


def test_identical_systems_can_be_left_unasked():
    seen = []
    search = learn.Bisection(learn.threshold_matrices([0, 1] * 5, [0.1, 0.2, 0.9, 0.8, 0.5] * 2),
                             identical="same")  # fmt: skip
    while (query := search.query()) is not None:
        seen.append(query)
        search.answer("first")
    assert seen
    assert all(query.first != query.second for query in seen)


def test_undo_returns_to_the_question_before():
    search = learn.Bisection(uniform_curve)
    search.answer("first")
    before = search.query()
    search.answer("second")
    search.undo()
    assert search.query() == before


def test_the_range_of_weights_by_hand():
    # Best against (35, 0): 3 misses buy 58 cleared, so a0 >= 3/61; see the docstring for both ends.
    result = learn.ask_oracle(learn.Bisection(MATRICES), score.LinearMetric(a0=0.3).prefers)
    best = MATRICES.at(result.a0)
    if result.optimal_range is not None:
        for a0 in (result.optimal_range.lower + 1e-6, result.optimal_range.upper - 1e-6):
            metric = score.LinearMetric(a0=a0)
            assert metric.of(best) == pytest.approx(max(metric.of(each) for each in MATRICES))


def _walk(answers, **settings):
    """Let thresholds stand for their matrices: every pair asked about, and the search."""
    search, pairs = learn.Bisection(lambda threshold: threshold, **settings), []
    for number, answer in enumerate(answers, start=1):
        query = search.query()
        assert query.number == number
        pairs.append((query.first, query.second))
        search.answer(answer)
    return pairs, search


def test_three_rounds_ask_about_the_quarters_worked_by_hand():
    answers = ["first", *["second"] * 3, *["first"] * 6, "second", "same"]
    pairs, search = _walk(answers, tolerance=0.2, rule="default")
    assert pairs == [
        (0.25, 0), (0.5, 0.25), (0.75, 0.5), (1, 0.75),  # down after c: [0, 0.5]
        (0.125, 0), (0.25, 0.125), (0.375, 0.25), (0.5, 0.375),  # up to b: [0.25, 0.5]
        (0.3125, 0.25), (0.375, 0.3125), (0.4375, 0.375), (0.5, 0.4375),  # the middle
    ]  # fmt: skip
    assert search.query() is None
    result = search.result()
    assert result.interval == (0.3125, 0.4375)
    assert result.a0 == result.metric.a0 == 0.375
    assert (result.queries, result.optimal_range) == (12, None)
    assert result.provenance.settings == {"tolerance": 0.2, "rule": "default", "lazy": False}


def test_a_lazy_round_asks_about_the_middle_and_then_above_it():
    answers = ["second", "first", "first", "first", "same"]
    pairs, search = _walk(answers, tolerance=0.2, lazy=True)
    assert pairs == [
        (0.5, 0.25), (0.25, 0.125), (0.375, 0.25), (0.375, 0.3125), (0.4375, 0.375)
    ]  # fmt: skip
    assert search.intervals == [(0, 1), (0, 0.5), (0.25, 0.5), (0.3125, 0.4375)]


def test_an_identical_first_pair_is_never_shown():
    # Nothing changes below 0.3, so (c, a) = (0.25, 0) counts as "same" before anything is asked.
    search = learn.Bisection(lambda threshold: max(threshold, 0.3), identical="same")
    assert (search.query().first, search.query().second) == (0.5, 0.3)
    search.answer("first")
    search.undo()
    assert (search.query().first, search.query().second) == (0.5, 0.3)


def test_weights_for_which_the_middle_matrix_is_best_by_hand():
    # At 0.2: one real case, five others; at 0.7: three and one. Flagging from 0.5 on finds 3 of 4
    # and clears 5 of 6. All flagged: one more found for five cleared, a0 >= 1/6. None flagged:
    # three fewer found for one cleared, a0 <= 3/4.
    matrices = learn.threshold_matrices([1, 0, 0, 0, 0, 0, 1, 1, 1, 0], [0.2] * 6 + [0.7] * 4)
    result = learn.Bisection(matrices).result()
    assert result.a0 == 0.5
    assert result.optimal_range == pytest.approx((1 / 6, 3 / 4))
    assert result.provenance.rows_used == 10


def _found_and_cleared(found, cleared, cases=8):
    return ConfusionMatrix(
        true_positives=found,
        false_negatives=cases - found,
        false_positives=cases - cleared,
        true_negatives=cleared,
    )


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], (0, 1)),
        ([(4, 4)], (0, 1)),  # alike
        ([(4, 3), (3, 4)], (0, 1)),  # worse in one, equal in the other
        ([(5, 4)], None),  # dominated
        ([(5, 0), (8, 3)], (0.8, 1)),  # 1 found for 4 cleared: 1/5; 4 for 1: 4/5, which binds
        ([(0, 5), (3, 8)], (0, 0.2)),  # 4 fewer found for 1 cleared: 4/5; 1 for 4: 1/5
        ([(6, 2), (2, 6)], (0.5, 0.5)),  # three on a line: best at one weight only
        ([(8, 3), (3, 8)], None),  # between two on a bow that goes past it
        ([(4.5, 3), (3, 4.5)], (1 / 3, 2 / 3)),  # less than one case counts as well
    ],
)
def test_weights_for_which_a_matrix_is_best_by_hand(others, expected):
    found = optimal_range(
        _found_and_cleared(4, 4), [_found_and_cleared(*each) for each in [(4, 4), *others]]
    )
    assert found == (expected if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"tolerance": 0}, "tolerance"),
        ({"tolerance": 1}, "tolerance"),
        ({"rule": "last"}, "rule"),
    ],
)
def test_wrong_settings_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        learn.Bisection(MATRICES, **arguments)


def test_a_plain_list_needs_thresholds():
    with pytest.raises(InputError, match="Elicitor"):
        learn.Bisection(list(MATRICES))


def test_wrong_and_late_answers_are_refused():
    search = learn.Bisection(uniform_curve, tolerance=0.5)
    with pytest.raises(InputError, match="left"):
        search.answer("left")
    for _ in range(4):
        search.answer("first")
    with pytest.raises(InputError, match="every question is answered"):
        search.answer("first")
