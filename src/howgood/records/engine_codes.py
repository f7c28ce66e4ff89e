"""Columns of names as integer codes, made by the engine that holds the rows.

In: a Polars frame (eager or lazy), or rows of DuckDB, Ibis or Spark where Polars is installed. Out:
`CodedColumn` and arrays of numbers; None where the rows have to be looked at one by one (gaps,
other types, other tables). Absent: what the columns mean.

Names are never Python objects on this road, and rows come in batches, of which only the codes are
kept: that is most of the time and memory of a large table.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.records.table import lazy_frame, rows_being_read

_ROWS, _SLICE = 100_000, 100_000
_SMALL = (np.int8, np.int16, np.int32)

_Batches = Callable[[], Iterator[Any]]


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A column as sorted distinct values, and the place of each row's value among them.

    Codes are integers as small as the number of values allows.
    """

    levels: NDArray[Any]
    codes: NDArray[Any]

    def __getitem__(self, rows: NDArray[Any]) -> "CodedColumn":
        return CodedColumn(self.levels, self.codes[rows])

    def __len__(self) -> int:
        return len(self.codes)


def coded_columns(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    names: Sequence[str],
    numbers: Sequence[str] = (),
    *,
    where: str,
) -> dict[str, Any] | None:
    """Return columns of names as codes and those of numbers as they are; None to read row by row.

    Text and whole numbers without a gap, and finite numbers, are read; all else is left to the
    checks that say what is wrong with a row.
    """
    if set(names) & set(numbers):
        return None
    opened = _opened(frame, list(dict.fromkeys([*names, *numbers])), where)
    if opened is None:
        return None
    schema, batches = opened
    import narwhals as nw

    if not all(schema[name] == nw.String or schema[name].is_integer() for name in names):
        return None
    if not all(schema[name].is_numeric() for name in numbers):
        return None
    with rows_being_read(where):
        seen = _levels(batches, names, numbers)
        if seen is None:
            return None
        n_rows, levels = seen
        return _coded(batches, n_rows, levels, numbers)


def number_batches(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    names: Sequence[str],
    *,
    where: str,
) -> Iterator[dict[str, NDArray[np.float64]]] | None:
    """Yield columns of numbers in batches, gaps as NaN; None for other tables and types."""
    wanted = list(dict.fromkeys(names))
    opened = _opened(frame, wanted, where)
    if opened is None or not all(opened[0][name].is_numeric() for name in wanted):
        return None
    return _as_numbers(opened[1], wanted, where)


def _as_numbers(
    batches: _Batches, names: Sequence[str], where: str
) -> Iterator[dict[str, NDArray[np.float64]]]:
    import polars as pl

    with rows_being_read(where):
        for batch in batches():
            yield {name: batch.get_column(name).cast(pl.Float64).to_numpy() for name in names}


def _levels(
    batches: _Batches, names: Sequence[str], numbers: Sequence[str]
) -> tuple[int, dict[str, Any]] | None:
    """Return how many rows there are and the sorted values of columns; None if one has a gap."""
    import polars as pl

    n_rows, known = 0, dict.fromkeys(names)
    for batch in batches():
        n_rows += batch.height
        for name in numbers:
            column = batch.get_column(name)
            if column.null_count() or not column.cast(pl.Float64).is_finite().all():
                return None
        for name in names:
            values = batch.get_column(name).unique()
            if values.null_count():
                return None
            if values.dtype == pl.String and (values.str.strip_chars() == "").any():
                return None
            before = known[name]
            known[name] = values if before is None else pl.concat([before, values]).unique()
    if not n_rows:
        return None
    return n_rows, {name: values.sort() for name, values in known.items() if values is not None}


