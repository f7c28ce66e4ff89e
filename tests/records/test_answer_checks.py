"""Contradictions, runs and repetitions in one person's answers, by hand and as properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.records.answer_checks import (
    AnswerChecks,
    JudgedMap,
    JudgedPoint,
    is_better,
    longest_run,
)

GRID = (0.5, 0.67, 0.83, 1.0)
POINTS = st.lists(
    st.builds(
        JudgedPoint,
        x=st.sampled_from(GRID),
        y=st.sampled_from(GRID),
        is_accepted=st.sampled_from([True, False, None]),
    ),
    max_size=12,
).map(tuple)


def _map(points, **more):
    return JudgedMap(title="Bell", x_label="precision", y_label="recall", points=points, **more)


def _point(x, y, is_accepted):
    return JudgedPoint(x=x, y=y, is_accepted=is_accepted)


def test_a_worse_system_accepted_and_a_better_one_refused_is_a_contradiction():
    points = (
        _point(0.5, 0.5, True),  # 0: the worst is accepted
        _point(0.9, 0.9, False),  # 1: better than 0 in both, and refused
        _point(0.4, 1.0, False),  # 2: neither better nor worse than 0
        _point(1.0, 1.0, True),  # 3: better than 1 and accepted: as it should be
        _point(0.7, 0.7, None),  # 4: in the middle: contradicts nothing
    )
    drawn = _map(points)
    assert drawn.contradictions == ((0, 1),)
    # By hand: 0 with 1; 1 with 3 and 2 with 3 (1.0 is more than .4 and as much as 1.0).
    assert drawn.n_comparable == 3


def test_only_given_pairs_are_compared():
    points = (_point(0.5, 0.5, True), _point(0.9, 0.9, False)) * 2
    drawn = _map(points, pairs=((0, 1), (2, 3)))
    assert (len(drawn.contradictions), drawn.n_comparable) == (2, 2)


@pytest.mark.parametrize(
    ("wrong", "right", "is_random"), [(3, 3, True), (2, 4, False), (3, 2, False)]
)
def test_half_of_at_least_six_pairs_against_each_other_look_random(wrong, right, is_random):
    low, high = _point(0.5, 0.5, True), _point(0.9, 0.9, True)
    no_low, no_high = _point(0.5, 0.5, False), _point(0.9, 0.9, False)
    points = (low, no_high) * wrong + (no_low, high) * right
    pairs = tuple((place, place + 1) for place in range(0, len(points), 2))
    assert AnswerChecks(maps=(_map(points, pairs=pairs),)).looks_random is is_random


@given(points=POINTS)
def test_contradictions_are_some_of_the_comparable_pairs_and_turn_with_the_verdicts(points):
    drawn = _map(points)
    assert 0 <= len(drawn.contradictions) <= drawn.n_comparable
    for accepted, refused in drawn.contradictions:
        assert points[accepted].is_accepted is True
        assert points[refused].is_accepted is False
        assert is_better(points[refused], points[accepted])
    turned = tuple(
        _point(point.x, point.y, None if point.is_accepted is None else not point.is_accepted)
        for point in points
    )
    mirror = _map(turned)
    assert mirror.n_comparable == drawn.n_comparable
    assert len(mirror.contradictions) == drawn.n_comparable - len(drawn.contradictions)


@given(ratings=st.lists(st.integers(1, 3), max_size=20).map(tuple))
def test_the_longest_run_is_equal_and_cannot_be_longer(ratings):
    start, length = longest_run(ratings)
    assert len(set(ratings[start : start + length])) == (1 if ratings else 0)
    windows = (ratings[at : at + length + 1] for at in range(len(ratings) - length))
    assert all(len(set(window)) > 1 for window in windows)
