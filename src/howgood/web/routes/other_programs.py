"""The addresses that join a study to other programs: webhooks and their messages, products in use.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow.notices` or
`flow.in_use` once, shows.
"""

from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import accounts, in_use, notices
from howgood.flow.in_use import MadeProduct
from howgood.flow.mail import can_mail
from howgood.show.watching import acceptance_chart, watch_findings
from howgood.web.access import sent_form, signed_in, text_of
from howgood.web.dashboard import dashboard
from howgood.web.request_data import now

_ACTIONS = {"close": in_use.close_product, "anew": in_use.watch_anew}


async def get_notices(request: Request) -> Response:
    """Show who is notified of what happens in a study."""
    return await _notices_page(request)


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
        return await _notices_page(request, problem=error.cure)
    return await _notices_page(
        request, secret="" if made.target.startswith("mailto:") else made.secret
    )


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


async def _notices_page(request: Request, *, secret: str = "", problem: str = "") -> Response:
    person = await signed_in(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    shared = await run_in_threadpool(accounts.sharing_of, host, slug, now=now())
    return dashboard(
        request, "notices.html", researcher=person, status=422 if problem else 200,
        study=shared.study, events=notices.EVENTS, secret=secret, problem=problem,
        seen=await run_in_threadpool(notices.notices_of, host, slug), shown=notices.shown_target,
        can_mail=can_mail(request.app.state.settings),
    )  # fmt: skip


# Products in use: how acceptable each is, and the snippet that sends answers.


async def get_use(request: Request) -> Response:
    """Show how acceptable the products of a study are in use."""
    return await _use_page(request)


async def post_use(request: Request) -> Response:
    """Let a product send answers; its token is shown once, in the snippet."""
    person = await signed_in(request)
    form = await sent_form(request)
    add = partial(
        in_use.add_product, request.app.state.host, person, request.path_params["slug"],
        name=text_of(form, "name"), application=text_of(form, "application"),
        origins=text_of(form, "origins"), now=now(),
    )  # fmt: skip
    try:
        made = await run_in_threadpool(add)
    except InputError as error:
        given = {name: text_of(form, name) for name in ("name", "application", "origins")}
        return await _use_page(request, problem=error, given=given)
    return await _use_page(request, made=made)


async def post_token(request: Request) -> Response:
    """Give a product a new token."""
    person = await signed_in(request)
    await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    renew = partial(in_use.renew_token, request.app.state.host, person, slug, number, now=now())
    return await _use_page(request, made=await _or_unknown(renew))


async def post_action(request: Request) -> Response:
    """Take no more answers of a product, or judge it by answers from now on."""
    person = await signed_in(request)
    await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    act = _ACTIONS[request.url.path.rpartition("/")[2]]
    await _or_unknown(partial(act, request.app.state.host, person, slug, number, now=now()))
    return RedirectResponse(f"/studies/{slug}/use", status_code=303)


async def post_erasure(request: Request) -> Response:
    """Erase everything that somebody said inside a product."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    erase = partial(
        in_use.erase_user, request.app.state.host, slug, number, text_of(form, "user"),
        actor=person.name, now=now(),
    )  # fmt: skip
    try:
        gone = await run_in_threadpool(erase)
    except UnknownNameError as error:
        if error.where == "product":
            raise HTTPException(404) from error
        return await _use_page(request, problem=error)
    return await _use_page(request, notice=f"{gone} answers of this person were erased.")


async def _or_unknown(work: partial[MadeProduct] | partial[None]) -> MadeProduct | None:
    try:
        return await run_in_threadpool(work)
    except UnknownNameError as error:
        raise HTTPException(404) from error


async def _use_page(
    request: Request,
    *,
    made: MadeProduct | None = None,
    problem: InputError | None = None,
    given: dict[str, str] | None = None,
    notice: str = "",
) -> Response:
    person = await signed_in(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    shared = await run_in_threadpool(accounts.sharing_of, host, slug, now=now())
    try:
        asked = await run_in_threadpool(in_use.asked_in_use, host, slug)
    except InputError:
        asked = None
    home = request.app.state.settings.public_url or f"{request.url.scheme}://{request.url.netloc}"
    products = await run_in_threadpool(in_use.live_products, host, slug)
    return dashboard(
        request, "use.html", researcher=person, status=422 if problem else 200, study=shared.study,
        asked=asked, live=products, made=made, problem=problem, given=given or {}, notice=notice,
        home=home, findings=watch_findings, chart=acceptance_chart,
    )  # fmt: skip


_NOTICES = "/studies/{slug}/notices"
_USE = "/studies/{slug}/use"
_ONE = _USE + "/{number:int}"
ROUTES = [
    Route(_NOTICES, get_notices, methods=["GET"]),
    Route(_NOTICES, post_notices, methods=["POST"]),
    Route(_NOTICES + "/{number:int}/remove", post_removal, methods=["POST"]),
    Route(_NOTICES + "/messages/{number:int}/again", post_again, methods=["POST"]),
    Route(_USE, get_use, methods=["GET"]),
    Route(_USE, post_use, methods=["POST"]),
    Route(_ONE + "/token", post_token, methods=["POST"]),
    Route(_ONE + "/close", post_action, methods=["POST"]),
    Route(_ONE + "/anew", post_action, methods=["POST"]),
    Route(_ONE + "/erase", post_erasure, methods=["POST"]),
]
