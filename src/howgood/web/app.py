"""The web application: routes, guards, and a page for every kind of trouble.

In: a host. Out: an ASGI application. Absent: sockets and processes (`server`).
"""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from urllib.parse import quote

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount

from howgood.errors import InputError
from howgood.flow.hosting import Host, Pulse, RefusedError
from howgood.flow.results.worker import BackgroundWorker
from howgood.flow.watching import Watcher
from howgood.settings import Settings
from howgood.store.database import AWAY
from howgood.web.access import ForbiddenError, SignInNeededError
from howgood.web.api.app import make_api
from howgood.web.characters import Characters
from howgood.web.dashboard import dashboard
from howgood.web.faults import Faults
from howgood.web.guards import (
    Busy,
    OwnForms,
    Packed,
    Rate,
    Rates,
    SecurityHeaders,
    preferred_language,
)
from howgood.web.pages import message_page
from howgood.web.patience import Patience
from howgood.web.refused import allowance, refused
from howgood.web.render import show, style_address
from howgood.web.routes import (
    accounts,
    data,
    editing,
    frame,
    history,
    library,
    results,
    studies,
    taking_part,
    tokens,
)

_log = logging.getLogger("howgood.web")
# Who waits for a database elsewhere holds a thread; more than this only fight over the interpreter.
_THREADS = 24
_ROUTES = (
    taking_part, accounts, history, data, tokens, results, library, studies, editing, frame,
)  # fmt: skip


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
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(Faults),
            Middleware(Busy, limit=settings.busy_limit),
            Middleware(Patience),
            Middleware(Characters),
            Middleware(Rates),
            Middleware(OwnForms),
            Middleware(Packed),
        ],
        exception_handlers=_handlers(),
        lifespan=life,
    )
    # Starlette would lead from /s/songs/ to /s/songs at whatever host the request names.
    app.router.redirect_slashes = False
    app.state.host, app.state.settings = host, settings
    app.state.hashing = anyio.CapacityLimiter(accounts.AT_ONCE)
    app.state.waiting = set()
    app.state.questions, app.state.tables = Rate(library.QUESTIONS), Rate(library.TABLES)
    app.state.refusals = allowance()
    app.state.counting = anyio.CapacityLimiter(library.COUNTED_AT_ONCE)
    app.state.coming = anyio.CapacityLimiter(library.COMING_AT_ONCE)
    app.state.watcher, app.state.pulse = Watcher(host), Pulse(host)
    return app


def _handlers() -> dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]]:
    return {
        RefusedError: refused,
        SignInNeededError: _to_sign_in,
        ForbiddenError: _forbidden,
        InputError: _wrong_input,
        HTTPException: _http_error,
        **dict.fromkeys(AWAY, _database_away),
    }


def settle() -> None:
    """Spare the collector of unused objects what stays for as long as the process does."""
    gc.collect()
    gc.freeze()


async def _to_sign_in(request: Request, error: Exception) -> Response:
    address = error.address if isinstance(error, SignInNeededError) else "/login"
    return RedirectResponse(address, status_code=303)


async def _forbidden(request: Request, error: Exception) -> Response:
    title = "This is not possible"
    return dashboard(
        request, "message.html", researcher=None, status=403, title=title, text=str(error)
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
    return show(page, status=status)


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
