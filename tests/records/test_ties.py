"""Who cannot be told apart, pair by pair."""

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from howgood.decide import rank
from howgood.records.ties import tied_sets, ties_among


def test_ties_do_not_carry_over():
    """Four systems: a-b, b-c and b-d tie; c is better than d, a than both."""
    apart = {("a", "c"), ("a", "d"), ("c", "d")}
    ties = ties_among("abcd", lambda ahead, behind: (ahead, behind) in apart)
    assert ties == {"a": ("b",), "b": ("a", "c", "d"), "c": ("b",), "d": ("b",)}
    assert tied_sets(ties) == (("a", "b"), ("b", "c"))


def test_nobody_ties_where_all_are_settled():
    ties = ties_among("abc", lambda ahead, behind: True)
    assert ties == {"a": (), "b": (), "c": ()}
    assert tied_sets(ties) == ()


@given(st.integers(1, 7), st.randoms(use_true_random=False))
def test_ties_are_mutual_and_no_set_holds_a_settled_pair(n, random):
    names = [f"s{place}" for place in range(n)]
    settled = {pair for pair in combinations(names, 2) if random.random() < 0.5}
    ties = ties_among(names, lambda ahead, behind: (ahead, behind) in settled)
    for one, other in combinations(names, 2):
        assert (other in ties[one]) == (one in ties[other]) == ((one, other) not in settled)
    found = tied_sets(ties)
    for names_tied in found:
        assert not settled & set(combinations(names_tied, 2))
    # Neighbours that tie are in a set together.
    for one, other in pairwise(names):
        is_together = any({one, other} <= set(names_tied) for names_tied in found)
        assert is_together == (other in ties[one])


def test_a_ranking_names_ties_across_its_groups():
    """a leads c surely, b lies between: b is in a's group, and ties with c all the same."""
    rng = np.random.default_rng(3)
    mean = rng.normal(3, 1, 400)
    base = mean + rng.normal(0, 0.8, 400)
    other = rng.normal(0, 1, 400)
    shift = {"a": 0.0, "b": 0.14, "c": 0.28}
    ranking = rank({name: base + size * other for name, size in shift.items()}, mean=mean, sd=0.75)
    errors = {pair: ranking.error(*pair) for pair in combinations("abc", 2)}
    assert errors["a", "c"] < ranking.level
    assert errors["b", "c"] >= ranking.level or errors["a", "b"] >= ranking.level
    for (one, two), error in errors.items():
        assert (two in ranking.ties[one]) == (error >= ranking.level)
    assert ranking.to_dict()["ties"] == {name: list(tied) for name, tied in ranking.ties.items()}
