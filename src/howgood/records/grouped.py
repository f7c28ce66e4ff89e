"""Rows of a lazy frame counted by its own engine.

In: a Polars, DuckDB or Spark frame and key columns. Out: one entry per distinct key.
Absent: frames that sit in memory; those are read as columns (see `records.table`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.records.table import collected, lazy_frame
from howgood.stats.arrays import FloatArray

_ROWS, _MASS, _SMALLEST, _FILLED = "howgood_rows", "howgood_mass", "howgood_least", "howgood_filled"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedCounts:
    """Distinct keys, the rows behind each, their summed and their smallest weight."""

    keys: dict[str, NDArray[Any]]
    rows: FloatArray
    weight: FloatArray
    smallest_weight: FloatArray


def grouped_counts(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    keys: list[str],
    weights: str | None,
    where: str,
) -> GroupedCounts | None:
    """Count a lazy frame inside its engine; None when the frame is not lazy."""
    import narwhals as nw

    lazy = lazy_frame(frame, [*keys, weights] if weights else keys, where=where)
    if lazy is None:
        return None
    sums = [nw.len().alias(_ROWS)]
    if weights is not None:
        _require_numbers(lazy, weights, where)
        weight = nw.col(weights).cast(nw.Float64)
        sums += [
            weight.sum().alias(_MASS),
            weight.min().alias(_SMALLEST),
            weight.count().alias(_FILLED),
        ]
    found = collected(lazy.group_by(keys).agg(*sums), where=where)
    rows = np.asarray(found[_ROWS], dtype=np.float64)
    if weights is None:
        mass = smallest = rows
    else:
        gaps = np.asarray(found[_FILLED], dtype=np.float64) < rows
        mass = np.where(gaps, np.nan, np.asarray(found[_MASS], dtype=np.float64))
        smallest = np.asarray(found[_SMALLEST], dtype=np.float64)
    return GroupedCounts(
        keys={name: found[name] for name in keys},
        rows=rows,
        weight=mass,
        smallest_weight=smallest,
    )


def _require_numbers(lazy: Any, name: str, where: str) -> None:  # noqa: ANN401 - narwhals' type
    kind = lazy.collect_schema()[name]
    if not kind.is_numeric():
        raise InputError(
            where=f"{where}, column {name!r}",
            found=f"values that are not numbers ({kind})",
            needed="weights of 0 or more",
            cure="Name the column that holds the weights.",
        )
