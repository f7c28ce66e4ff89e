"""The addresses participants use: a study's link, their own link, each of its steps, pictures.

And the addresses for coming back (a reminder, a date for the calendar, the prize draw), and the few
that the server itself needs: the style sheet, and whether it is well.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow` once, shows.

Every step has an address of its own: Back shows the page that was answered there, and a browser
puts nothing that was typed on one page into another.
"""

import base64
import hmac
import logging
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from howgood.ask.sentences import sentence
from howgood.errors import InputError
from howgood.flow import coming_back, hosting, thanks
from howgood.flow.hosting import tokens
from howgood.flow.mail import can_mail
from howgood.flow.participate.forms import text_of
from howgood.kinds.screen_parts import paragraphs, words
from howgood.kinds.translation import in_language
from howgood.web.access import is_secure
from howgood.web.middleware import MEDIA_TYPE, metrics_text
from howgood.web.pages import kept_parameters, review_page, screen_page
from howgood.web.render import (
    part_of_file,
    show_compressed,
    static_response,
    style_address,
    templates,
)
from howgood.web.request_data import whole

_log = logging.getLogger("howgood.web")
_REMEMBER = 180 * 24 * 3600
_MOST_FIELDS = 500


async def get_study(request: Request) -> Response:
    """Show the first page of a study; nothing is stored, so a link scanner starts nobody."""
    slug = request.path_params["slug"]
    arrival = await hosting.arrive(
        request.app.state.host, slug, _visitor(request), now=datetime.now(UTC)
    )
    view = arrival.view
    if view is None:
        return RedirectResponse(tokens.step_address(arrival.token, 0), status_code=303)
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
        form=await _read_form(request),
        now=datetime.now(UTC),
    )
    if sent.view is not None:
        query = kept_parameters(request.query_params, language=_link_language(sent.view))
        return _shown_again(request, sent.view, query)
    _log.info("participant_started study=%s new=%s", slug, sent.is_new)
    onward = RedirectResponse(tokens.step_address(sent.token, sent.step), status_code=303)
    return _remembering(onward, request, f"howgood-{slug}", sent.token, seconds=_REMEMBER)


async def get_step(request: Request) -> Response:
    """Show a step of this person's way; without one, or beyond it, lead to where they are."""
    token, step = request.path_params["token"], request.path_params.get("step", "")
    asked = whole(step, otherwise=0)
    view = await hosting.look(
        request.app.state.host, token, step=asked, visitor=_visitor(request), now=datetime.now(UTC)
    )
    if view.step != asked:
        language = request.query_params.get("lang", "")
        query = kept_parameters({}, language=language)
        return RedirectResponse(tokens.step_address(token, view.step, query), status_code=303)
    if view.review is not None:
        return show_compressed(review_page(view, view.review, style=style_address()), request)
    query = kept_parameters({}, language=_link_language(view))
    return show_compressed(screen_page(view, style=style_address(), query=query), request)


async def post_answer(request: Request) -> Response:
    """Store one answer, then go where the person is now."""
    sent = await hosting.send(
        request.app.state.host,
        request.path_params["token"],
        form=await _read_form(request),
        visitor=_visitor(request),
        now=datetime.now(UTC),
    )
    if sent.view is not None:
        query = kept_parameters({}, language=_link_language(sent.view))
        return _shown_again(request, sent.view, query)
    _log.debug("answer_recorded new=%s seconds=%.1f", sent.is_new, sent.seconds or 0.0)
    return RedirectResponse(tokens.step_address(sent.token, sent.step), status_code=303)


