"""Pages for researchers: one layout, one policy.

In: a template's name and what it shows. Out: a response. Absent: decisions.

Templates live in `templates/dashboard/` and extend `dashboard/layout.html`. Beside the values given
they see `csrf` (for the hidden field of every form), `researcher` (None before signing in), `path`,
`study` (None outside a study; a study's pages get their own menu) and `notice`.
"""

from starlette.requests import Request
from starlette.responses import HTMLResponse

from howgood.records.researcher import Researcher
from howgood.web.access import csrf, remember_visitor
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
            **seen,
        )
    )
    response = HTMLResponse(
        html,
        status_code=status,
        headers={"Cache-Control": "no-store", "Content-Security-Policy": POLICY},
    )
    remember_visitor(response, request)
    return response
