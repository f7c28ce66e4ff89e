"""The addresses of a study's data: download, import, erase, delete.

In: requests. Out: pages and files. Absent: everything between; each route parses, calls `flow`
once, shows.
"""

from collections.abc import Mapping
from typing import cast

from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from howgood.ask.sentences import sentence
from howgood.errors import InputError, MissingExtraError, UnknownNameError
from howgood.flow import collected, erasing, importing, survey_export
from howgood.flow.importing.uploaded_tables import LARGEST
from howgood.kinds import kind_named
from howgood.kinds.translation import offered
from howgood.records.codebook import (
    DATA_FORMATS,
    SURVEY_FORMATS,
    TABLES,
    SurveyFormat,
    TableName,
)
from howgood.web.access import sent_form, signed_in, text_of
from howgood.web.dashboard import dashboard
from howgood.web.request_data import now

_LARGEST_FORM = LARGEST + 256 * 1024
_NOTICES = {
    "erased": "The participant is erased, from the database file too.",
    "erased-later": "The participant is erased. Traces may stay in the database's own log for a "
    "while; see the guide about erasing.",
    "discarded": "The upload was discarded; nothing was imported.",
    "undone": "The import is undone: everything that came with it is taken out.",
}


async def get_data(request: Request) -> Response:
    """Show what a study holds and what can be done with it."""
    return await _data_page(request, notice=_NOTICES.get(request.query_params.get("done", ""), ""))


async def get_export(request: Request) -> Response:
    """Send the data without ids, or the survey itself, as a file, made while it is sent."""
    kind = request.path_params["format"]
    if kind not in SURVEY_FORMATS:
        return await _exported(request, kind, request.query_params)
    host, slug = request.app.state.host, request.path_params["slug"]
    try:
        survey = await run_in_threadpool(
            survey_export.hosted_survey_file, host, slug,
            kind=cast(SurveyFormat, kind),
            language=request.query_params.get("language", ""),
        )  # fmt: skip
    except InputError as error:
        return await _data_page(request, problem=str(error), status=422)
    return _file(survey.name, survey.media_type, Response(survey.content))


async def post_identified(request: Request) -> Response:
    """Send the data with the ids of the recruiting platform, for a reason that is written down."""
    form = await sent_form(request)
    given = {name: text_of(form, name) for name in ("format", "table", "pilots", "reason")}
    return await _exported(request, given["format"] or "csv", given, identified=True)


async def _exported(
    request: Request, kind: str, given: Mapping[str, str], *, identified: bool = False
) -> Response:
    person = await signed_in(request)
    table = given.get("table", "")
    if kind not in DATA_FORMATS or table not in ("", *TABLES):
        raise HTTPException(404)
    choice = collected.ExportChoice(
        kind=kind, table=cast(TableName, table) if table else None,
        pilots=given.get("pilots") == "yes", identified=identified, reason=given.get("reason", ""),
    )  # fmt: skip
    try:
        made = await run_in_threadpool(
            collected.exported, request.app.state.host, request.path_params["slug"], choice,
            actor=person.name, now=now(),
        )  # fmt: skip
    except (InputError, MissingExtraError) as error:
        return await _data_page(request, problem=str(error), status=422)
    return _file(made.name, made.media_type, StreamingResponse(iterate_in_threadpool(made.pieces)))


def _file(name: str, media_type: str, response: Response) -> Response:
    response.headers["Content-Type"] = media_type
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "no-store"
    return response


async def post_import(request: Request) -> Response:
    """Keep uploaded files and lead to the page that shows what importing them would add."""
    await signed_in(request)
    form = await sent_form(request, largest=_LARGEST_FORM)
    host, slug = request.app.state.host, request.path_params["slug"]
    files = await _files(form)
    if not files:
        return await _data_page(request, problem="Choose a file first.", status=422)
    try:
        if all(name.lower().endswith(".json") for name, _ in files):
            number = await run_in_threadpool(
                importing.take_offline_files, host, slug, files, now=now()
            )
            return RedirectResponse(f"/studies/{slug}/data/import/{number}", status_code=303)
        if len(files) > 1:
            problem = "Upload tables one by one; files of the offline page can come together."
            return await _data_page(request, problem=problem, status=422)
        name, content = files[0]
        number = await run_in_threadpool(
            importing.take_upload, host, slug, name=name, content=content, now=now()
        )
    except InputError as error:
        return await _data_page(request, problem=str(error), status=422)
    return RedirectResponse(f"/studies/{slug}/data/import/{number}", status_code=303)


async def get_mapping(request: Request) -> Response:
    """Show a table's columns, what they probably hold, and what would become of them."""
    return await _mapping_page(request, None, "error")


