"""The pairs of matrices that a page without a server asks about.

In: the matrices of a comparison, how many pairs to keep back. Out: a `Pool`, and the plan that an
`Elicitor` follows to read such answers. Absent: its screens (`screens`).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from howgood.kinds.comparison.plan import ComparisonPlan
from howgood.kinds.offline_pairs import Pool, next_asked, slots
from howgood.kinds.pair_choices import Choice
from howgood.kinds.seeded import shuffled
from howgood.learn.elicitation.pair_questions import PairBank, Step, pair_bank
from howgood.records.confusion import ConfusionMatrix

_LEARN, _CATCHES = 48, 12


def bank_of(matrices: Sequence[ConfusionMatrix]) -> PairBank:
    """Return every pair there is, by the numbers that a pool uses."""
    return _bank(tuple(matrices))


def pool_of(matrices: Sequence[ConfusionMatrix], evaluation: int) -> Pool:
    """Return the pairs of the page, those to learn from by the weight at which people turn."""
    return _pool(tuple(matrices), evaluation)


@lru_cache(maxsize=16)
def _bank(matrices: tuple[ConfusionMatrix, ...]) -> PairBank:
    return pair_bank(matrices, where="comparison")


@lru_cache(maxsize=16)
def _pool(matrices: tuple[ConfusionMatrix, ...], evaluation: int) -> Pool:
    bank = _bank(matrices)
    kept = _to_learn(bank)
    learn = tuple(bank.sides(number) for number in kept)
    known = {frozenset(pair) for pair in learn}
    order = shuffled(range(len(bank.everything)), 0, "held-out")
    others = ((int(bank.everything[row][0]), int(bank.everything[row][1])) for row in order)
    fresh = [pair for pair in others if frozenset(pair) not in known]
    catches = [tuple(map(int, pair)) for pair in bank.clear_catches.tolist()]
    return Pool(
        learn=learn,
        catches=tuple(
            (better, worse) for better, worse in shuffled(catches, 0, "catches")[:_CATCHES]
        ),
        held_out=tuple(fresh[:evaluation]),
        ordered=True,
    )


def _to_learn(bank: PairBank) -> list[int]:
    """Return numbers of pairs, evenly over the weight at which one is indifferent.

    Of those alike in it the widest apart, which are answered most surely, and every second time
    one in the middle: metrics that are not linear answer them differently.
    """
    order = np.argsort(bank.more_found / bank.more_cleared, kind="stable")
    size = bank.more_found + bank.more_cleared
    kept = []
    for place, group in enumerate(np.array_split(order, min(_LEARN, order.size))):
        by_size = group[np.argsort(size[group], kind="stable")]
        kept.append(int(by_size[-1] if place % 2 == 0 else by_size[by_size.size // 2]))
    return kept


def plan_to_follow(
    matrices: Sequence[ConfusionMatrix], plan: ComparisonPlan, seed: int
) -> Callable[[tuple[Choice, ...]], Step | None]:
    """Return what the page of somebody with this seed asks after their choices so far."""
    bank, pool = bank_of(matrices), pool_of(matrices, plan.evaluation)
    planned = slots(pool, seed, queries=plan.queries, checks=plan.checks, repeats=plan.repeats)
    numbers = _to_learn(bank)

    def ask(choices: tuple[Choice, ...]) -> Step | None:
        asked = next_asked(pool, planned, choices)
        if asked is None:
            return None
        one, other = pool.pairs[asked.number]
        first, second = (other, one) if asked.is_swapped else (one, other)
        is_learned = asked.number < len(numbers)
        better: Choice = "second" if asked.is_swapped else "first"
        return Step(
            kind=asked.kind,
            first=first,
            second=second,
            pair=numbers[asked.number] if is_learned else -1,
            expected=better if asked.kind == "catch" else None,
        )

    return ask
