"""The API as routes: every request through the same gate, every failure in the same form.

In: requests under /api. Out: JSON, streams, problems. Absent: what operations do.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from itertools import groupby

from starlette.applications import Starlette
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from howgood.errors import InputError, MissingExtraError
from howgood.flow.api_access import bearer
from howgood.flow.hosting import Host, tokens
from howgood.records.api_token import ApiToken
from howgood.settings import Settings
from howgood.store.database import AWAY
from howgood.web import request_data
from howgood.web.api.openapi import OPERATIONS, openapi
from howgood.web.api.operation import Call, Operation, Streamed
from howgood.web.api.problem import ApiError, problem, problem_of
from howgood.web.api.reading import read_body, read_path, read_query
from howgood.web.rate_limits import Pace, Rate, caller

_log = logging.getLogger("howgood.api")
PACE = Pace(at_once=120, per_second=20)
_NO_STORE = {"Cache-Control": "no-store"}


def make_api(host: Host, settings: Settings) -> Starlette:
    """Return the application that is mounted at /api."""
    app = Starlette(
        routes=[Route("/openapi.json", get_document, methods=["GET"]), *_routes(OPERATIONS)],
        exception_handlers={
            ApiError: _failed,
            InputError: _failed,
            MissingExtraError: _failed,
            HTTPException: _refused,
            **dict.fromkeys(AWAY, _away),
            Exception: _fault,
        },
    )
    app.router.redirect_slashes = False  # it would repeat whatever host the request names
    app.state.host, app.state.settings, app.state.rate = host, settings, Rate(PACE)
    return app


async def get_document(request: Request) -> Response:
    """Give the OpenAPI document."""
    return JSONResponse(openapi())


def _routes(operations: Iterable[Operation]) -> list[BaseRoute]:
    """Return one route per path, so that a wrong method is told which ones are right."""
    by_path = sorted(operations, key=lambda each: each.path)
    return [
        Route(f"/v1{path}", _endpoint({each.method: each for each in group}),
              methods=[each.method for each in by_path if each.path == path])
        for path, group in groupby(by_path, key=lambda each: each.path)
    ]  # fmt: skip


def _endpoint(by_method: Mapping[str, Operation]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        operation = by_method.get(request.method)
        if operation is None:  # Starlette answers HEAD where GET is known
            operation = by_method["GET"]
        return await _answer(request, operation)

    return endpoint


async def _answer(request: Request, operation: Operation) -> Response:
    """Check who asks and what, do it, and say what came of it."""
    now = request_data.now()
    token = await run_in_threadpool(_admitted, request, operation, now)
    call = Call(
        host=request.app.state.host,
        token=token,
        path=_within(token, read_path(request, operation)),
        query=read_query(request, operation),
        body=await read_body(request, operation),
        home=request.app.state.settings.public_url
        or f"{request.url.scheme}://{request.url.netloc}",
        now=now,
    )
    made = await run_in_threadpool(operation.run, call)
    _log.info("api operation=%s token=%s", operation.name, token.number if token else 0)
    if isinstance(made, Streamed):
        return _streamed(made)
    return Response(
        made.model_dump_json(),
        status_code=operation.status,
        media_type="application/json",
        headers=_NO_STORE,
    )


def _streamed(made: Streamed) -> Response:
    headers = dict(_NO_STORE)
    if made.name:
        headers["Content-Disposition"] = f'attachment; filename="{made.name}"'
    return StreamingResponse(
        iterate_in_threadpool(made.pieces), media_type=made.media_type, headers=headers
    )


def _admitted(request: Request, operation: Operation, now: datetime) -> ApiToken | None:
    """Return the token, or refuse: too fast, unknown, over, or without the scope."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    secret = secret.strip() if scheme.lower() == "bearer" else ""
    known = bearer(request.app.state.host, secret, now=now) if secret else None
    # Who shows no valid token shares the allowance of their address.
    name = tokens.digest(secret) if known else caller(request.scope)
    if not request.app.state.rate.allows(name):
        raise ApiError(
            429, where="requests", found="too many", needed=f"at most {PACE.per_second:g} a second",
            cure="Wait a second and try again.", headers={"Retry-After": "1"},
        )  # fmt: skip
    if operation.scope is None and request.app.state.settings.public_library:
        return None
    if known is None:
        raise ApiError(
            401, where="Authorization", found="no token that is valid now",
            needed="Bearer and a token", cure="Ask an owner for a token (page Tokens).",
            headers={"WWW-Authenticate": 'Bearer realm="howgood"'},
        )  # fmt: skip
    if operation.scope is not None and not known.allows(operation.scope):
        raise ApiError(
            403, where="token", found=f"scopes {', '.join(known.scopes)}, held by "
            f"{'an owner' if known.is_owner else 'a viewer'}",
            needed=f"the scope {operation.scope}", cure="Ask an owner for another token.",
        )  # fmt: skip
    return known


def _within(token: ApiToken | None, path: dict[str, str]) -> dict[str, str]:
    """Let a token see its own study alone; others do not exist for it."""
    slug = path.get("slug")
    if slug is not None and token is not None and not token.reaches(slug):
        raise ApiError(
            404, where="study", found=f"no {slug!r}", needed="a study that the token reaches",
            cure="Check the name, or use another token.",
        )  # fmt: skip
    return path


async def _failed(request: Request, error: Exception) -> Response:
    return problem_of(error)


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    facts = {
        "where": "address" if status == 404 else "request",
        "found": f"{request.method} of something that is not here",
        "needed": "an operation of this API",
        "cure": "See /api/openapi.json or /api/docs.",
    }
    return problem(status if status in (404, 405) else 400, facts, headers)


async def _away(request: Request, error: Exception) -> Response:
    _log.error("database_away error=%s", type(error).__name__)
    facts = {"where": "database", "found": "no answer", "needed": "one that answers",
             "cure": "Try again in a moment."}  # fmt: skip
    return problem(503, facts, {"Retry-After": "3"})


async def _fault(request: Request, error: Exception) -> Response:
    facts = {"where": "server", "found": "a fault of ours, which was noted",
             "needed": "nothing of you", "cure": "Try again in a moment."}  # fmt: skip
    return problem(500, facts)
