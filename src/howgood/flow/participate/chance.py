"""Orders and choices that a seed decides, the same in every release and on every machine.

In: a seed, the purpose of the choice, the things to choose from. Out: an order. Absent: random
number generators, whose streams may change between versions; a cryptographic hash never does.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


def draw(seed: int, *purpose: object) -> float:
    """Return a number in [0, 1) that depends on nothing but seed and purpose."""
    text = ":".join(str(each) for each in (seed, *purpose))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7]) / 2**56


def shuffled(things: Sequence[Thing], seed: int, *purpose: object) -> tuple[Thing, ...]:
    """Return the things in an order that every permutation is equally likely to be."""
    keys = [draw(seed, *purpose, index) for index in range(len(things))]
    return tuple(things[index] for index in sorted(range(len(things)), key=keys.__getitem__))
