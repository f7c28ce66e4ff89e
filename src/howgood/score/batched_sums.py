"""The sums of squared errors of a Polars query, batch by batch as it streams.

In: a Polars lazy frame and column names. Out: `ErrorSums`. Absent: other engines, which sum by a
query of their own (`score.lazy_sums`); here matrix products in the cache are several times faster
than columns of powers, most of all for many systems, and memory stays as small.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.records.table import rows_being_read
from howgood.score.feedback_columns import (
    bad_values,
    n_wrong_trials,
    refuse,
    system_columns,
    too_large,
)
from howgood.score.lazy_sums import selected_floats
from howgood.stats.error_sums import ErrorSums, error_sums

FloatArray = NDArray[np.float64]

_ROWS = 65_536


def sum_batches(
    frame: Any,  # noqa: ANN401 - a narwhals LazyFrame over Polars
    roles: Mapping[str, str],
    trials: str | int | None,
    missing: str,
    powers: int,
) -> tuple[ErrorSums, int]:
    """Return the sums and how many rows were left out; refuse what cannot be summed."""
    query = selected_floats(frame, roles).to_native()
    total: ErrorSums | None = None
    bad, counts = Counter[str](), Counter[str]()
    for batch in _batches(query):
        arrays = {
            role: column.to_numpy() for role, column in zip(roles, batch.get_columns(), strict=True)
        }
        counts["rows"] += len(batch)
        arrays = _finite_rows(arrays, roles, bad)
        counts["used"] += len(arrays["mean"])
        counts["negative"] += int((arrays["sd"] < 0).sum())
        counts["no trial"] += n_wrong_trials(arrays)
        if len(arrays["mean"]) and not counts["no trial"]:
            part = sums_of_arrays(arrays, trials, powers)
            total = part if total is None else total + part
    if bad and missing == "error":
        raise bad_values({name: bad[name] for name in roles.values()}, counts["rows"])
    refuse(
        roles,
        n_used=counts["used"],
        n_negative=counts["negative"],
        n_no_trial=counts["no trial"],
    )
    if total is None or not (
        np.isfinite(total.variance_powers).all() and np.isfinite(total.deviation_powers).all()
    ):
        raise too_large(roles["sd"])
    return total, counts["rows"] - counts["used"]


def _batches(query: Any) -> Iterator[Any]:  # noqa: ANN401 - Polars' own types
    with rows_being_read():
        yield from query.collect_batches(chunk_size=_ROWS, engine="streaming")


def _finite_rows(
    arrays: dict[str, FloatArray], roles: Mapping[str, str], bad: Counter[str]
) -> dict[str, FloatArray]:
    """Return the rows in which every value is finite, and count the others by column."""
    # One pass finds the usual case, a batch without gaps: a sum is finite only if all values are.
    with np.errstate(over="ignore"):
        if all(np.isfinite(values.sum()) for values in arrays.values()):
            return arrays
    finite = {role: np.isfinite(values) for role, values in arrays.items()}
    for name, where in {roles[role]: each for role, each in finite.items()}.items():
        if not where.all():
            bad[name] += int((~where).sum())
    whole = np.logical_and.reduce(list(finite.values()))
    return {role: values[whole] for role, values in arrays.items()}


def sums_of_arrays(
    arrays: Mapping[str, FloatArray], trials: str | int | None, powers: int
) -> ErrorSums:
    """Return the sums of finite arrays by role; `trials` may be one number for all rows."""
    given = arrays.get("trials")
    n_trials = np.full(len(arrays["mean"]), float(trials)) if isinstance(trials, int) else given
    with np.errstate(over="ignore", invalid="ignore"):
        return error_sums(
            arrays["mean"], arrays["sd"], system_columns(arrays), powers=powers, trials=n_trials
        )
