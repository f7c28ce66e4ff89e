"""Group commit: one thread writes, many wait, one disk flush serves them all.

In: operations on a connection, from any thread. Out: each operation's result, only after the
transaction that holds it is on disk. An operation changes nothing but the database: when a
neighbour in its transaction fails, all is undone and each is run again alone. Absent: PostgreSQL
(which groups commits itself).
"""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

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


@dataclass(frozen=True, slots=True)
class _Job:
    operation: Callable[[Connection], Any]
    done: Future[Any]


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

    def submit(self, operation: Operation[T]) -> Future[T]:
        """Return a future that has the operation's result once it is on disk."""
        job = _Job(operation, Future())
        with self._gate:
            if not self._is_open:
                raise WriterClosedError
            # From here on it will be written: whoever stops waiting cannot call it off.
            job.done.set_running_or_notify_cancel()
            self._jobs.put(job)
        return job.done

    def run(self, operation: Operation[T]) -> T:
        """Return the operation's result once it is on disk; raise what it raised."""
        return self.submit(operation).result()

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
    for job, outcome in zip(batch, outcomes, strict=True):
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
