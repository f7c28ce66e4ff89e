"""Open a table file with whichever engine is at hand.

In: a path to CSV, JSON, Excel or Parquet, or an address of Parquet, and an engine name. Out: a lazy
frame (Polars, DuckDB, Spark), or a `Table` from the built-in readers. Absent: the meaning of
columns (each stage knows its own).
"""

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from howgood.ask.csv_rows import CsvShape, check_rows
from howgood.ask.json_and_excel import (
    Columns,
    columns_of_document,
    columns_of_lines,
    columns_of_workbook,
)
from howgood.errors import FileFormatError, MissingExtraError, check_one_of
from howgood.records.engine_frame import single_row
from howgood.records.table import Table

ENGINES = ("auto", "polars", "duckdb", "spark", "built-in")
_PARQUET = {".parquet", ".pq"}
CSV = {".csv", ".tsv", ".txt"}
LINES, DOCUMENT, EXCEL = {".jsonl", ".ndjson"}, {".json"}, {".xlsx"}
_IN_MEMORY = LINES | DOCUMENT | EXCEL
_TABLES = _PARQUET | CSV | _IN_MEMORY
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_GZIP = ".gz"
_HEAD = 65_536
_SMALL = 100_000_000
# Compressed tables are unpacked in memory, so what a few bytes may unpack to is limited.
_MOST_UNPACKED = 1_000_000_000
# Parquet tells equal rows by a number. So many cells may be, or as many as bytes stand behind.
_MOST_CELLS, _CELLS_PER_BYTE = 10_000_000, 100
_WIDE_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\0\0\xfe\xff": "UTF-32"}
_QUOTED = re.compile(rb'"[^"]*"')
_DECIMAL_COMMA = re.compile(rb"(?:^|;)[ ]*[-+]?[0-9]+,[0-9]+[ ]*(?:;|\r|\n|$)")
_NOT_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)
_ROW_NUMBER = "howgood: number of the row"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """How a CSV file is written: one setting for every engine, so that all read the same rows."""

    separator: str
    decimal_comma: bool
    shape: CsvShape


def open_table(
    path: str | Path,
    *,
    engine: str = "auto",
) -> Any:  # noqa: ANN401 - the engine's own lazy frame
    """Open a table file; CSV and Parquet without loading them into memory.

    Parameters
    ----------
    path : str or Path
        A file ending in .csv, .tsv, .txt, .jsonl, .ndjson, .json (each also compressed: .csv.gz),
        .xlsx, .parquet or .pq; with Parquet also a folder of such files, as Spark and Dask write
        it, a pattern such as `ratings/*.parquet`, or, as text, an address such as
        `s3://bucket/ratings.parquet`, which Polars reads with the credentials it finds. CSV columns
        may be parted by commas or, where the header has none, by semicolons (then numbers may have
        decimal commas) or tabs. Every row must have as many fields as the header; empty rows are
        passed over. A compressed table may unpack to 1 GB; larger ones are quicker unpacked anyway.

        JSON is one object per line (.jsonl), a list of objects or an object of columns (.json).
        Nested values get dotted names, such as `scores.helpful`; fields that a row lacks are
        gaps; lists stay JSON text. An Excel workbook has one filled sheet, with names in its
        first row.
    engine : {"auto", "polars", "duckdb", "spark", "built-in"}
        "auto" takes Polars, else DuckDB, else the built-in reader (in memory, no Parquet), which
        also is quickest for small files: it loads nothing. Parquet up to 100 MB is read by DuckDB
        where installed: a damaged file then is an error, while Polars ends the process.

    Returns
    -------
    frame
        A lazy frame of the engine, or a `Table`; every howgood function accepts either.

    Notes
    -----
    Stability: stable
    """
    check_one_of(engine, ENGINES, where="engine")
    if is_address(path):
        return _open_address(str(path), engine)
    location = _files_of(Path(path))
    suffix = _checked_suffix(location)
    if engine == "auto":
        engine = _engine_at_hand(location, suffix)
    if suffix in _IN_MEMORY:
        try:
            return _on_engine(engine, _columns_in_memory(location, suffix))
        except UnicodeEncodeError as error:
            raise _not_a_table(location, "halves of characters (lone surrogates)") from error
    opened = {
        "polars": _open_polars,
        "duckdb": _open_duckdb,
        "spark": _open_spark,
        "built-in": _open_built_in,
    }[engine](location, None if suffix in _PARQUET else _layout(location, suffix))
    if suffix in _PARQUET:
        _refuse_rows_from_nothing(opened, location)
    return opened


