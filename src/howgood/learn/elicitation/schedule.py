"""The order of an interview: questions to learn from, attention checks, repeats, held-out ones.

In: the bank of pairs, a seed, the steps so far. Out: the next `Step`. Absent: what was answered,
except through the most informative pair and the predictions handed in.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howgood.learn.elicitation.pairs import PairBank
from howgood.records.elicitation import QueryKind
from howgood.records.elicited_metric import Choice

Predict = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

# Streams of chance, so that one decision never shifts another.
_SIDES, _CATCHES, _REPEATS, _HELD_OUT, _CLOSING = range(5)
_CLEAR = 0.97
# By how much a catch pair's better side should be better: cases, or per cent of a larger class.
_NOTICEABLE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One planned question: indices of the two matrices, and the side that must win, if any."""

    kind: QueryKind
    first: int
    second: int
    pair: int = -1
    expected: Choice | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Schedule:
    """Plans the next step from the steps so far; holds no state of its own."""

    bank: PairBank
    seed: int
    catch_pairs: int
    repeats: int
    held_out: int

    def next_step(
        self,
        steps: Sequence[Step],
        *,
        is_learning: bool,
        best_pair: Callable[[], int],
        predict: Predict,
    ) -> Step | None:
        """Return the next question, None when the interview is over."""
        if is_learning:
            catches = sum(step.kind == "catch" for step in steps)
            choices = sum(step.kind == "choice" for step in steps)
            if catches < self._catches() and choices >= 2 * (catches + 1):
                return self._catch(catches, steps)
            pair = best_pair()
            return self._sided(
                "choice", int(self.bank.sharp[pair]), int(self.bank.calm[pair]), steps, pair=pair
            )
        return self._closing_step(steps, predict)

    def _closing_step(self, steps: Sequence[Step], predict: Predict) -> Step | None:
        last = max(index for index, step in enumerate(steps) if step.kind == "choice")
        plan = self._closing_plan(steps[: last + 1], predict)
        done = len(steps) - last - 1
        return plan[done] if done < len(plan) else None

    def _closing_plan(self, steps: Sequence[Step], predict: Predict) -> list[Step]:
        caught = sum(step.kind == "catch" for step in steps)
        left = max(self.catch_pairs - caught, 0)
        planned = (
            [self._catch(caught + extra, steps) for extra in range(left)]
            if (self._catches())
            else self._clear_choices(left, steps, predict)
        )
        planned += self._repeated(steps) + self._held_out_steps(steps)
        order = self._chance(_CLOSING).permutation(len(planned))
        # Sides are drawn again for the place a question finally gets.
        return [
            self._resided(planned[index], len(steps) + place)
            for place, index in enumerate(order.tolist())
        ]

    def _catches(self) -> int:
        return self.catch_pairs if len(self.bank.dominated) else 0

    def _catch(self, number: int, steps: Sequence[Step]) -> Step:
        """Take the next of a fixed random order of clearly dominated pairs."""
        pairs = self.bank.dominated
        gap = np.abs(self.bank.counts[pairs[:, 0]] - self.bank.counts[pairs[:, 1]])[:, [0, 3]]
        shown = self.bank.matrices[0]
        unit = np.maximum(np.array([shown.positives, shown.negatives]) / 100.0, 1.0)
        clear = np.flatnonzero((gap / unit).sum(axis=1) >= _NOTICEABLE)
        usable = clear if clear.size else np.arange(len(pairs))
        order = self._chance(_CATCHES).permutation(usable)
        better, worse = pairs[order[number % order.size]].tolist()
        return self._sided("catch", better, worse, steps, is_first_better=True)

    def _clear_choices(self, n: int, steps: Sequence[Step], predict: Predict) -> list[Step]:
        """Without dominated pairs: trade-offs whose answer is already known to 97 %."""
        counts, asked = self.bank.counts, {step.pair for step in steps}
        chance = predict(counts[self.bank.sharp], counts[self.bank.calm])
        sure = [
            pair
            for pair in self._chance(_CATCHES).permutation(len(chance)).tolist()
            if pair not in asked and not 1 - _CLEAR < chance[pair] < _CLEAR
        ]
        return [
            self._sided(
                "catch",
                *self._by_preference(pair, chance[pair] > 0.5),
                steps,
                is_first_better=True,
            )
            for pair in sure[:n]
        ]

    def _by_preference(self, pair: int, is_sharp_better: bool) -> tuple[int, int]:
        sharp, calm = int(self.bank.sharp[pair]), int(self.bank.calm[pair])
        return (sharp, calm) if is_sharp_better else (calm, sharp)

    def _repeated(self, steps: Sequence[Step]) -> list[Step]:
        """Earlier questions with sides swapped; the latest two would still be remembered."""
        choices = [step for step in steps if step.kind == "choice"][:-2]
        order = self._chance(_REPEATS).permutation(len(choices)).tolist()
        return [
            Step(
                kind="repeat",
                first=choices[index].second,
                second=choices[index].first,
                pair=choices[index].pair,
            )
            for index in order[: self.repeats]
        ]

    def _held_out_steps(self, steps: Sequence[Step]) -> list[Step]:
        asked = {frozenset((step.first, step.second)) for step in steps}
        fresh: list[list[int]] = []
        # Thousands of pairs are there and a handful is needed: stop as soon as it is found.
        for index in self._chance(_HELD_OUT).permutation(len(self.bank.everything)):
            if len(fresh) == self.held_out:
                break
            pair = self.bank.everything[index].tolist()
            if frozenset(pair) not in asked:
                fresh.append(pair)
        return [self._sided("held-out", sharp, calm, steps) for sharp, calm in fresh]

    def _sided(
        self,
        kind: QueryKind,
        one: int,
        other: int,
        steps: Sequence[Step],
        *,
        pair: int = -1,
        is_first_better: bool = False,
    ) -> Step:
        step = Step(
            kind=kind,
            first=one,
            second=other,
            pair=pair,
            expected="first" if is_first_better else None,
        )
        return self._resided(step, len(steps))

    def _resided(self, step: Step, place: int) -> Step:
        """Swap sides by the flip of a coin that belongs to the place in the interview."""
        if step.kind == "repeat" or self._chance(_SIDES, place).random() < 0.5:
            return step
        flipped: dict[Choice | None, Choice | None] = {"first": "second", "second": "first"}
        return Step(
            kind=step.kind,
            first=step.second,
            second=step.first,
            pair=step.pair,
            expected=flipped.get(step.expected),
        )

    def _chance(self, *stream: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *stream])
