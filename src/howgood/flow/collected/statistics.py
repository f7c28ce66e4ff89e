"""A study's tables for SPSS, Stata and Excel, with labels from the codebook.

In: rows and their columns. Out: the bytes of a file, whole at the end. Absent: which rows
(`rows`), and archives (`export`).

SPSS and Stata files say of every variable what was asked (or what it means) and, for numbers that
stand for answers, what people read. Names that these programs cannot hold are shortened, each once;
the codebook in the archive has them as they are. Times are UTC. Excel gets the codebook as a sheet
and runs nothing: text stays text.
"""

import io
import json
import math
import re
import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from howgood.errors import InputError, MissingExtraError
from howgood.records.codebook import Batch, Codebook, Column, TableName

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