def is_address(path: str | Path) -> bool:
    """Whether a text names something on another machine; a Path never does."""
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def _open_address(address: str, engine: str) -> Any:  # noqa: ANN401 - polars.LazyFrame
    """Let Polars read Parquet where it lies; other files would have to be fetched whole."""
    if engine not in ("auto", "polars") or Path(address).suffix.lower() not in _PARQUET:
        kind = "Polars" if engine not in ("auto", "polars") else "Parquet"
        raise FileFormatError(
            where=address,
            found="an address" if kind == "Parquet" else f"an address and the engine {engine}",
            needed=f"{kind}: only Parquet is read at an address, and by Polars",
            cure="Copy the file to this machine first, or save it there as Parquet.",
        )
    polars = _engine_module("polars", extra="files")
    try:
        frame = polars.scan_parquet(address)
        frame.collect_schema()
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        raise FileFormatError(
            where=address,
            found=f"nothing readable ({_first_line(error):.200})",
            needed="a Parquet file that this machine may read",
            cure="Check the address, the network and the credentials in the environment.",
        ) from error
    return frame


def _columns_in_memory(location: Path, suffix: str) -> Columns:
    if suffix in EXCEL:
        return columns_of_workbook(location)
    where, size = str(location), location.stat().st_size
    most = max(_MOST_CELLS, _CELLS_PER_BYTE * size)
    try:
        with binary(location) as handle:
            if suffix in LINES:
                return columns_of_lines(_limited(handle, location), where=where, most_cells=most)
            content = b"".join(_limited(handle, location))
        return columns_of_document(content, where=where, most_cells=most)
    except _NOT_GZIP as error:
        raise _not_a_table(location, "a damaged gzip file") from error


def _limited(handle: IO[bytes], location: Path) -> Iterator[bytes]:
    """Yield the lines of a file until there are too many bytes for memory."""
    n_bytes = 0
    while line := handle.readline(_MOST_UNPACKED):
        n_bytes += len(line)
        if n_bytes > _MOST_UNPACKED:
            found = f"more than {_MOST_UNPACKED:,} bytes of JSON"
            raise _not_a_table(location, found, cure="Save the table as Parquet.")
        yield line


def _on_engine(engine: str, columns: Columns) -> Any:  # noqa: ANN401 - the engine's own frame
    """Hand columns over as the engine's own frame, so that they join with its other tables."""
    if engine == "polars":
        return _engine_module("polars", extra="files").LazyFrame(columns)
    if engine == "duckdb":
        # Arrow keeps gaps as gaps; whichever library is there lays the columns out.
        laid_out = Table({name: np.array(values, dtype=object) for name, values in columns.items()})
        return _engine_module("duckdb", extra="files").from_arrow(laid_out)
    if engine == "spark":
        _engine_module("pyspark", extra="spark")
        from pyspark.sql import SparkSession

        session = SparkSession.builder.appName("howgood").getOrCreate()
        return session.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns))
    return _as_table(columns)


def _as_table(columns: Columns) -> Table:
    """Return NumPy columns: numbers with gaps as NaN, everything else with gaps as objects."""
    return Table({name: _array(values) for name, values in columns.items()})


def _array(values: list[Any]) -> NDArray[Any]:
    kinds = {type(value) for value in values}
    if kinds <= {int, float, type(None)} and kinds & {int, float}:
        if type(None) not in kinds:
            return np.array(values)
        return np.array([np.nan if value is None else value for value in values])
    return np.array(values) if kinds == {bool} else np.array(values, dtype=object)


