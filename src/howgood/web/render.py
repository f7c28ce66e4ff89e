"""Pages to responses: templates, static files with names that never go stale.

In: a page from `pages`. Out: a response. Absent: what is on the page.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from howgood.ask.sentences import direction, sentence
from howgood.flow.hosting import field_name
from howgood.records.record import Path, Problem
from howgood.records.screen import Block, Field
from howgood.show.cards import card_warning
from howgood.show.comparison_card import STYLE
from howgood.show.design import asset
from howgood.show.times import duration, moment
from howgood.store.studies import MediaFile
from howgood.web.pages import FieldView, MessagePage, ReviewPage, ScreenPage, field_views

_STYLE_SHEET, _DASHBOARD_SHEET = "howgood.css", "dashboard.css"
_SCRIPT, _LOCAL_TIME = "htmx.min.js", "local-time.js"
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_NOBODY = "frame-ancestors 'none'"
# A mock-up may run and draw what it brings along; it reaches no server, and not the page around it.
MOCK_UP_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; media-src data: blob:; font-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'; sandbox allow-scripts"
)
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
_FIRST_PACKETS = 14_000
_PIECE = 64 * 1024
_TEMPLATES: dict[type, str] = {
    ScreenPage: "screen.html",
    ReviewPage: "review.html",
    MessagePage: "message.html",
}
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# Files of the design that pages ask for by themselves; reports carry them inside.
_ASSETS = ("mark.svg", "story.js")


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
    made.globals |= {"screen_content": _content, "local_time": partial(_address, _LOCAL_TIME),
                     "static": _address}  # fmt: skip
    made.filters |= {"duration": duration, "moment": moment, "in_words": _in_words,
                     "as_sentence": _as_sentence, "card_warning": card_warning,
                     "direction": direction}  # fmt: skip
    # As a global, and not imported by each page: an import looks for new globals every time.
    made.globals["blocks"] = made.get_template("blocks.html").module
    return made


def _in_words(path: Path) -> str:
    """Return a place in a study as its form names it; only researchers' pages need those names."""
    from howgood.flow.authoring.changes import in_words

    return in_words(path)


def _as_sentence(problem: Problem) -> str:
    """Return what is wrong in a study as its form says it."""
    from howgood.flow.authoring.shape import message

    return message(problem)


def _content(page: ScreenPage) -> Markup:
    """Return the text and questions of a page."""
    if page.is_empty:
        return _shared_content(page.language, page.media, page.screen, page.blocks, page.fields)
    return _made_content(page.language, page.media, page.screen, page.blocks, page.filled_in)


# The scenarios of a study look the same to everybody until they have filled something in.
@lru_cache(maxsize=512)
def _shared_content(
    language: str,
    media: str,
    screen: str,
    blocks: tuple[Block, ...],
    fields: tuple[Field, ...],
) -> Markup:
    return _made_content(language, media, screen, blocks, field_views(fields, {}, {}))


def _made_content(
    language: str,
    media: str,
    screen: str,
    blocks: tuple[Block, ...],
    fields: tuple[FieldView, ...],
) -> Markup:
    choose = sentence(language, "choose")
    says = sentence(language, "film_shows"), sentence(language, "sound_says")
    show_block, show_field = _macros("blocks.html").show, _macros("fields.html").show
    prefix = field_name(screen, "")
    shown = [show_block(block, media, says, prefix) for block in blocks]
    return Markup("").join(
        [*shown, *(show_field(field, choose, prefix, media) for field in fields)]
    )


@cache
def _macros(name: str) -> Any:  # noqa: ANN401 - a template's macros are attributes made by Jinja
    return _template(name).module


def _policy(page: ScreenPage | ReviewPage | MessagePage) -> str:
    """Return what a page may do, and who may show it inside theirs: nobody, unless named."""
    policy = POLICY
    if page.framed_by:
        policy = policy.replace(_NOBODY, f"frame-ancestors {' '.join(page.framed_by)}")
    if isinstance(page, ScreenPage) and page.submit:
        to = page.submit["action"].removesuffix("/mturk/externalSubmit")
        policy = policy.replace("form-action 'self'", f"form-action 'self' {to}")
    # For `_LOCAL_TIME`, keys.js and views.js; every other page runs no script at all.
    has_script = isinstance(page, ScreenPage) and (
        page.is_waiting or page.has_keys or page.has_views
    )
    return f"{policy}; script-src 'self'" if has_script else policy


