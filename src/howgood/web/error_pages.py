"""A page for everything that is expected to go wrong.

In: exceptions that routes raise. Out: pages that say why, and what to do. Absent: reasons
(`flow.hosting`), and faults of ours (`middleware`).

Who cannot take part in a study is counted: each browser once, by a cookie that says no more than
that; an address that comes again and again without one is counted no faster than people could come.
"""

import logging
from collections.abc import Awaitable, Callable
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from howgood.errors import InputError
from howgood.flow.hosting import Reason, RefusedError, count_refusal
from howgood.store.database import AWAY
from howgood.web.access import ForbiddenError, SignInNeededError, is_secure
from howgood.web.dashboard import dashboard
from howgood.web.middleware import STARTS, preferred_language
from howgood.web.pages import message_page
from howgood.web.rate_limits import Rate, caller
from howgood.web.render import show, style_address

_log = logging.getLogger("howgood.web")
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
    page = message_page(error.reason, language=language, style=style_address(), link=link)
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
