"""A study's data as a file: CSV, Parquet or JSON, each with its codebook.

In: a host, a study's short name, a format. Out: `DataFile`: a name, a media type, and the pieces of
the file, made while they are read. Absent: the disk and the web; both only pass the pieces on.

People are read once, for all tables: the first table is sent at once, the others wait, compressed,
in temporary files.
"""

import gzip
import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Literal, cast

from howgood.flow.collected.rows import collected_codebook, find_study, pages, person_rows
from howgood.flow.collected.table_files import (
    CsvWriter,
    JsonWriter,
    ParquetWriter,
    TableWriter,
    WriteBuffer,
    codebook_csv,
)
from howgood.flow.hosting import Host
from howgood.records.codebook import TABLES, Codebook, TableName
from howgood.store.collected import PersonRow
from howgood.store.studies import StudyRow

DataFormat = Literal["csv", "parquet", "json"]
# How much of a table waits in memory before it goes into a temporary file.
_WAITING_BYTES = 2_000_000
_PIECE = 256 * 1024
# Answers repeat themselves: more effort would take three times as long for a tenth of the size.
_COMPRESSION = 3


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
) -> DataFile:
    """Return a study's data as a file.

    Parameters
    ----------
    host : Host
        The database.
    slug : str
        The study's short name.
    kind : {"csv", "parquet", "json"}
        JSON holds every table and the codebook. CSV and Parquet are one table, or, without
        `table`, a ZIP of all of them with the codebook.
    table : {"answers", "participants", "screens"} or None
        One table, or all.
    pilots : bool
        Whether test runs are included.

    Notes
    -----
    Stability: experimental
    """
    source = _Source(
        host=host,
        row=find_study(host, slug),
        book=collected_codebook(host, slug),
        pilots=pilots,
        kind=kind,
    )
    if kind == "json":
        return DataFile(name=f"{slug}.json", media_type="application/json", pieces=_json(source))
    if table is None:
        return DataFile(name=f"{slug}.zip", media_type="application/zip", pieces=_zip(source))
    media = "text/csv; charset=utf-8" if kind == "csv" else "application/vnd.apache.parquet"
    return DataFile(
        name=f"{slug}-{table}.{kind}",
        media_type=media,
        pieces=source.one_table(table),
    )


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
            for page in pages(self.host, self.row, pilots=self.pilots):
                made = {table: self._written(writers[table], table, page) for table in writers}
                for table, file in packed.items():
                    file.write(made[table])
                yield made[first]
            for table, file in packed.items():
                file.write(writers[table].close())
        yield writers[first].close()

    def _written(self, writer: TableWriter, table: TableName, page: Iterable[PersonRow]) -> bytes:
        studies = ((self.host.study(person.version), person) for person in page)
        return writer.write(
            row for study, person in studies for row in person_rows(study, person, table)
        )

    def one_table(self, table: TableName) -> Iterator[bytes]:
        """Return one table, which needs no file to wait in."""
        writer = self.writer(table)  # now, not with the first piece: a package may be missing
        return self._one(writer, table)

    def _one(self, writer: TableWriter, table: TableName) -> Iterator[bytes]:
        for page in pages(self.host, self.row, pilots=self.pilots):
            yield self._written(writer, table, page)
        yield writer.close()


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
