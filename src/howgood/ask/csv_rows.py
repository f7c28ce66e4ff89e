"""The one check of every CSV file: each row has as many fields as there are column names.

In: the bytes of a CSV file, and what parts its columns. Out: `CsvShape`, or an error that names the
row. Absent: values; whoever reads them (Polars, DuckDB, Spark, the csv module) does so after this.

Engines forgive differently: one cuts a row that is too long, one fills a row that is too short, one
loses rows after a stray quotation mark. So what they would disagree about is refused or found out
here. Rows are counted as a spreadsheet counts them: the header is row 1, empty rows count too.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Literal

import numpy as np
from numpy.typing import NDArray

from howgood.errors import FieldCountError, FileFormatError

Bytes = NDArray[np.uint8]
Places = NDArray[np.intp]
_BLOCK = 1 << 17
_LONGEST_ROW = 1 << 22
_MOST_EMPTY = 100_000
_QUOTE, _NEWLINE, _RETURN = b'"\n\r'
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvShape:
    r"""What a reader must know to read the rows as they were counted.

    `empty` holds the places of empty rows, the first row after the header being 0; `line_end` is
    "\n" (also where it is "\r\n") or "\r"; `quoted` says whether quotation marks enclose fields.
    """

    n_rows: int
    n_bytes: int
    line_end: str
    quoted: bool
    empty: tuple[int, ...]

    @property
    def quoting(self) -> Literal[0, 3]:
        """Settings of the csv module for quotation marks."""
        return csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE


def check_rows(
    handle: IO[bytes], *, separator: str, where: str, most: int | None = None
) -> CsvShape:
    r"""Read a CSV file once in constant memory and refuse the first row unlike the others.

    Parameters
    ----------
    handle : binary file
        The table, unpacked.
    separator : str
        What parts the columns.
    where : str
        The file's name, for errors.
    most : int or None
        After so many bytes reading ends; `n_bytes` is larger then.

    Examples
    --------
    >>> from io import BytesIO
    >>> check_rows(BytesIO(b'a,b\n1,"x,y"\n\n2,z\n'), separator=",", where="t.csv").empty
    (1,)
    >>> check_rows(BytesIO(b"y,score\n1\n"), separator=",", where="t")
    Traceback (most recent call last):
    howgood.errors.FieldCountError: t, row 2: found 1 field, expected 2. Check for a missing comma.
    """
    check = _Check(separator, where)
    for block in _blocks(handle):
        check.take(block)
        if most is not None and check.n_bytes > most:
            break
    return check.shape()


def _blocks(handle: IO[bytes]) -> Iterator[bytes]:
    """Yield the file in pieces, without its byte order mark, the last one empty."""
    first = handle.read(_BLOCK).removeprefix(_BOM)
    if first:
        yield first
        yield from iter(lambda: handle.read(_BLOCK), b"")
    yield b""


class _Check:
    """Takes the file piece by piece; a row that is not complete waits for the next piece."""

    def __init__(self, separator: str, where: str) -> None:
        self._separator, self._where = separator, where
        self._mark, self._end = ord(separator), _NEWLINE
        self._waiting = b""
        self._quoted: bool | None = None
        self._rows = self._fields = 0
        self._ends_bare = False
        self._empty: list[int] = []
        self.n_bytes = 0

    def shape(self) -> CsvShape:
        return CsvShape(
            n_rows=max(self._rows - 1, 0) - len(self._empty),
            n_bytes=self.n_bytes,
            line_end=chr(self._end),
            quoted=bool(self._quoted),
            empty=tuple(self._empty),
        )

    def take(self, piece: bytes) -> None:
        """Check every row that is complete; an empty piece ends the file."""
        if not self.n_bytes and b"\n" not in piece and b"\r" in piece:
            self._end = _RETURN
        self.n_bytes += len(piece)
        block = self._waiting + piece
        if not piece and block and block[-1] != self._end:
            block += bytes([self._end])
        if not block:
            return
        text = np.frombuffer(block, dtype=np.uint8)
        marks, is_outside = self._marks(text, block)
        ends = marks[(text[marks] == self._end) & is_outside]
        size = int(ends[-1]) + 1 if ends.size else 0
        self._waiting = block[size:]
        if self._waiting and (not piece or len(self._waiting) > _LONGEST_ROW):
            is_open = self._quoted and b'"' in self._waiting
            found = "a quotation mark that is never closed" if is_open else "more than 4 MB"
            raise self._wrong(self._rows + ends.size + 1, found)
        if not ends.size:
            return
        self._check_text(block[:size], ends)
        quotes = marks[text[marks] == _QUOTE]
        self._check_quotes(text, quotes[quotes < size], ends)
        self._check_line_ends(block[:size], text, quotes, ends)
        self._count(text, marks[is_outside & (marks < size)], ends)

    def _marks(self, text: Bytes, block: bytes) -> tuple[Places, NDArray[np.bool_]]:
        """Return where separators, ends and quotation marks are, and which stand outside quotes."""
        is_mark = (text == self._mark) | (text == self._end)
        if b'"' not in block:
            marks = np.flatnonzero(is_mark)
            return marks, np.ones(marks.size, dtype=np.bool_)
        if self._quoted is None:
            first = block.index(b'"')
            self._quoted = first == 0 or text[first - 1] in (self._mark, self._end)
        marks = np.flatnonzero(is_mark | (text == _QUOTE))
        is_quote = text[marks] == _QUOTE
        if not self._quoted:
            return marks, ~is_quote
        return marks, (np.cumsum(is_quote) % 2 == 0) & ~is_quote

    def _count(self, text: Bytes, marks: Places, ends: Places) -> None:
        """Compare the fields of each row with the header's, and remember empty rows."""
        fields = np.diff(np.flatnonzero(text[marks] == self._end), prepend=-1)
        starts = np.r_[0, ends[:-1] + 1]
        stops = ends
        if self._end == _NEWLINE:
            stops = ends - ((ends > starts) & (text[ends - 1] == _RETURN))
        is_empty = starts == stops
        if self._rows == 0:
            if is_empty[0]:
                raise self._wrong(1, "an empty row where the column names should be")
            self._fields, self._ends_bare = int(fields[0]), text[stops[0] - 1] == self._mark
        wrong = np.flatnonzero((fields != self._fields) & ~is_empty)
        if wrong.size:
            raise FieldCountError(
                where=f"{self._where}, row {self._rows + int(wrong[0]) + 1}",
                n_fields=int(fields[wrong[0]]),
                n_columns=self._fields,
                separator=self._separator,
            )
        if self._ends_bare:
            self._check_last(np.flatnonzero(~is_empty & (text[stops - 1] != self._mark)))
        self._empty += (self._rows - 1 + np.flatnonzero(is_empty)).tolist()
        if len(self._empty) > _MOST_EMPTY:
            raise self._wrong(self._empty[-1] + 2, f"more than {_MOST_EMPTY:,} empty rows")
        self._rows += ends.size

    def _check_last(self, filled: Places) -> None:
        """Refuse values behind the last name: a comma at the end of the header names nothing."""
        if filled.size:
            raise self._wrong(
                self._rows + int(filled[0]) + 1,
                "a value in the last column, which has no name",
                cure="Name the column, or check for a decimal comma.",
            )

    def _check_text(self, block: bytes, ends: Places) -> None:
        if b"\0" in block:
            raise self._wrong(self._row_at(block.index(b"\0"), ends), "binary content")
        try:
            if not block.isascii():
                block.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._wrong(
                self._row_at(error.start, ends),
                f"bytes that are not UTF-8 ({error.reason})",
                cure="Save it as CSV in UTF-8.",
            ) from error

    def _check_quotes(self, text: Bytes, quotes: Places, ends: Places) -> None:
        """Refuse a quotation mark that neither opens nor closes a whole field."""
        opening = quotes[::2] if self._quoted else quotes
        before = np.where(opening == 0, self._end, text[opening - 1])
        begins = (before == self._mark) | (before == self._end)
        if self._quoted:
            closing = quotes[1::2]
            after = text[closing + 1]
            closes = (after == self._mark) | (after == self._end) | (after == _QUOTE)
            closes |= (after == _RETURN) & (self._end == _NEWLINE)
            stray = np.r_[opening[~begins & (before != _QUOTE)], closing[~closes]]
        else:
            stray = opening[begins]
        if stray.size:
            raise self._wrong(
                self._row_at(int(stray.min()), ends),
                "a quotation mark in the middle of a field",
                cure='Enclose the whole field in quotation marks and write those inside twice: "".',
            )

    def _check_line_ends(self, block: bytes, text: Bytes, quotes: Places, ends: Places) -> None:
        """Refuse a line end of another kind outside quotes: some engines begin a row there."""
        if self._end == _RETURN:
            places = np.flatnonzero(text[: len(block)] == _NEWLINE)
        elif block.count(b"\r") == block.count(b"\r\n"):
            return
        else:
            places = np.flatnonzero(text[: len(block)] == _RETURN)
            places = places[text[places + 1] != _NEWLINE]
        if self._quoted:
            places = places[np.searchsorted(quotes, places) % 2 == 0]
        if places.size:
            row = self._row_at(int(places[0]), ends)
            raise self._wrong(row, "line ends of two kinds", cure="Save the table again as CSV.")

    def _row_at(self, place: int, ends: Places) -> int:
        return self._rows + int(np.searchsorted(ends, place)) + 1

    def _wrong(
        self,
        row: int,
        found: str,
        *,
        cure: str = "Correct the row, or save the table again as CSV.",
    ) -> FileFormatError:
        return FileFormatError(
            where=f"{self._where}, row {row}",
            found=found,
            needed="a table: CSV with a header line",
            cure=cure,
        )
