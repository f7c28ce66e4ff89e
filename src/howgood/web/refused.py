"""Somebody who cannot take part: a page that says why, and one more in the study's count.

In: a refusal. Out: a page. Absent: reasons (`flow.hosting`).

Each browser counts once, by a cookie that says no more than that; an address that comes again and
again without one is counted no faster than people could come.
"""

import logging

from starlette.requests import Request
from starlette.responses import Response

from howgood.flow.hosting import Reason, RefusedError, soon
from howgood.store.database import AWAY
from howgood.web.access import is_secure
from howgood.web.callers import caller
from howgood.web.guards import Rate, Rates, preferred_language
from howgood.web.pages import message_page
from howgood.web.render import show, style_address

_log = logging.getLogger("howgood.web")
_COUNTED, _REMEMBER = "howgood-refused", 180 * 24 * 3600
_STATUS = {
    Reason.UNKNOWN_LINK: 404,
    Reason.UNKNOWN_STUDY: 404,
    Reason.UNSIGNED: 403,
}


def allowance() -> Rate:
    """Return how fast one address may be counted."""
    return Rate(Rates.STARTS)


async def refused(request: Request, error: Exception) -> Response:
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
    if is_known or not request.app.state.refusals.allows(caller(request.scope)):
        return response
    try:
        await soon.count(request.app.state.host, error)
    except AWAY:
        _log.error("refusal_not_counted reason=%s", error.reason.value)
        return response
    path = "/".join(request.url.path.split("/")[:3])  # of this study, or of this personal link
    response.set_cookie(
        _COUNTED, "yes", max_age=_REMEMBER, path=path, secure=is_secure(request), httponly=True,
        samesite="lax",
    )  # fmt: skip
    return response
