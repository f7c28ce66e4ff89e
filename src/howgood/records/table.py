"""A small table of our own making, and columns out of anybody's table.

In: named columns, or a pandas, Polars, PyArrow, DuckDB or Spark frame. Out: `Table`, or NumPy
columns. Absent: files (see `ask.files`) and any required data-frame package: narwhals speaks
to whichever one the caller has.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError, MissingColumnError, MissingExtraError
from howgood.records.levels import as_array
from howgood.records.shown import Shown
from howgood.stats.arrays import FloatArray

# Squares of larger numbers, and their sums, overflow.
_LARGEST = 1e100
_FRAME_LIBRARIES = ("polars", "pandas", "pyarrow")
# Modules whose errors speak of the rows being read: an engine's own, and Polars' panics.
_ENGINES = ("polars", "pyo3_runtime", "duckdb", "_duckdb", "pyspark", "pyarrow", "narwhals")


# So many rows of a table are printed.
_PRINTED = 20


class Tabular(Shown):
    """A result whose main table becomes a data frame; `frame_of` names that table."""

    __slots__ = ()
    frame_of: ClassVar[str]

    def to_frame(self, library: str | None = None) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return the main table in Polars, pandas or PyArrow: the one named, else any installed."""
        framed = getattr(self, self.frame_of)
        table: Table = framed() if callable(framed) else framed
        return table.to_frame(library)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the main table to any tool that speaks Arrow (the PyCapsule protocol)."""
        return self.to_frame().__arrow_c_stream__(requested_schema)


class Table(dict[str, NDArray[Any]], Shown):
    """Named columns of equal length; accepted wherever a frame is.

    A dict of NumPy arrays, so `pandas.DataFrame(table)` and `polars.DataFrame(table)` work;
    `len(table)` is the number of rows, as in any frame.

    Stability: stable

    Examples
    --------
    >>> table = Table({"user": ["a", "b"], "rating": [4, 5]})
    >>> len(table), table.columns
    (2, ['user', 'rating'])
    >>> print(table)
    user  rating
    a     4
    b     5
    """

    is_plain: ClassVar[bool] = True

    def __init__(self, columns: Mapping[str, ArrayLike]) -> None:
        arrays = {name: np.asarray(values) for name, values in columns.items()}
        if len({len(values) for values in arrays.values()}) > 1:
            raise LengthMismatchError(
                where="Table", lengths={name: len(values) for name, values in arrays.items()}
            )
        super().__init__(arrays)

    def __len__(self) -> int:
        return len(next(iter(self.values()))) if self.columns else 0

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        """Show the first rows as aligned text; `to_frame` shows more, `text_table` prettier."""
        head = Table({name: values[:_PRINTED] for name, values in self.items()})
        lines = [self.columns, *([_cell(value) for value in row.values()] for row in head.rows())]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        shown = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join(shown + ([f"... {len(self)} rows"] if len(self) > _PRINTED else []))

    @property
    def columns(self) -> list[str]:
        """Column names, in order."""
        return list(self.keys())

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dict of plain Python values."""
        for values in zip(*(column.tolist() for column in self.values()), strict=True):
            yield dict(zip(self.keys(), values, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists by column name."""
        return {name: values.tolist() for name, values in self.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the table whose columns are given."""
        return cls(values)

    def to_frame(self, library: str | None = None) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a Polars, pandas or PyArrow frame: the one named, else the first installed."""
        import narwhals as nw

        names = _FRAME_LIBRARIES if library is None else (library,)
        installed = next((name for name in names if find_spec(name)), None)
        if installed is None:
            raise MissingExtraError(task=f"a data frame ({', '.join(names)})", extra="files")
        backend: Any = installed
        columns = {
            name: values.tolist() if values.dtype == object else values
            for name, values in self.items()
        }
        return nw.from_dict(columns, backend=backend).to_native()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the columns to any tool that speaks Arrow (the PyCapsule protocol)."""
        return self.to_frame().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is not a dependency
        """Return a pandas DataFrame."""
        return self.to_frame("pandas")

    def to_polars(self) -> Any:  # noqa: ANN401 - Polars is not a dependency
        """Return a Polars DataFrame."""
        return self.to_frame("polars")


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def frame_columns(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    names: Iterable[str],
    *,
    where: str,
    ours: Mapping[str, str] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return the named columns of any supported frame as NumPy arrays.

    Lazy frames are collected once, and only these columns are read. `ours` holds our own names of
    columns the caller renamed, for the advice of an error.
    """
    wanted = list(dict.fromkeys(names))
    if isinstance(frame, Mapping):
        _require_columns(wanted, [str(name) for name in frame], where, ours)
        return dict(Table({name: as_array(frame[name]) for name in wanted}))
    import narwhals as nw

    wrapped = _wrapped(frame, where)
    _require_columns(wanted, wrapped.collect_schema().names(), where, ours)
    selected = wrapped.select(wanted)
    if isinstance(selected, nw.LazyFrame):
        return collected(selected, where=where)
    return {name: selected.get_column(name).to_numpy() for name in wanted}


def lazy_frame(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    names: Iterable[str],
    *,
    where: str,
) -> Any:  # noqa: ANN401 - narwhals' own type
    """Return the named columns as a narwhals lazy frame, or None when the frame is not lazy."""
    import narwhals as nw

    wanted = list(dict.fromkeys(names))
    wrapped = _wrapped(frame, where)
    _require_columns(wanted, wrapped.collect_schema().names(), where)
    return wrapped.select(wanted) if isinstance(wrapped, nw.LazyFrame) else None


def collected(lazy: Any, *, where: str) -> dict[str, NDArray[Any]]:  # noqa: ANN401 - a lazy frame
    """Run a narwhals lazy frame and return its columns as NumPy arrays."""
    with rows_being_read(where):
        result = lazy.collect(backend=_collect_backend(lazy))
        return {name: result.get_column(name).to_numpy() for name in result.columns}


@contextmanager
def rows_being_read(where: str = "the table") -> Iterator[None]:
    """Say kindly what an engine says about rows it cannot read, which only reading them shows."""
    try:
        yield
    except BaseException as error:  # Polars' panics are no Exceptions; all others are raised again
        if type(error).__module__.partition(".")[0] not in _ENGINES:
            raise
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(
            where=where,
            found=f"rows that cannot be read ({lines[0]:.200})",
            needed="values of one kind in every column",
            cure="Correct the rows, or save the table again.",
        ) from error


def as_numbers(
    values: ArrayLike,
    *,
    where: str,
    needed: str = "a number in every row",
    cure: str = "Correct the column, or name another one.",
    parse_text: bool = True,
) -> FloatArray:
    """Return a column as numbers: the one way in for all of them.

    Gaps become NaN. Text is refused unless all of it can be read as numbers, or always with
    `parse_text=False` (arrays that somebody computed hold text only by mistake).
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind in "Mm" or (array.dtype.kind in "US" and not parse_text):
            raise TypeError(f"values of type {array.dtype}")
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            where=where,
            found=f"text such as {_first_text(values)!r}, not numbers{_first_row(values)}",
            needed=needed,
            cure=_percent_cure(values) or cure,
        ) from error


def check_sizes(numbers: FloatArray, *, where: str) -> None:
    """Refuse numbers whose squares and sums cannot be computed; infinity has its own refusals.

    Examples
    --------
    >>> check_sizes(np.array([1.0, -1e200]), where="grades")
    Traceback (most recent call last):
    howgood.errors.InputError: grades: -1e+200 in row 2; expected numbers of at most 1e+100. ...
    """
    ends = (np.fmin.reduce(numbers, axis=None, initial=0.0),
            np.fmax.reduce(numbers, axis=None, initial=0.0))  # fmt: skip
    if ends[0] >= -_LARGEST and ends[1] <= _LARGEST:
        return
    flat = numbers.ravel()
    places = np.flatnonzero(np.isfinite(flat) & (np.abs(flat) > _LARGEST))
    if places.size:
        raise InputError(
            where=where,
            found=f"{flat[places[0]]:g} in row {places[0] + 1}",
            needed=f"numbers of at most {_LARGEST:g}",
            cure="Correct the row; where a number stands for a gap, leave the cell empty.",
        )


def _percent_cure(values: ArrayLike) -> str:
    text = _first_text(values).strip()
    number = text.removesuffix("%").strip()
    return f"Write {number} instead of {text}." if text.endswith("%") and number else ""


def _first_text(values: ArrayLike) -> str:
    """Return the first value that is no number, to show what stands there."""
    for value in np.asarray(values).ravel().tolist():
        try:
            float(value)
        except (TypeError, ValueError):
            if value is not None:
                return str(value)[:60]
    return "nothing"


def _first_row(values: ArrayLike) -> str:
    """Return where the first text stands in a column."""
    column = np.asarray(values)
    if column.ndim != 1:
        return ""
    first, texts = _first_text(values), map(str, column.tolist())
    place = next((at for at, text in enumerate(texts) if text[:60] == first), None)
    return "" if place is None else f" (first: row {place + 1})"


def _wrapped(frame: Any, where: str) -> Any:  # noqa: ANN401 - narwhals' own types
    import narwhals as nw

    try:
        return nw.from_native(frame)
    except TypeError as error:
        raise InputError(
            where=where,
            found=f"a {type(frame).__name__}",
            needed="a table: pandas, Polars, PyArrow, DuckDB, Spark, or a dict of columns",
            cure="Convert it to one of these first.",
        ) from error


def frame_column_names(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
) -> list[str]:
    """Return the column names of any supported frame, without reading its rows."""
    if isinstance(frame, Mapping):
        return [str(name) for name in frame]
    return list(_wrapped(frame, "the table").collect_schema().names())


def _require_columns(
    wanted: list[str], present: list[str], where: str, ours: Mapping[str, str] | None = None
) -> None:
    missing = [name for name in wanted if name not in present]
    if missing:
        raise MissingColumnError(
            where=where,
            column=missing[0],
            columns=present,
            also=missing[1:],
            ours=ours,
            taken=wanted,
        )


def _collect_backend(frame: Any) -> Any:  # noqa: ANN401 - narwhals' own types
    """Collect with what is installed; narwhals would insist on PyArrow for DuckDB and Spark."""
    if frame.implementation.is_polars():
        return None
    return next((name for name in ("pyarrow", "polars", "pandas") if find_spec(name)), None)
