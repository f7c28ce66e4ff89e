"""Tables as files, written group by group: CSV that is safe in a spreadsheet, Parquet, JSON.

In: rows and the columns of a codebook. Out: bytes of a file, as soon as they are made. Absent: what
is in a row (`rows`), several tables in one file (`export`), reading (`ask.files`).

A spreadsheet takes a cell that begins with =, +, -, @, a tab or a line break for a formula, and
runs it. Text that begins so gets an apostrophe in front, which spreadsheets hide or show but never
run; numbers are written as they are. `unprotected` takes the apostrophe away again.
"""

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from howgood.errors import MissingExtraError
from howgood.records.codebook import Codebook, Column, TableName

Row = Mapping[str, Any]
_ROWS_IN_GROUP = 10_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Neither begins a formula, however it is written.
_HARMLESS = frozenset({int, float, type(None), list})
_PARQUET_VALUES: dict[str, Callable[[Any], object]] = {
    "text": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "time": datetime.fromisoformat,
}


def protected(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula.

    Examples
    --------
    >>> protected("=HYPERLINK(0)"), protected(-1.5), protected("plain"), protected(True)
    ("'=HYPERLINK(0)", -1.5, 'plain', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value


def unprotected(text: str) -> str:
    """Return the text that `protected` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


_protected = lru_cache(maxsize=10_000)(protected)


class WriteBuffer:
    """A file that is written here and sent from there, without ever being whole in memory."""

    closed = False

    def __init__(self) -> None:
        self._waiting: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Keep the data until it is taken."""
        self._waiting.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: what is written can be taken at once."""

    def take(self) -> bytes:
        """Return everything written since the last call."""
        data = b"".join(self._waiting)
        self._waiting.clear()
        return data


class TableWriter(ABC):
    """Writes one table; whatever `write` and `close` return, joined, is the file."""

    @abstractmethod
    def write(self, rows: Iterable[Row]) -> bytes:
        """Return the bytes of some more rows."""

    @abstractmethod
    def close(self) -> bytes:
        """Return what ends the file."""


class CsvWriter(TableWriter):
    """CSV: UTF-8, comma, CRLF as RFC 4180 says."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._buffer = io.StringIO(newline="")
        self._writer = csv.writer(self._buffer)
        self._writer.writerow([protected(name) for name in names])

    def write(self, rows: Iterable[Row]) -> bytes:
        """Return lines, after the header if they are the first."""
        names = self._names
        # Numbers need no protection, and texts repeat themselves: a call for every cell would take
        # longer than all else.
        self._writer.writerows(
            [
                cell if cell.__class__ in _HARMLESS else _protected(cell)
                for cell in map(row.get, names)
            ]
            for row in rows
        )
        return self.close()

    def close(self) -> bytes:
        """Return what is left: the header, if there were no rows."""
        data = self._buffer.getvalue().encode()
        self._buffer.seek(0)
        self._buffer.truncate()
        return data


class JsonWriter(TableWriter):
    """A JSON array of objects, every one with every column."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names, self._before = names, "["

    def write(self, rows: Iterable[Row]) -> bytes:
        """Return objects, each in a line of its own."""
        written = []
        for row in rows:
            whole = {name: row.get(name) for name in self._names}
            written.append(f"{self._before}\n{json.dumps(whole, ensure_ascii=False)}")
            self._before = ","
        return "".join(written).encode()

    def close(self) -> bytes:
        """Return the end of the array."""
        return b"[]" if self._before == "[" else b"]"


class ParquetWriter(TableWriter):
    """Parquet, whose metadata hold the codebook; one group of rows at a time is in memory."""

    def __init__(self, book: Codebook, table: TableName) -> None:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError as error:
            raise MissingExtraError(task="writing Parquet", extra="parquet") from error
        self._columns, self._waiting, self._buffer = book.tables[table], list[Row](), WriteBuffer()
        self._schema = _parquet_schema(pa, self._columns).with_metadata(
            {"codebook": json.dumps(book.to_dict())}
        )
        self._table = pa.table
        self._writer = pq.ParquetWriter(self._buffer, self._schema, compression="zstd")

    def write(self, rows: Iterable[Row]) -> bytes:
        """Return a group of rows, if there are enough for one."""
        self._waiting += rows
        while len(self._waiting) >= _ROWS_IN_GROUP:
            self._write_group()
        return self._buffer.take()

    def close(self) -> bytes:
        """Return the last rows and the end of the file."""
        if self._waiting:
            self._write_group()
        self._writer.close()
        return self._buffer.take()

    def _write_group(self) -> None:
        rows = self._waiting[:_ROWS_IN_GROUP]
        self._waiting = self._waiting[_ROWS_IN_GROUP:]
        made = {}
        for column in self._columns:
            convert, cells = _PARQUET_VALUES[column.type], [row.get(column.name) for row in rows]
            made[column.name] = [None if cell is None else convert(cell) for cell in cells]
        self._writer.write_table(self._table(made, schema=self._schema))


def _parquet_schema(pa: Any, columns: Sequence[Column]) -> Any:  # noqa: ANN401 - pyarrow has no types
    types = {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    return pa.schema([(column.name, types[column.type]) for column in columns])


def codebook_csv(book: Codebook) -> bytes:
    """Return the codebook as a table: one row per column of the data."""
    rows = (
        {
            "table": table,
            "column": column.name,
            "type": column.type,
            "meaning": column.meaning,
            "question": column.question,
            "levels": "; ".join(f"{value} = {text}" for value, text in column.levels.items()),
        }
        for table, columns in book.tables.items()
        for column in columns
    )
    return CsvWriter(("table", "column", "type", "meaning", "question", "levels")).write(rows)
