"""A study's data as a file of any format, with its codebook; and who took them out, and why.

In: a host, a study's short name, a format. Out: `DataFile`: a name, a media type, and the pieces of
the file, made while they are read. Absent: the disk and the web, which only pass the pieces on;
what is in a row (`rows`); reading (`ask.files`).

People are read once, for all tables: the first table is sent at once, the others wait, compressed,
in temporary files. Every format is written from the same batches of columns (`writers`).
"""

import gzip
import json
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any, cast

from howgood.errors import InputError
from howgood.flow.collected.rows import (
    batches,
    collected_codebook,
    find_study,
    page_of_rows,
    pages,
    participation_of,
)
from howgood.flow.collected.writers import (
    CsvWriter,
    JsonWriter,
    ParquetWriter,
    StatisticsFormat,
    StatisticsWriter,
    TableWriter,
    Workbook,
    WriteBuffer,
)
from howgood.flow.hosting import Host
from howgood.kinds import kind_of
from howgood.kinds.study import Study
from howgood.records.codebook import TABLES, Batch, Codebook, DataFormat, TableName, batch_of
from howgood.store import audit
from howgood.store.collected import PersonRow
from howgood.store.studies import StudyRow


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
