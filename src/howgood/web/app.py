"""The web application: routes, what stands before them, and how its process starts and ends.

In: a host. Out: an ASGI application. Absent: sockets and processes (`server`).
"""

import asyncio
import gc
import logging
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from urllib.parse import quote

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Router
from starlette.types import Receive, Scope, Send

from howgood.errors import InputError
from howgood.flow.hosting import HealthCheck, Host, Reason, RefusedError, count_refusal
from howgood.flow.results.worker import BackgroundWorker
from howgood.flow.watching import Watcher
from howgood.settings import Settings
from howgood.store.database import AWAY
from howgood.web.access import ForbiddenError, SignInNeededError, is_secure
from howgood.web.dashboard import dashboard
from howgood.web.middleware import (
    COMING_AT_ONCE,
    COUNTED_AT_ONCE,
    QUESTIONS,
    STARTS,
    TABLES,
    Gate,
    Rate,
    caller,
    preferred_language,
)
from howgood.web.pages import message_page
from howgood.web.render import show, style_address
from howgood.web.routes import taking_part

_log = logging.getLogger("howgood.web")
# Closing the database and giving back a fit takes less than this.
SHUTDOWN_SECONDS = 6.0
# A password costs 64 MB and a core for a moment: more at once would take both from participants.
_HASHED_AT_ONCE = 2
# Who waits for a remote database holds a thread; more than this only fight over the interpreter.
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
        threading.Thread(target=researchers.load_ahead, name="howgood-loading", daemon=True).start()
        if worker is not None:
            worker.start()
        yield
        if worker is not None:
            await asyncio.to_thread(worker.stop)
        host.close()

    researchers = _LoadedLater(partial(_researchers_routes, host, settings))
    app = Starlette(
        routes=taking_part.ROUTES,
        middleware=[Middleware(Gate, busy_limit=settings.busy_limit)],
        exception_handlers=error_handlers(),
        lifespan=life,
    )
    # Starlette would lead from /s/songs/ to /s/songs at whatever host the request names.
    app.router.redirect_slashes = False
    # A default, not a mount: a mount would turn a wrong method on a participant's page into 404.
    app.router.default = researchers
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
    from howgood.web.permissions import guarded
    from howgood.web.routes import (
        accounts,
        data,
        editing,
        library,
        other_programs,
        people,
        recruiting,
        results,
        sharing,
        studies,
        ways,
    )

    modules = (
        accounts,
        ways,
        sharing,
        other_programs,
        people,
        data,
        results,
        library,
        studies,
        editing,
        recruiting,
    )
    routes = guarded(route for module in modules for route in module.ROUTES)
    api = Mount("/api", app=make_api(host, settings))
    # An address with a line break in it is the API's, too: it answers in its own form.
    api.path_regex = re.compile(api.path_regex.pattern, re.DOTALL)
    return Router([*routes, api], redirect_slashes=False)


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

    def load_ahead(self) -> None:
        """Load the routes before somebody asks for them.

        Of two threads that compile at the same time, CPython may refuse one: python/cpython#106905.
        Then whoever asks first loads them.
        """
        with suppress(SystemError):
            self.load()

    @property
    def routes(self) -> list[BaseRoute]:
        """Every route, as Starlette lists them."""
        return self.load().routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        routes = await asyncio.to_thread(self.load) if self._routes is None else self._routes
        await routes(scope, receive, send)


def settle() -> None:
    """Spare the collector of unused objects what stays for as long as the process does.

    Of what loading leaves, hardly anything is unused: looking for it would only hold up the start.
    """
    gc.freeze()


