"""Group commit: one thread writes, many wait, one disk flush serves them all.

In: operations on a connection, from any thread. Out: each operation's result, only after the
transaction that holds it is on disk. An operation changes nothing but the database: when a
neighbour in its transaction fails, all is undone and each is run again alone. Absent: PostgreSQL
(which groups commits itself).
"""

import asyncio
import queue
import threading
from collections.abc import Callable
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
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._is_open = True
        self._thread = threading.Thread(target=self._work, name="howgood-writer", daemon=True)
        self._thread.start()

    def run(self, operation: Operation[T]) -> T:
        """Return the operation's result once it is on disk; raise what it raised."""
        done: Future[T] = Future()
        self._put(_Job(operation, done))
        return done.result()

    async def run_soon(self, operation: Operation[T]) -> T:
        """Do as `run` does; nothing but this coroutine waits. Who stops waiting stops nothing."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._put(_Job(operation, done, loop))
        return await done

    def _put(self, job: _Job) -> None:
        with self._gate:
            if not self._is_open:
                raise WriterClosedError
            self._jobs.put(job)

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
        """Wait for the first job, then take along whatever has queued up meanwhile."""
        job = self._jobs.get()
        batch: list[_Job] = []
        while job is not None:
            batch.append(job)
            if len(batch) == MOST_AT_ONCE:
                return batch, False
            try:
                job = self._jobs.get_nowait()
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
            return [_Outcome(result=job.operation(connection)) for job in batch]
    except Exception:  # whatever it was is undone, and its own caller will see it
        return None


def _alone(connection: Connection, job: _Job) -> _Outcome:
    try:
        with connection.begin():
            result = job.operation(connection)
    except Exception as error:  # the caller waits in another thread and gets it from there
        return _Outcome(error=error)
    return _Outcome(result=result)
