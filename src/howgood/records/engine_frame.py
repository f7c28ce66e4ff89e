"""Any table as a narwhals frame, and back into what the caller gave; rows counted by its engine.

In: a pandas, Polars, PyArrow, DuckDB or Spark frame, or a mapping of columns. Out: `EngineFrame`;
one entry per distinct key of a lazy frame. Absent: what the columns mean.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError, MissingColumnError
from howgood.records.table import Table, collected, lazy_frame, rows_being_read
from howgood.stats.arrays import FloatArray

_ROWS, _MASS, _SMALLEST, _FILLED = "howgood_rows", "howgood_mass", "howgood_least", "howgood_filled"


@dataclass(frozen=True, slots=True)
class EngineFrame:
    """A narwhals frame, eager or lazy, that remembers whether it came as columns."""

    frame: Any
    from_columns: bool
    where: str

    @classmethod
    def of(cls, frame: Any, *, where: str) -> "EngineFrame":  # noqa: ANN401 - any frame
        """Wrap any supported table; columns need one data-frame package to be installed."""
        import narwhals as nw

        from_columns = isinstance(frame, Mapping)
        native = Table(frame).to_frame() if from_columns else frame
        try:
            return cls(nw.from_native(native), from_columns, where)
        except TypeError as error:
            raise InputError(
                where=where,
                found=f"a {type(frame).__name__}",
                needed="a table: pandas, Polars, PyArrow, DuckDB, Spark, or a dict of columns",
                cure="Convert it to one of these first.",
            ) from error

    @property
    def is_lazy(self) -> bool:
        """Whether the rows live in an engine rather than in memory."""
        import narwhals as nw

        return isinstance(self.frame, nw.LazyFrame)

    def require(self, columns: Iterable[str], *, numeric: Iterable[str] = ()) -> None:
        """Raise unless these columns exist, and the second ones hold numbers."""
        schema = self.frame.collect_schema()
        numbers = list(numeric)
        wanted = list(dict.fromkeys([*columns, *numbers]))
        missing = [name for name in wanted if name not in schema]
        if missing:
            raise MissingColumnError(
                where=self.where,
                column=missing[0],
                columns=schema.names(),
                also=missing[1:],
                taken=wanted,
            )
        for name in numbers:
            if not schema[name].is_numeric():
                raise InputError(
                    where=f"{self.where}, column {name!r}",
                    found=self._as_found(name, schema[name]),
                    needed="numbers",
                    cure="Convert the column, or name another one.",
                )

    def _as_found(self, name: str, kind: Any) -> str:  # noqa: ANN401 - narwhals' own type
        """Say what stands where numbers should: letters sort last, so the largest text shows it."""
        import narwhals as nw

        if kind != nw.String:
            return f"values of type {kind}"
        return f"text such as {self.one_row(text=nw.col(name).max())['text']!r}"

    def replace(self, frame: Any) -> "EngineFrame":  # noqa: ANN401 - a narwhals frame
        """Return the same kind of table with other rows."""
        return EngineFrame(frame, self.from_columns, self.where)

    def left_join(self, other: "EngineFrame", *, on: list[str]) -> "EngineFrame":
        """Return these rows with the other's columns added; both on one engine."""
        mine, theirs = self.frame, other.frame
        if mine.implementation != theirs.implementation or self.is_lazy != other.is_lazy:
            raise InputError(
                where=other.where,
                found=f"a table on another engine than the {self.where}",
                needed="both tables on one engine",
                cure="Open both with the same engine, or convert one of them.",
            )
        return self.replace(mine.join(theirs, on=on, how="left"))

    def one_row(self, **values: Any) -> dict[str, Any]:  # noqa: ANN401 - narwhals expressions
        """Run a query that gives a single row and return it as plain values."""
        return single_row(self.frame.select(**values), where=self.where)

    def native(self, *, order: Iterable[str] = ()) -> Any:  # noqa: ANN401 - as it came
        """Return what the caller gave: their frame type, or a `Table` for columns.

        Rows in memory are sorted by `order`; an engine's rows keep whatever order they have.
        """
        if self.is_lazy:
            return self.frame.to_native()
        ordered = self.frame.sort(*order) if tuple(order) else self.frame
        if not self.from_columns:
            return ordered.to_native()
        return Table({name: ordered.get_column(name).to_numpy() for name in ordered.columns})


def single_row(
    frame: Any,  # noqa: ANN401 - a narwhals frame
    *,
    where: str = "the table",
) -> dict[str, Any]:
    """Bring the only row of a frame home, whatever the engine, without a further package."""
    import narwhals as nw

    if not isinstance(frame, nw.LazyFrame):
        names = frame.columns
        return {name: _plain(frame.get_column(name).to_list()[0]) for name in names}
    native = frame.to_native()
    with rows_being_read(where):
        if frame.implementation.is_polars():
            return dict(native.collect(engine="streaming").row(0, named=True))
        names = frame.collect_schema().names()
        if frame.implementation.is_duckdb():
            return dict(zip(names, native.fetchall()[0], strict=True))
        if frame.implementation.is_spark_like():
            return dict(native.collect()[0].asDict())
        return single_row(frame.collect())


def _plain(value: Any) -> Any:  # noqa: ANN401 - a cell
    return value.item() if isinstance(value, np.generic) else value


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
    grouped = collected(lazy.group_by(keys).agg(*sums), where=where)
    rows = np.asarray(grouped[_ROWS], dtype=np.float64)
    if weights is None:
        mass = smallest = rows
    else:
        gaps = np.asarray(grouped[_FILLED], dtype=np.float64) < rows
        mass = np.where(gaps, np.nan, np.asarray(grouped[_MASS], dtype=np.float64))
        smallest = np.asarray(grouped[_SMALLEST], dtype=np.float64)
    return GroupedCounts(
        keys={name: grouped[name] for name in keys},
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
