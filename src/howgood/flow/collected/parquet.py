"""Rows as a Parquet file, written group by group.

In: rows and the columns of a codebook. Out: pieces of a Parquet file whose metadata holds the
codebook. Absent: reading Parquet (`ask.files`).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from howgood.errors import MissingExtraError
from howgood.flow.collected.drain import Drain
from howgood.records.codebook import Codebook, Column, TableName

_ROWS_IN_GROUP = 10_000
_AS: dict[str, Callable[[Any], object]] = {
    "text": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "time": datetime.fromisoformat,
}


def parquet_pieces(
    rows: Iterable[Mapping[str, Any]], book: Codebook, table: TableName
) -> Iterator[bytes]:
    """Return a Parquet file piece by piece: one group of rows at a time is in memory."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError(task="writing Parquet", extra="parquet") from error
    return _pieces(pa, pq, rows, book, table)


def _pieces(
    pa: Any,  # noqa: ANN401 - pyarrow ships no types
    pq: Any,  # noqa: ANN401 - pyarrow ships no types
    rows: Iterable[Mapping[str, Any]],
    book: Codebook,
    table: TableName,
) -> Iterator[bytes]:
    columns = book.tables[table]
    schema = _schema(pa, columns).with_metadata({"codebook": json.dumps(book.to_dict())})
    drain, waiting = Drain(), iter(rows)
    with pq.ParquetWriter(drain, schema, compression="zstd") as writer:
        while group := list(islice(waiting, _ROWS_IN_GROUP)):
            writer.write_table(pa.table(_columns(group, columns), schema=schema))
            yield drain.taken()
    yield drain.taken()


def _schema(pa: Any, columns: Sequence[Column]) -> Any:  # noqa: ANN401 - pyarrow ships no types
    types = {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    return pa.schema([(each.name, types[each.type]) for each in columns])


def _columns(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[Column]
) -> dict[str, list[object]]:
    return {
        each.name: [
            None if (value := row[each.name]) is None else _AS[each.type](value) for row in rows
        ]
        for each in columns
    }
