"""The few statements of every page, straight through SQLite's driver: a tenth of the time.

In: a statement or rows. Out: the newest row as the driver gives it, or whether rows were stored.
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

_DIALECT, _BY_PLACE = sqlite.dialect(paramstyle="named"), sqlite.dialect(paramstyle="qmark")
# Each number of rows is a statement of its own, and the driver keeps about a hundred prepared.
_MOST_ROWS = 32


def insert_new(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert rows unless their keys are taken; return how many were inserted.

    Many rows go in one statement: SQLite works through it without the interpreter, which answers
    other people meanwhile.
    """
    driver = typing.cast(sqlite3.Connection, connection.connection.driver_connection)
    return sum(
        _insert(driver, table, rows[first : first + _MOST_ROWS])
        for first in range(0, len(rows), _MOST_ROWS)
    )


def _insert(driver: sqlite3.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> int:
    text, forms = _insertion(table, len(rows)), _forms(table)
    values = [form(row[name]) if form else row[name] for row in rows for name, form in forms]
    with _as_usual(text):
        return driver.execute(text, values).rowcount


@cache
def _insertion(table: sa.Table, rows: int) -> str:
    """Return the statement that inserts so many rows: SQLAlchemy's own, its values repeated."""
    one = str(sqlite.insert(table).on_conflict_do_nothing().compile(dialect=_BY_PLACE))
    head, _, rest = one.partition(" VALUES ")
    values, bracket, tail = rest.partition(")")
    return f"{head} VALUES {', '.join([values + bracket] * rows)}{tail}"


@cache
def _forms(table: sa.Table) -> tuple[tuple[str, Callable[[Any], Any] | None], ...]:
    """Return the columns, and for each how its values are written."""
    return tuple(
        (each.name, each.type.dialect_impl(_BY_PLACE).bind_processor(_BY_PLACE))
        for each in table.columns
    )


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
