"""The addresses where researchers draw the winners among those who took part.

In: requests. Out: pages, the list as a file. Absent: everything between (`flow.thanks`).
"""

import hashlib

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import thanks
from howgood.flow.collected.rows import find_study
from howgood.web.access import sent_form, signed_in, text_of
from howgood.web.dashboard import dashboard
from howgood.web.request_data import now, whole
from howgood.web.routes.studies import attachment


async def get_winners(request: Request) -> Response:
    """Show the draw of a study to those who run it."""
    return await _winners_page(request)


async def post_winners(request: Request) -> Response:
    """Draw the winners from a seed, or erase the list."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug, host = request.path_params["slug"], request.app.state.host
    if text_of(form, "erase") == "yes":
        await run_in_threadpool(thanks.erase_draw, host, slug, actor=person.name, now=now())
        return RedirectResponse(f"/studies/{slug}/draw", status_code=303)
    seed, prizes = text_of(form, "seed"), whole(text_of(form, "prizes"), otherwise=0)
    return await _winners_page(request, seed=seed, prizes=prizes, is_drawn=True)


async def _winners_page(
    request: Request, *, seed: str = "", prizes: int = 0, is_drawn: bool = False
) -> Response:
    person = await signed_in(request)
    slug, host = request.path_params["slug"], request.app.state.host
    try:
        row = await run_in_threadpool(find_study, host, slug)
    except UnknownNameError as error:  # never published: nobody can have entered
        raise HTTPException(404) from error
    entries = await run_in_threadpool(thanks.draw_list, host, slug)
    draw = host.study(row.version).draw
    problem = ""
    winners: tuple[str, ...] = ()
    try:
        winners = thanks.winners(entries, seed=seed, prizes=prizes) if is_drawn else ()
    except InputError as error:
        problem = f"{error.needed}. {error.cure}"
    fingerprint = hashlib.sha256("\n".join(sorted(entries)).encode()).hexdigest()
    return dashboard(
        request, "draw.html", researcher=person, status=422 if problem else 200, study=row,
        entries=len(entries), winners=winners, seed=seed, problem=problem, fingerprint=fingerprint,
        prizes=prizes or (draw.prizes if draw else 1), has_draw=draw is not None,
    )  # fmt: skip


async def get_list(request: Request) -> Response:
    """Give the addresses of the draw as a file, in random order."""
    person = await signed_in(request)
    slug = request.path_params["slug"]
    try:
        content = await run_in_threadpool(
            thanks.draw_file, request.app.state.host, slug, actor=person.name, now=now()
        )
    except UnknownNameError as error:  # never published: nobody can have entered
        raise HTTPException(404) from error
    return attachment(content, f"{slug}-draw.csv", "text/csv; charset=utf-8")


ROUTES = [
    Route("/studies/{slug}/draw", get_winners, methods=["GET"]),
    Route("/studies/{slug}/draw", post_winners, methods=["POST"]),
    Route("/studies/{slug}/draw.csv", get_list, methods=["GET"]),
]
