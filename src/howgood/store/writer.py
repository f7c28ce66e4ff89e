"""Group commit: one thread writes, many wait, one disk flush serves them all.

In: operations on a connection, from any thread. Out: each operation's result, only after the
transaction that holds it is on disk. An operation changes nothing but the database: when a
neighbour in its transaction fails, all is undone and each is run again alone. Absent: PostgreSQL
(which groups commits itself).
"""

import asyncio
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sqlalchemy.engine import Connection, Engine

from howgood.errors import HowgoodError

# More in one transaction would not save flushes, only make the first in line wait longer.
MOST_AT_ONCE = 256

T = TypeVar("T")
Operation = Callable[[Connection], T]


class WriterClosedError(HowgoodError):
    """Something was to be written after the database was closed."""

    def __init__(self) -> None:
        super().__init__("the database is closed; nothing was written. Try again in a moment.")


class _NotAllNewError(Exception):
    """Some of what was to be stored together is there already."""


class Alike(ABC):
    """An operation that can be done for many at once; it returns whether it stored anything new."""

    __slots__ = ()

    @abstractmethod
    def __call__(self, connection: Connection) -> bool:
        """Do it for one."""

    @staticmethod
    @abstractmethod
    def all_at_once(connection: Connection, operations: Sequence[Any]) -> bool:
        """Do it for many; False, upon which all is undone, unless everything was new."""


class _Waiting(Protocol):
    """Someone to be told: a thread's future, or a coroutine's."""

    def set_result(self, result: Any) -> None: ...  # noqa: ANN401 - whatever was asked for
    def set_exception(self, error: Exception) -> None: ...


@dataclass(frozen=True, slots=True)
class _Job:
    operation: Callable[[Connection], Any]
    done: _Waiting
    loop: asyncio.AbstractEventLoop | None = None


@dataclass(frozen=True, slots=True)
class _Outcome:
    result: Any = None
    error: Exception | None = None


class GroupWriter:
    """Runs operations one after another and commits those that wait together."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._jobs: queue.SimpleQueue[list[_Job] | None] = queue.SimpleQueue()
        self._gathered: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
        self._gate = threading.Lock()
        self._is_open = True
        self._thread = threading.Thread(target=self._work, name="howgood-writer", daemon=True)
        self._thread.start()

    def run(self, operation: Operation[T]) -> T:
        """Return the operation's result once it is on disk; raise what it raised."""
        done: Future[T] = Future()
        self._put([_Job(operation, done)])
        return done.result()

    async def run_soon(self, operation: Operation[T]) -> T:
        """Do as `run` does; nothing but this coroutine waits. Who stops waiting stops nothing."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        if not self._is_open:
            raise WriterClosedError
        gathered = self._gathered.get(loop)
        if gathered is None:
            # Whoever else writes before the loop looks around comes along: waking the writer for
            # each of them would cost more than their writes.
            gathered = self._gathered[loop] = []
            loop.call_soon(self._put_gathered, loop)
        gathered.append(_Job(operation, done, loop))
        return await done

    def _put_gathered(self, loop: asyncio.AbstractEventLoop) -> None:
        jobs = self._gathered.pop(loop)
        try:
            self._put(jobs)
        except WriterClosedError as error:
            _tell([(job, _Outcome(error=error)) for job in jobs])

    def _put(self, jobs: list[_Job]) -> None:
        with self._gate:
            if not self._is_open:
                raise WriterClosedError
            self._jobs.put(jobs)

    def close(self) -> None:
        """Finish what waits, then stop; later operations are refused."""
        with self._gate:
            if self._is_open:
                self._is_open = False
                self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        with self._engine.connect() as connection:
            is_last = False
            while not is_last:
                batch, is_last = self._waiting()
                if batch:
                    _commit(connection, batch)

    def _waiting(self) -> tuple[list[_Job], bool]:
        """Wait for the first jobs, then take along whatever has queued up meanwhile."""
        jobs = self._jobs.get()
        batch: list[_Job] = []
        while jobs is not None:
            batch += jobs
            if len(batch) >= MOST_AT_ONCE:
                return batch, False
            try:
                jobs = self._jobs.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True


def _commit(connection: Connection, batch: list[_Job]) -> None:
    """Run the batch in one transaction; if one operation fails, run each in its own.

    Failures are rare, so most batches need no savepoints, which cost more than the writes.
    """
    outcomes = _together(connection, batch)
    if outcomes is None:
        outcomes = [_alone(connection, job) for job in batch]
    told = list(zip(batch, outcomes, strict=True))
    _tell([pair for pair in told if pair[0].loop is None])
    for loop in {job.loop for job in batch if job.loop is not None}:
        mine = [pair for pair in told if pair[0].loop is loop]
        with suppress(RuntimeError):  # a loop that has ended waits for nothing
            loop.call_soon_threadsafe(_tell, mine)


def _tell(told: list[tuple[_Job, _Outcome]]) -> None:
    for job, outcome in told:
        if isinstance(job.done, asyncio.Future) and job.done.cancelled():
            continue
        if outcome.error is None:
            job.done.set_result(outcome.result)
        else:
            job.done.set_exception(outcome.error)


def _together(connection: Connection, batch: list[_Job]) -> list[_Outcome] | None:
    try:
        with connection.begin():
            _store_alike(connection, [job.operation for job in batch])
            return [_Outcome(result=_result(connection, job.operation)) for job in batch]
    except Exception:  # whatever it was is undone, and its own caller will see it
        return None


def _store_alike(connection: Connection, operations: list[Callable[[Connection], Any]]) -> None:
    """Store what is of one kind in few statements, or raise when not all of it was new."""
    kinds = {type(each) for each in operations if isinstance(each, Alike)}
    for kind in kinds:
        alike = [each for each in operations if type(each) is kind]
        if not kind.all_at_once(connection, alike):
            raise _NotAllNewError


def _result(connection: Connection, operation: Callable[[Connection], Any]) -> object:
    return True if isinstance(operation, Alike) else operation(connection)


def _alone(connection: Connection, job: _Job) -> _Outcome:
    try:
        with connection.begin():
            result = job.operation(connection)
    except Exception as error:  # the caller waits in another thread and gets it from there
        return _Outcome(error=error)
    return _Outcome(result=result)
