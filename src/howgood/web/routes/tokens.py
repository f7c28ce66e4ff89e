"""The addresses around the API: tokens for programs, and what programs can ask.

In: requests. Out: pages. Absent: the API itself (`web.api`).
"""

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import accounts, api_access, hosting
from howgood.records.api_token import SCOPES
from howgood.web.access import SESSION, sent_form, signed_in, text_of
from howgood.web.api.openapi import OPERATIONS
from howgood.web.dashboard import dashboard
from howgood.web.request_data import now

_TIMES = {"30": "30 days", "90": "90 days", "365": "a year", "": "no end"}


async def get_tokens(request: Request) -> Response:
    """List the tokens there are."""
    return await _page(request)


async def post_token(request: Request) -> Response:
    """Make a token and show it, this once."""
    person = await signed_in(request)
    form = await sent_form(request)
    days = text_of(form, "days")
    scopes = [value for value in form.getlist("scopes") if isinstance(value, str)]
    try:
        issued = await run_in_threadpool(
            api_access.issue_token, request.app.state.host, person,
            name=text_of(form, "name"), scopes=scopes, study=text_of(form, "study") or None,
            days=int(days) if days in _TIMES and days else None, now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _page(request, problem=str(error), status=422)
    return await _page(request, secret=issued.secret)


async def post_revoke(request: Request) -> Response:
    """Revoke a token at once."""
    person = await signed_in(request)
    await sent_form(request)
    try:
        await run_in_threadpool(
            api_access.revoke_token, request.app.state.host, person,
            request.path_params["number"], now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return RedirectResponse("/tokens", status_code=303)


async def get_documentation(request: Request) -> Response:
    """Show what programs can ask; the page is public, as the program is."""
    person = await run_in_threadpool(
        accounts.who, request.app.state.host, request.cookies.get(SESSION, ""), now=now()
    )
    groups = {each.group: [one for one in OPERATIONS if one.group == each.group]
              for each in OPERATIONS}  # fmt: skip
    return dashboard(request, "api.html", researcher=person, groups=groups, scopes=SCOPES)


async def _page(
    request: Request, *, secret: str = "", problem: str = "", status: int = 200
) -> Response:
    person = await signed_in(request)
    host = request.app.state.host
    shared = await run_in_threadpool(accounts.shared_with, host, person)
    studies = await run_in_threadpool(hosting.every_study, host)
    return dashboard(
        request, "tokens.html", researcher=person, status=status, secret=secret,
        problem=problem, tokens=await run_in_threadpool(api_access.tokens_of, host, person),
        studies=[row for row in studies if shared is None or row.slug in shared],
        scopes=SCOPES, times=_TIMES, now=now(),
    )  # fmt: skip


ROUTES = [
    Route("/tokens", get_tokens, methods=["GET"]),
    Route("/tokens", post_token, methods=["POST"]),
    Route("/tokens/{number:int}/revoke", post_revoke, methods=["POST"]),
    Route("/api/docs", get_documentation, methods=["GET"]),
]