def _engine_at_hand(location: Path, suffix: str) -> str:
    """Polars is quickest, but a damaged Parquet file ends its process; DuckDB only complains."""
    small = suffix in _PARQUET and location.is_file() and location.stat().st_size < _SMALL
    order = ("duckdb", "polars") if small else ("polars", "duckdb")
    return next((name for name in order if find_spec(name)), "built-in")


def _files_of(location: Path) -> Path:
    """Return a pattern of the files where a folder of Parquet files stands for one table."""
    is_table = location.is_dir() and any(location.glob("*.parquet"))
    return location / "*.parquet" if is_table else location


def is_table(path: str | Path) -> bool:
    """Return whether a file is called as a table is: CSV, Parquet, JSON, Excel, packed or not."""
    return inner_suffix(Path(path)) in _TABLES


def _checked_suffix(location: Path) -> str:
    if location.is_dir():
        raise FileFormatError(
            where=str(location),
            found="a folder without .parquet files",
            needed="a table file, or a folder of Parquet files",
            cure="Check the path.",
        )
    suffix = inner_suffix(location)
    if suffix not in _TABLES:
        raise FileFormatError(
            where=str(location),
            found=f"a file ending in {suffix!r}" if suffix else "a file without an ending",
            needed="a table ending in .csv, .tsv, .jsonl, .json, .xlsx or .parquet",
            cure="Save the table as CSV or Parquet.",
        )
    if suffix in _PARQUET and any(sign in location.name for sign in "*?["):
        return suffix
    if not location.is_file():
        raise FileFormatError(
            where=str(location),
            found="no such file",
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
    if suffix not in _IN_MEMORY:
        _check_magic(location, suffix)
    return suffix


def inner_suffix(location: Path) -> str:
    """Return the ending of a file in small letters: of a compressed table, that of the table.

    Examples
    --------
    >>> inner_suffix(Path("Grades.CSV.gz")), inner_suffix(Path("grades.parquet"))
    ('.csv', '.parquet')
    """
    suffix, inner = location.suffix.lower(), Path(location.stem).suffix.lower()
    return inner if suffix == _GZIP and inner in CSV | LINES | DOCUMENT else suffix


def _check_magic(location: Path, suffix: str) -> None:
    head = _head(location)
    if suffix in _PARQUET:
        if not head.startswith(b"PAR1"):
            raise _not_a_table(location, "content that is not Parquet")
        return
    wide = next((name for mark, name in _WIDE_ENCODINGS.items() if head.startswith(mark)), None)
    if wide is not None:
        raise _not_utf8(location, f"text in {wide}")
    if b"\0" in head:
        raise _not_a_table(location, "binary content")
    if len(head) < _HEAD and sum(bool(line.strip()) for line in head.splitlines()) < 2:
        raise FileFormatError(
            where=str(location),
            found="a header without rows" if head.strip() else "an empty file",
            needed="a table with a header and at least one row",
            cure="Export it again, once it has rows.",
        )
    _check_names(location, suffix, head)


def _check_names(location: Path, suffix: str, head: bytes) -> None:
    """Refuse a name that stands twice: every engine would silently choose another column."""
    if not head.strip().count(b"\n") and not head.strip().count(b"\r") and len(head) == _HEAD:
        raise _not_a_table(location, f"a first line of more than {_HEAD:,} bytes")
    text = StringIO(head.decode("utf-8-sig", "replace"), newline="")
    try:
        names = next(csv.reader(text, delimiter=_separator(head, suffix)), [])
    except csv.Error:
        return  # the engine says better what is wrong
    twice = next((name for name, count in Counter(names).items() if name and count > 1), None)
    if twice is not None:
        raise FileFormatError(
            where=str(location),
            found=f"the column {twice[:60]!r} more than once",
            needed="a name of its own for every column",
            cure="Rename one of them, or leave it out.",
        )


def _refuse_rows_from_nothing(frame: Any, location: Path) -> None:  # noqa: ANN401 - a lazy frame
    """Count first: a few kilobytes of Parquet can stand for more rows than memory holds.

    Files tell their rows without being read. What is large may hold as much as it likes.
    """
    import narwhals as nw

    wrapped = nw.from_native(frame)
    rows = int(single_row(wrapped.select(rows=nw.len()), where=str(location))["rows"])
    cells = rows * len(wrapped.collect_schema().names())
    files = [location] if location.is_file() else list(location.parent.glob(location.name))
    size = sum(file.stat().st_size for file in files)
    if cells > _MOST_CELLS and cells > _CELLS_PER_BYTE * size:
        raise _not_a_table(
            location,
            f"{rows:,} rows said to be in {size:,} bytes",
            cure="Take a sample, or save the table as CSV.",
        )


def _head(location: Path) -> bytes:
    """Return the beginning of a table, unpacked."""
    try:
        with binary(location) as handle:
            return handle.read(_HEAD)
    except _NOT_GZIP as error:
        raise _not_a_table(location, "content that is not gzip") from error
    except OSError as error:
        raise _not_a_table(location, f"no permission or no disk ({error.strerror})") from error


def binary(location: Path) -> IO[bytes]:
    """Open a file, unpacking it where it is compressed."""
    if location.suffix.lower() == _GZIP:
        return cast("IO[bytes]", gzip.open(location, "rb"))
    return location.open("rb")


def _not_a_table(
    location: Path, found: str, *, cure: str = "Save the table as CSV or Parquet."
) -> FileFormatError:
    needed = "a table: CSV with a header line, or Parquet"
    return FileFormatError(where=str(location), found=found, needed=needed, cure=cure)


def _not_utf8(location: Path, found: str) -> FileFormatError:
    return _not_a_table(location, found, cure="Save it as CSV in UTF-8.")


def _open_polars(location: Path, layout: _Layout | None) -> Any:  # noqa: ANN401 - polars.LazyFrame
    polars = _engine_module("polars", extra="files")
    try:
        frame = (
            polars.scan_parquet(location)
            if layout is None
            else _scanned_csv(polars, location, layout)
        )
        frame.collect_schema()
    except (
        polars.exceptions.PolarsError,
        polars.exceptions.PanicException,
        OSError,
        OverflowError,
    ) as error:
        raise _not_a_table(location, _first_line(error)) from error
    return frame


def _scanned_csv(polars: Any, location: Path, layout: _Layout) -> Any:  # noqa: ANN401 - a module, a frame
    empty = layout.shape.empty
    frame = polars.scan_csv(
        location,
        separator=layout.separator,
        decimal_comma=layout.decimal_comma,
        infer_schema_length=10_000,
        quote_char='"' if layout.shape.quoted else None,
        eol_char=layout.shape.line_end,
        row_index_name=_ROW_NUMBER if empty else None,
    )
    if not empty:
        return frame
    # Polars makes a row of gaps from an empty line.
    is_empty = polars.col(_ROW_NUMBER).is_in(list(empty))
    return frame.filter(~is_empty).drop(_ROW_NUMBER)


def _open_duckdb(location: Path, layout: _Layout | None) -> Any:  # noqa: ANN401 - duckdb relation
    duckdb = _engine_module("duckdb", extra="files")
    try:
        if layout is None:
            return duckdb.read_parquet(str(location))
        decimal = {"decimal": ","} if layout.decimal_comma else {}
        quote = '"' if layout.shape.quoted else ""
        return duckdb.read_csv(
            str(location),
            sep=layout.separator,
            header=True,
            skiprows=0,
            quotechar=quote,
            escapechar=quote,
            **decimal,
        )
    except (duckdb.Error, RuntimeError, UnicodeError) as error:  # names may be broken text
        raise _not_a_table(location, _first_line(error)) from error


def _open_spark(location: Path, layout: _Layout | None) -> Any:  # noqa: ANN401 - pyspark DataFrame
    _engine_module("pyspark", extra="spark")
    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName("howgood").getOrCreate()
    if layout is None:
        # A pattern of ours would make Spark warn, with a trace, of a folder that is not there.
        files = sorted(location.parent.glob(location.name)) or [location]
        return session.read.parquet(*map(str, files))
    quote = '"' if layout.shape.quoted else ""
    return session.read.csv(
        str(location),
        header=True,
        inferSchema=True,
        sep=layout.separator,
        quote=quote,
        escape=quote,
        multiLine=layout.shape.quoted,
    )


def _open_built_in(location: Path, layout: _Layout | None) -> Table:
    if layout is None:
        raise MissingExtraError(task="reading Parquet", extra="files")
    try:
        with TextIOWrapper(binary(location), newline="", encoding="utf-8-sig") as handle:
            reader = csv.reader(handle, delimiter=layout.separator, quoting=layout.shape.quoting)
            header = next(reader)
            rows = [row for row in reader if row]
    except csv.Error as error:
        raise _not_a_table(location, _first_line(error)) from error
    columns = zip(*rows, strict=True) if rows else ([] for _ in header)
    return Table(
        {
            name: _typed(list(values), decimal_comma=layout.decimal_comma)
            for name, values in zip(header, columns, strict=True)
        }
    )


def _typed(values: list[str], *, decimal_comma: bool) -> NDArray[Any]:
    """Numbers where every filled cell is one (gaps become NaN), else text."""
    written = [value.replace(",", ".") for value in values] if decimal_comma else values
    try:
        return np.array([float(value) if value.strip() else np.nan for value in written])
    except ValueError:
        return np.array([value if value else None for value in values], dtype=object)


def _layout(location: Path, suffix: str) -> _Layout:
    """Look at how the file is written, and check every row of it."""
    head = _head(location)
    separator = _separator(head, suffix)
    _refuse_colons(head, separator, location)
    _, _, rows = head.partition(b"\n")
    has_comma = any(_DECIMAL_COMMA.search(row) for row in rows.splitlines())
    is_packed = location.suffix.lower() == _GZIP
    most = _MOST_UNPACKED if is_packed else None
    try:
        with binary(location) as handle:
            shape = check_rows(handle, separator=separator, where=str(location), most=most)
    except _NOT_GZIP as error:
        raise _not_a_table(location, "a damaged gzip file") from error
    if is_packed and shape.n_bytes > _MOST_UNPACKED:
        raise _not_a_table(
            location,
            f"more than {_MOST_UNPACKED:,} bytes when unpacked",
            cure="Unpack it first (gunzip), or save the table as Parquet.",
        )
    return _Layout(separator=separator, decimal_comma=separator == ";" and has_comma, shape=shape)


def separator_of(location: Path, suffix: str) -> str:
    """Return what parts the columns of a CSV file."""
    return _separator(_head(location), suffix)


def _separator(head: bytes, suffix: str) -> str:
    """Return a tab for .tsv; else the first of comma, semicolon and tab that the header has."""
    if suffix == ".tsv":
        return "\t"
    header = _header(head)
    return next((mark for mark in ",;\t" if mark.encode() in header), ",")


def _header(head: bytes) -> bytes:
    """Return the first line without what stands in quotation marks."""
    return _QUOTED.sub(b"", head).replace(b"\r", b"\n").partition(b"\n")[0]


def _refuse_colons(head: bytes, separator: str, location: Path) -> None:
    """Refuse columns parted by two colons, as MovieLens has them: no reader knows these."""
    header = _header(head)
    if separator.encode() in header or b"::" not in header:
        return
    raise FileFormatError(
        where=str(location),
        found="columns parted by '::'",
        needed="commas, semicolons or tabs between columns, and a header with their names",
        cure=f"For instance: sed 's/::/,/g' {location.name} > ratings.csv, and a first line such "
        "as user,item,rating,timestamp.",
    )


def _engine_module(name: str, *, extra: str) -> Any:  # noqa: ANN401 - a module
    from importlib import import_module

    if find_spec(name) is None:
        raise MissingExtraError(task=f"the {name} engine", extra=extra)
    return import_module(name)


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