async def post_mapping(request: Request) -> Response:
    """Look again with another mapping, import, or discard the upload."""
    person = await signed_in(request)
    form = await sent_form(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    number, action = request.path_params["number"], text_of(form, "action")
    if action == "discard":
        await run_in_threadpool(importing.discard, host, slug, number)
        return RedirectResponse(f"/studies/{slug}/data?done=discarded", status_code=303)
    mapping = {name[4:]: value for name, value in form.items()
               if name.startswith("map-") and isinstance(value, str) and value}  # fmt: skip
    missing: importing.Missing = "drop" if text_of(form, "missing") == "drop" else "error"
    if action != "import":
        return await _mapping_page(request, mapping, missing)
    try:
        report = await run_in_threadpool(
            importing.confirm, host, slug, number, mapping=mapping, missing=missing,
            actor=person.name, now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    except InputError:
        return await _mapping_page(request, mapping, missing)
    return await _data_page(request, report=report)


async def get_undo(request: Request) -> Response:
    """Ask whether an import shall be undone, and say what would go."""
    person = await signed_in(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    try:
        held = await run_in_threadpool(collected.holdings, host, slug)
        imported = await run_in_threadpool(
            importing.find_import, host, slug, request.path_params["number"]
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return dashboard(
        request, "undo_import.html", researcher=person, study=held.study, found=imported,
        published=held.cards,
    )  # fmt: skip


async def post_undo(request: Request) -> Response:
    """Undo an import."""
    person = await signed_in(request)
    await sent_form(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    try:
        await run_in_threadpool(
            importing.undo_import, host, slug, request.path_params["number"], actor=person.name,
            now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return RedirectResponse(f"/studies/{slug}/data?done=undone", status_code=303)


async def post_erase(request: Request) -> Response:
    """Erase one participant."""
    person = await signed_in(request)
    form = await sent_form(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    if text_of(form, "sure") != "yes":
        problem = "Tick the box to say that you are sure. Nothing was erased."
        return await _data_page(request, problem=problem, status=422)
    try:
        done = await run_in_threadpool(
            erasing.erase_participant, host, slug, text_of(form, "who"), actor=person.name,
            now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _data_page(request, problem=str(error), status=422)
    word = "erased" if done.is_off_disk else "erased-later"
    return RedirectResponse(f"/studies/{slug}/data?done={word}", status_code=303)


async def post_delete(request: Request) -> Response:
    """Delete the study after its short name was typed."""
    person = await signed_in(request)
    form = await sent_form(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    try:
        await run_in_threadpool(
            erasing.delete_study, host, slug, confirmation=text_of(form, "confirmation"),
            actor=person.name, now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _data_page(request, problem=str(error), status=422)
    return RedirectResponse("/studies", status_code=303)


async def _data_page(
    request: Request,
    *,
    problem: str = "",
    notice: str = "",
    report: importing.ImportReport | None = None,
    status: int = 200,
) -> Response:
    person = await signed_in(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    try:
        held = await run_in_threadpool(collected.holdings, host, slug)
        is_published = held.study.version is not None
        imports = await run_in_threadpool(importing.imports_of, host, slug) if is_published else ()
        codes = offered(host.study(held.study.version))[1:] if is_published else ()
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return dashboard(
        request, "data.html", researcher=person, status=status, study=held.study, held=held,
        problem=problem, notice=notice, report=report, imports=imports, published=held.cards,
        kind=kind_named(held.study.kind), 
        languages=[(code, sentence(code, "language")) for code in codes],
    )  # fmt: skip


async def _mapping_page(
    request: Request, mapping: Mapping[str, str] | None, missing: importing.Missing
) -> Response:
    person = await signed_in(request)
    try:
        view = await run_in_threadpool(
            importing.look_at, request.app.state.host, request.path_params["slug"],
            request.path_params["number"], mapping=mapping, missing=missing, now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    is_wrong = mapping is not None and not view.is_ready
    return dashboard(
        request, "import.html", researcher=person, status=422 if is_wrong else 200,
        study=view.row, view=view,
    )  # fmt: skip


async def _files(form: FormData) -> list[tuple[str, bytes]]:
    files = [
        (upload.filename, await upload.read())
        for upload in form.getlist("files")
        if isinstance(upload, UploadFile) and upload.filename
    ]
    await form.close()
    return files


_ROOT = "/studies/{slug}/data"
ROUTES = [
    Route(_ROOT, get_data, methods=["GET"]),
    Route(_ROOT + "/export/{format}", get_export, methods=["GET"]),
    Route(_ROOT + "/identified", post_identified, methods=["POST"]),
    Route(_ROOT + "/import", post_import, methods=["POST"]),
    Route(_ROOT + "/import/{number:int}", get_mapping, methods=["GET"]),
    Route(_ROOT + "/import/{number:int}", post_mapping, methods=["POST"]),
    Route(_ROOT + "/imports/{number:int}/undo", get_undo, methods=["GET"]),
    Route(_ROOT + "/imports/{number:int}/undo", post_undo, methods=["POST"]),
    Route(_ROOT + "/erase", post_erase, methods=["POST"]),
    Route(_ROOT + "/delete", post_delete, methods=["POST"]),
]