def _coded(
    batches: _Batches, n_rows: int, levels: dict[str, Any], numbers: Sequence[str]
) -> dict[str, Any] | None:
    import polars as pl

    codes = {name: np.empty(n_rows, dtype=_small(len(known))) for name, known in levels.items()}
    values = {name: np.empty(n_rows, dtype=np.float64) for name in numbers}
    places = {name: _places(known) for name, known in levels.items()}
    done = 0
    for batch in batches():
        rows = slice(done, done + batch.height)
        done += batch.height
        if done > n_rows:
            return None  # a table that changes while it is read
        for name, coded in codes.items():
            coded[rows] = places[name](batch.get_column(name))
        for name, column in values.items():
            column[rows] = batch.get_column(name).cast(pl.Float64).to_numpy()
    if done < n_rows:
        return None  # it changed the other way
    columns: dict[str, Any] = {
        name: CodedColumn(_as_array(known), codes[name]) for name, known in levels.items()
    }
    return columns | values


def _as_array(known: Any) -> NDArray[Any]:  # noqa: ANN401 - Polars' own types
    import polars as pl

    # A list of whole numbers beyond 2^63 would become floats, which are no longer distinct.
    array: NDArray[Any] = (
        np.array(known.to_list()) if known.dtype == pl.String else known.to_numpy()
    )
    return array


def _small(n_levels: int) -> type[np.signedinteger[Any]]:
    return next(kind for kind in _SMALL if n_levels <= np.iinfo(kind).max)


def _places(known: Any) -> Callable[[Any], NDArray[Any]]:  # noqa: ANN401 - Polars' own types
    """Return a function from a column to the places of its values among those known."""
    import polars as pl

    if known.dtype == pl.String:
        kind = pl.Enum(known)
        return lambda column: column.cast(kind).to_physical().to_numpy()
    levels = known.to_numpy()
    start, stop = int(levels[0]), int(levels[-1])
    # Below zero a small type may not hold the difference.
    if start >= 0 and stop - start + 1 == len(levels):
        return lambda column: column.to_numpy() - start
    return lambda column: np.searchsorted(levels, column.to_numpy())


def _opened(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    names: list[str],
    where: str,
) -> tuple[Any, _Batches] | None:
    """Return the types of the columns and what gives their rows in batches, or None."""
    if isinstance(frame, dict) or find_spec("polars") is None:
        return None
    import narwhals as nw
    import polars as pl

    lazy = lazy_frame(frame, names, where=where)
    if lazy is None:
        wrapped = nw.from_native(frame)
        if not wrapped.implementation.is_polars():
            return None
        rows = wrapped.select(names).to_native()
        return wrapped.schema, lambda: rows.iter_slices(_ROWS)
    native = lazy.to_native()
    with rows_being_read(where):
        schema = lazy.collect_schema()
        if lazy.implementation.is_polars():
            return schema, _polars_batches(native)
        reader = _reader(native, lazy.implementation) if find_spec("pyarrow") else None
        if reader is None:
            whole = lazy.collect(backend="polars").to_native()
            return schema, lambda: whole.iter_slices(_ROWS)
    return schema, lambda: (pl.from_arrow(batch) for batch in reader())


def _polars_batches(rows: Any) -> _Batches:  # noqa: ANN401 - a Polars lazy frame
    """Return what gives the rows of a lazy frame in batches.

    Of a Parquet file that nothing is done to, slices are read: batches would hold most of a file of
    a few million rows at once, because Polars decodes ahead.
    """
    import polars as pl

    plan = rows.explain()
    if not plan.startswith("Parquet SCAN") or "SELECTION" in plan or "SLICE" in plan:
        return lambda: rows.collect_batches(chunk_size=_ROWS, engine="streaming")
    n_rows = rows.select(pl.len()).collect().item()
    starts = range(0, n_rows, _SLICE)
    return lambda: (rows.slice(start, _SLICE).collect(engine="streaming") for start in starts)


def _reader(native: Any, implementation: Any) -> Callable[[], Any] | None:  # noqa: ANN401 - engines' own types
    """Return what opens the rows of an engine as batches in Arrow's format, None without that."""
    if implementation.is_duckdb():
        # DuckDB 1 has only the older name.
        read = getattr(native, "to_arrow_reader", None) or native.fetch_record_batch
        return lambda: read(_ROWS)
    return None
