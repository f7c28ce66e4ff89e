"""What one person's answers say about each other: contradictions, attention checks, repetitions.

In: judgements. Out: records to draw and to count. Absent: drawing (`show.answer_drawings`), and
whose answers count (`records.inclusion`): a contradiction is a reason to look, not to leave out.
"""

from dataclasses import dataclass
from functools import cached_property

# Fewer pairs than this say nothing about a person.
LEAST_PAIRS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPoint:
    """One system as it was judged: how good in two ways, and whether it was accepted.

    `is_accepted` is None for an answer in the middle, which contradicts nothing.
    """

    x: float
    y: float
    is_accepted: bool | None


def is_better(first: JudgedPoint, second: JudgedPoint) -> bool:
    """Return whether the first is at least as good in both ways, and better in one.

    Examples
    --------
    >>> low = JudgedPoint(x=0.5, y=0.8, is_accepted=True)
    >>> high = JudgedPoint(x=0.5, y=0.9, is_accepted=False)
    >>> is_better(high, low), is_better(low, high), is_better(low, low)
    (True, False, False)
    """
    return (
        first.x >= second.x and first.y >= second.y and (first.x, first.y) != (second.x, second.y)
    )


@dataclass(frozen=True, kw_only=True)
class JudgedMap:
    """Systems judged by one person, by how good they are in two ways.

    `pairs` are the (places of the) systems that may be compared with each other; None: all.

    Examples
    --------
    >>> worse = JudgedPoint(x=0.5, y=0.5, is_accepted=True)
    >>> better = JudgedPoint(x=0.9, y=0.5, is_accepted=False)
    >>> drawn = JudgedMap(title="Alarm", x_label="precision", y_label="recall",
    ...                   points=(worse, better))
    >>> drawn.contradictions, drawn.n_comparable
    (((0, 1),), 1)
    """

    title: str
    x_label: str
    y_label: str
    points: tuple[JudgedPoint, ...]
    pairs: tuple[tuple[int, int], ...] | None = None
    accepted_word: str = "accepted"
    refused_word: str = "refused"

    @cached_property
    def _unlike(self) -> tuple[tuple[int, int], ...]:
        """Return (accepted, refused) wherever one of the two is plainly better."""
        places = range(len(self.points))
        tried = self.pairs or [(one, other) for one in places for other in places if one < other]
        unlike = []
        for one, other in tried:
            first, second = self.points[one], self.points[other]
            verdicts = {first.is_accepted, second.is_accepted}
            if verdicts == {True, False} and (is_better(first, second) or is_better(second, first)):
                unlike.append((one, other) if first.is_accepted else (other, one))
        return tuple(unlike)

    @property
    def contradictions(self) -> tuple[tuple[int, int], ...]:
        """Return (accepted, refused) where what was refused is plainly better."""
        return tuple(
            (accepted, refused)
            for accepted, refused in self._unlike
            if is_better(self.points[refused], self.points[accepted])
        )

    @property
    def n_comparable(self) -> int:
        """Return how many pairs could have contradicted: one accepted, one refused, one better."""
        return len(self._unlike)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionCheck:
    """One attention check: what it asked, and whether it was answered as asked."""

    text: str
    is_passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """The same question answered several times, on a scale from 1 to `highest`."""

    title: str
    ratings: tuple[float, ...]
    highest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChecks:
    """Everything about one person's answers that can be held against each other."""

    maps: tuple[JudgedMap, ...] = ()
    attention: tuple[AttentionCheck, ...] = ()
    repetitions: tuple[Repetition, ...] = ()

    @property
    def contradictions(self) -> tuple[int, int]:
        """Return how many pairs contradict each other, of how many that could have."""
        contradictory = sum(len(judged_map.contradictions) for judged_map in self.maps)
        return contradictory, sum(judged_map.n_comparable for judged_map in self.maps)

    @property
    def looks_random(self) -> bool:
        """Whether as many pairs contradict each other as would by chance: half of them.

        Examples
        --------
        >>> AnswerChecks().looks_random
        False
        """
        contradictory, comparable = self.contradictions
        return comparable >= LEAST_PAIRS and 2 * contradictory >= comparable


def longest_run(ratings: tuple[float, ...]) -> tuple[int, int]:
    """Return where the longest run of equal ratings begins, and how long it is.

    Examples
    --------
    >>> longest_run((1, 4, 4, 4, 2)), longest_run(())
    ((1, 3), (0, 0))
    """
    best = (0, 0)
    start = 0
    for place, rating in enumerate(ratings):
        if place and rating != ratings[place - 1]:
            start = place
        if place - start + 1 > best[1]:
            best = (start, place - start + 1)
    return best
