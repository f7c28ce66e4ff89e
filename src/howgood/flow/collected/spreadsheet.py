"""Rows as CSV that is safe to open in a spreadsheet.

In: rows, or a codebook. Out: pieces of a CSV file (UTF-8, comma, CRLF as RFC 4180 says). Absent:
quoting rules of single programs.

A spreadsheet takes a cell that begins with =, +, -, @, a tab or a line break for a formula, and
runs it. Text that begins so gets an apostrophe in front, which spreadsheets hide or show but never
run; numbers are written as they are. `unprotected` takes the apostrophe away again.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from howgood.records.codebook import Codebook

_ROWS_AT_ONCE = 500
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


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


def csv_pieces(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[bytes]:
    """Yield a CSV file piece by piece, header first."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow([protected(name) for name in columns])
    for number, row in enumerate(rows, start=1):
        writer.writerow([protected(row[name]) for name in columns])
        if number % _ROWS_AT_ONCE == 0:
            yield _emptied(buffer)
    yield _emptied(buffer)


def _emptied(buffer: io.StringIO) -> bytes:
    data = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return data


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
    names = ("table", "column", "type", "meaning", "question", "levels")
    return b"".join(csv_pieces(rows, names))
