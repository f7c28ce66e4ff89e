"""The addresses of a study's results: fit, progress, pictures, report, uploads, publishing.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow.results` once,
shows.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected.rows import find_study
from howgood.flow.results import library, requests, uploaded
from howgood.flow.results.descriptives import own_words
from howgood.records.job import CLASSIFIER, FIT, SYSTEMS, JobStatus
from howgood.show.page import to_html
from howgood.show.translation import translated_page
from howgood.web.access import sent_form, signed_in
from howgood.web.dashboard import dashboard, language_of
from howgood.web.render import PICTURE_POLICY
from howgood.web.request_data import is_larger, now, sent_file
from howgood.web.result_pages import (
    form_choices,
    job_page,
    lit_picture,
    result_page,
)

T = TypeVar("T")
_LARGEST = uploaded.LARGEST + 64 * 1024
_MISSING = {"study", "result", "upload", "card"}


async def get_results(request: Request) -> Response:
    """Show the newest result, what runs, and what came before."""
    return await _overview(request)


async def post_fit(request: Request) -> Response:
    """Queue a fit and go to its progress."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug = request.path_params["slug"]
    try:
        number = await _call(
            requests.ask_fit, request.app.state.host, slug, _fields(form), actor=person.name,
            now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _overview(request, problem=str(error), status=422)
    return RedirectResponse(f"/studies/{slug}/results/{number}", status_code=303)


async def get_result(request: Request) -> Response:
    """Show one result, or how far it is."""
    person = await signed_in(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    host = request.app.state.host
    job, result = await _call(requests.job_of, host, slug, number)
    seen = await _call(requests.overview, host, slug)
    return dashboard(
        request, "result.html", researcher=person, study=seen.row, seen=seen,
        job=job_page(job, now=now()),
        result=None if result is None else result_page(result, seen, job),
    )  # fmt: skip


async def get_progress(request: Request) -> Response:
    """Give the part of the page that shows progress; a finished job reloads the whole page."""
    person = await signed_in(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    job, _ = await _call(requests.job_of, request.app.state.host, slug, number)
    response = dashboard(
        request, "progress.html", researcher=person, slug=slug, job=job_page(job, now=now())
    )
    if not job.is_open:
        response.headers["HX-Refresh"] = "true"
    return response


async def post_cancel(request: Request) -> Response:
    """End a job that waits or runs."""
    await signed_in(request)
    await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    await _call(requests.cancel_job, request.app.state.host, slug, number, now=now())
    return RedirectResponse(f"/studies/{slug}/results/{number}", status_code=303)


async def get_picture(request: Request) -> Response:
    """Give one picture of a result, readable on light and dark pages."""
    await signed_in(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    _, result = await _call(requests.job_of, request.app.state.host, slug, number)
    sections = result.report.sections if result is not None else ()
    place = request.path_params["place"]
    if place >= len(sections) or not sections[place].svg:
        raise HTTPException(404)
    return Response(
        translated_page(
            lit_picture(sections[place].svg, for_phone=request.query_params.get("for") == "phone"),
            language_of(request),
        ),
        media_type="image/svg+xml",
        headers={
            # Erasing somebody deletes results: no cache may keep one.
            "Cache-Control": "no-store",
            "Content-Security-Policy": PICTURE_POLICY,
        },
    )


async def get_report(request: Request) -> Response:
    """Give the report as one page that needs nothing else."""
    await signed_in(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    _, result = await _call(requests.job_of, request.app.state.host, slug, number)
    if result is None:
        raise HTTPException(404)
    name = f"{slug}-result-{number}.html"
    return HTMLResponse(
        to_html(result.report, language=language_of(request)),
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
        },
    )


async def get_words(request: Request) -> Response:
    """Show what people wrote, question by question, to those who may read answers."""
    person = await signed_in(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    words = await _call(own_words, host, slug)
    row = await _call(find_study, host, slug)
    return dashboard(request, "words.html", researcher=person, study=row, words=words)


async def post_upload(request: Request) -> Response:
    """Take a table, then ask what its columns mean."""
    person = await signed_in(request)
    slug = request.path_params["slug"]
    if is_larger(request, _LARGEST):
        most = (
            f"The file is larger than {uploaded.LARGEST // 2**20} MB. Leave out columns and rows."
        )
        return await _overview(request, problem=most, status=413)
    form = await sent_form(request, largest=_LARGEST)
    name, content = await sent_file(form)
    if not name:
        return await _overview(request, problem="Choose a file first.", status=422)
    purpose = SYSTEMS if form.get("purpose") == SYSTEMS else CLASSIFIER
    try:
        number = await _call(
            requests.take_upload, request.app.state.host, slug, purpose=purpose, name=name,
            content=content, actor=person.name, now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _overview(request, problem=str(error), status=422)
    return RedirectResponse(f"/studies/{slug}/results/uploads/{number}", status_code=303)


async def get_upload(request: Request) -> Response:
    """Show an uploaded table and ask which column is which."""
    return await _mapping(request, {})


async def post_mapping(request: Request) -> Response:
    """Queue the judging of an upload."""
    person = await signed_in(request)
    form = _fields(await sent_form(request))
    slug, number = request.path_params["slug"], request.path_params["number"]
    try:
        job = await _call(
            requests.ask_upload, request.app.state.host, slug, number, form, actor=person.name,
            now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _mapping(request, form, problem=str(error), status=422)
    return RedirectResponse(f"/studies/{slug}/results/{job}", status_code=303)


async def post_publish(request: Request) -> Response:
    """Put a card of this result into the public library."""
    person = await signed_in(request)
    form = _fields(await sent_form(request))
    slug, number = request.path_params["slug"], request.path_params["number"]
    try:
        name = await _call(
            library.publish_card, request.app.state.host, slug, number,
            form.get("application", ""), actor=person.name, now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _overview(request, problem=str(error), status=422)
    return RedirectResponse(f"/library/{name}", status_code=303)


async def _overview(request: Request, *, problem: str = "", status: int = 200) -> Response:
    person = await signed_in(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    seen = await _call(requests.overview, host, slug)
    shown = None
    if seen.latest is not None and seen.latest_job is not None:
        shown = result_page(seen.latest, seen, seen.latest_job)
    return dashboard(
        request, "results.html", researcher=person, status=status, study=seen.row, seen=seen,
        result=shown, jobs=[job_page(job, now=now()) for job in seen.jobs],
        judged=[job_page(job, now=now()) for job in seen.jobs
                if job.task != FIT and job.status is JobStatus.DONE][:5],
        choices=form_choices(seen.study), problem=problem,
    )  # fmt: skip


async def _mapping(
    request: Request, chosen: dict[str, str], *, problem: str = "", status: int = 200
) -> Response:
    person = await signed_in(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    upload = await _call(requests.open_upload, host, slug, request.path_params["number"])
    seen = await _call(requests.overview, host, slug)
    return dashboard(
        request, "mapping.html", researcher=person, status=status, study=seen.row, seen=seen,
        upload=upload, chosen={**upload.guesses, **chosen}, problem=problem,
    )  # fmt: skip


async def _call(function: Callable[..., T], *values: object, **named: Any) -> T:  # noqa: ANN401 - handed on
    """Call `flow` in a thread; what is not there is a page of its own."""
    try:
        return await run_in_threadpool(function, *values, **named)
    except UnknownNameError as error:
        if error.where in _MISSING:
            raise HTTPException(404) from error
        raise


def _fields(form: FormData) -> dict[str, str]:
    return {name: value for name, value in form.items() if isinstance(value, str)}


_ROOT = "/studies/{slug}/results"
ROUTES = [
    Route(_ROOT, get_results, methods=["GET"]),
    Route(_ROOT, post_fit, methods=["POST"]),
    Route(_ROOT + "/words", get_words, methods=["GET"]),
    Route(_ROOT + "/uploads", post_upload, methods=["POST"]),
    Route(_ROOT + "/uploads/{number:int}", get_upload, methods=["GET"]),
    Route(_ROOT + "/uploads/{number:int}", post_mapping, methods=["POST"]),
    Route(_ROOT + "/{number:int}", get_result, methods=["GET"]),
    Route(_ROOT + "/{number:int}/progress", get_progress, methods=["GET"]),
    Route(_ROOT + "/{number:int}/cancel", post_cancel, methods=["POST"]),
    Route(_ROOT + "/{number:int}/publish", post_publish, methods=["POST"]),
    Route(_ROOT + "/{number:int}/report.html", get_report, methods=["GET"]),
    Route(_ROOT + "/{number:int}/{place:int}.svg", get_picture, methods=["GET"]),
]
