"""The addresses about people's rights: withdrawing, how long data is kept, what is done with it.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow` once, shows.
"""

from datetime import date

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import retention
from howgood.flow.accounts.processing import processing
from howgood.flow.watching import in_words
from howgood.web.access import sent_form, signed_in, text_of
from howgood.web.dashboard import dashboard
from howgood.web.rate_limits import caller
from howgood.web.request_data import now


async def get_withdraw(request: Request) -> Response:
    """Show the form to withdraw."""
    return dashboard(request, "withdraw.html", researcher=None, problem="", is_gone=False)


async def post_withdraw(request: Request) -> Response:
    """Erase whoever shows their code."""
    if not request.app.state.questions.allows(caller(request.scope)):
        return _asked_again(request, "Too many attempts. Wait a minute, then try again.", 429)
    form = await sent_form(request)
    if text_of(form, "sure") != "yes":
        return _asked_again(request, "Tick the box to say that you are sure.", 422)
    try:
        await run_in_threadpool(
            retention.withdraw, request.app.state.host, text_of(form, "code"), now=now()
        )
    except InputError as error:
        return _asked_again(request, f"This code belongs to nobody. {error.cure}", 422)
    return dashboard(request, "withdraw.html", researcher=None, problem="", is_gone=True)


def _asked_again(request: Request, problem: str, status: int) -> Response:
    return dashboard(
        request, "withdraw.html", researcher=None, status=status, problem=problem, is_gone=False
    )


async def get_privacy(request: Request) -> Response:
    """Show what is done with people's data, and how long it is kept."""
    return await _privacy_page(request)


async def post_retention(request: Request) -> Response:
    """Say on which day everything that was collected is erased."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug, text = request.path_params["slug"], text_of(form, "until").strip()
    try:
        until = date.fromisoformat(text) if text else None
        await run_in_threadpool(
            retention.set_retention, request.app.state.host, slug, until, actor=person.name,
            now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _privacy_page(request, problem=f"{error.needed}. {error.cure}")
    except ValueError:
        return await _privacy_page(request, problem="Write the day as 2027-12-31.")
    return RedirectResponse(f"/studies/{slug}/privacy", status_code=303)


async def _privacy_page(request: Request, *, problem: str = "") -> Response:
    person = await signed_in(request)
    try:
        found = await run_in_threadpool(
            processing, request.app.state.host, request.path_params["slug"]
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return dashboard(
        request, "privacy.html", researcher=person, status=422 if problem else 200,
        study=found.held.study, record=found, deeds=in_words(found.lines), problem=problem,
    )  # fmt: skip


ROUTES = [
    Route("/withdraw", get_withdraw, methods=["GET"]),
    Route("/withdraw", post_withdraw, methods=["POST"]),
    Route("/studies/{slug}/privacy", get_privacy, methods=["GET"]),
    Route("/studies/{slug}/privacy", post_retention, methods=["POST"]),
]
