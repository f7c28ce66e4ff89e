"""Open one database, SQLite or PostgreSQL, and read and write in it.

In: a file name or an address. Out: `Database`, and the types of columns that mean the same in both
(`Moment`, `IsoText`, `NUMBER`). Absent: tables (`schema`), queries (the other modules here) and
migrations (`migrate`).

SQLite: one file, write-ahead log, `synchronous=FULL`, every write through one `GroupWriter`.
PostgreSQL: a pool; every write in its own transaction, with `synchronous_commit=on`.
"""

import asyncio
import json
import queue
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

from howgood.errors import FileFormatError, HowgoodError, InputError, MissingExtraError

if find_spec("sqlalchemy") is None:
    raise MissingExtraError(task="keeping a study's answers", extra="web")

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Dialect, Engine, make_url
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from howgood.records.record import Record
from howgood.store.integrity import refuse_foreign_log

T = TypeVar("T")
Operation = Callable[[Connection], T]
# More in one transaction would not save flushes, only make the first in line wait longer.
MOST_AT_ONCE = 256
# How often, and how many seconds apart, the log is tried to be emptied while others read.
_ATTEMPTS, _PAUSE = 10, 0.2


class WriterClosedError(HowgoodError):
    """Something was to be written after the database was closed."""

    def __init__(self) -> None:
        super().__init__("the database is closed; nothing was written. Try again in a moment.")


# What is raised while a database is away, full, or takes no writes: none of it is our mistake, and
# all of it can be over in a moment.
AWAY: tuple[type[Exception], ...] = (
    sa.exc.OperationalError,
    sa.exc.InterfaceError,  # a connection that was cut
    sa.exc.InternalError,  # PostgreSQL that has become read-only
    sa.exc.TimeoutError,  # no connection is free
    WriterClosedError,
)

__all__ = [
    "AWAY",
    "Database",
    "DatabaseAwayError",
    "WriterClosedError",
    "address_without_password",
    "is_sqlite",
    "open_database",
    "sqlite_file",
    "usable_file",
]


class DatabaseAwayError(InputError):
    """A database server that gives no answer, or lets nobody in."""


# Group commit: one thread writes, many wait, one disk flush serves them all. Each operation's
# result is known only after the transaction that holds it is on disk. An operation changes nothing
# but the database: when another one in its transaction fails, all is undone and each is run again
# alone. PostgreSQL groups commits itself.


