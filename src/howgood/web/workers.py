"""One of several processes that serve the same address.

In: the environment its parent prepared. Out: the application. Absent: sockets, and the parent
(`server`), which replaces workers that die.
"""

import logging
import multiprocessing
import os
import signal
import threading
import time

from starlette.applications import Starlette

from howgood.flow.hosting import Host, open_host
from howgood.settings import read_settings
from howgood.store.database import DatabaseAwayError
from howgood.web.app import make_app, settle
from howgood.web.leaving import ending_in_time

# A worker that is started while the database is away waits so long before it gives up.
_SECONDS_TO_OPEN = 30
_log = logging.getLogger("howgood.web")


def app_from_environment() -> Starlette:
    """Return the application that the environment describes; every worker calls this."""
    settings = read_settings()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    app = ending_in_time(make_app(_host_soon(settings.database), settings))
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


def _host_soon(address: str) -> Host:
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
