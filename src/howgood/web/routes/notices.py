"""The addresses where a study's webhooks are made and their messages listed.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow.notices` once,
shows.
"""

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import accounts, notices
from howgood.flow.mail import can_mail
from howgood.web.access import sent_form, signed_in, text_of
from howgood.web.dashboard import dashboard
from howgood.web.request_data import now


async def get_notices(request: Request) -> Response:
    """Show who is notified of what happens in a study."""
    return await _page(request)


async def post_notices(request: Request) -> Response:
    """Tell an address about events; its secret is shown once."""
    person = await signed_in(request)
    form = await sent_form(request)
    events = [value for value in form.getlist("events") if isinstance(value, str)]
    try:
        made = await run_in_threadpool(
            notices.add_webhook, request.app.state.host, request.app.state.settings, person,
            request.path_params["slug"], target=text_of(form, "target"), events=events, now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _page(request, problem=f"{error.found}; expected {error.needed}. {error.cure}")
    return await _page(request, secret="" if made.target.startswith("mailto:") else made.secret)


async def post_removal(request: Request) -> Response:
    """Tell an address nothing more."""
    person = await signed_in(request)
    await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    try:
        await run_in_threadpool(
            notices.remove_webhook, request.app.state.host, person, slug, number, now=now()
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return RedirectResponse(f"/studies/{slug}/notices", status_code=303)


async def post_again(request: Request) -> Response:
    """Send a message again that did not arrive."""
    await signed_in(request)
    await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    try:
        await run_in_threadpool(notices.try_again, request.app.state.host, slug, number, now=now())
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return RedirectResponse(f"/studies/{slug}/notices", status_code=303)


async def _page(request: Request, *, secret: str = "", problem: str = "") -> Response:
    person = await signed_in(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    shared = await run_in_threadpool(accounts.sharing_of, host, slug, now=now())
    return dashboard(
        request, "notices.html", researcher=person, status=422 if problem else 200,
        study=shared.study, events=notices.EVENTS, secret=secret, problem=problem,
        seen=await run_in_threadpool(notices.notices_of, host, slug), shown=notices.shown_target,
        can_mail=can_mail(request.app.state.settings),
    )  # fmt: skip


_ROOT = "/studies/{slug}/notices"
ROUTES = [
    Route(_ROOT, get_notices, methods=["GET"]),
    Route(_ROOT, post_notices, methods=["POST"]),
    Route(_ROOT + "/{number:int}/remove", post_removal, methods=["POST"]),
    Route(_ROOT + "/messages/{number:int}/again", post_again, methods=["POST"]),
]