class BulkOperation(ABC):
    """An operation that many people wait for at once, done for all of them in few statements."""

    __slots__ = ()

    @staticmethod
    @abstractmethod
    def run_all(connection: Connection, operations: Sequence[Any]) -> list[Any]:
        """Do the operations of this class; return their results in the same order."""

    def __call__(self, connection: Connection) -> Any:  # noqa: ANN401 - each class has its own
        """Do this one alone."""
        return self.run_all(connection, [self])[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    operation: Callable[[Connection], Any]
    done: Future[Any]


class GroupWriter:
    """Runs operations one after another and commits those that wait together."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._is_open = True
        self._thread = threading.Thread(target=self._work, name="howgood-writer", daemon=True)
        self._thread.start()

    def submit(self, operation: Operation[T]) -> Future[T]:
        """Return a future that has the operation's result once it is on disk."""
        done: Future[T] = Future()
        done.set_running_or_notify_cancel()  # whoever stops waiting does not stop the write
        with self._gate:
            if not self._is_open:
                raise WriterClosedError
            self._jobs.put(_Job(operation, done))
        return done

    def close(self) -> None:
        """Finish what waits, then stop; later operations are refused."""
        with self._gate:
            if self._is_open:
                self._is_open = False
                self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        """Commit what has queued up, again and again; `None` is the last in the queue."""
        with self._engine.connect() as connection:
            while (first := self._jobs.get()) is not None:
                # Nobody else takes from the queue, so what it holds now is there for us.
                waiting = min(self._jobs.qsize(), MOST_AT_ONCE - 1)
                batch = [first, *(self._jobs.get() for _ in range(waiting))]
                if batch[-1] is None:
                    self._jobs.put(None)  # nothing follows it: the loop ends with it
                _commit(connection, [job for job in batch if job is not None])


def _commit(connection: Connection, batch: list[_Job]) -> None:
    """Run the batch in one transaction; if one operation fails, run each in its own.

    Bulk operations of one class share their statements. Failures are rare, so most batches need no
    savepoints, which cost more than the writes.
    """
    alone: list[_Job] = []
    bulk: dict[type[BulkOperation], list[_Job]] = {}
    for job in batch:
        if isinstance(job.operation, BulkOperation):
            bulk.setdefault(type(job.operation), []).append(job)
        else:
            alone.append(job)
    results: dict[_Job, Any] = {}
    try:
        with connection.begin():
            for kind, same in bulk.items():
                done = kind.run_all(connection, [job.operation for job in same])
                results |= zip(same, done, strict=True)
            results |= [(job, job.operation(connection)) for job in alone]
    except Exception:  # all is undone, and whoever caused it gets the error from `_commit_alone`
        for job in batch:
            _commit_alone(connection, job)
        return
    for job, result in results.items():
        job.done.set_result(result)


def _commit_alone(connection: Connection, job: _Job) -> None:
    try:
        with connection.begin():
            result = job.operation(connection)
    except Exception as error:  # the caller waits in its own thread and gets it there
        job.done.set_exception(error)
    else:
        job.done.set_result(result)


class Database:
    """Connections to read with, and one way to write."""

    def __init__(
        self, readers: Engine, *, writer: Engine | None = None, single_reads: Engine | None = None
    ) -> None:
        self.engine = readers
        self._writer_engine = writer
        self._writer = GroupWriter(writer) if writer is not None else None
        # Whether reading takes microseconds, so that it needs no thread of its own.
        self.is_local = writer is not None
        # One statement is consistent by itself: it needs no transaction, and on a local file no
        # connection of its own either, which would take as long as the reading.
        self._single_reads = single_reads
        self._single_read_lock = threading.Lock()
        # When the last write was refused though somebody was there; None when one went well since.
        self.refused_at: float | None = None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one consistent state; what it writes is undone."""
        with self.engine.connect() as connection:
            yield connection

    def read_one(self, operation: Operation[T]) -> T:
        """Run an operation of a single reading statement."""
        if self._single_reads is None:
            with self.engine.connect() as connection:
                return operation(connection)
        with self._single_read_lock:
            return operation(self._single_reader)

    @cached_property
    def _single_reader(self) -> Connection:
        return cast(Engine, self._single_reads).connect()

    async def run_blocking(self, work: Callable[..., T], *args: Any) -> T:  # noqa: ANN401 - its own
        """Call something that reads: at once from a local file, else in a thread."""
        return work(*args) if self.is_local else await asyncio.to_thread(work, *args)

    def write(self, operation: Operation[T]) -> T:
        """Run the operation in a transaction; return its result only after the commit."""
        try:
            result = self._write(operation)
        except AWAY as error:
            self._note_refusal(error)
            raise
        self.refused_at = None
        return result

    def _write(self, operation: Operation[T]) -> T:
        if self._writer is not None:
            return self._writer.submit(operation).result()
        with self.engine.begin() as connection:
            return operation(connection)

    def restructure(self, operation: Operation[T]) -> T:
        """Run an operation that may rebuild tables, in one transaction; rows keep their relations.

        SQLite rebuilds a table by copying and dropping it, and dropping it would take along the
        rows that refer to it: so it looks at references only at the end, before the commit.
        """
        if self._writer_engine is None:
            return self.write(operation)
        with self._writer_engine.connect() as connection:
            driver = cast(sqlite3.Connection, connection.connection.driver_connection)
            driver.execute("PRAGMA foreign_keys=OFF")  # works outside a transaction alone
            try:
                with connection.begin():
                    result = operation(connection)
                    _refuse_loose_ends(connection)
            finally:
                driver.execute("PRAGMA foreign_keys=ON")
        return result

    async def write_async(self, operation: Operation[T]) -> T:
        """Do as `write` does; nothing but this coroutine waits for the disk."""
        if self._writer is None:
            return await asyncio.to_thread(self.write, operation)
        try:
            result = await asyncio.wrap_future(self._writer.submit(operation))
        except AWAY as error:
            self._note_refusal(error)
            raise
        self.refused_at = None
        return result

    def _note_refusal(self, error: Exception) -> None:
        """Remember when a write was refused that will perhaps be refused again.

        A disk that is full or read-only has perhaps room for a little and not for an answer; a
        server that is gone or busy is well as soon as anything can be written. PostgreSQL's codes
        of classes 25, 53 and 58 are of the first kind, and whatever SQLite says.
        """
        reason: Any = getattr(error, "orig", None)
        code = str(reason.sqlstate) if hasattr(reason, "sqlstate") else "25"
        if reason is not None and code.startswith(("25", "53", "58")):
            self.refused_at = time.monotonic()

    def scrub(self) -> bool:
        """Make what was deleted vanish from the file too; return whether it has.

        SQLite overwrites deleted rows with zeros (`secure_delete`), but earlier states wait in the
        write-ahead log until it is emptied, and a long read can hold that up. PostgreSQL keeps
        deleted rows until it vacuums them: its administrator decides about that.
        """
        if self._writer is None:
            return False
        for _ in range(_ATTEMPTS):
            try:
                if self._empty_log():
                    return True
            except sqlite3.OperationalError:
                return False  # a disk that fails: the log stays, and is valid
            time.sleep(_PAUSE)
        return False

    def _empty_log(self) -> bool:
        """Bring the write-ahead log into the file; False: somebody reads."""
        with closing(self.engine.raw_connection()) as connection:
            cursor = connection.cursor()
            try:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                answer = cursor.fetchone()
            finally:
                cursor.close()
        return answer is not None and answer[0] == 0

    def mark_run(self, run: int) -> bool:
        """Write the number of a server's run into the head of a SQLite file; False: not yet."""
        numbered = f"PRAGMA user_version={int(run)}"  # it takes no parameters
        self.write(lambda connection: connection.exec_driver_sql(numbered))
        return self.scrub()

    def close(self) -> None:
        """Finish waiting writes and let go of every connection."""
        if self._writer is not None and self._writer_engine is not None:
            self._writer.close()
            self._writer_engine.dispose()
        if self._single_reads is not None:
            with self._single_read_lock:
                self._single_reader.close()
            self._single_reads.dispose()
        self.engine.dispose()


def _refuse_loose_ends(connection: Connection) -> None:
    """Undo a restructuring after which a row refers to one that is not there."""
    orphan = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if orphan is not None:
        raise FileFormatError(
            where=str(connection.engine.url.database),
            found=f"rows of {orphan[0]!r} that belong to rows of {orphan[2]!r} which are not there",
            needed="a sound database",
            cure="Restore a backup. Nothing was changed.",
        )


def open_database(where: str) -> Database:
    """Open the SQLite file or the PostgreSQL address; say kindly when it cannot be."""
    url = _url(where)
    if url.get_backend_name() == "sqlite":
        return _open_sqlite(where)
    return _open_postgresql(url)


def is_sqlite(where: str) -> bool:
    """Return whether the address names a SQLite file, which one process serves."""
    return _url(where).get_backend_name() == "sqlite"


def sqlite_file(where: str) -> Path:
    """Return the file that a SQLite address names."""
    return Path(_url(where).database or "")


def require_database(where: str) -> None:
    """Refuse a SQLite address at which there is no file; opening it would make an empty one."""
    if is_sqlite(where) and not sqlite_file(where).is_file():
        raise FileFormatError(
            where=str(sqlite_file(where)),
            found="no such file",
            needed="the database of a server",
            cure="Run this in the folder where `howgood serve` runs, or name the database with "
            "--database or HOWGOOD_DATABASE.",
        )


def address_without_password(where: str) -> str:
    """Return an address that may be shown."""
    url = _url(where)
    return url.database or "" if is_sqlite(where) else url.render_as_string(hide_password=True)


def _url(where: str) -> URL:
    if "://" not in where:
        return URL.create("sqlite", database=where)
    try:
        url = make_url(where)
    except sa.exc.ArgumentError as error:
        raise _unknown(where.split("://", maxsplit=1)[0]) from error
    backend = url.get_backend_name()
    if backend == "sqlite":
        return url
    if backend not in {"postgresql", "postgres"}:
        raise _unknown(backend)
    if find_spec("psycopg") is None:
        raise MissingExtraError(task="a PostgreSQL database", extra="postgres")
    return url.set(drivername="postgresql+psycopg")


def _unknown(kind: str) -> InputError:
    return InputError(
        where="database",
        found=f"an address of kind {kind!r}",
        needed="a file name for SQLite, or postgresql://user@host/name",
        cure="Correct --database or HOWGOOD_DATABASE.",
    )


def usable_file(address: str) -> Path:
    """Return the file that a SQLite address names, if there can be a database."""
    database = _url(address).database
    location = Path(database or "")
    if not database or database == ":memory:" or location.is_dir():
        raise InputError(
            where="database",
            found=f"{database or 'no file name'!s}, which is no file",
            needed="the name of a file that is or will be the database",
            cure="Name a file, such as answers.sqlite.",
        )
    if not location.absolute().parent.is_dir():
        raise InputError(
            where=str(location),
            found="no such folder",
            needed="a folder that exists",
            cure="Create the folder first, or name another.",
        )
    return location


def _open_sqlite(address: str) -> Database:
    url, location = _url(address), usable_file(address)
    refuse_foreign_log(location)
    _make_private(location)
    readers, writer = (
        _sqlite_engine(url, begin="BEGIN"),
        _sqlite_engine(url, begin="BEGIN IMMEDIATE"),
    )
    try:
        with writer.connect() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
    except sa.exc.DatabaseError as error:
        raise FileFormatError(
            where=str(location),
            found=f"a file SQLite cannot open ({error.orig})",
            needed="a database made by howgood, or a new file name",
            cure="Check the name and that you may write there.",
        ) from error
    return Database(readers, writer=writer, single_reads=_sqlite_engine(url, begin=None))


def _make_private(location: Path) -> None:
    """Let nobody else on the machine read a new database; its log gets the same rights."""
    # Whether it can be made at all is said by SQLite, kindly, in a moment.
    with suppress(OSError):
        location.touch(mode=0o600, exist_ok=False)


def _json_text(value: object) -> str:
    """Return what a JSON column holds; a record is written by Pydantic, as `to_dict` would."""
    if isinstance(value, Record):
        return value.model_dump_json(exclude_defaults=True)
    return json.dumps(value)


def _sqlite_engine(url: URL, *, begin: str | None) -> Engine:
    engine = sa.create_engine(
        url,
        pool_size=8,
        max_overflow=56,
        connect_args={"check_same_thread": False},
        json_serializer=_json_text,
        hide_parameters=True,  # answers belong into no log
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401 - the driver's own
        # The driver's own transactions begin too late; ours begin when SQLAlchemy says so.
        connection.isolation_level = None
        for pragma in ("busy_timeout=15000", "journal_mode=WAL", "synchronous=FULL",
                       "foreign_keys=ON", "secure_delete=ON"):  # fmt: skip
            connection.execute(f"PRAGMA {pragma}")

    if begin is not None:
        sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


def _open_postgresql(url: URL) -> Database:
    engine = sa.create_engine(
        url,
        pool_size=8,
        max_overflow=16,
        pool_timeout=10,
        pool_pre_ping=True,
        json_serializer=_json_text,
        hide_parameters=True,
        connect_args={"options": "-c synchronous_commit=on", "connect_timeout": 10},
    )
    try:
        with engine.connect() as connection:
            is_read_only = connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on"
    except sa.exc.OperationalError as error:
        raise DatabaseAwayError(
            where=url.render_as_string(hide_password=True),
            found=f"no answer ({str(error.orig).strip().splitlines()[0]})",
            needed="a PostgreSQL server that lets you in",
            cure="Check the address, and that the server runs and knows this user and database.",
        ) from error
    if is_read_only:
        engine.dispose()
        raise DatabaseAwayError(
            where=url.render_as_string(hide_password=True),
            found="a server that is read-only now",
            needed="one that takes writes",
            cure="Name the primary server, or make this one writable.",
        )
    return Database(engine)


metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


class Moment(sa.types.TypeDecorator[datetime]):
    """A point in time, always UTC; SQLite keeps no zone, so it is put back on reading."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the moment in UTC; a moment without a zone is refused."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment needs its zone: use datetime.now(UTC)")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def result_processor(
        self, dialect: Dialect, coltype: object
    ) -> Callable[[Any], datetime | None]:
        """Return what makes a moment with its zone of what the driver gives.

        SQLite gives text, and every export reads millions of them: one call each, not three.
        """
        return _from_text if dialect.name == "sqlite" else _in_utc


def _from_text(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(f"{text}+00:00")


def _in_utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


class IsoText(FunctionElement[str]):
    """A moment as ISO 8601 writes it in UTC, as `datetime.isoformat` does, by the database."""

    type = sa.Text()
    inherit_cache = True


@compiles(IsoText, "sqlite")
def _iso_of_text(element: IsoText, compiler: SQLCompiler, **options: object) -> str:
    moment = compiler.process(element.clauses, **options)
    return f"replace(replace({moment}, ' ', 'T'), '.000000', '') || '+00:00'"


@compiles(IsoText)
def _iso_of_moment(element: IsoText, compiler: SQLCompiler, **options: object) -> str:
    moment = compiler.process(element.clauses, **options)
    written = f"to_char({moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US')"
    return f"replace({written}, '.000000', '') || '+00:00'"


# Machines' clocks differ by less than this. What was begun later than that from now was begun by a
# clock that was ahead and has been corrected since: whatever it allowed is not believed.
CLOCKS_DIFFER = timedelta(minutes=10)
# SQLite gives automatic numbers only to INTEGER columns; PostgreSQL should not run out of them.
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
