"""The addresses where a study is written: its form, preview, versions, and the file it makes.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow.authoring`
once, shows.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError
from howgood.flow import authoring
from howgood.flow.authoring.publishing import Format, download
from howgood.flow.hosting import Host, View
from howgood.records.researcher import Researcher
from howgood.web.access import (
    ForbiddenError,
    OutdatedFormError,
    sent_form,
    signed_in,
    text_of,
)
from howgood.web.dashboard import attachment, dashboard
from howgood.web.middleware import LARGEST_UPLOAD
from howgood.web.pages import ScreenPage, screen_page
from howgood.web.render import part_of_file, style_address
from howgood.web.request_data import now, whole
from howgood.web.unsaved_forms import UnsavedForm

_OWN_FIELDS = frozenset({"csrf", "edition", "action", "go", "walk", "condition"})
_OUTDATED = (
    "Not saved yet: you signed in again since this page was opened. Below is what you typed; look "
    "at it, choose files again, and press Save."
)
# Leaving the form by a tab saves it first; other words are parts of the form.
_TABS = {f"tab-{tab}" if tab else "tab-live": f"/{tab}" if tab else "" for tab in
         ("", "edit", "preview", "publish", "recruit", "people", "versions", "results", "data",
          "share", "draw", "privacy")}  # fmt: skip
_TABS |= {"tab-in use": "/use", "tab-webhooks and notices": "/notices"}


async def get_edit(request: Request) -> Response:
    """Lead to the first page of the form."""
    await signed_in(request)
    slug = request.path_params["slug"]
    return RedirectResponse(f"/studies/{slug}/edit/texts", status_code=303)


async def get_part(request: Request) -> Response:
    """Show a page of the form."""
    person = await signed_in(request)
    slug, part = request.path_params["slug"], request.path_params["part"]
    editing = await run_in_threadpool(authoring.editing, request.app.state.host, slug, part)
    is_saved = "saved" in request.query_params
    return _form_page(request, person, editing, notice="Saved." if is_saved else "")


async def post_part(request: Request) -> Response:
    """Save a page of the form, then add, remove or move what its button says."""
    person = await signed_in(request)
    slug, part = request.path_params["slug"], request.path_params["part"]
    try:
        form = await sent_form(request, largest=LARGEST_UPLOAD)
    except OutdatedFormError as error:
        sent = {"edition": text_of(error.form, "edition")}
        return await _shown_again(request, person, slug, part, _texts(error.form), sent)
    saved = await run_in_threadpool(
        authoring.save, request.app.state.host, person, slug, part=part, texts=_texts(form),
        uploads=await _uploads(form), edition=_edition(text_of(form, "edition")),
        action=text_of(form, "action"), now=now(),
    )  # fmt: skip
    if request.headers.get("x-howgood-autosave"):
        return _autosaved(saved)
    return _after_save(request, person, slug, part, saved, go=text_of(form, "go"))


def _autosaved(saved: authoring.Saved) -> Response:
    """Tell the page which edition it shows now, or that somebody else saved meanwhile."""
    is_stored = saved.editing is None
    values = {"edition": saved.edition} if is_stored else {}
    headers = {"Cache-Control": "no-store"}
    return JSONResponse(values, status_code=200 if is_stored else 409, headers=headers)


async def post_copy(request: Request) -> Response:
    """Make a new draft of what is written in this study."""
    person = await signed_in(request)
    if not person.may_create:
        raise ForbiddenError("Your account cannot make studies. Ask an owner of the server.")
    await sent_form(request)
    slug = request.path_params["slug"]
    made = await run_in_threadpool(
        authoring.copy_study, request.app.state.host, person, slug, now=now()
    )
    return RedirectResponse(f"/studies/{made.slug or slug}/edit/texts", status_code=303)


async def _shown_again(
    request: Request,
    person: Researcher,
    slug: str,
    part: str,
    texts: dict[str, list[str]],
    own: Mapping[str, str],
) -> Response:
    """Show what was typed before somebody signed in again in another tab; nothing is saved."""
    editing = await run_in_threadpool(
        authoring.unsaved, request.app.state.host, slug, part, texts=texts,
        edition=_edition(own.get("edition", "")),
    )  # fmt: skip
    return _form_page(request, person, editing, problem=_OUTDATED, status=409)


async def save_unsaved(request: Request, person: Researcher, unsaved: UnsavedForm) -> Response:
    """Save what somebody had typed when their session ended, now that they are signed in again.

    A form of a session that was left is only shown again.
    """
    own = {name: values[0] for name, values in unsaved.fields.items() if name in _OWN_FIELDS}
    texts = {name: values for name, values in unsaved.fields.items() if name not in _OWN_FIELDS}
    if unsaved.is_outdated:
        return await _shown_again(request, person, unsaved.slug, unsaved.part, texts, own)
    saved = await run_in_threadpool(
        authoring.save, request.app.state.host, person, unsaved.slug, part=unsaved.part,
        texts=texts, uploads={}, edition=_edition(own.get("edition", "")),
        action=own.get("action", ""), now=now(),
    )  # fmt: skip
    return _after_save(request, person, unsaved.slug, unsaved.part, saved, go=own.get("go", ""))


def _after_save(
    request: Request, person: Researcher, slug: str, part: str, saved: authoring.Saved, *, go: str
) -> Response:
    """Go where the pressed button leads; what was not saved is shown again."""
    if saved.editing is not None:
        return _form_page(request, person, saved.editing, status=409 if saved.editing.is_conflict
                          else 422)  # fmt: skip
    root = f"/studies/{slug}"
    if go in _TABS:
        return RedirectResponse(root + _TABS[go], status_code=303)
    # The edition says to the next page that what it shows was saved here and by nobody else.
    if re.fullmatch(r"[a-z]+", go):
        return RedirectResponse(f"{root}/edit/{go}?edition={saved.edition}", status_code=303)
    following = (
        f"edition={saved.edition}#node-{saved.anchor}"
        if saved.anchor
        else (f"saved={saved.edition}")
    )
    return RedirectResponse(f"{root}/edit/{part}?{following}", status_code=303)


async def post_glance(request: Request) -> Response:
    """Show what is being typed as a participant would see it; nothing is saved."""
    person = await signed_in(request)
    form = await sent_form(request, largest=LARGEST_UPLOAD)
    slug, key = request.path_params["slug"], request.path_params["part"]
    host = request.app.state.host
    seen = await run_in_threadpool(_glance, host, slug, key, _texts(form))
    return _preview_page(request, person, seen, "pane.html")


async def get_preview(request: Request) -> Response:
    """Show a page of the draft as a participant sees it."""
    person = await signed_in(request)
    page = request.query_params.get("page", "1")
    seen = await run_in_threadpool(
        authoring.preview, request.app.state.host, request.path_params["slug"],
        condition=request.query_params.get("condition", ""),
        page=whole(page, otherwise=1), language=request.query_params.get("lang", ""),
    )  # fmt: skip
    return _preview_page(request, person, seen, "preview.html")


async def post_preview(request: Request) -> Response:
    """Go on to the next page of the draft with the answers just given; nothing is stored."""
    person = await signed_in(request)
    form = await sent_form(request)
    seen = await run_in_threadpool(
        authoring.step, request.app.state.host, request.path_params["slug"],
        condition=text_of(form, "condition"), walk=text_of(form, "walk"), form=_texts(form),
    )  # fmt: skip
    return _preview_page(request, person, seen, "preview.html")


async def get_publish(request: Request) -> Response:
    """Show what publishing would change."""
    person = await signed_in(request)
    return await _review_page(request, person)


async def post_publish(request: Request) -> Response:
    """Publish the draft that was looked through."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug, host = request.path_params["slug"], request.app.state.host
    try:
        await run_in_threadpool(
            authoring.publish,
            host,
            person,
            slug,
            edition=_edition(text_of(form, "edition")),
            now=now(),
        )
    except InputError as error:
        return await _review_page(request, person, problem=error.cure)
    return RedirectResponse(f"/studies/{slug}", status_code=303)


