"""Open a table file with whichever engine is at hand.

In: a path to CSV or Parquet and an engine name. Out: a lazy frame (Polars, DuckDB, Spark), or a
`Table` from the built-in CSV reader. Absent: the meaning of columns (each stage knows its own).
"""

import csv
import gzip
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from howgood.errors import FileFormatError, InputError, MissingExtraError
from howgood.records.table import Table

ENGINES = ("auto", "polars", "duckdb", "spark", "built-in")
_PARQUET = {".parquet", ".pq"}
_CSV = {".csv", ".tsv", ".txt"}
_GZIP = ".gz"
_HEAD = 65_536


def open_table(
    path: str | Path,
    *,
    engine: str = "auto",
) -> Any:  # noqa: ANN401 - the engine's own lazy frame
    """Open a CSV or Parquet file without loading it into memory.

    Parameters
    ----------
    path : str or Path
        A file ending in .csv, .tsv, .txt (each also compressed: .csv.gz), .parquet or .pq; with
        Parquet also a pattern such as `ratings/*.parquet`. CSV columns may be parted by commas
        or, where the header has none, by semicolons.
    engine : {"auto", "polars", "duckdb", "spark", "built-in"}
        "auto" takes Polars, else DuckDB, else the built-in reader (CSV only, in memory), which
        also is quickest for small files: it loads nothing.

    Returns
    -------
    frame
        A lazy frame of the engine, or a `Table`; every howgood function accepts either.

    Notes
    -----
    Stability: stable
    """
    location = Path(path)
    if engine not in ENGINES:
        raise InputError(
            where="engine",
            found=repr(engine),
            needed=f"one of {', '.join(ENGINES)}",
            cure="Choose one of these.",
        )
    suffix = _checked_suffix(location)
    if engine == "auto":
        engine = next((name for name in ("polars", "duckdb") if find_spec(name)), "built-in")
    opened = {
        "polars": _open_polars,
        "duckdb": _open_duckdb,
        "spark": _open_spark,
        "built-in": _open_built_in,
    }[engine](location, suffix)
    return opened


def _checked_suffix(location: Path) -> str:
    suffix = location.suffix.lower()
    if suffix == _GZIP and Path(location.stem).suffix.lower() in _CSV:
        suffix = Path(location.stem).suffix.lower()
    if suffix not in _PARQUET | _CSV:
        raise FileFormatError(
            where=str(location),
            found=f"a file ending in {suffix!r}" if suffix else "a file without an ending",
            needed="a table ending in .csv, .tsv or .parquet",
            cure="Save the table as CSV or Parquet.",
        )
    if any(sign in location.name for sign in "*?["):
        return suffix
    if not location.is_file():
        raise FileFormatError(
            where=str(location),
            found="a folder" if location.is_dir() else "no such file",
            needed="a readable table file",
            cure="Check the path.",
        )
    if location.stat().st_size == 0:
        raise FileFormatError(
            where=str(location),
            found="an empty file",
            needed="a table with a header and at least one row",
            cure="Export the table again.",
        )
    _check_magic(location, suffix)
    return suffix


def _check_magic(location: Path, suffix: str) -> None:
    try:
        with _binary(location) as handle:
            head = handle.read(_HEAD)
    except (gzip.BadGzipFile, EOFError) as error:
        raise _not_a_table(location, "content that is not gzip") from error
    if suffix in _PARQUET and not head.startswith(b"PAR1"):
        raise _not_a_table(location, "content that is not Parquet")
    if suffix in _PARQUET:
        return
    if b"\0" in head:
        raise _not_a_table(location, "binary content")
    if len(head) < _HEAD and sum(bool(line.strip()) for line in head.splitlines()) < 2:
        raise FileFormatError(
            where=str(location),
            found="a header without rows" if head.strip() else "an empty file",
            needed="a table with a header and at least one row",
            cure="Export the table again.",
        )


def _binary(location: Path) -> IO[bytes]:
    if location.suffix.lower() == _GZIP:
        return cast("IO[bytes]", gzip.open(location, "rb"))
    return location.open("rb")


def _not_a_table(location: Path, found: str) -> FileFormatError:
    return FileFormatError(
        where=str(location),
        found=found,
        needed="a table: CSV with a header line, or Parquet",
        cure="Save the table as CSV or Parquet.",
    )


def _open_polars(location: Path, suffix: str) -> Any:  # noqa: ANN401 - polars.LazyFrame
    polars = _engine_module("polars", extra="files")
    try:
        if suffix in _PARQUET:
            frame = polars.scan_parquet(location)
        else:
            frame = polars.scan_csv(
                location, separator=_separator(location, suffix), infer_schema_length=10_000
            )
        frame.collect_schema()
    except (polars.exceptions.PolarsError, OSError) as error:
        raise _not_a_table(location, _first_line(error)) from error
    return frame


def _open_duckdb(location: Path, suffix: str) -> Any:  # noqa: ANN401 - duckdb relation
    duckdb = _engine_module("duckdb", extra="files")
    try:
        if suffix in _PARQUET:
            return duckdb.read_parquet(str(location))
        return duckdb.read_csv(str(location), sep=_separator(location, suffix), header=True)
    except duckdb.Error as error:
        raise _not_a_table(location, _first_line(error)) from error


def _open_spark(location: Path, suffix: str) -> Any:  # noqa: ANN401 - pyspark DataFrame
    _engine_module("pyspark", extra="spark")
    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName("howgood").getOrCreate()
    if suffix in _PARQUET:
        return session.read.parquet(str(location))
    return session.read.csv(
        str(location), header=True, inferSchema=True, sep=_separator(location, suffix)
    )


def _open_built_in(location: Path, suffix: str) -> Table:
    if suffix in _PARQUET:
        raise MissingExtraError(task="reading Parquet", extra="files")
    try:
        with TextIOWrapper(_binary(location), newline="", encoding="utf-8-sig") as handle:
            reader = csv.reader(handle, delimiter=_separator(location, suffix))
            header = next(reader)
            rows = [row for row in reader if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise _not_a_table(location, _first_line(error)) from error
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise _not_a_table(
                location, f"row {number} with {len(row)} fields under {len(header)} column names"
            )
    columns = zip(*rows, strict=True) if rows else ([] for _ in header)
    return Table({name: _typed(list(values)) for name, values in zip(header, columns, strict=True)})


def _typed(values: list[str]) -> NDArray[Any]:
    """Numbers where every filled cell is one (gaps become NaN), else text."""
    try:
        return np.array([float(value) if value.strip() else np.nan for value in values])
    except ValueError:
        return np.array([value if value else None for value in values], dtype=object)


def _separator(location: Path, suffix: str) -> str:
    """Return a tab for .tsv; else a comma, or a semicolon where the header has no comma."""
    if suffix == ".tsv":
        return "\t"
    if not location.is_file():  # a pattern
        return ","
    with _binary(location) as handle:
        header = handle.readline()
    return ";" if b";" in header and b"," not in header else ","


def _engine_module(name: str, *, extra: str) -> Any:  # noqa: ANN401 - a module
    from importlib import import_module

    if find_spec(name) is None:
        raise MissingExtraError(task=f"the {name} engine", extra=extra)
    return import_module(name)


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
