"""Pair after pair, each chosen by the answers before: what kinds of study that ask so share.

In: a person's answers, an interview that knows which pair follows. Out: the choices that stand,
steps with a progress that never jumps, and a bounded memo of interviews. Absent: what is compared
(each kind's own `interview` and `screens`).
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, Literal, Protocol, TypeVar

from howgood.kinds.screen_parts import Step, unreached
from howgood.records.screen import Answer

Choice = Literal["first", "second", "same"]
CHOICE, UNDO, PAIR = "choice", "undo", "pair"
_POSITIONS_PER_STATE = 64
# What an interview follows from, and the choices in it.
_Key = tuple[Hashable, tuple[Choice, ...]]
Pair = TypeVar("Pair")
Pair_co = TypeVar("Pair_co", covariant=True)
_CHOICES: dict[str, Choice] = {"first": "first", "second": "second", "same": "same"}


def why_nothing(people: int, reasons: Collection[str], unfinished: Collection[str]) -> str:
    """Say why no choices can be used: for `reasons`, of which some mean that somebody stopped.

    Examples
    --------
    >>> why_nothing(2, ["judged too few pairs"], ["judged too few pairs"])
    'Nobody has compared enough pairs, and preferred a side in them, yet.'
    """
    if not people:
        return "Nobody has answered yet."
    if set(reasons) <= set(unfinished):
        return "Nobody has compared enough pairs, and preferred a side in them, yet."
    who = "the one person" if people == 1 else f"any of the {people} people"
    return f"The choices of {who} who compared pairs cannot be used."


def pair_key(number: int) -> str:
    """Return the key of the screen of a pair."""
    return f"compare-{number}"


def as_choice(given: str) -> Choice:
    """Return what a page sent as a choice."""
    return _CHOICES[given]


def compare_answers(answered: Mapping[str, Answer]) -> list[Answer]:
    """Return the answers to pairs, undone ones too, in order."""
    given: list[Answer] = []
    while (key := pair_key(len(given) + 1)) in answered:
        given.append(answered[key])
    return given


def standing_answers(answered: Mapping[str, Answer]) -> tuple[Answer, ...]:
    """Return the answers to pairs that stand: an undo takes the one before it back."""
    standing: list[Answer] = []
    for answer in compare_answers(answered):
        given = answer.values.get(CHOICE)
        if given == UNDO:
            del standing[-1:]
        elif isinstance(given, str) and given in _CHOICES:
            standing.append(answer)
    return tuple(standing)


def choices_so_far(answered: Mapping[str, Answer]) -> tuple[Choice, ...]:
    """Return the choices that stand: an undo takes the one before it back."""
    return tuple(_CHOICES[str(answer.values[CHOICE])] for answer in standing_answers(answered))


def choices_over_time(answered: Mapping[str, Answer]) -> list[tuple[Choice, ...]]:
    """Return the choices that stood after each answer, at least one state.

    Without an undo the last state says everything, so it alone is returned.
    """
    history: list[tuple[Choice, ...]] = []
    standing: tuple[Choice, ...] = ()
    is_undone = False
    for answer in compare_answers(answered):
        given = str(answer.values.get(CHOICE))
        is_undone = is_undone or given == UNDO
        standing = standing[:-1] if given == UNDO else (*standing, _CHOICES[given])
        history.append(standing)
    return history if is_undone else [standing]


class PairInterview(Protocol[Pair_co]):
    """One person's interview: which pair is next, and how far it is to the end."""

    def pair(self) -> Pair_co | None:
        """Return the pair to show, or None when all is asked."""

    def take(self, choice: Choice) -> None:
        """Take the choice between left ("first") and right ("second"), or "same"."""

    def closing(self) -> tuple[int, float] | None:
        """Return how many of the last pairs are answered, and how far they are, from 0 to 1.

        None while pairs are still asked to learn: it is not known how many follow.
        """


