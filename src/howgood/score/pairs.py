"""Person-item pairs: mean and spread of the feedback, and a prediction for each.

In: arrays, lists, series or single numbers. Out: `Pairs`, checked, with a record of what was left
out. Absent: scoring.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError, LengthMismatchError, MissingValueError
from howgood.records.table import as_numbers
from howgood.stats.arrays import FloatArray

MissingPolicy = Literal["error", "drop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Checked columns of equal length, or of length one where a single value serves all pairs."""

    mean: FloatArray = field(repr=False)
    sd: FloatArray = field(repr=False)
    prediction: FloatArray = field(repr=False)
    n: int
    missing: MissingPolicy
    dropped: dict[str, int]

    @property
    def deviation(self) -> FloatArray:
        """Mean minus prediction, one per pair."""
        return np.broadcast_to(self.mean - self.prediction, (self.n,))

    @property
    def spread(self) -> FloatArray:
        """Standard deviations, one per pair."""
        return np.broadcast_to(self.sd, (self.n,))


def checked_pairs(
    mean: ArrayLike,
    sd: ArrayLike,
    prediction: ArrayLike,
    *,
    where: str,
    missing: MissingPolicy = "error",
) -> Pairs:
    """Return checked columns, or say which one is wrong, where and what to do."""
    columns, n, dropped = checked_columns(
        {"mean": mean, "sd": sd, "prediction": prediction}, where=where, missing=missing
    )
    require_not_negative(columns["sd"], where=where)
    return Pairs(**columns, n=n, missing=missing, dropped=dropped)


def checked_columns(
    columns: dict[str, ArrayLike], *, where: str, missing: MissingPolicy
) -> tuple[dict[str, FloatArray], int, dict[str, int]]:
    """Return float columns, the number of rows, and how many rows the policy left out.

    Every column has the number of rows or, where one value serves all rows, one.
    """
    require_choice(missing, ("error", "drop"), name="missing", where=where)
    arrays = {name: numeric(values, column=name, where=where) for name, values in columns.items()}
    n = _shared_length(arrays, where)
    # A sum is finite only if every value is: one fast pass, and a slow one only to explain.
    suspicious = [name for name, values in arrays.items() if not _all_finite(values)]
    if not suspicious:
        return arrays, n, {}
    gaps = np.zeros(n, dtype=bool)
    for name in suspicious:
        _require_no_infinity(arrays[name], column=name, where=where)
        gap = np.isnan(arrays[name])
        if missing == "error" and gap.any():
            raise MissingValueError(
                where=where, column=name, n_missing=int(gap.sum()), n_rows=gap.size,
                first=int(np.argmax(gap)),
            )  # fmt: skip
        gaps |= gap
    if gaps.all():
        raise InputError(
            where=where,
            found=f"all {n} rows have a missing value",
            needed="at least one complete row",
            cure="Check the columns; missing='drop' left nothing.",
        )
    kept = {name: v[~gaps] if v.size == n else v for name, v in arrays.items()}
    n_dropped = int(gaps.sum())
    return kept, n - n_dropped, {"missing": n_dropped} if n_dropped else {}


def numeric(values: ArrayLike, *, column: str, where: str) -> FloatArray:
    """Return a flat float array, or say what the column holds instead of numbers."""
    result = _floats(values, column=column, where=where)
    if result.ndim > 1:
        raise InputError(
            where=f"{where}, column {column!r}",
            found=f"an array of shape {result.shape}",
            needed="one number per pair",
            cure="Pass one column at a time.",
        )
    return np.atleast_1d(result)


def numeric_table(values: ArrayLike, *, column: str, where: str, gaps: bool = False) -> FloatArray:
    """Return a float array of two dimensions; NaN only where gaps are allowed."""
    result = _floats(values, column=column, where=where)
    if result.ndim != 2:
        raise InputError(
            where=f"{where}, {column}",
            found=f"an array of shape {result.shape}",
            needed="one row per pair",
            cure="Pass a list of rows of equal length.",
        )
    bad = np.isinf(result) if gaps else ~np.isfinite(result)
    if bad.any():
        raise InputError(
            where=f"{where}, {column}",
            found=f"{int(bad.sum())} values missing or infinite "
            f"(first: row {int(np.argmax(bad.any(axis=1))) + 1})",
            needed="finite numbers",
            cure="Correct these rows or leave them out.",
        )
    return result


def _floats(values: ArrayLike, *, column: str, where: str) -> FloatArray:
    result = as_numbers(
        values,
        where=f"{where}, column {column!r}",
        needed="one number per pair",
        cure="Convert the column to numbers first.",
        parse_text=False,
    )
    if result.size == 0:
        raise InputError(
            where=f"{where}, column {column!r}",
            found="no values",
            needed="at least one pair",
            cure="Check how the data was selected.",
        )
    return result


def require_not_negative(sd: FloatArray, *, where: str) -> None:
    """Raise unless no standard deviation is below zero."""
    if float(np.min(sd)) < 0.0:
        bad = np.flatnonzero(sd < 0.0)
        raise InputError(
            where=f"{where}, column 'sd'",
            found=f"{bad.size} of {sd.size} values below 0 "
            f"(first: {sd[bad[0]]:g} in row {bad[0] + 1})",
            needed="standard deviations of 0 or more",
            cure="Check the column; did you pass another one in its place?",
        )


def require_choice(value: object, choices: tuple[str, ...], *, name: str, where: str) -> None:
    """Raise unless `value` is one of the named choices."""
    if value not in choices:
        raise InputError(
            where=where,
            found=f"{name}={value!r}",
            needed="one of " + ", ".join(repr(choice) for choice in choices),
            cure="Choose one of these.",
        )


def require_count(draws: int, *, where: str) -> None:
    """Raise unless `draws` is a whole number of at least 1."""
    if int(draws) != draws or draws < 1:
        raise InputError(
            where=where,
            found=f"draws={draws!r}",
            needed="a whole number, 1 or more",
            cure="1000 is a common choice.",
        )


def _shared_length(arrays: dict[str, FloatArray], where: str) -> int:
    lengths = {name: values.size for name, values in arrays.items()}
    longest = max(lengths.values())
    if any(length not in (1, longest) for length in lengths.values()):
        raise LengthMismatchError(where=where, lengths=lengths)
    return longest


def _all_finite(values: FloatArray) -> bool:
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.isfinite(values.sum()) or np.isfinite(values).all())


def _require_no_infinity(values: FloatArray, *, column: str, where: str) -> None:
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise InputError(
            where=f"{where}, column {column!r}",
            found=f"{infinite.size} of {values.size} values infinite (first: row "
            f"{infinite[0] + 1})",
            needed="finite numbers",
            cure="An infinite value is a mistake rather than a gap: correct these rows.",
        )
