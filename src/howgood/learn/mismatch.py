"""How probable the predicted, the actual and the likeliest outcome are in a context.

In: `OutcomeTable` and coded rows. Out: `Mismatch`, the three probabilities of the paper's
section 3.2 (P_H, P_P, P_A). Absent: alpha and beta, which weigh them (see `score.relevance`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError
from howgood.records.levels import as_array, as_column, codes_of, distinct
from howgood.records.outcomes import OutcomeTable
from howgood.stats.arrays import FloatArray

# Probabilities closer than this are the same: they are quotients of sums of weights.
TIE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Actual and predicted outcomes as places among all labels met.

    The table's outcomes come first; labels the table never saw follow.
    """

    values: NDArray[Any]
    actual: NDArray[Any]
    predicted: NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """P_H, P_P and P_A per row, whether the prediction is right and the context known.

    `absent` marks rows that a cross-fitted table was not made from, and so cannot take out.
    """

    highest: FloatArray
    predicted: FloatArray
    actual: FloatArray
    right: NDArray[np.bool_]
    seen: NDArray[np.bool_]
    absent: NDArray[np.bool_]

    def require_rows_of_the_table(self, *, first_row: int = 0) -> None:
        """Refuse rows that a cross-fitted table does not hold, counted from `first_row`."""
        if np.any(self.absent):
            raise InputError(
                where=f"row {first_row + int(np.argmax(self.absent)) + 1}",
                found="a context and outcome that no row of the cross-fitted table holds",
                needed="the rows that the cross-fitted table was made from",
                cure="Make the table from these rows, or use reference='train'.",
            )


def label_codes(table: OutcomeTable, y_true: ArrayLike, y_pred: ArrayLike) -> Labels:
    """Code actual and predicted labels alike; small integers take a short cut."""
    actual, predicted = as_array(y_true), as_array(y_pred)
    if actual.shape[:1] != predicted.shape[:1]:
        raise LengthMismatchError(
            where="relevance", lengths={"y_true": actual.size, "y_pred": predicted.size}
        )
    if _already_coded(actual, table) and _already_coded(predicted, table):
        return Labels(values=table.outcomes, actual=actual, predicted=predicted)
    actual = as_column(actual, where="y_true")
    predicted = as_column(predicted, where="y_pred")
    codes = [
        codes_of(column, table.outcomes, where=where)
        for column, where in ((actual, "y_true"), (predicted, "y_pred"))
    ]
    strangers = [column[code < 0] for column, code in zip((actual, predicted), codes, strict=True)]
    if not any(len(column) for column in strangers):
        return Labels(values=table.outcomes, actual=codes[0], predicted=codes[1])
    new = distinct(np.concatenate(strangers), where="y_true and y_pred")
    for code, column in zip(codes, strangers, strict=True):
        code[code < 0] = len(table.outcomes) + codes_of(column, new, where="labels")
    values = np.concatenate([table.outcomes, new])
    return Labels(values=values, actual=codes[0], predicted=codes[1])


def _already_coded(column: NDArray[Any], table: OutcomeTable) -> bool:
    """Whether labels are the integers 0 .. n - 1 and so need no coding."""
    n_outcomes = len(table.outcomes)
    if column.ndim != 1 or column.dtype.kind not in "iu" or column.size == 0:
        return False
    if table.outcomes.dtype.kind not in "iu":
        return False
    if not np.array_equal(table.outcomes, np.arange(n_outcomes)):
        return False
    return bool(column.min() >= 0 and column.max() < n_outcomes)


def mismatch(
    table: OutcomeTable,
    codes: NDArray[np.intp],
    actual: NDArray[Any],
    predicted: NDArray[Any],
    *,
    n_labels: int,
    marginal: bool = False,
) -> Mismatch:
    """Return the three probabilities for broadcastable codes of context, actual, predicted.

    With `marginal`, contexts never seen take the probabilities over all contexts.
    """
    width = table.n_contexts + 1
    codes, actual, predicted = np.broadcast_arrays(codes, actual, predicted)
    weights = _with_new_labels(table, n_labels)
    taken = 1.0 if table.leaves_one_out else 0.0
    unknown = codes % width == table.n_contexts
    absent = (unknown | (weights[codes, actual] < 1.0)) & bool(taken)
    unseen = unknown | (_total(weights)[codes] - taken <= 0)  # nobody else was in this context
    if marginal:
        codes = np.where(unseen, codes - codes % width + table.n_contexts, codes)
        unseen = _total(weights)[codes] - taken <= 0
    smoothed = weights.copy()
    smoothed[:, : len(table.outcomes)] += table.smoothing
    share = 1.0 / np.where(unseen, 1.0, _total(smoothed)[codes] - taken)
    own = smoothed[codes, actual] - taken
    return Mismatch(
        highest=_highest(smoothed, codes, actual, own, taken) * share,
        predicted=(smoothed[codes, predicted] - taken * (predicted == actual)) * share,
        actual=own * share,
        right=predicted == actual,
        seen=~unseen,
        absent=absent,
    )


def _highest(
    weights: FloatArray,
    codes: NDArray[np.intp],
    actual: NDArray[Any],
    own: FloatArray,
    taken: float,
) -> FloatArray:
    """Return the weight of the likeliest outcome once the row itself is taken out."""
    if not taken:
        top: FloatArray = weights.max(axis=1)[codes]
        return top
    padded = np.concatenate([weights, np.zeros((len(weights), 1))], axis=1)
    first = padded.argmax(axis=1)
    second = np.partition(padded, -2, axis=1)[:, -2]
    is_first = first[codes] == actual
    without: FloatArray = np.where(
        is_first, np.maximum(second[codes], own), padded.max(axis=1)[codes]
    )
    return without


def _with_new_labels(table: OutcomeTable, n_labels: int) -> FloatArray:
    new = n_labels - table.weights.shape[1]
    return np.pad(table.weights, ((0, 0), (0, new))) if new else table.weights


def _total(weights: FloatArray) -> FloatArray:
    total: FloatArray = weights.sum(axis=1)
    return total
