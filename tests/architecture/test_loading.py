"""A command loads what it needs and no more."""

from benchmarks.house import SOURCE, loaded_by_rank


def test_rank_loads_at_most_ninety_of_our_modules():
    assert loaded_by_rank(SOURCE) <= 90
