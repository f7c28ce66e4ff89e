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
    return _number(_hash(seed, purpose).digest())


def shuffled(things: Sequence[Thing], seed: int, *purpose: object) -> tuple[Thing, ...]:
    """Return the things in an order that every permutation is equally likely to be."""
    start = _hash(seed, purpose)
    keys = []
    for index in range(len(things)):
        own = start.copy()
        own.update(b":%d" % index)
        keys.append(_number(own.digest()))
    return tuple(things[index] for index in sorted(range(len(things)), key=keys.__getitem__))


def _hash(seed: int, purpose: tuple[object, ...]) -> "hashlib._Hash":
    return hashlib.sha256(":".join(str(part) for part in (seed, *purpose)).encode())


def _number(digest: bytes) -> float:
    # 53 bits: every value is a float of its own.
    return (int.from_bytes(digest[:7]) >> 3) / 2**53
