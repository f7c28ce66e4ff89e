"""Sockets and processes: run the application until it is asked to stop.

In: settings and an address. Out: nothing; returns after the last request is finished. Absent: the
application itself (`app`).
"""

import asyncio
import contextlib
import copy
import logging
import os
import socket
from typing import Any

import uvicorn
from starlette.applications import Starlette

from howgood.errors import InputError
from howgood.flow.hosting import Host
from howgood.flow.results.worker import BackgroundWorker, Worker
from howgood.settings import BUSY_LIMIT, DATABASE, DATABASE_FILE, Settings

# Requests in work get this long to finish when the server is asked to stop; then they are told to
# come back. Docker waits ten seconds before it kills.
_FAREWELL_SECONDS = 8
# A worker that says nothing for this long is replaced. Starting takes seconds on a busy machine,
# and one that is replaced too soon starts again, which keeps the machine busy.
_SILENCE_SECONDS = 20


def run(host: Host, settings: Settings, *, address: str, port: int, workers: int) -> None:
    """Serve until interrupted; then finish what is in work and close the database."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    _allow_many_connections()
    app: Starlette | str = "howgood.web.workers:app_from_environment"
    if workers == 1:
        from howgood.web.app import make_app, settle  # a second that a mere parent of workers saves
        from howgood.web.leaving import ending_in_time

        app = ending_in_time(make_app(host, settings, worker=_own_worker(host, settings)))
        settle()
    else:
        host.close()
        # Workers are new processes: what they need to know travels in their environment.
        os.environ.pop(DATABASE_FILE, None)
        os.environ[DATABASE] = settings.database
        os.environ[BUSY_LIMIT] = str(settings.busy_limit)
    try:
        uvicorn.run(
            app, factory=isinstance(app, str), host=address, port=port, workers=workers, **options()
        )
    finally:
        host.close()  # the application does so itself, unless Ctrl+C was pressed twice


def _allow_many_connections() -> None:
    """Raise how many files this process may have open to what the system allows it.

    Everybody who is here holds one. Many systems start with 1,024, which a crowd exceeds.
    """
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # absent on Windows, which has no such limit

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def options() -> dict[str, Any]:
    """Return how connections are treated, whoever listens on them.

    What a proxy says about who is calling (X-Forwarded-For) is believed from this machine alone,
    or from the addresses named in FORWARDED_ALLOW_IPS: others could pretend to be everybody.
    """
    return {
        "access_log": False,  # addresses hold tokens
        "log_level": "warning",
        "log_config": _logging(),
        "server_header": False,
        # By name: workers that had to load it before they could say they live were killed as dead.
        "http": "howgood.web.patience:PatientProtocol",
        "ws": "none",
        "timeout_keep_alive": 15,
        "timeout_graceful_shutdown": _FAREWELL_SECONDS,
        "timeout_worker_healthcheck": _SILENCE_SECONDS,
    }


class BrokenOff(logging.Filter):
    """Keeps out of the log what Ctrl+C, pressed twice, breaks off: it is wished for, no fault."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is about anything else."""
        kind = record.exc_info[0] if record.exc_info else None
        is_cancelled = kind is not None and issubclass(kind, asyncio.CancelledError)
        # The end of the application itself is told as text.
        return not (is_cancelled or record.getMessage().rstrip().endswith("CancelledError"))


def _logging() -> dict[str, Any]:
    """Return uvicorn's own way of logging with the filter in it; workers get it, too."""
    config = copy.deepcopy(uvicorn.config.LOGGING_CONFIG)
    config["filters"] = {"broken_off": {"()": f"{__name__}.{BrokenOff.__name__}"}}
    config["formatters"]["default"]["use_colors"] = False  # their codes would be shown as text
    config["handlers"]["default"]["filters"] = ["broken_off"]
    return config


def _own_worker(host: Host, settings: Settings) -> BackgroundWorker | None:
    """Return a worker for the embedded database; a PostgreSQL server has `howgood worker`."""
    if not host.database.is_local:
        return None
    return BackgroundWorker(Worker(host, settings.database))


def check_free(address: str, port: int) -> None:
    """Say kindly that the port is taken, before anything is written.

    A server that cannot start must change nothing for the one that runs: not its set-up link.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((address, port))
        except OSError as error:
            raise InputError(
                where=f"{address}, port {port}",
                found=f"an address that cannot be used ({error.strerror})",
                needed="a free port on this machine",
                cure="Stop what uses it, or choose another with --port.",
            ) from error
