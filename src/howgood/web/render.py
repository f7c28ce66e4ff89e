"""Pages to responses: templates, static files with names that never go stale.

In: a page from `pages`. Out: a response. Absent: what is on the page.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from howgood.ask.sentences import sentence
from howgood.records.remembered import Remembered
from howgood.records.screen import Block
from howgood.show.comparison_card import STYLE
from howgood.show.times import duration, moment
from howgood.web.pages import FieldView, MessagePage, ScreenPage

_STYLE_SHEET = "howgood.css"
_SCRIPT = "htmx.min.js"
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}


@cache
def _template(name: str) -> Template:
    return templates().get_template(name)


@cache
def templates() -> Environment:
    """Return the templates; whatever they show is escaped, and an unknown name is an error."""
    made = Environment(
        loader=PackageLoader("howgood.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["show_parts"] = _show_parts
    made.filters |= {"duration": duration, "moment": moment}
    return made


def _show_parts(page: ScreenPage) -> Markup:
    """Return the text and questions of a page, and remember them if nothing is filled in."""
    make = _fresh_parts if page.is_fresh else _parts
    return make(page.blocks, page.fields, page.media, page.language)


def _parts(
    blocks: tuple[Block, ...], fields: tuple[FieldView, ...], media: str, language: str
) -> Markup:
    choose, film_shows = sentence(language, "choose"), sentence(language, "film_shows")
    show_block, show_field = _macros("blocks.html").show, _macros("fields.html").show
    shown = [show_block(each, media, film_shows) for each in blocks]
    return Markup("").join([*shown, *(show_field(each, choose) for each in fields)])


# Many people see the same scenarios and scales.
_fresh_parts = Remembered(_parts, most=512)


@cache
def _macros(name: str) -> Any:  # noqa: ANN401 - a template's macros are attributes made by Jinja
    return _template(name).module


def show(page: ScreenPage | MessagePage, *, status: int = 200) -> HTMLResponse:
    """Return the page as HTML; nothing a participant sees is kept by caches."""
    name = "screen.html" if isinstance(page, ScreenPage) else "message.html"
    html = _template(name).render(page=page)
    return HTMLResponse(html, status_code=status, headers={"Cache-Control": "no-store"})


@cache
def static_files() -> Mapping[str, bytes]:
    """Return every static file by its public name, which holds a fingerprint of its content."""
    found = {}
    folder = files("howgood.web") / "static"
    for each in (*folder.iterdir(), *(folder / "vendor").iterdir()):
        if each.is_dir():
            continue
        content = each.read_bytes()
        if each.name == _STYLE_SHEET:
            # Drawings come without a style of their own: the policy allows no inline styles.
            content += STYLE.encode()
        stem, dot, ending = each.name.rpartition(".")
        if dot + ending in _TYPES:
            fingerprint = hashlib.sha256(content).hexdigest()[:12]
            found[f"{stem}.{fingerprint}.{ending}"] = content
    return found


@cache
def style_address() -> str:
    """Return the address of the style sheet."""
    return _address(_STYLE_SHEET)


@cache
def script_address() -> str:
    """Return the address of the one script, which improves pages that work without it."""
    return _address(_SCRIPT)


def _address(name: str) -> str:
    stem, _, ending = name.rpartition(".")
    return "/static/" + next(
        each for each in static_files() if each.startswith(f"{stem}.") and each.endswith(ending)
    )


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(static_files()[name], 9, mtime=0)


def static_response(request: Request, name: str) -> Response | None:
    """Return a static file that browsers may keep for ever, or None."""
    if name not in static_files():
        return None
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if packed:
        headers["Content-Encoding"] = "gzip"
    return Response(
        _packed(name) if packed else static_files()[name],
        headers=headers,
        media_type=_TYPES[name[name.rindex(".") :]],
    )


def part_of_file(content: bytes, media_type: str, wanted: str) -> Response:
    """Return a picture or film, or the part of it a player asks for (`Range: bytes=0-499`)."""
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "public, max-age=31536000, immutable",
        # An SVG opened by itself is a document; it may do nothing.
        "Content-Security-Policy": PICTURE_POLICY,
    }
    asked = re.fullmatch(r"bytes=(\d{1,12})-(\d{0,12})", wanted)
    if asked is None:
        return Response(content, media_type=media_type, headers=headers)
    first, size = int(asked[1]), len(content)
    last = min(int(asked[2] or size), size - 1)
    if first > last:
        headers["Content-Range"] = f"bytes */{size}"
        return Response(status_code=416, headers=headers)
    headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    return Response(
        content[first : last + 1], status_code=206, media_type=media_type, headers=headers
    )
