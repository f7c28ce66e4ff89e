"""Group commit: one thread writes, many wait, one disk flush serves them all.

In: operations on a connection, from any thread. Out: each operation's result, only after the
transaction that holds it is on disk. An operation changes nothing but the database: when another
one in its transaction fails, all is undone and each is run again alone. Absent: PostgreSQL (which
groups commits itself).
"""

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
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


@dataclass(frozen=True, slots=True)
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
        with self._engine.connect() as connection:
            while batch := self._next_batch():
                _commit(connection, batch)

    def _next_batch(self) -> list[_Job]:
        """Wait for the first job and take along what has queued up; empty when closed."""
        first = self._jobs.get()
        # Nobody else takes from the queue, so what it holds now is there for us.
        waiting = min(self._jobs.qsize(), MOST_AT_ONCE - 1) if first else 0
        taken = [first, *(self._jobs.get() for _ in range(waiting))]
        if taken[-1] is None:
            self._jobs.put(None)  # nothing follows it: the next batch is empty
        return [job for job in taken if job is not None]


def _commit(connection: Connection, batch: list[_Job]) -> None:
    """Run the batch in one transaction; if one operation fails, run each in its own.

    Failures are rare, so most batches need no savepoints, which cost more than the writes.
    """
    try:
        with connection.begin():
            results = _run_all(connection, [job.operation for job in batch])
    except Exception:  # all is undone, and whoever caused it gets the error from `_commit_alone`
        for job in batch:
            _commit_alone(connection, job)
        return
    for job, result in zip(batch, results, strict=True):
        job.done.set_result(result)


def _run_all(connection: Connection, operations: list[Callable[[Connection], Any]]) -> list[Any]:
    """Return the results in order; bulk operations of one class share their statements."""
    results: dict[int, Any] = {}
    for kind in {type(operation) for operation in operations}:
        if issubclass(kind, BulkOperation):
            places = [n for n, operation in enumerate(operations) if type(operation) is kind]
            results |= zip(
                places, kind.run_all(connection, [operations[n] for n in places]), strict=True
            )
    return [
        results[n] if n in results else operation(connection)
        for n, operation in enumerate(operations)
    ]


def _commit_alone(connection: Connection, job: _Job) -> None:
    try:
        with connection.begin():
            result = job.operation(connection)
    except Exception as error:  # the caller waits in its own thread and gets it there
        job.done.set_exception(error)
    else:
        job.done.set_result(result)
