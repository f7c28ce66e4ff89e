"""The API as routes: every request through the same gate, every failure in the same form.

In: requests under /api. Out: JSON, streams, problems. Absent: what operations do.

One address is for products: they have their own token, named web pages and limits. A token in a web
page can be read by whoever reads the page. So it lets answers in and nothing out, pages on other
hosts are refused, and both a product and everybody who sends through it have a limited pace.
"""

import json
import logging
import re
import types
import typing
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from itertools import groupby
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from howgood.errors import InputError, MissingExtraError
from howgood.flow import in_use
from howgood.flow.api_access import bearer
from howgood.flow.hosting import Host, tokens
from howgood.records.api_token import ApiToken
from howgood.records.record import Record, read_record
from howgood.settings import Settings
from howgood.store.database import AWAY
from howgood.store.in_use import Product
from howgood.web import permissions, request_data
from howgood.web.api.openapi import OPERATIONS, openapi
from howgood.web.api.operation import PRODUCT, Call, Operation, Streamed
from howgood.web.middleware import Pace, Rate, caller
from howgood.web.problem import ApiError, problem, problem_of

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
    app.state.product_rates = ProductRates()
    return app


async def get_document(request: Request) -> Response:
    """Give the OpenAPI document."""
    return JSONResponse(openapi())


def _routes(operations: Iterable[Operation]) -> list[BaseRoute]:
    """Return one route per path, so that the answer to a wrong method names the right ones."""
    by_path = sorted(operations, key=lambda operation: operation.path)
    for operation in by_path:
        if operation.name not in permissions.OPERATIONS:
            raise permissions.MissingPermissionError(
                f"{operation.name}: say in web/permissions.py who may use it"
            )
    return [
        Route(f"/v1{path}", _endpoint({operation.method: operation for operation in group}),
              methods=[method for operation in by_path if operation.path == path
                       for method in _methods(operation)])
        for path, group in groupby(by_path, key=lambda operation: operation.path)
    ]  # fmt: skip


def _methods(operation: Operation) -> tuple[str, ...]:
    """Return the methods of an operation; browsers ask before a page sends for a product."""
    return (operation.method, "OPTIONS") if operation.scope == PRODUCT else (operation.method,)


def _endpoint(by_method: Mapping[str, Operation]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        sent = next((known for known in by_method.values() if known.scope == PRODUCT), None)
        if sent is not None:
            return await _answer_product(request, sent)
        operation = by_method.get(request.method)
        if operation is None:  # Starlette answers HEAD where GET is known
            operation = by_method["GET"]
        return await _answer(request, operation)

    return endpoint


async def _answer(request: Request, operation: Operation) -> Response:
    """Check who asks and what, do it, and say what came of it."""
    now = request_data.now()
    token = await run_in_threadpool(_admitted, request, operation, now)
    path = _within(token, read_path(request, operation))
    await run_in_threadpool(_permitted, request.app.state.host, token, operation, path)
    call = Call(
        host=request.app.state.host,
        token=token,
        path=path,
        query=read_query(request, operation),
        body=await read_body(request, operation),
        home=request.app.state.settings.public_url
        or f"{request.url.scheme}://{request.url.netloc}",
        now=now,
    )
    made = await run_in_threadpool(operation.run, call)
    _log.info("api operation=%s token=%s", operation.name, token.number if token else 0)
    return _whole(made, operation)


async def _answer_product(request: Request, operation: Operation) -> Response:
    """Take what a product sends; a page that may send can read what was wrong with it."""
    number = product_number(request)
    allowed = await browser_headers(request, number)
    if request.method == "OPTIONS":
        return preflight(allowed)
    try:
        product = await run_in_threadpool(admitted_product, request, number, allowed)
        read_query(request, operation)
        call = Call(
            host=request.app.state.host,
            token=None,
            path=read_path(request, operation),
            query=None,
            body=await read_body(request, operation),
            home="",
            now=request_data.now(),
            product=product,
        )
        made = await run_in_threadpool(operation.run, call)
    except (ApiError, InputError) as error:
        response: Response = problem_of(error)
    else:
        _log.info("api operation=%s product=%s", operation.name, number)
        response = _whole(made, operation)
    response.headers.update(allowed)
    return response


def _whole(made: Record | Streamed, operation: Operation) -> Response:
    """Return an answer that is made before it is sent, or one that is sent meanwhile."""
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
            needed="Bearer and a token", cure="Make a token on the page API tokens.",
            headers={"WWW-Authenticate": 'Bearer realm="howgood"'},
        )  # fmt: skip
    if operation.scope is not None and not known.allows(operation.scope):
        raise ApiError(
            403, where="token", found=f"scopes {', '.join(known.scopes)}",
            needed=f"the scope {operation.scope}", cure="Make another token (page API tokens).",
        )  # fmt: skip
    return known


