"""A study's data as a file: CSV, Parquet or JSON, each with its codebook.

In: a host, a study's short name, a format. Out: `DataFile`: a name, a media type, and the pieces of
the file, made while they are read. Absent: the disk and the web; both only pass the pieces on.
"""

import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from howgood.flow.collected.drain import Drain
from howgood.flow.collected.parquet import parquet_pieces
from howgood.flow.collected.rows import collected_codebook, tidy_rows
from howgood.flow.collected.spreadsheet import codebook_csv, csv_pieces
from howgood.flow.hosting import Host
from howgood.records.codebook import TABLES, Codebook, TableName

DataFormat = Literal["csv", "parquet", "json"]
_ROWS_AT_ONCE = 500


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
    source = _Source(host=host, slug=slug, book=collected_codebook(host, slug), pilots=pilots)
    if kind == "json":
        return DataFile(name=f"{slug}.json", media_type="application/json", pieces=_json(source))
    if table is None:
        return DataFile(name=f"{slug}.zip", media_type="application/zip", pieces=_zip(source, kind))
    media = "text/csv; charset=utf-8" if kind == "csv" else "application/vnd.apache.parquet"
    return DataFile(
        name=f"{slug}-{table}.{kind}", media_type=media, pieces=_PIECES[kind](source, table)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    host: Host
    slug: str
    book: Codebook
    pilots: bool

    def rows(self, table: TableName) -> Iterator[dict[str, object]]:
        return tidy_rows(self.host, self.slug, table=table, pilots=self.pilots)


def _csv(source: _Source, table: TableName) -> Iterator[bytes]:
    return csv_pieces(source.rows(table), source.book.names(table))


def _parquet(source: _Source, table: TableName) -> Iterator[bytes]:
    return parquet_pieces(source.rows(table), source.book, table)


_PIECES: dict[str, Callable[[_Source, TableName], Iterator[bytes]]] = {
    "csv": _csv,
    "parquet": _parquet,
}


def _zip(source: _Source, kind: DataFormat) -> Iterator[bytes]:
    drain = Drain()
    packing = zipfile.ZIP_DEFLATED if kind == "csv" else zipfile.ZIP_STORED
    with zipfile.ZipFile(drain, "w", packing, compresslevel=6) as archive:  # type: ignore[call-overload]  # any object with write() will do
        archive.writestr("codebook.csv", codebook_csv(source.book))
        for table in TABLES:
            for _ in _member(archive, f"{table}.{kind}", _PIECES[kind](source, table)):
                yield drain.taken()
    yield drain.taken()


def _member(archive: zipfile.ZipFile, name: str, pieces: Iterator[bytes]) -> Iterator[None]:
    """Write a file of the archive, and pause after each piece so that it can be sent."""
    with archive.open(name, "w", force_zip64=True) as member:
        for piece in pieces:
            member.write(piece)
            yield


def _json(source: _Source) -> Iterator[bytes]:
    head = json.dumps({"study": source.slug, "codebook": source.book.to_dict()}, ensure_ascii=False)
    yield head[:-1].encode()
    for table in TABLES:
        yield f', "{table}": ['.encode()
        waiting: list[str] = []
        comma = ""
        for row in source.rows(table):
            waiting.append(comma + "\n" + json.dumps(row, ensure_ascii=False))
            comma = ","
            if len(waiting) == _ROWS_AT_ONCE:
                yield "".join(waiting).encode()
                waiting.clear()
        yield "".join((*waiting, "]")).encode()
    yield b"}\n"
