"""The web application: routes, what stands before them, and how its process starts and ends.

In: a host. Out: an ASGI application. Absent: sockets and processes (`server`).
"""

import asyncio
import gc
import logging
import os
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount

from howgood.flow.hosting import HealthCheck, Host
from howgood.flow.results.worker import BackgroundWorker
from howgood.flow.watching import Watcher
from howgood.settings import Settings
from howgood.web.api.app import make_api
from howgood.web.error_pages import error_handlers, refusal_rate
from howgood.web.middleware import Gate
from howgood.web.rate_limits import Rate
from howgood.web.routes import (
    accounts,
    data,
    editing,
    home,
    library,
    results,
    studies,
    taking_part,
    tokens,
)

_log = logging.getLogger("howgood.web")
# Closing the database and giving back a fit takes less than this.
SHUTDOWN_SECONDS = 6.0
# Who waits for a database elsewhere holds a thread; more than this only fight over the interpreter.
_THREADS = 24
_ROUTES = (taking_part, accounts, data, tokens, results, library, studies, editing, home)


def make_app(
    host: Host, settings: Settings, *, worker: BackgroundWorker | None = None
) -> Starlette:
    """Return the application that serves this host, and closes it at the end.

    `worker` fits in the background while the application lives.
    """

    @asynccontextmanager
    async def life(_app: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS))
        if worker is not None:
            worker.start()
        yield
        if worker is not None:
            await asyncio.to_thread(worker.stop)
        host.close()

    app = Starlette(
        routes=[
            *(route for module in _ROUTES for route in module.ROUTES),
            Mount("/api", app=make_api(host, settings)),
        ],
        middleware=[Middleware(Gate, busy_limit=settings.busy_limit)],
        exception_handlers=error_handlers(),
        lifespan=life,
    )
    # Starlette would lead from /s/songs/ to /s/songs at whatever host the request names.
    app.router.redirect_slashes = False
    app.state.host, app.state.settings = host, settings
    app.state.hashing = anyio.CapacityLimiter(accounts.AT_ONCE)
    app.state.waiting = set()
    app.state.questions, app.state.tables = Rate(library.QUESTIONS), Rate(library.TABLES)
    app.state.refusal_rate = refusal_rate()
    app.state.counting = anyio.CapacityLimiter(library.COUNTED_AT_ONCE)
    app.state.coming = anyio.CapacityLimiter(library.COMING_AT_ONCE)
    app.state.watcher, app.state.health = Watcher(host), HealthCheck(host)
    return app


def settle() -> None:
    """Spare the collector of unused objects what stays for as long as the process does."""
    gc.collect()
    gc.freeze()


def limit_shutdown(app: Starlette) -> Starlette:
    """Let the process of an application, which does nothing else, end soon after it does.

    A database that hangs holds threads that nobody can end, and a process waits for its threads. By
    then everybody has their response, and an answer that was acknowledged is stored.
    """
    life = app.router.lifespan_context

    @asynccontextmanager
    async def bounded(running: Starlette) -> AsyncIterator[None]:
        async with life(running):
            yield
            threading.Thread(target=_exit_late, name="howgood-shutdown", daemon=True).start()

    app.router.lifespan_context = bounded
    return app


def _exit_late() -> None:
    time.sleep(SHUTDOWN_SECONDS)
    _log.error("stopped_late seconds=%.0f", SHUTDOWN_SECONDS)
    os._exit(0)