def limit_shutdown(app: Starlette) -> Starlette:
    """Let the process of an application, which does nothing else, end shortly after it does.

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


# A page for everything that is expected to go wrong.
#
# Who cannot take part in a study is counted: each browser once, by a cookie that says no more than
# that; an address that comes again and again without one is counted no faster than people could
# come.

_COUNTED, _REMEMBER = "howgood-refused", 180 * 24 * 3600
_STATUS = {
    Reason.UNKNOWN_LINK: 404,
    Reason.UNKNOWN_STUDY: 404,
    Reason.UNSIGNED: 403,
}


def error_handlers() -> dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]]:
    """Return what answers each kind of error that a route may raise."""
    return {
        RefusedError: _refused,
        SignInNeededError: _to_sign_in,
        ForbiddenError: _forbidden,
        InputError: _wrong_input,
        HTTPException: _http_error,
        **dict.fromkeys(AWAY, _database_away),
    }


def refusal_rate() -> Rate:
    """Return how fast one address may be counted."""
    return Rate(STARTS)


async def _refused(request: Request, error: Exception) -> Response:
    """Return the page that says why somebody cannot go on."""
    if not isinstance(error, RefusedError):
        raise error
    _log.info("refused reason=%s", error.reason.value)
    is_nameless = error.reason in (Reason.UNKNOWN_LINK, Reason.UNKNOWN_STUDY)
    accepted = request.headers.get("accept-language", "")
    language = preferred_language(accepted) if is_nameless else error.language
    link = request.url.path if error.reason is Reason.UNSIGNED else ""
    page = message_page(
        error.reason, language=language, style=style_address(), link=link, blocks=error.blocks,
        way_back=error.way_back, framed_by=error.framed_by,
    )  # fmt: skip
    response = show(page, status=_STATUS.get(error.reason, 200))
    return await _counted(request, error, response) if error.study else response


async def _counted(request: Request, error: RefusedError, response: Response) -> Response:
    is_known = _COUNTED in request.cookies or request.method == "HEAD"
    if is_known or not request.app.state.refusal_rate.allows(caller(request.scope)):
        return response
    try:
        await count_refusal(request.app.state.host, error)
    except AWAY:
        _log.error("refusal_not_counted reason=%s", error.reason.value)
        return response
    path = "/".join(request.url.path.split("/")[:3])  # of this study, or of this personal link
    response.set_cookie(
        _COUNTED, "yes", max_age=_REMEMBER, path=path, secure=is_secure(request), httponly=True,
        samesite="lax",
    )  # fmt: skip
    return response


async def _to_sign_in(request: Request, error: Exception) -> Response:
    address = error.address if isinstance(error, SignInNeededError) else "/login"
    return RedirectResponse(address, status_code=303)


async def _forbidden(request: Request, error: Exception) -> Response:
    title, person = "This is not possible", getattr(request.state, "person", None)
    return dashboard(
        request, "message.html", researcher=person, status=403, title=title, text=str(error)
    )


async def _wrong_input(request: Request, error: Exception) -> Response:
    """Say what is wrong with something that no form of ours would send."""
    title = "That did not work"
    return dashboard(
        request, "message.html", researcher=None, status=422, title=title, text=str(error)
    )


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404 and request.method == "GET" and request.scope["path"].endswith("/"):
        return _without_last_slash(request)
    reason = "unreadable" if status == 400 else "lost"
    page = message_page(reason, language=_language(request), style=style_address())
    response = show(page, status=status)
    if isinstance(error, HTTPException) and status == 405:
        response.headers.update(error.headers or {})  # which methods this address has
    return response


def _without_last_slash(request: Request) -> Response:
    """Lead from /s/songs/ to /s/songs on this server, whatever its name is said to be."""
    path = "/" + quote(request.scope["path"].strip("/"))
    query = request.scope["query_string"].decode("latin-1")
    return RedirectResponse(f"{path}?{query}" if query else path, status_code=307)


async def _database_away(request: Request, error: Exception) -> Response:
    _log.error("database_away error=%s", type(error).__name__)
    path = request.url.path
    link = path if path.startswith(("/p/", "/s/")) else ""
    page = message_page("away", language=_language(request), style=style_address(), link=link)
    response = show(page, status=503)
    response.headers["Retry-After"] = "3"
    return response


def _language(request: Request) -> str:
    return preferred_language(request.headers.get("accept-language", ""))
