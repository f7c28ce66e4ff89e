"""The page of products in use: how acceptable each is, and the snippet that sends answers.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow.in_use` once,
shows.
"""

from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import accounts, in_use
from howgood.flow.in_use import MadeProduct
from howgood.show.watching import acceptance_chart, watch_findings
from howgood.web.access import sent_form, signed_in, text_of
from howgood.web.dashboard import dashboard
from howgood.web.request_data import now

_ACTIONS = {"close": in_use.close_product, "anew": in_use.watch_anew}


async def get_use(request: Request) -> Response:
    """Show how acceptable the products of a study are in use."""
    return await _page(request)


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
        return await _page(request, problem=error, given=given)
    return await _page(request, made=made)


async def post_token(request: Request) -> Response:
    """Give a product a new token."""
    person = await signed_in(request)
    await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    renew = partial(in_use.renew_token, request.app.state.host, person, slug, number, now=now())
    return await _page(request, made=await _found(renew))


async def post_action(request: Request) -> Response:
    """Take no more answers of a product, or judge it by answers from now on."""
    person = await signed_in(request)
    await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    act = _ACTIONS[request.url.path.rpartition("/")[2]]
    await _found(partial(act, request.app.state.host, person, slug, number, now=now()))
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
        return await _page(request, problem=error)
    return await _page(request, notice=f"{gone} answers of this person were erased.")


async def _found(work: partial[MadeProduct] | partial[None]) -> MadeProduct | None:
    try:
        return await run_in_threadpool(work)
    except UnknownNameError as error:
        raise HTTPException(404) from error


async def _page(
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


_ROOT = "/studies/{slug}/use"
_ONE = _ROOT + "/{number:int}"
ROUTES = [
    Route(_ROOT, get_use, methods=["GET"]),
    Route(_ROOT, post_use, methods=["POST"]),
    Route(_ONE + "/token", post_token, methods=["POST"]),
    Route(_ONE + "/close", post_action, methods=["POST"]),
    Route(_ONE + "/anew", post_action, methods=["POST"]),
    Route(_ONE + "/erase", post_erasure, methods=["POST"]),
]
