"""Values replaced by their place among known values.

In: a column of numbers, text, booleans or dates. Out: its sorted distinct values, or integer
codes; a warning where a cut divides nothing. Absent: what the values mean.
"""

from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, NoEvidenceWarning, announce

# What people write for passed and failed, in small letters.
VERDICT_WORDS = {
    "true": 1.0, "yes": 1.0, "pass": 1.0, "passed": 1.0, "good": 1.0, "correct": 1.0, "c": 1.0,
    "acceptable": 1.0, "thumbs up": 1.0,
    "false": 0.0, "no": 0.0, "fail": 0.0, "failed": 0.0, "bad": 0.0, "incorrect": 0.0, "i": 0.0,
    "unacceptable": 0.0, "thumbs down": 0.0,
}  # fmt: skip
_HASHED_KINDS = "OUS"
_NUMBER_KINDS = "biuf"
# Integers that span less than this are found by a lookup table, others by bisection.
_LOOKUP_SPAN = 1 << 20


def as_array(values: ArrayLike) -> NDArray[Any]:
    """Return an array; NaN in a list of texts stays missing and does not become the text 'nan'.

    Examples
    --------
    >>> as_array(["a", float("nan")])
    array(['a', nan], dtype=object)
    """
    array = np.asarray(values)
    if array.dtype.kind not in "US" or not isinstance(values, list | tuple):
        return array
    has_gap = any(isinstance(value, float) and value != value for value in values)
    return np.array(values, dtype=object) if has_gap else array


def as_column(values: ArrayLike, *, where: str) -> NDArray[Any]:
    """Return a one-dimensional array without missing values, or say where one is missing."""
    column = as_array(values)
    if column.ndim != 1:
        raise InputError(
            where=where,
            found=f"an array of shape {column.shape}",
            needed="one value per row",
            cure="Pass a one-dimensional array.",
        )
    missing = missing_values(column)
    if missing.any():
        first = int(np.argmax(missing))
        raise InputError(
            where=where,
            found=f"{int(missing.sum())} of {len(column)} values missing (first: row {first + 1})",
            needed="a value in every row",
            cure="Leave these rows out, or give the gap a name of its own, such as 'unknown'.",
        )
    return column


def distinct(column: NDArray[Any], *, where: str) -> NDArray[Any]:
    """Return the sorted distinct values of a column."""
    try:
        if column.dtype.kind in _HASHED_KINDS:
            values = sorted(set(column.tolist()))
            return np.array(values) if _all_text(values) else np.array(values, dtype=object)
        return np.unique(column)
    except TypeError as error:
        raise InputError(
            where=where,
            found="values of kinds that cannot be put in order, such as text and numbers",
            needed="values of one kind",
            cure="Convert the column to text, or to numbers.",
        ) from error


def codes_of(column: NDArray[Any], levels: NDArray[Any], *, where: str) -> NDArray[np.int64]:
    """Return the place of each value among sorted `levels`, and -1 for values not there.

    Examples
    --------
    >>> codes_of(np.array(["b", "x", "a"]), np.array(["a", "b"]), where="example")
    array([ 1, -1,  0])
    """
    column = as_column(column, where=where)
    _require_same_kind(column, levels, where)
    if column.dtype.kind in _HASHED_KINDS or levels.dtype.kind in _HASHED_KINDS:
        place = {value: number for number, value in enumerate(levels.tolist())}
        codes = map(place.get, column.tolist(), repeat(-1))
        return np.fromiter(codes, dtype=np.int64, count=len(column))
    if len(levels) == 0:
        return np.full(len(column), -1, dtype=np.int64)
    if column.dtype.kind in "iu" and levels.dtype.kind in "iu":
        return places(column, levels)
    near = np.minimum(np.searchsorted(levels, column), len(levels) - 1)
    return np.where(levels[near] == column, near, -1).astype(np.int64)


def places(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each integer among sorted `known` integers, and -1 where absent.

    Examples
    --------
    >>> places(np.array([5, 2, 9]), np.array([2, 5]))
    array([ 1,  0, -1])
    """
    low, high = int(known[0]), int(known[-1])
    if high - low >= _LOOKUP_SPAN:
        near = np.minimum(np.searchsorted(known, values), len(known) - 1)
        return np.where(known[near] == values, near, -1).astype(np.int64)
    lookup = np.full(high - low + 3, -1, dtype=np.int64)
    lookup[known.astype(np.int64) - low + 1] = np.arange(len(known))
    place: NDArray[np.int64] = lookup[
        np.clip(values, low - 1, high + 1, dtype=np.int64) - (low - 1)
    ]
    return place


def numbered(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sorted distinct keys (0 or more) and the place of each key among them.

    Examples
    --------
    >>> numbered(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1]))
    """
    if len(keys) == 0 or keys.max() >= _LOOKUP_SPAN:
        distinct, place = np.unique(keys, return_inverse=True)
        return distinct, place
    distinct = np.flatnonzero(np.bincount(keys))
    return distinct, places(keys, distinct)


def _require_same_kind(column: NDArray[Any], levels: NDArray[Any], where: str) -> None:
    if len(column) == 0 or len(levels) == 0:
        return
    given, needed = _kind(column), _kind(levels)
    if given != needed and "mixed" not in (given, needed):
        raise InputError(
            where=where,
            found=f"{given} such as {column[:1].tolist()[0]!r}",
            needed=f"{needed} such as {levels[:1].tolist()[0]!r}, as in the table",
            cure="Convert one of them, so that both are of the same kind.",
        )


def _kind(values: NDArray[Any]) -> str:
    if values.dtype.kind in _NUMBER_KINDS:
        return "numbers"
    if values.dtype.kind in "US":
        return "text"
    if values.dtype.kind in "Mm":
        return "dates"
    sample = values[:1000].tolist()
    if _all_text(sample):
        return "text"
    is_number = all(isinstance(value, int | float | np.number) for value in sample)
    return "numbers" if is_number else "mixed"


def _all_text(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, str) for value in values)


def missing_values(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the missing values: NaN, NaT, None and pandas' NA."""
    if column.dtype.kind in "fMm":
        # A missing number or date is the one that differs from itself.
        unequal: NDArray[np.bool_] = column != column
        return unequal
    if column.dtype.kind != "O":
        return np.zeros(len(column), dtype=bool)
    return np.fromiter(
        (_is_missing(value) for value in column.tolist()), dtype=bool, count=len(column)
    )


def _is_missing(value: object) -> bool:
    # pandas' NA answers "unknown" to every comparison, so it is known by its type's name.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def announce_cut(value: NDArray[np.float64], cut: float) -> None:
    """Say that a cut divides nothing: it may be one of another scale."""
    lowest, highest = float(value.min()), float(value.max())
    if lowest < cut <= highest:
        return
    which, found = (
        ("every label reaches", "pass") if cut <= lowest else ("no label reaches", "fail")
    )
    announce(
        f"{which} the cut of {cut:g}: labels go from {lowest:g} to {highest:g}, so that all "
        f"{found}. Is the cut one of their scale?",
        NoEvidenceWarning,
    )
