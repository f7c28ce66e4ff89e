"""The addresses of recruiting and thanks: links, a dry run, cost and time; who wins the draw.

In: requests. Out: pages, the list of the draw as a file. Absent: personal links (`studies`), and
anything sent to a platform.
"""

import hashlib
import math

import segno
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import recruiting, thanks
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import RefusedError
from howgood.kinds import kind_of
from howgood.web.access import home, sent_form, signed_in, text_of
from howgood.web.dashboard import attachment, dashboard
from howgood.web.request_data import now, whole

_MOST_PEOPLE, _MOST_PAY = 1_000_000, 100_000.0


async def get_recruit(request: Request) -> Response:
    """Show how to find people."""
    return await _page(request)


async def post_dry_run(request: Request) -> Response:
    """Send a made-up person through the study and show what they met."""
    await signed_in(request)
    await sent_form(request)
    try:
        trip = await recruiting.dry_run(
            request.app.state.host, request.path_params["slug"], now=now()
        )
    except RefusedError as error:
        raise HTTPException(404) from error
    return await _page(request, trip=trip)


async def _page(request: Request, trip: recruiting.RoundTrip | None = None) -> Response:
    person = await signed_in(request)
    try:
        seen = await run_in_threadpool(
            recruiting.recruiting, request.app.state.host, request.path_params["slug"],
            home=home(request), now=now(),
        )  # fmt: skip
    except RefusedError as error:
        raise HTTPException(404) from error
    asked, estimated = _asked(request, seen)
    return dashboard(
        request, "recruit.html", researcher=person, study=seen.head, seen=seen, trip=trip,
        qr=qr_code(seen.link), qr_file=qr_file(seen.link), asked=asked, estimated=estimated,
    )  # fmt: skip


def qr_code(text: str) -> Markup:
    """Return a QR code as an <svg> element: black on white in dark pages too, for cameras."""
    drawn = segno.make(text, micro=False, error="m").svg_inline(
        omitsize=True, dark="#000", light="#fff", svgclass="qr", lineclass=None
    )
    # Made of numbers alone: nothing of the text is in it.
    named = drawn.replace("<svg ", '<svg role="img" aria-label="QR code of the link" ', 1)
    return Markup(named)  # noqa: S704 - made of numbers


def qr_file(text: str) -> str:
    """Return a QR code as an address that holds the whole file, to download and print."""
    return segno.make(text, micro=False, error="m").svg_data_uri(scale=8, dark="#000", light="#fff")


def _asked(
    request: Request, seen: recruiting.Recruiting
) -> tuple[dict[str, str], recruiting.Estimated | None]:
    """Return what was typed about pay, and the cost where all of it can be read."""
    quota = seen.study.quota or 0
    wanted = quota - seen.finished if quota > seen.finished else kind_of(seen.study).usual_people
    asked = {"people": str(wanted), "hourly": "12", "fee": "0"}
    asked |= {
        name: value[:20].strip() for name, value in request.query_params.items() if name in asked
    }
    people, hourly, fee = (_number(asked[name]) for name in ("people", "hourly", "fee"))
    if seen.spent is None or people is None or hourly is None or fee is None:
        return asked, None
    return asked, recruiting.estimate(
        seen.spent, people=int(min(people, _MOST_PEOPLE)), hourly=hourly, fee=fee
    )


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= _MOST_PAY else None


_ROOT = "/studies/{slug}/recruit"


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
        problem = error.cure
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
    Route(_ROOT, get_recruit, methods=["GET"]),
    Route(_ROOT, post_dry_run, methods=["POST"]),
]
