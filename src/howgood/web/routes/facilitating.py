"""The addresses of a facilitator, who sits next to somebody who takes part.

In: requests. Out: the page somebody is at, as they see it, with room for notes; all notes of a
study as a file. Absent: answering for anybody, and pages of people who have not allowed it.
"""

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import watching
from howgood.web.access import sent_form, signed_in, text_of
from howgood.web.dashboard import dashboard
from howgood.web.pages import screen_page
from howgood.web.render import style_address
from howgood.web.request_data import now
from howgood.web.routes.studies import attachment


async def get_follow(request: Request) -> Response:
    """Show where a person is, the interview questions and the notes."""
    return await _followed(request, "follow.html")


async def get_mirror(request: Request) -> Response:
    """Show the mirrored page alone, to be renewed within the page around it."""
    return await _followed(request, "mirror.html")


async def post_note(request: Request) -> Response:
    """Keep a note."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    try:
        await run_in_threadpool(
            watching.take_note, request.app.state.host, slug, number,
            topic=text_of(form, "topic"), text=text_of(form, "text"), actor=person.name, now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    except InputError as error:
        return await _followed(request, "follow.html", problem=f"{error.needed}. {error.cure}")
    return RedirectResponse(f"/studies/{slug}/people/{number}/follow?saved", status_code=303)


async def get_notes(request: Request) -> Response:
    """Give every note of a study as a file."""
    person = await signed_in(request)
    slug = request.path_params["slug"]
    try:
        content = await run_in_threadpool(
            watching.notes_file, request.app.state.host, slug, actor=person.name, now=now()
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return attachment(content, f"{slug}-notes.csv", "text/csv; charset=utf-8")


async def _followed(request: Request, template: str, *, problem: str = "") -> Response:
    person = await signed_in(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    try:
        row, session = await run_in_threadpool(
            watching.follow, request.app.state.host, slug, number
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    page = screen_page(session.view, style=style_address()) if session.view else None
    return dashboard(
        request, template, researcher=person, status=422 if problem else 200, study=row,
        session=session, page=page, problem=problem,
        notice="Saved." if "saved" in request.query_params else "",
    )  # fmt: skip


_ONE = "/studies/{slug}/people/{number:int}/follow"
ROUTES = [
    Route("/studies/{slug}/people/notes.csv", get_notes, methods=["GET"]),
    Route(_ONE, get_follow, methods=["GET"]),
    Route(_ONE, post_note, methods=["POST"]),
    Route(f"{_ONE}/page", get_mirror, methods=["GET"]),
]
