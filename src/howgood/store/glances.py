"""Single reads straight through SQLite's driver, a tenth of the time a transaction takes.

In: a statement, its values. Out: the newest row, as the driver gives it. Absent: PostgreSQL, and
types that need turning into Python's: a glance is for text and numbers.
"""

import sqlite3
import threading
import typing
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Engine


class Glances:
    """Every thread keeps a connection of its own, outside any transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._own = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._texts: dict[sa.Select[Any], str] = {}

    def first(
        self, statement: sa.Select[Any], values: Mapping[str, str | int]
    ) -> Sequence[Any] | None:
        """Return the first row, or None."""
        text = self._texts.get(statement) or self._text(statement)
        try:
            row: Sequence[Any] | None = self._connection().execute(text, values).fetchone()
        except sqlite3.OperationalError as error:
            raise sa.exc.OperationalError(text, None, error) from error
        return row

    def _text(self, statement: sa.Select[Any]) -> str:
        text = str(statement.compile(dialect=sqlite.dialect(paramstyle="named")))
        self._texts[statement] = text
        return text

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
