"""The pairs of alternatives that a page without a server asks about.

In: a table of alternatives, the plan of the study. Out: a `Pool`, the plan that a
`CriteriaElicitor` follows to read such answers. Absent: its screens (`screens`).

Weights of several criteria cannot be searched for without a posterior: the page asks pairs that
were drawn beforehand, every person others and in another order.
"""

from collections.abc import Callable
from functools import lru_cache

from howgood.kinds.criteria.plan import CriteriaPlan
from howgood.kinds.offline_pairs import Pool, next_asked, slots
from howgood.kinds.pair_choices import Choice
from howgood.kinds.seeded import shuffled
from howgood.learn.elicitation.criteria_table import PairsOfAlternatives, pairs_of, real_pairs_of
from howgood.learn.elicitation.weights_search import Step
from howgood.records.criteria import CriteriaTable

_LEARN, _CATCHES = 90, 6


@lru_cache(maxsize=16)
def bank_of(table: CriteriaTable, imagined: bool) -> PairsOfAlternatives:
    """Return every pair there is, by the numbers that a pool uses."""
    return pairs_of(table) if imagined else real_pairs_of(table)


@lru_cache(maxsize=16)
def pool_of(table: CriteriaTable, imagined: bool, evaluation: int) -> Pool:
    """Return the pairs of the page; a third of all at most is kept back."""
    bank = bank_of(table, imagined)
    pairs = [(one, other) for one, other in shuffled(bank.pairs.tolist(), 0, "pairs")]
    n_held = min(evaluation, len(pairs) // 3)
    catches = shuffled(bank.catches.tolist(), 0, "catches")[:_CATCHES]
    return Pool(
        learn=tuple(pairs[n_held : n_held + _LEARN]),
        catches=tuple((better, worse) for better, worse in catches),
        held_out=tuple(pairs[:n_held]),
        ordered=False,
    )


def plan_to_follow(
    table: CriteriaTable, plan: CriteriaPlan, seed: int
) -> Callable[[tuple[Choice, ...]], Step | None]:
    """Return what the page of somebody with this seed asks after their choices so far."""
    pool = pool_of(table, plan.imagined, plan.evaluation)
    planned = slots(pool, seed, queries=plan.queries, checks=plan.checks, repeats=0)

    def ask(choices: tuple[Choice, ...]) -> Step | None:
        asked = next_asked(pool, planned, choices)
        if asked is None:
            return None
        one, other = pool.pairs[asked.number]
        if asked.is_swapped:
            return Step(kind=asked.kind, first=other, second=one, better="second")
        return Step(kind=asked.kind, first=one, second=other)

    return ask