def show(page: ScreenPage | ReviewPage | MessagePage, *, status: int = 200) -> HTMLResponse:
    """Return the page as HTML; nothing a participant sees is kept by caches."""
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": _policy(page)}
    html = _template(_TEMPLATES[type(page)]).render(page=page)
    return HTMLResponse(html, status_code=status, headers=headers)


def show_compressed(
    page: ScreenPage | ReviewPage, request: Request, *, status: int = 200
) -> HTMLResponse:
    """Return a screen, compressed if it would not fit into the first packets of a connection.

    A browser gets a smaller page as fast either way, and compressing takes a tenth of the work.
    """
    response = show(page, status=status)
    response.headers["Vary"] = "Accept-Encoding"
    body = bytes(response.body)
    if len(body) > _FIRST_PACKETS and "gzip" in request.headers.get("accept-encoding", ""):
        response.body = gzip.compress(body, 5, mtime=0)
        response.headers["Content-Length"] = str(len(response.body))
        response.headers["Content-Encoding"] = "gzip"
    return response


@cache
def static_files() -> Mapping[str, bytes]:
    """Return every static file by its public name, which holds a fingerprint of its content."""
    folder = files("howgood.web") / "static"
    contents = {
        file.name: file.read_bytes()
        for file in (*folder.iterdir(), *(folder / "vendor").iterdir())
        if not file.is_dir()
    }
    contents |= {name: asset(name).encode() for name in _ASSETS}
    # Drawings come without a style of their own: the policy allows no inline styles.
    sheet = contents[_STYLE_SHEET] + STYLE.encode()
    contents[_STYLE_SHEET] = asset("tokens.css").encode() + sheet
    contents[_DASHBOARD_SHEET] = asset("components.css").encode() + contents[_DASHBOARD_SHEET]
    by_name = {}
    for name, content in contents.items():
        stem, dot, ending = name.rpartition(".")
        if dot + ending in _TYPES:
            fingerprint = hashlib.sha256(content).hexdigest()[:12]
            by_name[f"{stem}.{fingerprint}.{ending}"] = content
    return by_name


@cache
def style_address() -> str:
    """Return the address of the style sheet."""
    return _address(_STYLE_SHEET)


@cache
def script_address() -> str:
    """Return the address of the one script, which improves pages that work without it."""
    return _address(_SCRIPT)


@cache
def _address(name: str) -> str:
    stem, _, ending = name.rpartition(".")
    return "/static/" + next(
        static_file
        for static_file in static_files()
        if static_file.startswith(f"{stem}.") and static_file.endswith(ending)
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


class _InPieces(Response):
    """A file, of which no more waits for its reader than they keep up with."""

    def __init__(
        self, file: MediaFile, part: slice, *, status: int, headers: Mapping[str, str]
    ) -> None:
        self.file = file  # as long as it lives, others are given the same one
        super().__init__(memoryview(file.content)[part], status, headers, file.media_type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the head, and each piece when most of the one before is on its way."""
        head = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **head})
        for first in range(0, max(len(self.body), 1), _PIECE):
            piece, is_last = self.body[first : first + _PIECE], first + _PIECE >= len(self.body)
            body = {"body": bytes(piece), "more_body": not is_last}
            await send({"type": "http.response.body", **body})


def part_of_file(file: MediaFile, wanted: str, *, framed_by: tuple[str, ...] = ()) -> Response:
    """Return a picture or film, or the part of it a player asks for (`Range: bytes=0-499`)."""
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "public, max-age=31536000, immutable",
        # An SVG opened by itself is a document; it may do nothing.
        "Content-Security-Policy": MOCK_UP_POLICY.replace(
            "frame-ancestors 'self'", " ".join(("frame-ancestors 'self'", *framed_by))
        )
        if file.media_type == "text/html"
        else PICTURE_POLICY,
    }
    asked = re.fullmatch(r"bytes=(\d{1,12})-(\d{0,12})", wanted)
    if asked is None:
        return _InPieces(file, slice(None), status=200, headers=headers)
    first, size = int(asked[1]), len(file.content)
    last = min(int(asked[2] or size), size - 1)
    if first > last:
        headers["Content-Range"] = f"bytes */{size}"
        return Response(status_code=416, headers=headers)
    headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    return _InPieces(file, slice(first, last + 1), status=206, headers=headers)
