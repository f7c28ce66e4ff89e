"""Which systems cannot be distinguished, pair by pair.

In: names in their order, and which pairs are settled. Out: every name's ties, and the sets within
which no pair is settled. Absent: how a pair is settled (`Ranking`, `decide.arena`).

Ties do not carry over: a and b may tie, and b and c, while a and c do not. So sets may overlap.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations


def ties_among(
    order: Sequence[str], is_settled: Callable[[str, str], bool]
) -> dict[str, tuple[str, ...]]:
    """Return name -> the names it cannot be distinguished from, best first.

    `is_settled(ahead, behind)` is asked once of each pair, in the order given.

    Examples
    --------
    >>> ties_among("abc", lambda ahead, behind: (ahead, behind) == ("a", "c"))
    {'a': ('b',), 'b': ('a', 'c'), 'c': ('b',)}
    """
    tied: dict[str, list[str]] = {name: [] for name in order}
    for ahead, behind in combinations(order, 2):
        if not is_settled(ahead, behind):
            tied[ahead].append(behind)
            tied[behind].append(ahead)
    places = {name: place for place, name in enumerate(order)}
    return {name: tuple(sorted(names, key=places.__getitem__)) for name, names in tied.items()}


def tied_sets(ties: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the largest sets of neighbours in the order within which no pair is settled.

    They may overlap; who stands alone is in none.

    Examples
    --------
    >>> tied_sets({"a": ("b",), "b": ("a", "c"), "c": ("b",), "d": ()})
    (('a', 'b'), ('b', 'c'))
    """
    order = list(ties)
    sets: list[tuple[str, ...]] = []
    reached = 0
    for start, first in enumerate(order):
        end = start + 1
        while end < len(order) and set(order[start:end]) <= set(ties[order[end]]):
            end += 1
        if end > max(start + 1, reached):
            sets.append((first, *order[start + 1 : end]))
            reached = end
    return tuple(sets)
