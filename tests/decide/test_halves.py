"""Two halves of a board's data, compared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.decide.halves import Half, Halves, compare_halves
from howgood.decide.votes import rank_votes
from howgood.errors import InputError
from howgood.records.table import Table


def _half(differences, reach, settled, systems=("a", "b")):
    gaps = np.array([[0.0, differences], [-differences, 0.0]])
    flags = np.array([[False, settled], [settled, False]])
    return Half(systems=systems, differences=gaps, reach=np.full((2, 2), reach), is_settled=flags)


def test_counts_by_hand():
    found = Halves(splits=3)
    # 3 and 4 make 5: a gap of 5 is allowed.
    found = found.plus(_half(4.0, 3.0, True), _half(-1.0, 4.0, False))
    assert (found.pairs, found.within, found.settled, found.turned) == (1, 1, 1, 1)
    assert found.contradicted == 0
    found = found.plus(_half(4.0, 1.0, True), _half(-1.0, 1.0, True))
    assert (found.within, found.contradicted) == (1, 1)
    found = found.plus(_half(4.0, 1.0, False), _half(3.9, 1.0, True))
    assert (found.pairs, found.within, found.settled, found.turned) == (3, 2, 2, 2)


def test_systems_are_matched_by_name():
    other = _half(-2.0, 0.1, True, systems=("b", "a"))
    assert Halves(splits=1).plus(_half(2.0, 0.1, True), other).within == 1
    strangers = _half(-2.0, 0.1, True, systems=("b", "c"))
    assert Halves(splits=1).plus(_half(2.0, 0.1, True), strangers).failed == 1


@given(seed=st.integers(0, 1000))
def test_halves_share_nothing(seed):
    rng = np.random.default_rng(seed)
    rows = Table({"item": rng.integers(0, 9, 60), "rater": rng.integers(0, 5, 60)})
    seen = []

    def remember(half):
        seen.append(half)
        raise InputError(where="here", found="nothing", needed="more", cure="none")

    ways = {"items": "item", "raters": "rater"}
    found = compare_halves(rows, remember, divided=ways, splits=1, random_state=seed)
    assert [each.failed for each in found.values()] == [1, 1, 1]
    assert 0 < len(set(seen[0]["item"])) < len(set(rows["item"]))


def test_every_row_of_a_split_by_one_column_is_in_one_half():
    rows = Table({"left": ["a", "b"] * 40, "right": ["b", "a"] * 40,
                  "winner": ["left", "right"] * 40, "item": np.arange(80) // 4})  # fmt: skip
    seen = []

    def rank(half):
        seen.append(half)
        return rank_votes(half, item="item")

    found = compare_halves(rows, rank, divided={"items": "item"}, splits=2)["items"]
    assert (found.pairs, found.failed) == (2, 0)
    for one, other in (seen[:2], seen[2:]):
        assert len(one) + len(other) == 80
        assert not set(one["item"]) & set(other["item"])


def test_no_splits_are_refused():
    with pytest.raises(InputError, match="0 splits"):
        compare_halves(Table({"item": [1]}), lambda half: None, divided={"items": "item"}, splits=0)
