"""The addresses of people who come back later, or enter a draw.

In: requests. Out: pages, a calendar file. Absent: everything between; each route parses,
calls `flow` once, shows.
"""

import base64
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from howgood.ask.sentences import sentence
from howgood.errors import InputError
from howgood.flow import coming_back, hosting, thanks
from howgood.flow.hosting import tokens
from howgood.flow.mail import can_mail
from howgood.flow.participate.forms import text_of
from howgood.kinds.screen_parts import paragraphs, words
from howgood.kinds.translation import in_language
from howgood.web.render import style_address, templates
from howgood.web.request_data import now, read_form

_LATER = ("later_text", "later_qr", "later_calendar", "later_mail", "later_mail_help",
          "later_address", "later_send", "later_stop", "later_set", "earlier_go_on",
          "skip_link")  # fmt: skip
_DRAW = ("draw_help", "draw_address", "draw_enter", "draw_in", "skip_link")


async def get_later(request: Request) -> Response:
    """Show how to go on later or on another device."""
    return await _later_page(request)


async def post_later(request: Request) -> Response:
    """Keep an address for reminders, or erase it."""
    token, host = request.path_params["token"], request.app.state.host
    form = await read_form(request)
    if not tokens.is_signed(host.key, text_of(form, "signature"), "later", token):
        raise hosting.RefusedError(hosting.Reason.UNSIGNED)
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
    text = coming_back.calendar_file(entry, _link(request, token), now=now())
    headers = {"Content-Disposition": 'attachment; filename="howgood.ics"'}
    return Response(text, media_type="text/calendar; charset=utf-8", headers=headers)


async def get_draw(request: Request) -> Response:
    """Show the draw to somebody who has finished."""
    return await _draw_page(request)


async def post_draw(request: Request) -> Response:
    """Put an address on the list of the draw."""
    token, host = request.path_params["token"], request.app.state.host
    form = await read_form(request)
    if not tokens.is_signed(host.key, text_of(form, "signature"), "draw", token):
        raise hosting.RefusedError(hosting.Reason.UNSIGNED)
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
]
