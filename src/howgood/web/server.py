"""Sockets, processes and the log: run the application until it is asked to stop.

In: settings and an address. Out: nothing; returns after the last request is finished. One line per
event on standard error: a word and pairs, such as `job_ended number=4 outcome=done`, for people; or
JSON, with each pair a field of its own. Absent: the application itself (`app`); addresses, names
and answers are never logged (`tests/attacks/test_logs.py`).
"""

import asyncio
import contextlib
import copy
import json
import logging
import multiprocessing
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.types import Message, Receive, Scope, Send

from howgood.errors import InputError
from howgood.flow.hosting import Host, open_host
from howgood.flow.results.worker import BackgroundWorker, Worker
from howgood.lazy import while_loading
from howgood.settings import BUSY_LIMIT, DATABASE, DATABASE_FILE, Settings, read_settings
from howgood.store.database import DatabaseAwayError

_SECONDS_TO_START = 20
# A browser that was sent on to another page gets so long to ask for it.
_SECONDS_TO_FOLLOW = 10
_LEAD_ON = frozenset({301, 302, 303, 307, 308})
# A worker that is started while the database is away waits so long before it gives up.
_SECONDS_TO_OPEN = 30
_log = logging.getLogger("howgood.web")
# Requests in work get this long to finish when the server is asked to stop; then they are asked to
# come back. Docker waits ten seconds before it kills.
_GRACE_SECONDS = 8
# A worker that says nothing for this long is replaced. Starting takes seconds on a busy machine,
# and one that is replaced too soon starts again, which keeps the machine busy.
_WORKER_TIMEOUT_SECONDS = 20


def run(host: Host, settings: Settings, *, address: str, port: int, workers: int) -> None:
    """Serve until interrupted; then finish what is in work and close the database."""
    set_up_logging(settings)
    _allow_many_connections()
    app: Starlette | str = "howgood.web.server:app_from_environment"
    if workers == 1:
        with while_loading():
            # Half a second that a mere parent of workers saves.
            from howgood.web.app import limit_shutdown, make_app, settle

            app = limit_shutdown(make_app(host, settings, worker=_own_worker(host, settings)))
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
        "http": "howgood.web.timeouts:TimeoutProtocol",
        "ws": "none",
        "timeout_keep_alive": 15,
        "timeout_graceful_shutdown": _GRACE_SECONDS,
        "timeout_worker_healthcheck": _WORKER_TIMEOUT_SECONDS,
    }


class BrokenOff(logging.Filter):
    """Keeps out of the log what Ctrl+C, pressed twice, breaks off: it is wished for, no fault."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is about anything else."""
        kind = record.exc_info[0] if record.exc_info else None
        is_cancelled = kind is not None and issubclass(kind, asyncio.CancelledError)
        # The end of the application itself is logged as text.
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
    return BackgroundWorker(Worker(host, settings.database, settings=settings))


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


def app_from_environment() -> Starlette:
    """Return the application that the environment describes; every worker calls this."""
    with while_loading():
        from howgood.web.app import limit_shutdown, make_app, settle

        settings = read_settings()
        set_up_logging(settings)
        threading.Thread(target=_end_with_parent, daemon=True).start()
        app = limit_shutdown(make_app(_open_patiently(settings.database), settings))
        settle()
    return app


def _end_with_parent() -> None:
    """Stop when the parent has died: its successor needs the port that we hold.

    The parent holds one end of a pipe since before we were started, so that we notice its death
    also when it came before we began to look.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _open_patiently(address: str) -> Host:
    """Open a database that was there when the server started, and may be away for a moment."""
    until = time.monotonic() + _SECONDS_TO_OPEN
    while True:
        try:
            return open_host(address)
        except DatabaseAwayError:
            if time.monotonic() > until:
                raise
            _log.error("database_away error=DatabaseAwayError")
            time.sleep(1)


class _Followed:
    """The application, and whether a browser is still on its way to the page after an answer."""

    def __init__(self, app: Starlette) -> None:
        self.app = app
        self.n_open = 0
        self.leads_on = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and note whether the answer leads to another page."""

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.leads_on = message["status"] in _LEAD_ON
            await send(message)

        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        self.n_open += 1
        try:
            await self.app(scope, receive, noted)
        finally:
            self.n_open -= 1

    def wait(self) -> None:
        """Wait until whoever has just answered has the next page, or does not come for it."""
        end = time.monotonic() + _SECONDS_TO_FOLLOW
        while (self.n_open or self.leads_on) and time.monotonic() < end:
            time.sleep(0.02)


@contextmanager
def serve_in_background(host: Host) -> Iterator[str]:
    """Serve this host on a free port of this machine alone; it is closed at the end.

    Whoever has given the last answer still gets the page after it.
    """
    from howgood.web.app import make_app

    app = _Followed(make_app(host, Settings()))
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            host="127.0.0.1",
            port=0,
            access_log=False,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=2,
        )
    )
    thread = threading.Thread(target=server.run, name="howgood-local-server", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{_port(server, thread)}"
        app.wait()
    finally:
        server.should_exit = True
        thread.join()


def _port(server: uvicorn.Server, thread: threading.Thread) -> int:
    """Wait until it listens, and return where."""
    end = time.monotonic() + _SECONDS_TO_START
    while not server.started:
        if not thread.is_alive() or time.monotonic() > end:
            raise InputError(
                where="127.0.0.1",
                found="a server that does not start",
                needed="a free port on this machine",
                cure="Try again, or answer in the terminal without --browser.",
            )
        time.sleep(0.02)
    return int(server.servers[0].sockets[0].getsockname()[1])


TEXT = "%(asctime)s %(name)s %(message)s"
_PAIR = re.compile(r"(\w+)=(\S+)")
_OWN = {"at", "level", "logger", "event", "text"}


class JsonFormatter(logging.Formatter):
    """One JSON object per record.

    Examples
    --------
    >>> record = logging.LogRecord("howgood.web", 20, "", 0, "refused reason=full", (), None)
    >>> json.loads(JsonFormatter().format(record))["reason"]
    'full'
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON; pairs of our own lines become fields."""
        text = record.getMessage()
        made: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        word = text.split(" ", 1)[0]
        if record.name.startswith("howgood") and re.fullmatch(r"\w+", word):
            made["event"] = word
            pairs = dict(_PAIR.findall(text))
            made |= {name: value for name, value in pairs.items() if name not in _OWN}
        else:
            made["text"] = text
        if record.exc_info and record.exc_info[0] is not None:
            made["error"] = record.exc_info[0].__name__  # its text may repeat what somebody sent
        return json.dumps(made, ensure_ascii=False)


def set_up_logging(settings: Settings) -> None:
    """Write our log to standard error, as the settings say."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if settings.log == "json" else logging.Formatter(TEXT))
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    if not root.handlers:
        root.addHandler(handler)
