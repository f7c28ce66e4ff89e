"""Pages and files for researchers: one layout, one policy.

In: a template's name and what it shows, or a file. Out: a response. Absent: decisions.

Templates live in `templates/dashboard/` and extend `dashboard/layout.html`. Beside the values given
they see `csrf` (for the hidden field of every form), `researcher` (None before signing in), `path`,
`study` (None outside a study; a study's pages get their own menu) and `notice`. Templates are
English; the finished page is translated (`show.translation`).
"""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from howgood.records.researcher import Researcher
from howgood.settings import read_settings
from howgood.show.translation import ENGLISH, languages, translated_page
from howgood.web.access import LANGUAGE, csrf, remember_language, remember_visitor
from howgood.web.page_words import on_a_page
from howgood.web.render import script_address, style_address, templates

POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; "
    "img-src 'self' data:; media-src 'self'; frame-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


def dashboard(
    request: Request,
    template: str,
    *,
    researcher: Researcher | None,
    status: int = 200,
    **values: object,
) -> HTMLResponse:
    """Return a dashboard page; nothing of it is kept by caches.

    Problems are said without options of the command line, wherever they come from.
    """
    language = language_of(request)
    seen = {"study": None, "notice": "", **values}
    for name in ("problem", "text"):
        said = seen.get(name)
        if isinstance(said, str):
            seen[name] = on_a_page(said)
    html = (
        templates()
        .get_template(f"dashboard/{template}")
        .render(
            researcher=researcher,
            csrf=csrf(request),
            path=request.url.path,
            style=style_address(),
            script=script_address(),
            language=language,
            page_languages=languages(),
            **seen,
        )
    )
    response = HTMLResponse(
        translated_page(html, language),
        status_code=status,
        headers={"Cache-Control": "no-store", "Content-Security-Policy": POLICY},
    )
    remember_visitor(response, request)
    if request.query_params.get(CHOSEN) == language:
        remember_language(response, request, language)
    return response


# The name under which an address chooses the language of researchers' pages.
CHOSEN = "in"


def language_of(request: Request) -> str:
    """Return the language of a researcher's pages: chosen now, or before, or the server's."""
    wishes = (
        request.query_params.get(CHOSEN),
        request.cookies.get(LANGUAGE),
        read_settings().language,
    )
    return next((wish for wish in wishes if wish in languages()), ENGLISH)


def attachment(content: bytes, name: str, media_type: str) -> Response:
    """Return a file to save; nothing of it is kept by caches."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(content, media_type=media_type, headers=headers)
