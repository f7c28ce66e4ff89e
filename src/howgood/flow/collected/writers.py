"""A study's tables as files hold them: CSV, JSON, Parquet, SPSS, Stata, Excel.

In: batches of rows by column, and what the columns mean. Out: the bytes of a file. Absent: which
rows (`rows`), archives and the codebook next to the data (`export`); reading (`ask.files`).

A spreadsheet takes a cell that begins with =, +, -, @, a tab or a line break for a formula, and
runs it. In CSV, text that begins so gets an apostrophe in front, which spreadsheets hide or show
but never run; numbers are written as they are. `unprotected` takes the apostrophe away again. Excel
gets the codebook as a sheet and runs nothing: text stays text.

SPSS and Stata files say of every variable what was asked (or what it means) and, for numbers that
stand for answers, what people read. Names that these programs cannot hold are shortened, each once;
the codebook in the archive has them as they are. Times are UTC.
"""

import io
import json
import math
import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from numbers import Number
from pathlib import Path
from typing import Any, Literal

from howgood.errors import InputError, MissingExtraError
from howgood.records.codebook import Batch, Codebook, Column, TableName

_ROWS_IN_GROUP = 10_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_REPEATED = 4
_IN_QUOTES = re.compile(r'[",\r\n]')
_IN_JSON_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_PARQUET_VALUES: dict[str, Callable[[Any], object]] = {
    "text": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "time": datetime.fromisoformat,
}
StatisticsFormat = Literal["sav", "dta"]
_LONGEST_NAME = {"sav": 64, "dta": 32}
_LONGEST_LABEL = {"sav": 250, "dta": 80}
# What a string variable of each program holds, in bytes.
_LONGEST_TEXT = {"sav": 32_767, "dta": 2_045}
# Words that SPSS keeps for itself.
_RESERVED = frozenset(
    {"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to"}
) | {"with"}
_EXCEL_ROWS, _EXCEL_TEXT = 1_048_575, 32_767


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
    def write(self, batch: Batch) -> bytes:
        """Return the bytes of some more rows."""

    @abstractmethod
    def close(self) -> bytes:
        """Return what ends the file."""


