"""The web application: routes, what stands before them, and how its process starts and ends.

In: a host. Out: an ASGI application. Absent: sockets and processes (`server`).
"""

import asyncio
import gc
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Router
from starlette.types import Receive, Scope, Send

from howgood.flow.hosting import HealthCheck, Host
from howgood.flow.results.worker import BackgroundWorker
from howgood.flow.watching import Watcher
from howgood.settings import Settings
from howgood.web.error_pages import error_handlers, refusal_rate
from howgood.web.middleware import Gate
from howgood.web.rate_limits import COMING_AT_ONCE, COUNTED_AT_ONCE, QUESTIONS, TABLES, Rate
from howgood.web.routes import home, taking_part

_log = logging.getLogger("howgood.web")
# Closing the database and giving back a fit takes less than this.
SHUTDOWN_SECONDS = 6.0
# A password costs 64 MB and a core for a moment: more at once would take both from participants.
_HASHED_AT_ONCE = 2
# Who waits for a database elsewhere holds a thread; more than this only fight over the interpreter.
_THREADS = 24


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
        threading.Thread(target=researchers.load, name="howgood-loading", daemon=True).start()
        if worker is not None:
            worker.start()
        yield
        if worker is not None:
            await asyncio.to_thread(worker.stop)
        host.close()

    researchers = _LoadedLater(partial(_researchers_routes, host, settings))
    app = Starlette(
        routes=[*taking_part.ROUTES, *home.ROUTES, Mount("", app=researchers)],
        middleware=[Middleware(Gate, busy_limit=settings.busy_limit)],
        exception_handlers=error_handlers(),
        lifespan=life,
    )
    # Starlette would lead from /s/songs/ to /s/songs at whatever host the request names.
    app.router.redirect_slashes = False
    app.state.host, app.state.settings = host, settings
    app.state.hashing = anyio.CapacityLimiter(_HASHED_AT_ONCE)
    app.state.waiting = set()
    app.state.questions, app.state.tables = Rate(QUESTIONS), Rate(TABLES)
    app.state.refusal_rate = refusal_rate()
    app.state.counting = anyio.CapacityLimiter(COUNTED_AT_ONCE)
    app.state.coming = anyio.CapacityLimiter(COMING_AT_ONCE)
    app.state.watcher, app.state.health = Watcher(host), HealthCheck(host)
    return app


def _researchers_routes(host: Host, settings: Settings) -> Router:
    """Return the dashboard, the library and the API; they load what fits and scores need."""
    from howgood.web.api.app import make_api
    from howgood.web.routes import accounts, data, editing, library, results, studies, tokens

    modules = (accounts, data, tokens, results, library, studies, editing)
    routes = [route for module in modules for route in module.ROUTES]
    return Router([*routes, Mount("/api", app=make_api(host, settings))], redirect_slashes=False)


class _LoadedLater:
    """Routes that participants do not need: loaded when the server listens, or when they are asked.

    Loading them takes longer than all else, and nobody's first page has to wait for it.
    """

    def __init__(self, make: Callable[[], Router]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._routes: Router | None = None

    def load(self) -> Router:
        """Return the routes; of several threads that ask, one loads them."""
        with self._lock:
            if self._routes is None:
                self._routes = self._make()
            return self._routes

    @property
    def routes(self) -> list[BaseRoute]:
        """Every route, as Starlette lists them."""
        return self.load().routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        routes = await asyncio.to_thread(self.load) if self._routes is None else self._routes
        await routes(scope, receive, send)


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
