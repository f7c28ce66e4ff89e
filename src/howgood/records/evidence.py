"""How much answers say about an application: enough to decide, or not.

In: what fits and model cards know about their answers. Out: `Evidence`, the word that travels with
every number made of them. Absent: judging answers (see `learn.evidence`), sentences (see `show`).
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

Evidence: TypeAlias = Literal["enough", "few people", "none"]

# With fewer people a decision is not made. In simulated studies of 5 people the 95 % intervals of
# the share accepting hold what they promise on average, but not for every kind of people; from 10
# on they do ("few people" in docs/explanation/calibration.md).
FEW_PEOPLE = 10
_WEAKEST_FIRST: tuple[Evidence, ...] = ("none", "few people", "enough")


def weakest(evidences: Iterable[Evidence]) -> Evidence:
    """Return the least evidence of several.

    Examples
    --------
    >>> weakest(["enough", "few people"])
    'few people'
    """
    return min(evidences, key=_WEAKEST_FIRST.index)
