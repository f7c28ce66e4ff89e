"""A study's data as a file: CSV that is safe in a spreadsheet, Parquet, JSON; with its codebook.

SPSS, Stata and Excel are written by `statistics`.

In: a host, a study's short name, a format. Out: `DataFile`: a name, a media type, and the pieces of
the file, made while they are read. Absent: the disk and the web, which only pass the pieces on;
what is in a row (`rows`); reading (`ask.files`).

People are read once, for all tables: the first table is sent at once, the others wait, compressed,
in temporary files. Every format is written from the same batches of columns.

A spreadsheet takes a cell that begins with =, +, -, @, a tab or a line break for a formula, and
runs it. Text that begins so gets an apostrophe in front, which spreadsheets hide or show but never
run; numbers are written as they are. `unprotected` takes the apostrophe away again.
"""

import gzip
import json
import re
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import isfinite
from numbers import Number
from typing import IO, Any, Literal, cast

from howgood.errors import InputError, MissingExtraError
from howgood.flow.collected.rows import (
    batches,
    collected_codebook,
    find_study,
    page_of_rows,
    pages,
    participation_of,
)
from howgood.flow.collected.statistics import StatisticsFormat, StatisticsWriter, Workbook
from howgood.flow.hosting import Host
from howgood.kinds import kind_of
from howgood.kinds.study import Study
from howgood.records.codebook import TABLES, Batch, Codebook, Column, TableName, batch_of
from howgood.store import audit
from howgood.store.collected import PersonRow
from howgood.store.studies import StudyRow

_ROWS_IN_GROUP = 10_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_REPEATED = 4
_IN_QUOTES = re.compile(r'[",\r\n]')
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


def _texts(cells: Sequence[Any], cell_texts: Mapping[type, Callable[[Any], str]]) -> Iterable[str]:
    """Return cells as they are written; `cell_texts` says how, by their type.

    Millions of them: a function for the type of a whole column takes a sixth of the time that
    `csv.writer` needs after looking for formulas.
    """
    types = set(map(type, cells))
    if len(types) != 1:
        return [cell_texts[type(cell)](cell) for cell in cells]
    (of,) = types
    text = cell_texts[of]
    if of not in (str, int, float):
        return map(text, cells)
    distinct = set(cells)
    # Most columns repeat a few values. 0.0 and -0.0 are equal, but written differently.
    if _REPEATED * len(distinct) > len(cells) or 0.0 in distinct:
        return map(text, cells)
    return map({cell: text(cell) for cell in distinct}.__getitem__, cells)


@lru_cache(maxsize=10_000)
def _csv_text(text: str) -> str:
    """Return a text as a cell: no formula, and in quotation marks where RFC 4180 asks for them."""
    if text.startswith(_FORMULA):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if _IN_QUOTES.search(text) else text


class _CsvCells(dict[type, Callable[[Any], str]]):
    """How a cell of each type is written; what is no number, truth or gap is written as text."""

    def __missing__(self, of: type) -> Callable[[Any], str]:
        return str if issubclass(of, Number) else lambda value: _csv_text(str(value))


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


class _JsonCells(dict[type, Callable[[Any], str]]):
    """How a cell of each type is written in JSON: as the encoder does, faster where it is usual."""

    def __missing__(self, of: type) -> Callable[[Any], str]:
        return _encoded


