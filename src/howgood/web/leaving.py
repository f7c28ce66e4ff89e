"""A process that has been asked to stop is gone in time, whatever keeps it.

In: an application whose process does nothing else. Out: the same application. Absent: the time that
requests in work get before (`server`).

A database that hangs holds threads that nobody can end, and a process waits for its threads. By the
time that we leave everybody has their answer, and an answer that was acknowledged is stored.
"""

import logging
import os
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette

# Closing the database and giving back a fit takes less than this.
SECONDS = 6.0
_log = logging.getLogger("howgood.web")


def ending_in_time(app: Starlette) -> Starlette:
    """Let the process of an application end soon after the application does."""
    life = app.router.lifespan_context

    @asynccontextmanager
    async def bounded(running: Starlette) -> AsyncIterator[None]:
        async with life(running):
            yield
            threading.Thread(target=_leave, name="howgood-leaving", daemon=True).start()

    app.router.lifespan_context = bounded
    return app


def _leave() -> None:
    time.sleep(SECONDS)
    _log.error("stopped_late seconds=%.0f", SECONDS)
    os._exit(0)
