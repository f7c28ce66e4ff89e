"""Columns of names as integer codes, made by the engine that holds the rows.

In: a Polars frame (eager or lazy), or rows of DuckDB, Ibis or Spark where Polars is installed. Out:
`CodedColumn` and arrays of numbers; None where the rows have to be looked at one by one (gaps,
other types, other tables). Absent: what the columns mean.

Names are never Python objects on this road, which is most of the time and memory of a large table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.records.table import lazy_frame, rows_being_read

_GAPS = "howgood_gaps_"


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A column as sorted distinct values, and the place of each row's value among them."""

    levels: NDArray[Any]
    codes: NDArray[np.int32]

    def __getitem__(self, rows: NDArray[Any]) -> "CodedColumn":
        return CodedColumn(self.levels, self.codes[rows])


def coded_columns(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    names: Sequence[str],
    number: str,
    *,
    where: str,
) -> dict[str, Any] | None:
    """Return columns of names as codes and one of numbers as it is; None to read them row by row.

    Text and whole numbers without a gap, and finite numbers, are read; all else is left to the
    checks that say what is wrong with a row.
    """
    rows = _polars_rows(frame, [*names, number], where)
    if rows is None:
        return None
    import polars as pl

    schema = rows.collect_schema()
    texts = [name for name in names if schema[name] == pl.String]
    whole = [name for name in names if schema[name].is_integer()]
    if len(texts) + len(whole) < len(names) or not schema[number].is_numeric():
        return None
    gaps = {
        **{name: pl.col(name).is_null() for name in whole},
        **{name: pl.col(name).is_null() | (pl.col(name).str.strip_chars() == "") for name in texts},
        number: pl.col(number).is_null() | ~pl.col(number).cast(pl.Float64).is_finite(),
    }
    counted = [gap.sum().alias(_GAPS + name) for name, gap in gaps.items()]
    levels = [pl.col(name).unique().sort().implode().alias(name) for name in texts]
    with rows_being_read(where):
        seen = rows.select(*counted, *levels).collect(engine="streaming").row(0, named=True)
        if any(seen[_GAPS + name] for name in gaps):
            return None
        coded = rows.select(
            *(pl.col(name).cast(pl.Enum(seen[name])).to_physical() for name in texts),
            *(pl.col(name) for name in whole),
            pl.col(number).cast(pl.Float64),
        ).collect(engine="streaming")
    if not coded.height:
        return None
    columns: dict[str, Any] = {number: coded.get_column(number).to_numpy()}
    for name in texts:
        codes = coded.get_column(name).to_numpy().astype(np.int32)
        columns[name] = CodedColumn(np.array(seen[name]), codes)
    for name in whole:
        columns[name] = coded.get_column(name).to_numpy()
    return columns


def _polars_rows(frame: Any, names: Sequence[str], where: str) -> Any:  # noqa: ANN401 - a LazyFrame
    """Return the columns as a Polars lazy frame, or None for other tables."""
    if isinstance(frame, dict) or find_spec("polars") is None:
        return None
    import narwhals as nw

    lazy = lazy_frame(frame, names, where=where)
    if lazy is None:
        wrapped = nw.from_native(frame)
        is_polars = wrapped.implementation.is_polars()
        return wrapped.select(list(dict.fromkeys(names))).to_native().lazy() if is_polars else None
    if lazy.implementation.is_polars():
        return lazy.to_native()
    with rows_being_read(where):
        return lazy.collect(backend="polars").to_native().lazy()
