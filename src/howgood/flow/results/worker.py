"""Take jobs from the queue, one after another, and see each to its end.

In: a host and its address. Out: results in the database. Absent: what a job does (`tasks`).

A job runs in a child process, so neither pages nor the lease wait for it. The worker renews the
lease while the child works, stores the result, and gives the job back when it is asked to stop.
"""

import json
import logging
import queue
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.engine import Connection

from howgood.flow.coming_back import send_due
from howgood.flow.error_location import error_location
from howgood.flow.hosting import Host
from howgood.flow.mail import can_mail
from howgood.flow.notices import Messenger, note_precision
from howgood.flow.retention import erase_due
from howgood.records.job import FIT, Job
from howgood.settings import Settings
from howgood.store import jobs
from howgood.store.database import AWAY, WriterClosedError

LEASE = timedelta(seconds=15)
CHILD = (sys.executable, "-m", "howgood.flow.results.child")
_LOOK_SECONDS = 1.0
_ERASE_SECONDS = 60.0
_log = logging.getLogger("howgood.worker")


@dataclass(frozen=True, slots=True)
class _Ended:
    """The child said no more; `message` is its last word, if it had one."""

    message: dict[str, Any]


class Worker:
    """Works until it is asked to stop; any number may share a database."""

    def __init__(
        self,
        host: Host,
        address: str,
        *,
        lease: timedelta = LEASE,
        child: Sequence[str] = CHILD,
        log: Callable[[str], None] = _log.info,
        settings: Settings | None = None,
    ) -> None:
        self._host, self._address, self._lease, self._child = host, address, lease, child
        self._log, self._settings = log, settings
        # With settings, messages about studies are sent as well.
        self._messenger = Messenger(host, settings) if settings is not None else None
        self.name = f"worker-{uuid.uuid4().hex[:12]}"
        self.stopping = threading.Event()
        self._erases_next = time.monotonic()

    def run(self) -> None:
        """Work off the queue and wait for more until `stopping` is set."""
        if self._messenger is not None:
            self._messenger.start()
        self._work_off()
        if self._messenger is not None:
            self._messenger.stop()

    def _work_off(self) -> None:
        while not self.stopping.is_set():
            try:
                self._erase_due()
                was_busy = self.run_once()
            except WriterClosedError:
                return  # this process is stopping and has closed its database already
            except AWAY as error:
                # The database is away for a while; the lease sees to the job in hand.
                _log.error("database_away error=%s", type(error).__name__)
                was_busy = False
            except Exception as error:  # whatever one job met, the next deserve a worker
                _log.error("job_trouble %s", error_location(error))
                was_busy = False
            if not was_busy:
                self.stopping.wait(_LOOK_SECONDS)

    def _erase_due(self) -> None:
        """Erase what studies keep no longer; looking once a minute is often enough."""
        if time.monotonic() < self._erases_next:
            return
        self._erases_next = time.monotonic() + _ERASE_SECONDS
        for done in erase_due(self._host, now=_now()):
            people = done.erasure.participants
            self._log(f"retention_erased study={done.study} participants={people}")
        self._remind()

    def _remind(self) -> None:
        """Write to people whose next round begins; without a mail server nobody has asked."""
        settings = self._settings
        if settings is None or not settings.public_url or not can_mail(settings):
            return
        if sent := send_due(self._host, settings, now=_now()):
            self._log(f"reminders_sent letters={sent}")

    def run_once(self) -> bool:
        """Do one job if there is one; return whether there was."""
        now = _now()
        job = self._host.database.write(
            lambda connection: jobs.claim(connection, self.name, now=now, until=now + self._lease)
        )
        if job is None:
            return False
        self._log(f"job_started number={job.number} task={job.task} attempt={job.attempts}")
        outcome = self._work(job)
        self._log(f"job_ended number={job.number} outcome={outcome}")
        return True

    def _work(self, job: Job) -> str:
        child = subprocess.Popen(  # noqa: S603 - our own program, no shell
            self._child,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # Ctrl+C is for us: we end the child and give the job back
        )
        try:
            last = self._listen(job, child)
        finally:
            child.kill()
            child.wait()
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    stream.close()
        return self._settle(job, last)

    def _listen(self, job: Job, child: "subprocess.Popen[str]") -> dict[str, Any] | None:
        """Return the child's last word; None when we stop, or the job is no longer ours."""
        said: queue.SimpleQueue[dict[str, Any] | _Ended] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(child, self._order(job), said), daemon=True).start()
        share, step = 0.0, ""
        renewed = time.monotonic()
        while True:
            message = self._next(said)
            if isinstance(message, _Ended):
                return message.message
            if message is not None:
                share, step = float(message["share"]), str(message["step"])
            if self.stopping.is_set():
                return None
            if time.monotonic() - renewed < min(self._lease.total_seconds() / 4, 1.0):
                continue
            renewed = time.monotonic()
            if not self._renew(job, share, step):
                return None

    def _next(
        self, said: "queue.SimpleQueue[dict[str, Any] | _Ended]"
    ) -> dict[str, Any] | _Ended | None:
        try:
            return said.get(timeout=min(self._lease.total_seconds() / 8, 0.25))
        except queue.Empty:
            return None

    def _order(self, job: Job) -> str:
        return json.dumps(
            {
                "database": self._address,
                "study": job.study,
                "task": job.task,
                "settings": dict(job.settings),
            }
        )

    def _renew(self, job: Job, share: float, step: str) -> bool:
        """Keep the lease; while the database is away the work goes on, as it may soon be back."""
        until = _now() + self._lease
        try:
            return self._host.database.write(
                lambda connection: jobs.renew(
                    connection, job, until=until, progress=share, message=step
                )
            )
        except WriterClosedError:
            return False
        except AWAY as error:
            _log.error("database_away error=%s", type(error).__name__)
            return True

    def _settle(self, job: Job, last: dict[str, Any] | None) -> str:
        """Write how the job ended; return it in a word."""
        write, now = self._host.database.write, _now()
        if last is None:
            is_ours = write(lambda connection: jobs.give_back(connection, job, counts=False))
            return "given back" if is_ours else "no longer ours"
        if "result" in last:
            result = last["result"]
            message = str(result.get("summary", ""))

            def finish(connection: Connection) -> bool:
                is_stored = jobs.finish(connection, job, result, message=message, now=now)
                if is_stored and job.task == FIT:
                    note_precision(connection, job.study, result.get("report", {}), now=now)
                return is_stored

            return "done" if write(finish) else "no longer ours"
        if "problem" in last:
            write(lambda connection: jobs.fail(connection, job, last["problem"], now=now))
            return "failed"
        if job.attempts >= jobs.MOST_ATTEMPTS:
            write(lambda connection: jobs.fail(connection, job, jobs.GAVE_UP, now=now))
            return "gave up"
        write(lambda connection: jobs.give_back(connection, job, counts=True))
        return "broke off, to be tried again"


class BackgroundWorker:
    """A worker in a thread of its own: for a server that is all there is."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._thread = threading.Thread(target=worker.run, name="howgood-worker", daemon=True)

    def start(self) -> None:
        """Begin to look for jobs."""
        self._thread.start()

    def stop(self) -> None:
        """Give back what is in work and end; returns when that is done."""
        self._worker.stopping.set()
        self._thread.join()


def _read(
    child: "subprocess.Popen[str]",
    order: str,
    said: "queue.SimpleQueue[dict[str, Any] | _Ended]",
) -> None:
    """Hand the order over, then pass on what the child says until it falls silent."""
    last: dict[str, Any] = {}
    try:
        for line in _said(child, order):
            last = json.loads(line)
            if "share" in last:
                said.put(last)
    except (OSError, ValueError):  # the child was ended in the middle of a word
        last = {}
    said.put(_Ended({} if "share" in last else last))


def _said(child: "subprocess.Popen[str]", order: str) -> Iterator[str]:
    if child.stdin is None or child.stdout is None:
        raise OSError("the child has no pipes")
    child.stdin.write(order + "\n")
    child.stdin.flush()
    yield from child.stdout


def _now() -> datetime:
    return datetime.now(UTC)