_JSON_CELLS = _JsonCells({
    str: lru_cache(maxsize=10_000)(_encoded),
    int: int.__repr__,
    float: lambda value: float.__repr__(value) if isfinite(value) else _encoded(value),
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


def codebook_csv(book: Codebook) -> bytes:
    """Return the codebook as a table: one row per column of the data."""
    rows = [
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
    ]
    names = ("table", "column", "type", "meaning", "question", "levels")
    return CsvWriter(names).write(batch_of(rows, names))


DataFormat = Literal["csv", "parquet", "json", "preferences", "sav", "dta", "xlsx"]
_MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "sav": "application/x-spss-sav",
    "dta": "application/x-stata-dta",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
# How much of a table waits in memory before it goes into a temporary file.
_WAITING_BYTES = 2_000_000
_PIECE = 256 * 1024
# Answers repeat themselves: more effort would take three times as long for a tenth of the size.
_COMPRESSION = 3
_SHORTEST_REASON, _LONGEST_REASON = 5, 300


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A file that is made while it is read; read it once."""

    name: str
    media_type: str
    pieces: Iterator[bytes]


def data_file(
    host: Host,
    slug: str,
    *,
    kind: DataFormat,
    table: TableName | None = None,
    pilots: bool = False,
    identified: bool = False,
) -> DataFile:
    """Return a study's data as a file, without what may name a person.

    Parameters
    ----------
    host : Host
        The database.
    slug : str
        The study's short name.
    kind : {"csv", "parquet", "json", "preferences", "sav", "dta", "xlsx"}
        JSON and Excel (xlsx) hold every table and the codebook. CSV, Parquet, SPSS (sav) and Stata
        (dta) are one table, or, without `table`, a ZIP of all of them with the codebook.
        Preferences are lines of JSON with what was chosen and what was rejected, for kinds of study
        that know it.
    table : {"answers", "participants", "screens"} or None
        One table, or all.
    pilots : bool
        Whether test runs are included.
    identified : bool
        Whether the ids that recruiting platforms gave are included; see `exported`.

    Notes
    -----
    Stability: experimental
    """
    if kind == "preferences":
        return _preference_file(host, slug, pilots=pilots)
    source = _Source(
        host=host,
        row=find_study(host, slug),
        book=collected_codebook(host, slug, identified=identified),
        pilots=pilots,
        kind=kind,
    )
    if kind == "json":
        return DataFile(name=f"{slug}.json", media_type="application/json", pieces=_json(source))
    if kind == "xlsx":
        workbook, wanted = Workbook(source.book), TABLES if table is None else (table,)
        pieces = _workbook(source, workbook, wanted)
        return DataFile(name=f"{slug}.xlsx", media_type=_MEDIA[kind], pieces=pieces)
    if table is None:
        source.writer("answers")  # now, not with the first piece: a package may be missing
        return DataFile(name=f"{slug}.zip", media_type="application/zip", pieces=_zip(source))
    return DataFile(
        name=f"{slug}-{table}.{kind}",
        media_type=_MEDIA[kind],
        pieces=source.one_table(table),
    )


def _preference_file(host: Host, slug: str, *, pilots: bool) -> DataFile:
    """Return what people chose over what, a line each; people who are excluded are left out."""
    row = find_study(host, slug)
    if kind_of(host.study(row.version)).preferences is None:
        raise InputError(
            where=f"study {slug!r}",
            found="no choices between two outputs",
            needed="a study of votes",
            cure="Export its answers as csv, parquet or json.",
        )
    return DataFile(
        name=f"{slug}-preferences.jsonl",
        media_type="application/jsonl",
        pieces=(
            "".join(_preference_lines(host.study(person.version), person)).encode()
            for page in pages(host, row, pilots=pilots)
            for person in page
            if not person.excluded_because
        ),
    )


def _preference_lines(study: Study, person: PersonRow) -> Iterator[str]:
    preferences = kind_of(study).preferences
    if preferences is not None:
        for chosen in preferences(study, participation_of(person)):
            yield f"{json.dumps(dict(chosen), ensure_ascii=False)}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportChoice:
    """What of a study's data is wanted, and why, where it names people."""

    kind: DataFormat
    table: TableName | None = None
    pilots: bool = False
    identified: bool = False
    reason: str = ""


def exported(host: Host, slug: str, choice: ExportChoice, *, actor: str, now: datetime) -> DataFile:
    """Return a study's data as a file, and write into the history who took it.

    Data with the ids that recruiting platforms gave needs a reason, which is written down.

    Notes
    -----
    Stability: experimental
    """
    reason = _checked_reason(choice.reason) if choice.identified else ""
    made = data_file(
        host, slug, kind=choice.kind, table=choice.table, pilots=choice.pilots,
        identified=choice.identified,
    )  # fmt: skip
    detail: dict[str, str] = {"format": choice.kind, "table": choice.table or "all"}
    action = "exported data"
    if choice.identified:
        action, detail = "exported data with ids", detail | {"reason": reason}
    host.database.write(
        lambda c: audit.note(c, actor=actor, action=action, study=slug, detail=detail, now=now)
    )
    return made


def identities(
    host: Host,
    slug: str,
    *,
    reason: str,
    pilots: bool,
    after: int,
    people_at_most: int,
    actor: str,
    now: datetime,
) -> tuple[list[dict[str, Any]], int | None]:
    """Return a page of participants with the ids that platforms gave; the reason is written down.

    Notes
    -----
    Stability: experimental
    """
    reason = _checked_reason(reason)
    made = page_of_rows(
        host, slug, table="participants", pilots=pilots, after=after,
        people_at_most=people_at_most, identified=True,
    )  # fmt: skip
    host.database.write(
        lambda c: audit.note(
            c, actor=actor, action="read ids", study=slug, detail={"reason": reason}, now=now
        )
    )
    return made


def _checked_reason(text: str) -> str:
    reason = text.strip()
    if not _SHORTEST_REASON <= len(reason) <= _LONGEST_REASON or not reason.isprintable():
        raise InputError(
            where="reason",
            found=repr(reason[:80]),
            needed=f"why ids are needed, in {_SHORTEST_REASON} to {_LONGEST_REASON} characters",
            cure="Write it, such as: paying those who finished. Or export without ids.",
        )
    return reason


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    host: Host
    row: StudyRow
    book: Codebook
    pilots: bool
    kind: DataFormat

    def writer(self, table: TableName) -> TableWriter:
        if self.kind == "parquet":
            return ParquetWriter(self.book, table)
        if self.kind in ("sav", "dta"):
            kind: StatisticsFormat = "sav" if self.kind == "sav" else "dta"
            return cast(TableWriter, StatisticsWriter(self.book, table, kind))
        return (CsvWriter if self.kind == "csv" else JsonWriter)(self.book.names(table))

    def tables(self) -> Iterator[tuple[TableName, Iterator[bytes]]]:
        """Yield every table with its pieces; read those of one before the next is asked for."""
        writers = {table: self.writer(table) for table in TABLES}
        first, *others = TABLES
        with ExitStack() as stack:
            files = {table: stack.enter_context(_waiting_file()) for table in others}
            yield first, self._read(first, writers, files)
            for table in others:
                yield table, _content(files[table])

    def _read(
        self,
        first: TableName,
        writers: dict[TableName, TableWriter],
        files: dict[TableName, IO[bytes]],
    ) -> Iterator[bytes]:
        """Yield the first table; write the others into their files meanwhile."""
        with ExitStack() as stack:
            packed = {
                table: stack.enter_context(gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1))
                for table, file in files.items()
            }
            for batch in self.batches(TABLES):
                for table in batch.keys() & packed.keys():
                    packed[table].write(writers[table].write(batch[table]))
                yield writers[first].write(batch[first])
            for table, file in packed.items():
                file.write(writers[table].close())
        yield writers[first].close()

    def batches(self, tables: Sequence[TableName]) -> Iterator[dict[TableName, Batch]]:
        """Yield some tables, a page of people at a time."""
        names = {table: self.book.names(table) for table in tables}
        return batches(self.host, self.row, names, pilots=self.pilots)

    def one_table(self, table: TableName) -> Iterator[bytes]:
        """Return one table, which needs no file to wait in."""
        writer = self.writer(table)  # now, not with the first piece: a package may be missing
        return self._one(writer, table)

    def _one(self, writer: TableWriter, table: TableName) -> Iterator[bytes]:
        for batch in self.batches((table,)):
            yield writer.write(batch[table])
        yield writer.close()


def _workbook(source: _Source, workbook: Workbook, wanted: Sequence[TableName]) -> Iterator[bytes]:
    for table in wanted:
        workbook.add_table(table, (batch[table] for batch in source.batches((table,))))
    yield workbook.close()


def _waiting_file() -> IO[bytes]:
    return cast(IO[bytes], tempfile.SpooledTemporaryFile(max_size=_WAITING_BYTES))


def _content(file: IO[bytes]) -> Iterator[bytes]:
    file.seek(0)
    with gzip.GzipFile(fileobj=file, mode="rb") as content:
        while piece := content.read(_PIECE):
            yield piece


def _zip(source: _Source) -> Iterator[bytes]:
    buffer = WriteBuffer()
    packing = zipfile.ZIP_DEFLATED if source.kind == "csv" else zipfile.ZIP_STORED
    with zipfile.ZipFile(buffer, "w", packing, compresslevel=_COMPRESSION) as archive:  # type: ignore[call-overload]  # any object with write() will do
        archive.writestr("codebook.csv", codebook_csv(source.book))
        for table, pieces in source.tables():
            for _ in _member(archive, f"{table}.{source.kind}", pieces):
                yield buffer.take()
    yield buffer.take()


def _member(archive: zipfile.ZipFile, name: str, pieces: Iterator[bytes]) -> Iterator[None]:
    """Write a file of the archive, and pause after each piece so that it can be sent."""
    with archive.open(name, "w", force_zip64=True) as member:
        for piece in pieces:
            member.write(piece)
            yield


def _json(source: _Source) -> Iterator[bytes]:
    head = {"study": source.row.slug, "codebook": source.book.to_dict()}
    yield json.dumps(head, ensure_ascii=False)[:-1].encode()
    for table, pieces in source.tables():
        yield f', "{table}": '.encode()
        yield from pieces
    yield b"}\n"
