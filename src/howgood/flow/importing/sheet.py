"""A table that another program wrote, with the line of every row.

In: the bytes of a CSV file. Out: `Sheet`. Absent: what its columns mean (`mapping`).

Qualtrics writes three header rows: names, the words of the questions, and its own ids; they are
recognised by the third.
"""

import csv
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from howgood.ask.csv_rows import check_rows
from howgood.errors import FileFormatError
from howgood.flow.collected.writers import unprotected

MOST_ROWS, MOST_COLUMNS, MOST_CELLS = 500_000, 10_000, 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """One row and the line it begins on."""

    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table of text; `questions` holds the words of Qualtrics' second header row."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    questions: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_qualtrics(self) -> bool:
        """Whether Qualtrics wrote it."""
        return bool(self.questions)

    def examples(self, column: str, *, most: int = 3) -> tuple[str, ...]:
        """Return the first different values of a column."""
        distinct: dict[str, None] = {}
        for row in self.rows:
            if value := row.cells[column]:
                distinct[value[:40]] = None
            if len(distinct) == most:
                break
        return tuple(distinct)


def read_sheet(content: bytes, *, name: str) -> Sheet:
    """Return the table in a CSV file: comma, semicolon or tab; UTF-8 or UTF-16."""
    text = _text(content, name)
    rows = _numbered(text, name)
    if len(rows) < 2:
        raise _wrong(name, "fewer than two lines")
    header = _header(rows[0][1], name)
    is_qualtrics = len(rows) >= 3 and any(cell.startswith('{"ImportId"') for cell in rows[2][1])
    questions = dict(zip(header, rows[1][1], strict=False)) if is_qualtrics else {}
    body = rows[3:] if is_qualtrics else rows[1:]
    if len(body) * len(header) > MOST_CELLS:
        raise _wrong(name, f"{len(body):,} rows of {len(header):,} columns, too many cells")
    return Sheet(
        name=name,
        columns=header,
        rows=tuple(SheetRow(line=line, cells=_cells(header, cells)) for line, cells in body),
        questions=questions,
    )


def _numbered(text: str, name: str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, each with the line it begins on."""
    delimiter = max(",;\t", key=text[:10_000].partition("\n")[0].count)
    shape = check_rows(io.BytesIO(text.encode()), separator=delimiter, where=name)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=shape.quoting)
    numbered = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                numbered.append((line, cells))
            if len(numbered) > MOST_ROWS:
                raise _wrong(name, f"more than {MOST_ROWS:,} rows")
            line = reader.line_num + 1
    except csv.Error as error:
        raise _wrong(f"{name}:{reader.line_num}", str(error)) from error
    return numbered


def _cells(header: tuple[str, ...], cells: list[str]) -> dict[str, str]:
    return {name: unprotected(cell.strip()) for name, cell in zip(header, cells, strict=True)}


def _header(cells: list[str], name: str) -> tuple[str, ...]:
    names = [cell.strip() for cell in cells]
    if len(names) > MOST_COLUMNS:
        raise _wrong(f"{name}:1", f"{len(names):,} columns, more than {MOST_COLUMNS:,}")
    twice = next((one_name for one_name, times in Counter(names).items() if times > 1), None)
    if twice is not None or not all(names):
        found = f"the column {twice!r} twice" if twice else "a column without a name"
        raise _wrong(f"{name}:1", found)
    return tuple(names)


def _text(content: bytes, name: str) -> str:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise _wrong(name, "text that is neither UTF-8 nor UTF-16") from error
    if "\x00" in text:
        raise _wrong(name, "bytes that are no text")
    return text


def _wrong(where: str, found: str) -> FileFormatError:
    return FileFormatError(
        where=where,
        found=found,
        needed="a CSV table with a header row",
        cure="Export it again as CSV with UTF-8; nothing was imported.",
    )