async def _read_form(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form; one that is not a form, or absurd, is empty."""
    body = await request.body()
    # The only two ways to write a character zero, which no database keeps as text, in such a form.
    if b"%00" in body or b"\x00" in body:
        raise HTTPException(400)
    try:
        return parse_qs(
            body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"
        )
    except ValueError:
        return {}


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


_LATER = ("later_text", "later_qr", "later_calendar", "later_mail", "later_mail_help",
          "later_address", "later_send", "later_stop", "later_set", "earlier_go_on",
          "skip_link")  # fmt: skip
_DRAW = ("draw_help", "draw_address", "draw_enter", "draw_in", "skip_link")


async def _signed_form(request: Request, purpose: str) -> dict[str, list[str]]:
    """Return a form that our own page of this person sent, or refuse it."""
    token, host = request.path_params["token"], request.app.state.host
    form = await _read_form(request)
    if not tokens.is_signed(host.key, text_of(form, "signature"), purpose, token):
        raise hosting.RefusedError(hosting.Reason.UNSIGNED)
    return form


async def get_later(request: Request) -> Response:
    """Show how to go on later or on another device."""
    return await _later_page(request)


async def post_later(request: Request) -> Response:
    """Keep an address for reminders, or erase it."""
    token, host = request.path_params["token"], request.app.state.host
    form = await _signed_form(request, "later")
    address = text_of(form, "address") if "stop" not in form else ""
    if not address.strip() and "stop" not in form:
        return await _later_page(request, is_wrong=True)
    try:
        await run_in_threadpool(coming_back.remind_me, host, token, address)
    except InputError:
        return await _later_page(request, is_wrong=True)
    return RedirectResponse(f"/p/{token}/later", status_code=303)


async def _later_page(request: Request, *, is_wrong: bool = False) -> Response:
    token, host = request.path_params["token"], request.app.state.host
    entry = await run_in_threadpool(coming_back.coming_back, host, token)
    language, link = entry.language, _link(request, token)
    settings = request.app.state.settings
    when = entry.until
    page: dict[str, Any] = {
        "language": language,
        "style": style_address(),
        "title": sentence(language, "later_title"),
        "study": entry.title,
        "words": {key: sentence(language, key) for key in _LATER},
        "link": link,
        "picture": _picture(link),
        "calendar": f"/p/{token}/calendar.ics" if when else "",
        "onward": f"/p/{token}",
        "when": words(sentence(language, "later_when", when=f"{when:%Y-%m-%d %H:%M} UTC"))
        if when
        else (),
        "has_mail": bool(when and settings.public_url) and can_mail(settings),
        "is_reminded": entry.is_reminded,
        "problem": sentence(language, "later_wrong") if is_wrong else "",
        "signature": entry.signature,
        "address": f"/p/{token}/later",
    }
    return _page("later.html", page, status=422 if is_wrong else 200)


def _link(request: Request, token: str) -> str:
    home = request.app.state.settings.public_url or str(request.base_url).rstrip("/")
    return f"{home}/p/{token}"


def _picture(link: str) -> str:
    """Return the link as a picture that a phone reads."""
    import segno  # participants who never come here need not wait for it

    svg = segno.make_qr(link).svg_inline(scale=4, border=2)
    return (
        "data:image/svg+xml;base64,"
        + base64.b64encode(
            svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).encode()
        ).decode()
    )


def _page(template: str, page: dict[str, Any], *, status: int = 200) -> Response:
    html = templates().get_template(template).render(page=page)
    return HTMLResponse(html, status_code=status, headers={"Cache-Control": "no-store"})


async def get_calendar(request: Request) -> Response:
    """Give the moment from which somebody can go on, for their calendar."""
    token, host = request.path_params["token"], request.app.state.host
    entry = await run_in_threadpool(coming_back.coming_back, host, token)
    text = coming_back.calendar_file(entry, _link(request, token), now=datetime.now(UTC))
    headers = {"Content-Disposition": 'attachment; filename="howgood.ics"'}
    return Response(text, media_type="text/calendar; charset=utf-8", headers=headers)


async def get_draw(request: Request) -> Response:
    """Show the draw to somebody who has finished."""
    return await _draw_page(request)


async def post_draw(request: Request) -> Response:
    """Put an address on the list of the draw."""
    token, host = request.path_params["token"], request.app.state.host
    form = await _signed_form(request, "draw")
    try:
        await run_in_threadpool(thanks.enter_draw, host, token, text_of(form, "address"))
    except InputError:
        return await _draw_page(request, is_wrong=True)
    return RedirectResponse(f"/p/{token}/draw", status_code=303)


async def _draw_page(request: Request, *, is_wrong: bool = False) -> Response:
    token, host = request.path_params["token"], request.app.state.host
    state, is_in = await run_in_threadpool(thanks.is_in_draw, host, token)
    if not thanks.can_enter(state) or state.screen is None:
        return RedirectResponse(f"/p/{token}", status_code=303)
    language = state.screen.language
    study = in_language(state.study, language)
    page: dict[str, Any] = {
        "language": language,
        "style": style_address(),
        "title": sentence(language, "draw_title"),
        "study": study.title,
        "words": {key: sentence(language, key) for key in _DRAW},
        "blocks": paragraphs(study.draw.text) if study.draw else (),
        "is_in": is_in,
        "problem": sentence(language, "later_wrong") if is_wrong else "",
        "signature": tokens.signature(host.key, "draw", token),
        "address": f"/p/{token}/draw",
    }
    return _page("draw.html", page, status=422 if is_wrong else 200)


ROUTES = [
    Route("/p/{token}/later", get_later, methods=["GET"]),
    Route("/p/{token}/later", post_later, methods=["POST"]),
    Route("/p/{token}/calendar.ics", get_calendar, methods=["GET"]),
    Route("/p/{token}/draw", get_draw, methods=["GET"]),
    Route("/p/{token}/draw", post_draw, methods=["POST"]),
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
