"""The addresses participants use: a study's link, their own link, each of its steps, pictures.

And the few that the server itself needs: the style sheet, and whether it is well.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow` once, shows.

Every step has an address of its own: Back shows the page that was answered there, and a browser
puts nothing that was typed on one page into another.
"""

import hmac
import logging

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from howgood.flow import hosting
from howgood.web.access import is_secure
from howgood.web.metrics import MEDIA_TYPE, metrics_text
from howgood.web.pages import kept_parameters, review_page, screen_page, step_address
from howgood.web.render import part_of_file, show_compressed, static_response, style_address
from howgood.web.request_data import now, read_form, whole
from howgood.web.routes.coming_back import ROUTES as COMING_BACK

_log = logging.getLogger("howgood.web")
_REMEMBER = 180 * 24 * 3600


async def get_study(request: Request) -> Response:
    """Show the first page of a study; nothing is stored, so a link scanner starts nobody."""
    slug = request.path_params["slug"]
    arrival = await hosting.arrive(request.app.state.host, slug, _visitor(request), now=now())
    view = arrival.view
    if view is None:
        return RedirectResponse(step_address(arrival.token, 0), status_code=303)
    query = kept_parameters(request.query_params, language=_link_language(view))
    response = show_compressed(screen_page(view, style=style_address(), query=query), request)
    # Another tab of this browser is the same visit: two tabs do not make two participants.
    visit = f"{view.visit}.{view.signature}"
    return _remembering(response, request, f"howgood-visit-{slug}", visit, seconds=None)


async def post_study(request: Request) -> Response:
    """Take the consent and begin."""
    slug = request.path_params["slug"]
    sent = await hosting.begin(
        request.app.state.host,
        slug,
        _visitor(request),
        form=await read_form(request),
        now=now(),
    )
    if sent.view is not None:
        query = kept_parameters(request.query_params, language=_link_language(sent.view))
        return _shown_again(request, sent.view, query)
    _log.info("participant_started study=%s new=%s", slug, sent.is_new)
    onward = RedirectResponse(step_address(sent.token, sent.step), status_code=303)
    return _remembering(onward, request, f"howgood-{slug}", sent.token, seconds=_REMEMBER)


async def get_step(request: Request) -> Response:
    """Show a step of this person's way; without one, or beyond it, lead to where they are."""
    token, step = request.path_params["token"], request.path_params.get("step", "")
    asked = whole(step, otherwise=0)
    view = await hosting.look(
        request.app.state.host, token, step=asked, visitor=_visitor(request), now=now()
    )
    if view.step != asked:
        language = request.query_params.get("lang", "")
        query = kept_parameters({}, language=language)
        return RedirectResponse(step_address(token, view.step, query), status_code=303)
    if view.review is not None:
        return show_compressed(review_page(view, view.review, style=style_address()), request)
    query = kept_parameters({}, language=_link_language(view))
    return show_compressed(screen_page(view, style=style_address(), query=query), request)


async def post_answer(request: Request) -> Response:
    """Store one answer, then go where the person is now."""
    sent = await hosting.send(
        request.app.state.host,
        request.path_params["token"],
        form=await read_form(request),
        visitor=_visitor(request),
        now=now(),
    )
    if sent.view is not None:
        query = kept_parameters({}, language=_link_language(sent.view))
        return _shown_again(request, sent.view, query)
    _log.debug("answer_recorded new=%s seconds=%.1f", sent.is_new, sent.seconds or 0.0)
    return RedirectResponse(step_address(sent.token, sent.step), status_code=303)


async def get_media(request: Request) -> Response:
    """Show a picture or film of a study."""
    host, version = request.app.state.host, request.path_params["version"]
    media = await run_in_threadpool(hosting.picture, host, version, request.path_params["name"])
    framed_by = (await run_in_threadpool(host.study, version)).framed_by
    return part_of_file(media, request.headers.get("range", ""), framed_by=framed_by)


def _shown_again(request: Request, view: hosting.View, query: str) -> Response:
    page = screen_page(view, style=style_address(), query=query)
    return show_compressed(page, request, status=422 if page.has_problems else 200)


def _visitor(request: Request) -> hosting.Visitor:
    slug, cookies, headers = request.path_params.get("slug"), request.cookies, request.headers
    return hosting.Visitor(
        parameters=request.query_params,
        token=cookies.get(f"howgood-{slug}", ""),
        visit=cookies.get(f"howgood-visit-{slug}", ""),
        accept_language=headers.get("accept-language", ""),
        user_agent=headers.get("user-agent", ""),
    )


def _link_language(view: hosting.View) -> str:
    """Return the language that the address has to name, where people can choose one."""
    return view.screen.language if len(view.languages) > 1 else ""


def _remembering(
    response: Response, request: Request, name: str, value: str, *, seconds: int | None
) -> Response:
    """Let the browser keep something for this study; without `seconds`, until it is closed."""
    response.set_cookie(
        name,
        value,
        max_age=seconds,
        path=f"/s/{request.path_params['slug']}",
        secure=is_secure(request),
        httponly=True,
        samesite="lax",
    )
    return response


async def get_home(request: Request) -> Response:
    """Lead researchers to their studies; strangers learn nothing about which studies run."""
    return RedirectResponse("/studies", status_code=303)


async def get_static(request: Request) -> Response:
    """Give a static file."""
    file = static_response(request, request.path_params["name"])
    if file is None:
        raise HTTPException(404)
    return file


async def get_health(request: Request) -> Response:
    """Say whether answers can be stored, for whatever watches the server."""
    if await run_in_threadpool(request.app.state.health.is_well):
        return PlainTextResponse("well\n")
    words = "unwell: answers cannot be stored now\n"
    return PlainTextResponse(words, status_code=503, headers={"Retry-After": "5"})


async def get_metrics(request: Request) -> Response:
    """Give what is counted about this server to whoever has the token for it."""
    wanted = request.app.state.settings.metrics_token
    if not wanted:
        raise HTTPException(404)
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not hmac.compare_digest(given.encode(), wanted.encode()):
        words = "a token is needed: Authorization: Bearer …\n"
        head = {"WWW-Authenticate": "Bearer"}
        return PlainTextResponse(words, status_code=401, headers=head)
    state, gate = request.app.state, request.state.gate
    is_well = await run_in_threadpool(state.health.is_well)
    text = await run_in_threadpool(
        metrics_text, gate.metrics, state.host, working=gate.working, is_well=is_well
    )
    return PlainTextResponse(text, media_type=MEDIA_TYPE)


ROUTES = [
    *COMING_BACK,
    Route("/p/{token}", get_step, methods=["GET"]),
    Route("/p/{token}", post_answer, methods=["POST"]),
    Route("/p/{token}/{step}", get_step, methods=["GET"]),
    Route("/p/{token}/{step}", post_answer, methods=["POST"]),
    Route("/s/{slug}", get_study, methods=["GET"]),
    Route("/s/{slug}", post_study, methods=["POST"]),
    Route("/", get_home, methods=["GET"]),
    Route("/static/{name}", get_static, methods=["GET"]),
    Route("/health", get_health, methods=["GET"]),
    Route("/metrics", get_metrics, methods=["GET"]),
    Route("/media/{version:int}/{name:path}", get_media, methods=["GET"]),
]
