"""Which pairs of matrices are worth asking about, and which only check attention.

In: displayed matrices. Out: `PairBank`, pairs with a real trade-off, and dominated pairs.
Absent: choosing among them (see `mixture`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.learn.elicitation.matrices import check_enough
from howgood.records.confusion import ConfusionMatrix, display_total

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

_BINS, _PER_BIN = 60, 8
_MOST_ASKED = 1_000  # every pair of them is considered; more would look alike anyway


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

    @property
    def more_found(self) -> FloatArray:
        """True positives gained by the sharp side, per pair."""
        return np.asarray(self.counts[self.sharp, 0] - self.counts[self.calm, 0])

    @property
    def more_cleared(self) -> FloatArray:
        """True negatives gained by the calm side, per pair."""
        return np.asarray(self.counts[self.calm, 3] - self.counts[self.sharp, 3])


def pair_bank(matrices: Sequence[ConfusionMatrix], *, where: str) -> PairBank:
    """Return the bank of distinct displayed matrices, thinned to at most 480 pairs."""
    distinct = displayed_matrices(matrices)
    check_enough(distinct, where=where)
    asked = _worth_asking(distinct)
    counts = np.array([list(each.to_dict().values()) for each in asked], dtype=np.float64)
    one, other = np.triu_indices(len(asked), k=1)
    found = counts[one, 0] - counts[other, 0]
    cleared = counts[one, 3] - counts[other, 3]
    trade = found * cleared < 0
    sharp = np.where(found > 0, one, other)[trade]
    calm = np.where(found > 0, other, one)[trade]
    if sharp.size == 0:
        raise InputError(
            where=where,
            found="no pair of systems where one finds more and the other clears more",
            needed="at least one real trade-off",
            cure='Use more cases, other systems, or for a rare class out_of="auto".',
        )
    better = np.where(found + cleared > 0, one, other)[~trade]
    worse = np.where(found + cleared > 0, other, one)[~trade]
    keep = _thinned(np.abs(found)[trade], np.abs(cleared)[trade])
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
    whole = all(float(value).is_integer() for each in matrices for value in each.to_dict().values())
    if whole or not matrices:
        return tuple(dict.fromkeys(matrices))
    total = display_total(matrices[0].positives / matrices[0].total)
    return tuple(dict.fromkeys(each.displayed(out_of=total) for each in matrices))


def _worth_asking(distinct: tuple[ConfusionMatrix, ...]) -> tuple[ConfusionMatrix, ...]:
    """Keep at most 1,000 systems: those no other beats, and others evenly between them."""
    if len(distinct) <= _MOST_ASKED:
        return distinct
    errors = np.array([(each.false_negatives, each.false_positives) for each in distinct])
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


def _thinned(found: FloatArray, cleared: FloatArray) -> IntArray:
    """Keep up to eight pairs in each of sixty bins of indifference, small and large gaps alike."""
    ratio = np.log(found / cleared)
    span = float(np.ptp(ratio)) or 1.0
    bins = np.minimum((_BINS * (ratio - ratio.min()) / span).astype(int), _BINS - 1)
    kept: list[int] = []
    for number in np.unique(bins):
        members = np.flatnonzero(bins == number)
        members = members[np.argsort((found + cleared)[members], kind="stable")]
        spread = np.linspace(0, members.size - 1, min(_PER_BIN, members.size)).round().astype(int)
        kept += members[spread].tolist()
    return np.array(sorted(kept), dtype=np.int64)
