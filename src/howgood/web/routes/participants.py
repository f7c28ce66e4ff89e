"""The addresses of a study's people: everybody in rows, one person's answers, decisions about them.

In: requests. Out: pages. Absent: erasing (`data`), and ids of recruiting platforms.
"""

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import watching
from howgood.store.reviews import Review
from howgood.web.access import sent_form, signed_in, text_of
from howgood.web.dashboard import dashboard
from howgood.web.request_data import now, whole


async def get_people(request: Request) -> Response:
    """Show a row per person."""
    person = await signed_in(request)
    after = whole(request.query_params.get("after", "0"), otherwise=0)
    host, slug = request.app.state.host, request.path_params["slug"]
    try:
        row, people, next_page = await run_in_threadpool(
            watching.people_of, host, slug, after=after
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    longest = max((each.total for each in people), default=0.0)
    return dashboard(
        request, "participants.html", researcher=person, study=row, people=people,
        next_page=next_page, longest=longest, after=after,
    )  # fmt: skip


async def get_person(request: Request) -> Response:
    """Show one person's answers and what was decided about them."""
    return await _person(request)


async def post_person(request: Request) -> Response:
    """Keep what was decided about a person."""
    researcher = await signed_in(request)
    form = await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    reason = text_of(form, "reason").strip()
    is_excluded = text_of(form, "counts") == "no"
    if is_excluded and not reason:
        said = "Write why: the reason stands in the data."
        return await _person(request, problem=said, status=422)
    given = Review(
        excluded_because=reason if is_excluded else "",
        note=text_of(form, "note").strip(),
        is_paid=text_of(form, "paid") == "yes",
    )
    try:
        await run_in_threadpool(
            watching.review, request.app.state.host, slug, number, given, actor=researcher.name,
            now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    except InputError as error:
        return await _person(request, problem=error.cure, status=422)
    return RedirectResponse(f"/studies/{slug}/people/{number}?saved", status_code=303)


async def _person(request: Request, *, problem: str = "", status: int = 200) -> Response:
    researcher = await signed_in(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    try:
        row, person, pages = await run_in_threadpool(
            watching.look_at, host, slug, request.path_params["number"]
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return dashboard(
        request, "participant.html", researcher=researcher, status=status, study=row,
        person=person, pages=pages, problem=problem,
        notice="Saved." if "saved" in request.query_params else "",
    )  # fmt: skip


_ROOT = "/studies/{slug}/people"
ROUTES = [
    Route(_ROOT, get_people, methods=["GET"]),
    Route(_ROOT + "/{number:int}", get_person, methods=["GET"]),
    Route(_ROOT + "/{number:int}", post_person, methods=["POST"]),
]