def replay(
    interview: PairInterview[Pair],
    answered: Mapping[str, Answer],
    text_of: Callable[[Pair], str],
) -> None:
    """Give an interview the choices that stand, up to where it asks another pair than was shown.

    Another version of howgood may ask other pairs: a choice says nothing about a pair nobody saw.
    """
    for answer in standing_answers(answered):
        pair = interview.pair()
        if pair is None or answer.values.get(PAIR) not in (None, "", text_of(pair)):
            return
        interview.take(as_choice(str(answer.values[CHOICE])))


def position(interview: PairInterview[object], n_answered: int, *, most: int) -> int:
    """Return how far along a person is who answered so many pairs, out of `most`.

    While nobody knows how many pairs follow, each counts one. Once it is known, what may be left
    out is spread evenly over those that remain: the progress speeds up and never jumps.
    """
    closing = interview.closing()
    if closing is None:
        return min(n_answered, most)
    done, share = closing
    begun = n_answered - done
    return min(begun + round(share * (most - begun)), most)


def pair_steps(
    shown: Step | None, answered: Mapping[str, Answer], *, at: int, most: int
) -> list[Step]:
    """Return the answered pairs, the next one, and a place for all that may follow.

    Pairs take as much of the way as the most there can be, whatever is undone.
    """
    n_asked = len(compare_answers(answered))
    behind = [unreached(pair_key(number), advance=0) for number in range(1, n_asked + 1)]
    reached = most if shown is None else at
    if behind:
        behind[-1] = replace(behind[-1], advance=reached)
    if shown is None:
        return behind
    return [*behind, replace(shown, advance=0), unreached("pairs ahead", advance=most - reached)]


class Interviews(Generic[Pair]):
    """The latest interviews by what they follow from; the oldest are forgotten.

    Replaying the choices gives the same interview at any time: forgetting changes nothing but time.
    """

    def __init__(self, *, most: int = 256) -> None:
        # By hand, as the library for it comes with the server alone.
        self._states: OrderedDict[_Key, PairInterview[Pair]] = OrderedDict()
        self._positions: OrderedDict[_Key, int] = OrderedDict()
        self._most, self._lock = most, threading.Lock()

    def next_pair(
        self,
        start: Hashable,
        history: Sequence[tuple[Choice, ...]],
        begin: Callable[[], PairInterview[Pair]],
        *,
        most: int,
    ) -> tuple[Pair | None, int]:
        """Return the pair that follows the last of these states, and how far the person has come.

        `start` is all that an interview follows from but the choices; `begin` makes one without
        any. Nobody is moved backwards: what was reached before an undo stays reached.
        """
        pair, reached = None, 0
        for place, choices in enumerate(history):
            known = self._positions.get((start, choices))
            if known is None or place == len(history) - 1:
                interview = self._after(start, choices, begin)
                pair, known = interview.pair(), position(interview, len(choices), most=most)
                self._keep((start, choices), interview, known)
            reached = max(reached, known)
        return pair, reached

    def _after(
        self, start: Hashable, choices: tuple[Choice, ...], begin: Callable[[], PairInterview[Pair]]
    ) -> PairInterview[Pair]:
        interview = self._pop_state((start, choices))
        if interview is None and choices:
            interview = self._pop_state((start, choices[:-1]))
            if interview is not None:
                interview.take(choices[-1])
        if interview is None:
            interview = begin()
            for choice in choices:
                interview.take(choice)
        return interview

    def _keep(self, key: _Key, interview: PairInterview[Pair], reached: int) -> None:
        with self._lock:
            self._states[key] = interview
            self._positions[key] = reached
            while len(self._states) > self._most:
                self._states.popitem(last=False)
            while len(self._positions) > _POSITIONS_PER_STATE * self._most:
                self._positions.popitem(last=False)

    def _pop_state(self, key: _Key) -> PairInterview[Pair] | None:
        """Take a state out: whoever holds it may change it."""
        with self._lock:
            return self._states.pop(key, None)
