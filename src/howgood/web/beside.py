"""A server for one machine, running beside the command that started it.

In: a host. Out: its address, for as long as it is needed. Absent: studies for others (`server`).
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from howgood.errors import InputError
from howgood.flow.hosting import Host
from howgood.settings import Settings
from howgood.web.app import make_app

_SECONDS_TO_START = 20


@contextmanager
def serving(host: Host) -> Iterator[str]:
    """Serve this host on a free port of this machine alone; it is closed at the end."""
    server = uvicorn.Server(
        uvicorn.Config(
            make_app(host, Settings()),
            host="127.0.0.1",
            port=0,
            access_log=False,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=2,
        )
    )
    thread = threading.Thread(target=server.run, name="howgood-beside", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{_port(server, thread)}"
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