def _within(token: ApiToken | None, path: dict[str, str]) -> dict[str, str]:
    """Let a token see its own study alone; others do not exist for it."""
    slug = path.get("slug")
    if slug is not None and token is not None and not token.reaches(slug):
        raise _hidden(slug)
    return path


def _hidden(slug: str) -> ApiError:
    return ApiError(
        404, where="study", found=f"no {slug!r}", needed="a study that the token reaches",
        cure="Check the name, or use another token.",
    )  # fmt: skip


def _permitted(
    host: Host, token: ApiToken | None, operation: Operation, path: Mapping[str, str]
) -> None:
    """Refuse what the holder of the token may not do themselves."""
    need = permissions.OPERATIONS[operation.name]
    if token is None or need == permissions.PUBLIC:
        return
    try:
        permissions.admitted(host, token.holder, need, path)
    except permissions.NoEntryError as error:
        if error.is_hidden:
            raise _hidden(path["slug"]) from error
        raise ApiError(
            403, where="token", found=f"the rights of {token.owner}", needed=str(error),
            cure="Ask an owner of the study to do it, or for another role.",
        ) from error  # fmt: skip


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


# Requests to checked values, by the annotations of an operation's records.

_LONGEST_PART = 300
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def read_path(request: Request, operation: Operation) -> dict[str, str]:
    """Return the parts of the path; what no name can be is not found."""
    parameters = {name: str(request.path_params[name]) for name in operation.names}
    for name, text in parameters.items():
        if len(text) > _LONGEST_PART or not _is_text(text):
            raise ApiError(
                404, where=name, found="no such name", needed="a name that exists",
                cure="Check the address.",
            )  # fmt: skip
    return parameters


def read_query(request: Request, operation: Operation) -> Any:  # noqa: ANN401 - the operation's record
    """Return the parameters as the operation's record."""
    given = request.query_params
    twice = next((name for name in given if len(given.getlist(name)) > 1), None)
    if twice is not None or not all(map(_is_text, given.values())):
        raise ApiError(
            422, where="parameters", found=f"{(twice or 'a value')[:40]!r} twice or no text",
            needed="each parameter once", cure="Correct the address.",
        )  # fmt: skip
    record = operation.query or _NoParameters
    fields = record.model_fields
    values = {
        name: _typed(text, fields[name].annotation) if name in fields else text
        for name, text in given.items()
    }
    return read_record(record, values, where="parameters")


class _NoParameters(Record):
    """An operation without parameters."""


def _typed(text: str, hint: Any) -> Any:  # noqa: ANN401 - an annotation, a plain value
    """Return a parameter's text as what the annotation wants, where it can be."""
    hints = [hint, *typing.get_args(hint)] if isinstance(hint, types.UnionType) else [hint]
    if bool in hints and text in ("true", "false"):
        return text == "true"
    if int in hints and _WHOLE.fullmatch(text):
        return int(text)
    return text


async def read_body(request: Request, operation: Operation) -> Any:  # noqa: ANN401 - the operation's record
    """Return the body as the operation's record."""
    if operation.body is None:
        return None
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        raise ApiError(
            415, where="Content-Type", found=repr(media[:60]), needed="application/json",
            cure="Send JSON.",
        )  # fmt: skip
    text = await _limited(request, operation.largest)
    return read_record(operation.body, _json(text), where="body")


