"""The few statements of every page, straight through SQLite's driver: a tenth of the time.

In: a statement or a row. Out: the newest row as the driver gives it, or whether a row was stored.
Absent: PostgreSQL, and anything that is not asked for hundreds of times per second. The text of
each statement and the form of each value are SQLAlchemy's own, so what is stored is the same.
"""

import sqlite3
import threading
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Connection, Engine

_DIALECT = sqlite.dialect(paramstyle="named")


def insert_once(connection: Connection, table: sa.Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless its key is taken; return whether it was inserted."""
    text, forms = _insert(table)
    values = {name: form(row[name]) if form else row[name] for name, form in forms.items()}
    driver = typing.cast(sqlite3.Connection, connection.connection.driver_connection)
    with _as_usual(text):
        return driver.execute(text, values).rowcount == 1


@cache
def _insert(table: sa.Table) -> tuple[str, dict[str, Callable[[Any], Any] | None]]:
    """Return the statement, and for each column how its values are written."""
    text = str(sqlite.insert(table).on_conflict_do_nothing().compile(dialect=_DIALECT))
    forms: dict[str, Callable[[Any], Any] | None] = {
        each.name: each.type.dialect_impl(_DIALECT).bind_processor(_DIALECT)
        for each in table.columns
    }
    return text, forms


class Glances:
    """Single reads; every thread keeps a connection of its own, outside any transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._own = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._texts: dict[sa.Select[Any], str] = {}

    def first(
        self, statement: sa.Select[Any], values: Mapping[str, str | int]
    ) -> Sequence[Any] | None:
        """Return the first row, or None; for columns of text and numbers alone."""
        text = self._texts.get(statement)
        if text is None:
            text = self._texts[statement] = str(statement.compile(dialect=_DIALECT))
        with _as_usual(text):
            row: Sequence[Any] | None = self._connection().execute(text, values).fetchone()
        return row

    def _connection(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if found is None:
            pooled = self._engine.raw_connection()
            found = self._own.connection = typing.cast(sqlite3.Connection, pooled.dbapi_connection)
            pooled.detach()
            self._opened.append(found)
        return found

    def close(self) -> None:
        """Let go of every connection."""
        for each in self._opened:
            each.close()


@contextmanager
def _as_usual(text: str) -> Iterator[None]:
    """Raise what SQLAlchemy would raise; values belong into no message."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise sa.exc.IntegrityError(text, None, error) from error
    except sqlite3.DatabaseError as error:
        raise sa.exc.OperationalError(text, None, error) from error
