"""Pairs that a page without a server asks about: a plan per person, and a search by counting.

In: a pool of pairs, a seed, the choices so far. Out: the pair that comes next, and the plan as the
page reads it. Absent: what is compared (each kind's own pool) and what the choices say (`learn`).

The page has no posterior, so it searches by counting contradictions, in whole numbers: both this
module and `offline.js` come to exactly the same pair, and the import walks every file again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howgood.kinds.pair_choices import Choice
from howgood.kinds.seeded import draw, shuffled
from howgood.records.elicitation import QueryKind
from howgood.records.screen import Answer

_CONSENT, OFFLINE = "consent", "offline"
SEATS = 48
# Every so many pairs asked to learn from is one that the answers do not choose: people whose metric
# is not linear contradict the search, and only pairs it would not ask show how.
_FIXED_EVERY = 4
# A pair that checks attention comes after so many others; those before the end cannot be asked
# again: they would still be remembered.
_CHECK_AFTER, _REMEMBERED = 4, 2


def is_offline(answered: Mapping[str, Answer]) -> bool:
    """Return whether somebody took part in a page without a server, as the import notes."""
    return _CONSENT in answered and answered[_CONSENT].values.get(OFFLINE) is not None


def seat_seeds(n: int = SEATS) -> range:
    """Return the seeds that a page gives out, where every person's plan must lie in the page."""
    return range(1, n + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Pairs to ask about, by number: to learn from, to check attention, and kept back.

    Where the search is `ordered`, pairs to learn from are sorted: somebody who prefers the first
    side of one is expected to prefer it of all that follow.
    """

    learn: tuple[tuple[int, int], ...]
    catches: tuple[tuple[int, int], ...]
    held_out: tuple[tuple[int, int], ...]
    ordered: bool

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Every pair by its number."""
        return self.learn + self.catches + self.held_out

    def kind(self, number: int) -> QueryKind:
        """Return why a pair is asked."""
        if number < len(self.learn):
            return "choice"
        return "catch" if number < len(self.learn) + len(self.catches) else "held-out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One question of a plan: a pair of the pool, what the search says, or an earlier one again."""

    pair: int | None = None
    again: int | None = None
    is_swapped: bool = False

    def to_list(self) -> list[int]:
        """Return the slot for the page: pair, slot that is asked again, swapped; -1: none."""
        numbers = (-1 if number is None else number for number in (self.pair, self.again))
        return [*numbers, int(self.is_swapped)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The pair that is shown: its number, why, and whether its sides are swapped."""

    number: int
    kind: QueryKind
    is_swapped: bool


def slots(pool: Pool, seed: int, *, queries: int, checks: int, repeats: int) -> tuple[Slot, ...]:
    """Return a person's plan; it depends on the seed alone, so its length is known."""
    n_learn = min(queries, len(pool.learn))
    fixed = list(shuffled(range(len(pool.learn)), seed, "fixed pairs"))
    catches = [
        len(pool.learn) + place
        for place in shuffled(range(len(pool.catches)), seed, "catches")[:checks]
    ]
    planned: list[Slot] = []
    learned: list[int] = []
    for number in range(n_learn):
        is_fixed = not pool.ordered or number % _FIXED_EVERY == _FIXED_EVERY - 1
        learned.append(len(planned))
        planned.append(Slot(pair=fixed.pop() if is_fixed else None))
        if catches and number % _CHECK_AFTER == 1:
            planned.append(Slot(pair=catches.pop()))
    first = len(pool.learn) + len(pool.catches)
    last = [
        *(Slot(pair=pair) for pair in catches),
        *(Slot(pair=first + place) for place in range(len(pool.held_out))),
        *(Slot(again=place) for place in shuffled(learned[:-_REMEMBERED], seed, "again")[:repeats]),
    ]
    return tuple(
        Slot(pair=slot.pair, again=slot.again, is_swapped=draw(seed, "sides", place) < 0.5)
        for place, slot in enumerate((*planned, *shuffled(last, seed, "closing")))
    )


def next_asked(
    pool: Pool, plan: Sequence[Slot], choices: Sequence[Choice]
) -> Asked | None:  # fmt: skip
    """Return the pair that follows these choices, None when all is asked."""
    shown: list[Asked] = []
    for place in range(min(len(choices) + 1, len(plan))):
        slot = plan[place]
        if slot.again is not None:
            first = shown[slot.again]
            shown.append(Asked(number=first.number, kind="repeat", is_swapped=not first.is_swapped))
            continue
        number = slot.pair if slot.pair is not None else _searched(pool, plan, shown, choices)
        shown.append(Asked(number=number, kind=pool.kind(number), is_swapped=slot.is_swapped))
    return shown[len(choices)] if len(choices) < len(shown) else None


def _searched(
    pool: Pool, plan: Sequence[Slot], shown: Sequence[Asked], choices: Sequence[Choice]
) -> int:
    """Return the pair in the middle of where the preference may turn with fewest contradictions."""
    n = len(pool.learn)
    against = [0] * (n + 1)
    for asked, choice in zip(shown, choices, strict=False):
        if asked.kind != "choice" or choice == "same":
            continue
        prefers_first = (choice == "first") != asked.is_swapped
        # It turns before this pair if its first side is preferred, and behind it if not.
        for turn in range(n + 1):
            against[turn] += (turn > asked.number) if prefers_first else (turn <= asked.number)
    fewest = [turn for turn in range(n + 1) if against[turn] == min(against)]
    taken = {asked.number for asked in shown} | {slot.pair for slot in plan}
    middle = fewest[0] + fewest[-1]
    free = [number for number in range(n) if number not in taken]
    return min(free, key=lambda number: (abs(2 * number + 1 - middle), number))


def spread(numbers: Sequence[int], n: int) -> tuple[int, ...]:
    """Return n of the numbers, evenly over their order, the first and the last among them.

    Examples
    --------
    >>> spread(range(10), 4)
    (0, 3, 6, 9)
    """
    if len(numbers) <= n or n < 2:
        return tuple(numbers[:n])
    return tuple(numbers[round(place * (len(numbers) - 1) / (n - 1))] for place in range(n))


def as_outline(
    pool: Pool, *, queries: int, checks: int, repeats: int
) -> dict[str, Any]:  # fmt: skip
    """Return the pool and the plans of every seat, as the page reads them."""
    return {
        "pool": {"learn": len(pool.learn), "catches": len(pool.catches)},
        "seats": [
            {
                "seed": seed,
                "slots": [
                    slot.to_list()
                    for slot in slots(pool, seed, queries=queries, checks=checks, repeats=repeats)
                ],
            }
            for seed in seat_seeds()
        ],
    }