async def _limited(request: Request, largest: int) -> bytes:
    """Read no more than is allowed, whatever the request says about its length."""
    received = bytearray()
    try:
        async for piece in request.stream():
            received += piece
            if len(received) > largest:
                raise ApiError(
                    413, where="body", found=f"more than {largest:,} bytes",
                    needed=f"at most {largest:,}", cure="Send less.",
                )  # fmt: skip
    except ClientDisconnect:
        raise _unreadable("a request that broke off") from None
    return bytes(received)


def _json(text: bytes) -> Any:  # noqa: ANN401 - foreign data, checked by the caller
    try:
        data = json.loads(text, parse_constant=_no_constant)
        whole = json.dumps(data, ensure_ascii=False, allow_nan=False)
        whole.encode()  # half of a character pair is no text
    except (ValueError, RecursionError):
        raise _unreadable("what is no JSON") from None
    if "\\u0000" in whole:
        raise _unreadable("a character zero, which is no text")
    return data


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _unreadable(found: str) -> ApiError:
    return ApiError(400, where="body", found=found, needed="one JSON value", cure="Correct it.")


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


# A product as a whole, and each network that sends for it.
PRODUCT_PACE = Pace(at_once=300, per_second=50)
SENDER_PACE = Pace(at_once=30, per_second=2)
_DAY = "86400"
_MOST_DIGITS = 15


class ProductRates:
    """How fast products may send, all together and each sender."""

    def __init__(self) -> None:
        self.of_product, self.of_sender = Rate(PRODUCT_PACE), Rate(SENDER_PACE)

    def allows(self, product: int, sender: str) -> bool:
        """Take one from both allowances; False when one of them is used up."""
        return self.of_sender.allows(f"{product} {sender}") and self.of_product.allows(str(product))


def product_number(request: Request) -> int:
    """Return the product in the address, 0 for what no product has."""
    text = str(request.path_params["product"])
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else 0


async def browser_headers(request: Request, number: int) -> dict[str, str]:
    """Return what lets a named web page read the response; nothing for others."""
    origin = request.headers.get("origin")
    if origin is None:
        return {}
    named = await run_in_threadpool(in_use.origins_of, request.app.state.host, number)
    return {"Access-Control-Allow-Origin": origin, "Vary": "Origin"} if origin in named else {}


def preflight(allowed: Mapping[str, str]) -> Response:
    """Answer a browser that asks whether a page may send."""
    if not allowed:
        return Response(status_code=403)
    return Response(
        status_code=204,
        headers={
            **allowed,
            "Access-Control-Allow-Methods": "POST",
            "Access-Control-Allow-Headers": "Authorization, Content-Type",
            "Access-Control-Max-Age": _DAY,
        },
    )


def admitted_product(request: Request, number: int, allowed: Mapping[str, str]) -> Product:
    """Return the product whose token the request shows, or refuse."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    token = secret.strip() if scheme.lower() == "bearer" else ""
    if not request.app.state.product_rates.allows(number, caller(request.scope)):
        raise ApiError(
            429, where="requests", found="too many",
            needed=f"at most {SENDER_PACE.per_second:g} a second",
            cure="Wait a few seconds and send the same answer again.", headers={"Retry-After": "5"},
        )  # fmt: skip
    product = in_use.sender(request.app.state.host, number, token)
    if product is None:
        raise ApiError(
            401, where="Authorization", found="no token of this product",
            needed="Bearer and the token of a product that takes answers",
            cure="Copy the snippet from the page In use of the study.",
            headers={"WWW-Authenticate": 'Bearer realm="howgood"'},
        )  # fmt: skip
    if "origin" in request.headers and not allowed:
        raise ApiError(
            403, where="Origin", found=repr(request.headers["origin"][:80]),
            needed="a web page whose host is named for this product",
            cure="Name it on the page In use of the study, or send from your server.",
        )  # fmt: skip
    return product