async def get_discard(request: Request) -> Response:
    """Ask whether the draft shall be discarded, and say what would go."""
    person = await signed_in(request)
    slug, host = request.path_params["slug"], request.app.state.host
    review = await run_in_threadpool(authoring.review, host, slug)
    if not review.is_draft:
        return RedirectResponse(f"/studies/{slug}/edit", status_code=303)
    return dashboard(request, "discard.html", researcher=person, study=review.head, review=review)


async def post_restore(request: Request) -> Response:
    """Bring a discarded draft back."""
    person = await signed_in(request)
    await sent_form(request)
    slug, host = request.path_params["slug"], request.app.state.host
    is_back = await run_in_threadpool(authoring.restore, host, person, slug, now=now())
    if not is_back:
        raise HTTPException(404)
    return RedirectResponse(f"/studies/{slug}/edit", status_code=303)


async def post_discard(request: Request) -> Response:
    """Put the draft aside; it can be restored from the list of studies."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug, host = request.path_params["slug"], request.app.state.host
    try:
        await run_in_threadpool(
            authoring.discard,
            host,
            person,
            slug,
            edition=_edition(text_of(form, "edition")),
            now=now(),
        )
    except InputError as error:
        return await _review_page(request, person, problem=error.cure)
    return RedirectResponse("/studies?done=discarded", status_code=303)


async def get_versions(request: Request) -> Response:
    """List the versions of a study."""
    person = await signed_in(request)
    head, versions = await run_in_threadpool(
        authoring.history, request.app.state.host, request.path_params["slug"]
    )
    return dashboard(request, "versions.html", researcher=person, study=head, versions=versions)


async def post_version(request: Request) -> Response:
    """Make an earlier version the one newcomers get."""
    person = await signed_in(request)
    await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    await run_in_threadpool(
        authoring.republish, request.app.state.host, person, slug, number, now=now()
    )
    return RedirectResponse(f"/studies/{slug}/versions", status_code=303)


async def get_file(request: Request) -> Response:
    """Give the study as a file."""
    await signed_in(request)
    slug = request.path_params["slug"]
    formats: dict[str, Format] = {"toml": "toml", "yaml": "yaml"}
    wanted = formats.get(request.path_params["ending"])
    if wanted is None:
        raise HTTPException(404)
    made = await run_in_threadpool(download, request.app.state.host, slug, file_format=wanted)
    return attachment(made.content, made.name, made.media_type)


async def get_picture(request: Request) -> Response:
    """Show a picture or film of the draft."""
    await signed_in(request)
    media = await run_in_threadpool(
        authoring.draft_picture, request.app.state.host, request.path_params["slug"],
        request.path_params["name"],
    )  # fmt: skip
    response = part_of_file(media, request.headers.get("range", ""))
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _glance(host: Host, slug: str, key: str, texts: dict[str, list[str]]) -> authoring.Preview:
    given = authoring.written(host, slug)
    part = next(
        (one_part for one_part in authoring.parts_of(given.head.kind) if one_part.key == key), None
    )
    if part is None:
        raise HTTPException(404)
    return authoring.glance(authoring.typed(given, part, texts), key)


def _edition(text: str) -> int:
    """Return what a form was typed over: a draft's edition, or a version's number, negative."""
    number = whole(text.removeprefix("-"), otherwise=0)
    return -number if text.startswith("-") else number


def _texts(form: FormData) -> dict[str, list[str]]:
    return {
        name: [entry for entry in form.getlist(name) if isinstance(entry, str)]
        for name in form
        if name not in _OWN_FIELDS and any(isinstance(entry, str) for entry in form.getlist(name))
    }


async def _uploads(form: FormData) -> dict[str, authoring.Upload]:
    return {
        name: authoring.Upload(file_name=upload.filename or "", content=await upload.read())
        for name, upload in form.multi_items()
        if isinstance(upload, UploadFile) and upload.filename
    }


def _form_page(
    request: Request,
    person: Researcher,
    editing: authoring.Editing,
    *,
    notice: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    values = {"study": editing.head, "editing": editing, "notice": notice, "problem": problem}
    return dashboard(request, "edit.html", researcher=person, status=status, **values)


async def _review_page(request: Request, person: Researcher, problem: str = "") -> Response:
    slug = request.path_params["slug"]
    review = await run_in_threadpool(authoring.review, request.app.state.host, slug)
    values = {"study": review.head, "review": review, "problem": problem}
    status = 422 if problem else 200
    return dashboard(request, "publish.html", researcher=person, status=status, **values)


def _preview_page(
    request: Request, person: Researcher, seen: authoring.Preview, template: str
) -> Response:
    values = {
        "study": seen.head,
        "preview": seen,
        "page": _screen(seen, seen.view),
        "introduced": [_screen(seen, page) for page in seen.introduced],
    }
    status = 422 if seen.view and seen.view.problems else 200
    return dashboard(request, template, researcher=person, status=status, **values)


def _screen(seen: authoring.Preview, view: View | None) -> ScreenPage | None:
    if view is None:
        return None
    page = screen_page(view, style=style_address())
    root = f"/studies/{seen.head.slug}"
    return replace(page, action=f"{root}/preview", media=f"{root}/picture/")


ROUTES = [
    Route("/studies/{slug}/edit", get_edit, methods=["GET"]),
    Route("/studies/{slug}/edit/{part}", get_part, methods=["GET"]),
    Route("/studies/{slug}/edit/{part}", post_part, methods=["POST"]),
    Route("/studies/{slug}/copy", post_copy, methods=["POST"]),
    Route("/studies/{slug}/glance/{part}", post_glance, methods=["POST"]),
    Route("/studies/{slug}/preview", get_preview, methods=["GET"]),
    Route("/studies/{slug}/preview", post_preview, methods=["POST"]),
    Route("/studies/{slug}/publish", get_publish, methods=["GET"]),
    Route("/studies/{slug}/publish", post_publish, methods=["POST"]),
    Route("/studies/{slug}/discard", get_discard, methods=["GET"]),
    Route("/studies/{slug}/restore", post_restore, methods=["POST"]),
    Route("/studies/{slug}/discard", post_discard, methods=["POST"]),
    Route("/studies/{slug}/versions", get_versions, methods=["GET"]),
    Route("/studies/{slug}/versions/{number:int}/publish", post_version, methods=["POST"]),
    Route("/studies/{slug}/file.{ending}", get_file, methods=["GET"]),
    Route("/studies/{slug}/picture/{name}", get_picture, methods=["GET"]),
]
