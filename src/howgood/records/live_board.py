"""The result of a running study so far, as a small table that renews itself.

In: numbers of a ranking so far. Out: frozen records a page is made of. Absent: how they are
computed (see `decide.arena`), HTML.
"""

from dataclasses import dataclass

from howgood.records.report import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLine:
    """One system: its win rate with interval, who ties, how sure.

    `best` says how likely it is the best, as people read it ("43 %", "< 1 %"). `error_to_next` is
    the probability that it is not better than the system below it, None for the last one.
    """

    system: str
    tied_with: str
    votes: int
    win_rate: float
    lower: float
    upper: float
    best: str
    error_to_next: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveBoard:
    """Systems best first, what that means, and whether more votes are worth it.

    `against` says in words against which system win rates count.
    """

    lines: tuple[BoardLine, ...]
    verdict: Finding
    against: str
    notes: tuple[str, ...]
    votes: int
    people: int
