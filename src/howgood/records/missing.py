"""Missing values under a named policy: "error" refuses a gap, "drop" leaves its row out, counted.

In: columns of one table, and the policy. Out: the complete rows and how many were left out.
Absent: what the columns mean.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import DroppedRowsWarning, InputError, MissingValueError, announce, check_one_of
from howgood.records.levels import missing_values

POLICIES = ("error", "drop")


def check_policy(missing: str, *, policies: Sequence[str] = POLICIES) -> None:
    """Raise unless `missing` names a policy."""
    check_one_of(missing, policies, where="missing")


def complete_rows(
    columns: Mapping[str, NDArray[Any]],
    *,
    missing: str,
    where: str,
    numbers: Collection[str] = (),
) -> tuple[dict[str, NDArray[Any]], int]:
    """Return the rows in which nothing is missing, and how many have a gap; `numbers` are floats.

    "error" refuses a gap and says where it is; "drop" leaves its row out and says how many.

    Examples
    --------
    >>> rows, n_dropped = complete_rows(
    ...     {"y": np.array(["a", "b"])}, missing="error", where="labels"
    ... )
    >>> rows["y"].tolist(), n_dropped
    (['a', 'b'], 0)
    """
    check_policy(missing)
    n_rows = len(next(iter(columns.values())))
    gaps = {
        name: ~np.isfinite(values) if name in numbers else blank_values(values)
        for name, values in columns.items()
    }
    for name, bad in gaps.items():
        if missing == "error" and bad.any():
            raise MissingValueError(
                where=where,
                column=name,
                n_missing=int(bad.sum()),
                n_rows=n_rows,
                first=int(np.argmax(bad)),
            )
    complete = ~np.logical_or.reduce(list(gaps.values()))
    n_dropped = int((~complete).sum())
    counts = {name: int(bad.sum()) for name, bad in gaps.items()}
    refuse_or_announce(counts, n_dropped, n_rows, missing=missing, where=where)
    if not n_dropped:
        return dict(columns), 0
    return {name: values[complete] for name, values in columns.items()}, n_dropped


def refuse_or_announce(
    gaps: Mapping[str, int], n_dropped: int, n_rows: int, *, missing: str, where: str
) -> None:
    """Refuse gaps by column, or say how many rows are left out for them; refuse to keep none."""
    check_policy(missing)
    for name, n_missing in gaps.items():
        if missing == "error" and n_missing:
            raise MissingValueError(
                where=where, column=name, n_missing=n_missing, n_rows=n_rows, first=None
            )
    if n_dropped == n_rows:
        raise InputError(
            where=where,
            found=f"no complete row among {n_rows}",
            needed="at least one row without a gap",
            cure="Check the file or filter.",
        )
    if n_dropped:
        listed = ", ".join(f"{count} in {name!r}" for name, count in gaps.items() if count)
        announce(
            f"{where}: {n_dropped} of {n_rows} rows left out, values missing: {listed}.",
            DroppedRowsWarning,
        )


def blank_values(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark missing values; a text of nothing but spaces is one."""
    absent = missing_values(values)
    if values.dtype.kind not in "OU":
        return absent
    given = values.tolist()
    try:
        # Names come again and again: looking at each once is enough where none is blank.
        if not any(isinstance(value, str) and not value.strip() for value in set(given)):
            return absent
    except TypeError:  # values without a hash, such as lists
        pass
    empty = (isinstance(value, str) and not value.strip() for value in given)
    blank: NDArray[np.bool_] = absent | np.fromiter(empty, dtype=bool, count=len(values))
    return blank