class CsvWriter(TableWriter):
    """CSV: UTF-8, comma, CRLF as RFC 4180 says."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._header = ",".join(map(_csv_text, names)) + "\r\n"

    def write(self, batch: Batch) -> bytes:
        """Return lines, after the header if they are the first."""
        texts = [_texts(batch[name], _CSV_CELLS) for name in self._names]
        lines = [*map(",".join, zip(*texts, strict=True)), ""]
        return self.close() + "\r\n".join(lines).encode()

    def close(self) -> bytes:
        """Return what is left: the header, if there were no rows."""
        header, self._header = self._header, ""
        return header.encode()


class _CellTexts(dict[type, Callable[[Any], str]], ABC):
    """How a cell is written, by its type."""

    @abstractmethod
    def many(self, texts: Sequence[str]) -> Iterable[str]:
        """Return texts as they are written, where hardly one repeats another."""


def _texts(cells: Sequence[Any], cell_texts: _CellTexts) -> Iterable[str]:
    """Return cells as they are written.

    Millions of them: a function for the type of a whole column takes a sixth of the time that
    `csv.writer` needs after looking for formulas.
    """
    types = set(map(type, cells))
    if len(types) == 2 and type(None) in types:
        gap = cell_texts[type(None)](None)
        present = iter(_texts([cell for cell in cells if cell is not None], cell_texts))
        return [gap if cell is None else next(present) for cell in cells]
    if len(types) != 1:
        return [cell_texts[type(cell)](cell) for cell in cells]
    (of,) = types
    text = cell_texts[of]
    if of not in (str, int, float):
        return map(text, cells)
    distinct = set(cells)
    # Most columns repeat a few values. 0.0 and -0.0 are equal, but written differently.
    if _REPEATED * len(distinct) <= len(cells) and 0.0 not in distinct:
        return map({cell: text(cell) for cell in distinct}.__getitem__, cells)
    return cell_texts.many(cells) if of is str else map(text, cells)


@lru_cache(maxsize=10_000)
def _csv_text(text: str) -> str:
    """Return a text as a cell: no formula, and in quotation marks where RFC 4180 asks for them."""
    if text.startswith(_FORMULA):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if _IN_QUOTES.search(text) else text


class _CsvCells(_CellTexts):
    """How a cell of each type is written; what is no number, truth or gap is written as text."""

    def __missing__(self, of: type) -> Callable[[Any], str]:
        return str if issubclass(of, Number) else lambda value: _csv_text(str(value))

    def many(self, texts: Sequence[str]) -> Iterable[str]:
        is_plain = {text[:1] for text in texts}.isdisjoint(_FORMULA)
        together = "".join(texts) if is_plain else ""
        # Four searches for a character take a tenth of the time of one for a pattern.
        is_plain = is_plain and not any(mark in together for mark in '",\r\n')
        return texts if is_plain else map(_csv_text, texts)


_CSV_CELLS = _CsvCells({
    str: _csv_text,
    int: int.__repr__,
    float: float.__repr__,
    bool: {True: "true", False: "false"}.__getitem__,
    type(None): {None: ""}.__getitem__,
})  # fmt: skip


class JsonWriter(TableWriter):
    """A JSON array of objects, every one with every column."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names, self._before = names, "["
        keys = [_encoded(name).replace("%", "%%") for name in names]
        self._object = "{" + ", ".join(f"{key}: %s" for key in keys) + "}"

    def write(self, batch: Batch) -> bytes:
        """Return objects, each in a line of its own."""
        texts = [_texts(batch[name], _JSON_CELLS) for name in self._names]
        written = ",\n".join([self._object % cells for cells in zip(*texts, strict=True)])
        if not written:
            return b""
        before, self._before = self._before, ","
        return f"{before}\n{written}".encode()

    def close(self) -> bytes:
        """Return the end of the array."""
        return b"[]" if self._before == "[" else b"]"


_encoded = json.JSONEncoder(ensure_ascii=False).encode


class _JsonCells(_CellTexts):
    """How a cell of each type is written in JSON: as the encoder does, faster where it is usual."""

    def __missing__(self, of: type) -> Callable[[Any], str]:
        return _encoded

    def many(self, texts: Sequence[str]) -> Iterable[str]:
        if _IN_JSON_ESCAPED.search("".join(texts)):
            return map(_encoded, texts)
        return [f'"{text}"' for text in texts]


_JSON_CELLS = _JsonCells({
    str: lru_cache(maxsize=10_000)(_encoded),
    int: int.__repr__,
    float: lambda value: float.__repr__(value) if math.isfinite(value) else _encoded(value),
    bool: {True: "true", False: "false"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
})  # fmt: skip


class ParquetWriter(TableWriter):
    """Parquet, whose metadata hold the codebook; one group of rows at a time is in memory."""

    def __init__(self, book: Codebook, table: TableName) -> None:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError as error:
            raise MissingExtraError(task="writing Parquet", extra="parquet") from error
        self._columns, self._buffer = book.tables[table], WriteBuffer()
        self._waiting: dict[str, list[Any]] = {name: [] for name in book.names(table)}
        self._schema = _parquet_schema(pa, self._columns).with_metadata(
            {"codebook": json.dumps(book.to_dict())}
        )
        self._table = pa.table
        self._writer = pq.ParquetWriter(self._buffer, self._schema, compression="zstd")

    def write(self, batch: Batch) -> bytes:
        """Return a group of rows, if there are enough for one."""
        for name, cells in self._waiting.items():
            cells += batch[name]
        while self._n_waiting >= _ROWS_IN_GROUP:
            self._write_group()
        return self._buffer.take()

    def close(self) -> bytes:
        """Return the last rows and the end of the file."""
        if self._n_waiting:
            self._write_group()
        self._writer.close()
        return self._buffer.take()

    @property
    def _n_waiting(self) -> int:
        return len(next(iter(self._waiting.values())))

    def _write_group(self) -> None:
        made = {}
        for column in self._columns:
            convert, cells = _PARQUET_VALUES[column.type], self._waiting[column.name]
            group = cells[:_ROWS_IN_GROUP]
            if not set(map(type, group)) <= {convert, type(None)}:
                group = [None if cell is None else convert(cell) for cell in group]
            made[column.name] = group
            del cells[:_ROWS_IN_GROUP]
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


def plain_names(columns: Sequence[Column], longest: int) -> dict[str, str]:
    """Return a name for every column that statistics programs can hold, no two alike.

    Examples
    --------
    >>> from howgood.records.codebook import columns
    >>> plain_names(columns(("age in years", "integer", "age"), ("1st", "text", "x")), 32)
    {'age in years': 'age_in_years', '1st': 'v_1st'}
    """
    given: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        name = re.sub(r"[^A-Za-z0-9_]", "_", column.name).strip("_") or "v"
        if not name[0].isalpha() or name.lower() in _RESERVED:
            name = f"v_{name}"
        name, count = name[:longest], 1
        while name.lower() in taken:
            count += 1
            tail = f"_{count}"
            name = name[: longest - len(tail)] + tail
        taken.add(name.lower())
        given[column.name] = name
    return given


class StatisticsWriter:
    """Collects the rows of one table and writes them as SPSS (.sav) or Stata (.dta)."""

    def __init__(self, book: Codebook, table: TableName, kind: StatisticsFormat) -> None:
        try:
            import pandas as pd
            import pyreadstat
        except ImportError as error:
            raise MissingExtraError(task=f"writing .{kind}", extra="statistics") from error
        self._pandas, self._programs, self._kind = pd, pyreadstat, kind
        self._columns = book.tables[table]
        self._cells: dict[str, list[Any]] = {name: [] for name in book.names(table)}

    def write(self, batch: Batch) -> bytes:
        """Keep the rows; the file is made at the end."""
        for name, cells in self._cells.items():
            cells += batch[name]
        return b""

    def close(self) -> bytes:
        """Return the whole file."""
        names = plain_names(self._columns, _LONGEST_NAME[self._kind])
        made = {names[column.name]: self._values(column) for column in self._columns}
        frame = self._pandas.DataFrame(made, columns=list(names.values()))
        labels: dict[str, str | None] = {
            names[column.name]: self._label(column) for column in self._columns
        }
        levels: dict[str, dict[int | float, str]] = {
            names[column.name]: column_levels
            for column in self._columns
            if (column_levels := number_levels(column))
        }
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"table.{self._kind}"
            if self._kind == "sav":
                self._programs.write_sav(
                    frame, str(path), column_labels=labels, variable_value_labels=levels
                )
            else:
                self._programs.write_dta(
                    frame, str(path), column_labels=labels, variable_value_labels=levels,
                    version=14,
                )  # fmt: skip
            return path.read_bytes()

    def _label(self, column: Column) -> str:
        text = " ".join((column.question or column.meaning or column.name).split())
        return text[: _LONGEST_LABEL[self._kind]]

    def _values(self, column: Column) -> Any:  # noqa: ANN401 - a series of pandas, which is no dependency
        cells = self._cells[column.name]
        if column.type in ("integer", "number", "boolean"):
            numbers = [math.nan if cell is None else float(cell) for cell in cells]
            return self._pandas.Series(numbers, dtype="float64")
        if column.type == "time":
            moments = [None if cell is None else _moment(cell) for cell in cells]
            return self._pandas.to_datetime(self._pandas.Series(moments, dtype="object"))
        return self._pandas.Series([self._text(column, cell) for cell in cells], dtype="object")

    def _text(self, column: Column, cell: object) -> str:
        text = "" if cell is None else cell if isinstance(cell, str) else json.dumps(cell)
        # A string that is cut off unseen would be another answer.
        if len(text.encode()) > _LONGEST_TEXT[self._kind]:
            raise InputError(
                where=f"column {column.name!r}",
                found=f"a text of {len(text.encode()):,} bytes",
                needed=f"at most {_LONGEST_TEXT[self._kind]:,} in a .{self._kind} file",
                cure="Export as CSV, Parquet or JSON, which hold any text.",
            )
        return text.replace("\x00", "")


def number_levels(column: Column) -> dict[int | float, str]:
    """Return what the numbers of a column stand for; nothing for a column of texts."""
    if column.type == "boolean":
        return {0: "no", 1: "yes"}
    if column.type not in ("integer", "number"):
        return {}
    return {
        int(value): text for value, text in column.levels.items() if re.fullmatch(r"-?\d+", value)
    }


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)


class Workbook:
    """An Excel file with a sheet per table and the codebook; what looks like a formula is text."""

    def __init__(self, book: Codebook) -> None:
        try:
            import xlsxwriter
        except ImportError as error:
            raise MissingExtraError(task="writing Excel files", extra="statistics") from error
        self._file, self._book = io.BytesIO(), book
        options = {
            "in_memory": True, "strings_to_formulas": False, "strings_to_urls": False,
            "strings_to_numbers": False, "nan_inf_to_errors": True, "remove_timezone": True,
        }  # fmt: skip
        self._workbook = xlsxwriter.Workbook(self._file, options)
        self._head = self._workbook.add_format({"bold": True})
        self._time = self._workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})

    def add_table(self, table: TableName, batches: Iterable[Batch]) -> None:
        """Add a sheet with a row of names and the data."""
        sheet, columns = self._workbook.add_worksheet(table), self._book.tables[table]
        names = self._book.names(table)
        sheet.freeze_panes(1, 0)
        sheet.write_row(0, 0, names, self._head)
        rows = chain.from_iterable(
            zip(*[batch[name] for name in names], strict=True) for batch in batches
        )
        for line, row in enumerate(rows, start=1):
            if line > _EXCEL_ROWS:
                raise InputError(
                    where=f"table {table!r}", found=f"more than {_EXCEL_ROWS:,} rows",
                    needed="no more than a sheet of Excel holds",
                    cure="Export as CSV or Parquet.",
                )  # fmt: skip
            for place, (column, cell) in enumerate(zip(columns, row, strict=True)):
                self._write(sheet, line, place, column, cell)

    def _write(self, sheet: Any, line: int, place: int, column: Column, cell: object) -> None:  # noqa: ANN401 - XlsxWriter has no types
        if cell is None:
            return
        if column.type == "time":
            sheet.write_datetime(line, place, _moment(str(cell)), self._time)
        elif isinstance(cell, bool):
            sheet.write_boolean(line, place, cell)
        elif isinstance(cell, int | float):
            sheet.write_number(line, place, cell)
        else:
            text = cell if isinstance(cell, str) else json.dumps(cell)
            if len(text) > _EXCEL_TEXT:
                raise InputError(
                    where=f"column {column.name!r}", found=f"a text of {len(text):,} characters",
                    needed=f"at most {_EXCEL_TEXT:,} in a cell of Excel",
                    cure="Export as CSV, Parquet or JSON, which hold any text.",
                )  # fmt: skip
            sheet.write_string(line, place, text)

    def close(self) -> bytes:
        """Add the codebook and return the whole file."""
        sheet = self._workbook.add_worksheet("codebook")
        sheet.freeze_panes(1, 0)
        names = ("table", "column", "type", "meaning", "question", "levels")
        sheet.write_row(0, 0, names, self._head)
        line = 0
        for table, columns in self._book.tables.items():
            for column in columns:
                line += 1
                levels = "; ".join(f"{value} = {text}" for value, text in column.levels.items())
                cells = (table, column.name, column.type, column.meaning, column.question, levels)
                for place, text in enumerate(cells):
                    sheet.write_string(line, place, text[:_EXCEL_TEXT])
        self._workbook.close()
        return self._file.getvalue()
