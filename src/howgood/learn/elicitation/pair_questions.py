"""What may be asked, and in which order: pairs of systems, checks, repeats, held-out questions.

In: displayed matrices, a seed, the steps so far. Out: `PairBank`, the pairs with a real trade-off
and the dominated ones that only check attention; `Schedule`, which plans the next `Step`. Absent:
what was answered, except through the most informative pair and the predictions handed in.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from howgood.errors import InputError
from howgood.learn.elicitation.matrices import check_enough
from howgood.records.confusion import ConfusionMatrix, display_total
from howgood.records.elicitation import QueryKind
from howgood.records.elicited_metric import Choice
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.paired_choices import entropy

_BINS, _PER_BIN = 60, 6
_MOST_ASKED = 1_000  # every pair of them is considered; more would look alike anyway
Predict = Callable[[FloatArray, FloatArray], FloatArray]

# Streams of chance, so that one decision never shifts another.
_SIDES, _CATCHES, _REPEATS, _HELD_OUT, _CLOSING, _EXTRA = range(6)
_EXTRA_CANDIDATES = 12
_CLEAR = 0.97
# By how much a catch pair's better side should be better: cases, or per cent of a larger class.
_NOTICEABLE = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairBank:
    """Pairs of matrices by index; in each pair `sharp` finds more positives than `calm`.

    `more_found` and `more_cleared` are what the sharp side gains in true positives and loses in
    true negatives. In `dominated` pairs column 0 is better than column 1 on both or equal on one.
    `matrices` are those asked about, at most 1,000 of the `distinct` ones.
    """

    distinct: tuple[ConfusionMatrix, ...]
    matrices: tuple[ConfusionMatrix, ...]
    counts: FloatArray  # (n_matrices, 4): TP, FN, FP, TN
    sharp: IntArray
    calm: IntArray
    everything: IntArray  # (n_trade_offs, 2): every trade-off, before thinning
    dominated: IntArray  # (n_dominated, 2)

    def sides(self, pair: int) -> tuple[int, int]:
        """Return sharp and calm side of a pair; beyond the thinned ones, of every trade-off."""
        if pair < self.sharp.size:
            return int(self.sharp[pair]), int(self.calm[pair])
        sharp, calm = self.everything[pair - self.sharp.size].tolist()
        return sharp, calm

    def pair_of(self, one: int, other: int) -> int | None:
        """Return the number of the trade-off between two systems, None if there is none."""
        places = np.flatnonzero(
            (self.everything == (one, other)).all(axis=1)
            | (self.everything == (other, one)).all(axis=1)
        )
        return int(places[0]) + self.sharp.size if places.size else None

    @property
    def clear_catches(self) -> IntArray:
        """Dominated pairs whose better side is noticeably better; all, where none is."""
        gap = np.abs(self.counts[self.dominated[:, 0]] - self.counts[self.dominated[:, 1]])
        shown = self.matrices[0]
        unit = np.maximum(np.array([shown.positives, shown.negatives]) / 100.0, 1.0)
        clear = np.flatnonzero((gap[:, [0, 3]] / unit).sum(axis=1) >= _NOTICEABLE)
        return np.asarray(self.dominated[clear] if clear.size else self.dominated)

    @property
    def more_found(self) -> FloatArray:
        """True positives gained by the sharp side, per pair."""
        return np.asarray(self.counts[self.sharp, 0] - self.counts[self.calm, 0])

    @property
    def more_cleared(self) -> FloatArray:
        """True negatives gained by the calm side, per pair."""
        return np.asarray(self.counts[self.calm, 3] - self.counts[self.sharp, 3])


def pair_bank(matrices: Sequence[ConfusionMatrix], *, where: str) -> PairBank:
    """Return the bank of distinct displayed matrices, thinned to at most 360 pairs."""
    distinct = displayed_matrices(matrices)
    check_enough(distinct, where=where, cure="Add systems that differ in what they miss.")
    asked = _worth_asking(distinct)
    counts = np.array([list(query.to_dict().values()) for query in asked], dtype=np.float64)
    one, other = np.triu_indices(len(asked), k=1)
    more_hits = counts[one, 0] - counts[other, 0]
    cleared = counts[one, 3] - counts[other, 3]
    trade = more_hits * cleared < 0
    sharp = np.where(more_hits > 0, one, other)[trade]
    calm = np.where(more_hits > 0, other, one)[trade]
    if sharp.size == 0:
        raise InputError(
            where=where,
            found="no pair of systems where one finds more and the other clears more",
            needed="at least one real trade-off",
            cure='Use more cases, other systems, or for a rare class out_of="auto".',
        )
    better = np.where(more_hits + cleared > 0, one, other)[~trade]
    worse = np.where(more_hits + cleared > 0, other, one)[~trade]
    keep = _thinned(np.abs(more_hits)[trade], np.abs(cleared)[trade])
    return PairBank(
        distinct=distinct,
        matrices=asked,
        counts=counts,
        sharp=sharp[keep],
        calm=calm[keep],
        everything=np.column_stack([sharp, calm]),
        dominated=np.column_stack([better, worse]),
    )


def displayed_matrices(matrices: Sequence[ConfusionMatrix]) -> tuple[ConfusionMatrix, ...]:
    """Return the distinct matrices in whole numbers; proportions become counts out of 100 or more.

    Out of 1,000 or 10,000 where one class is rare.
    """
    whole = all(
        float(value).is_integer() for matrix in matrices for value in matrix.to_dict().values()
    )
    if whole or not matrices:
        return tuple(dict.fromkeys(matrices))
    total = display_total(matrices[0].positives / matrices[0].total)
    return tuple(dict.fromkeys(matrix.displayed(out_of=total) for matrix in matrices))


def _worth_asking(distinct: tuple[ConfusionMatrix, ...]) -> tuple[ConfusionMatrix, ...]:
    """Keep at most 1,000 systems: those no other beats, and others evenly between them."""
    if len(distinct) <= _MOST_ASKED:
        return distinct
    errors = np.array([(matrix.false_negatives, matrix.false_positives) for matrix in distinct])
    order = np.lexsort((errors[:, 1], errors[:, 0]))
    fewest = np.minimum.accumulate(errors[order, 1])
    is_unbeaten = np.append(True, errors[order[1:], 1] < fewest[:-1])
    unbeaten, others = order[is_unbeaten], order[~is_unbeaten]
    kept = _evenly(unbeaten, _MOST_ASKED // 2)
    kept = np.concatenate([kept, _evenly(others, _MOST_ASKED - kept.size)])
    return tuple(distinct[index] for index in sorted(kept.tolist()))


def _evenly(indices: IntArray, most: int) -> IntArray:
    places = np.linspace(0, indices.size - 1, min(most, indices.size)).round().astype(int)
    return np.asarray(indices[places])


def _thinned(more_hits: FloatArray, cleared: FloatArray) -> IntArray:
    """Keep up to six pairs in each of sixty bins of indifference, small and large gaps alike."""
    ratio = np.log(more_hits / cleared)
    span = float(np.ptp(ratio)) or 1.0
    bins = np.minimum((_BINS * (ratio - ratio.min()) / span).astype(int), _BINS - 1)
    kept: list[int] = []
    for number in np.unique(bins):
        members = np.flatnonzero(bins == number)
        members = members[np.argsort((more_hits + cleared)[members], kind="stable")]
        spread = np.linspace(0, members.size - 1, min(_PER_BIN, members.size)).round().astype(int)
        kept += members[spread].tolist()
    return np.array(sorted(kept), dtype=np.int64)


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
            return self._sided("choice", *self.bank.sides(pair), steps, pair=pair)
        return self._closing_step(steps, predict)

    def extra_step(
        self, steps: Sequence[Step], *, predicted_before: Predict, predict: Predict
    ) -> Step | None:
        """Return a trade-off that was open before the interview, and is clear after it."""
        asked = {frozenset((step.first, step.second)) for step in steps}
        order = self._chance(_EXTRA, len(steps)).permutation(len(self.bank.everything))
        fresh = (
            pair for pair in self.bank.everything[order].tolist() if frozenset(pair) not in asked
        )
        pairs = np.array(list(islice(fresh, _EXTRA_CANDIDATES)), dtype=np.int64).reshape(-1, 2)
        if not len(pairs):
            return None
        sides = self.bank.counts[pairs[:, 0]], self.bank.counts[pairs[:, 1]]
        before, after = (
            entropy(chance, 1 - chance) for chance in (predicted_before(*sides), predict(*sides))
        )
        sharp, calm = pairs[int(np.argmax(np.round(before - after, 9)))].tolist()
        return self._sided("extra", sharp, calm, steps)

    def closing(self, steps: Sequence[Step], predict: Predict) -> tuple[int, int]:
        """Return how many questions after the last one learned from are asked, and of how many."""
        last = _last_choice(steps)
        return len(steps) - last - 1, len(self._closing_plan(steps[: last + 1], predict))

    def _closing_step(self, steps: Sequence[Step], predict: Predict) -> Step | None:
        last = _last_choice(steps)
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
        pairs = self.bank.clear_catches
        order = self._chance(_CATCHES).permutation(len(pairs))
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


def _last_choice(steps: Sequence[Step]) -> int:
    return max(index for index, step in enumerate(steps) if step.kind == "choice")
