"""The addresses where a study is shared: roles, groups, invitations, links to its results.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow.accounts` once,
shows.
"""

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import accounts
from howgood.flow.mail import can_mail
from howgood.flow.results import requests
from howgood.flow.results.requests import Overview
from howgood.records.researcher import STUDY_ROLES
from howgood.show.page import to_html
from howgood.show.translation import translated_page
from howgood.web import mailing
from howgood.web.access import home, sent_form, signed_in, text_of
from howgood.web.dashboard import dashboard, language_of
from howgood.web.middleware import caller
from howgood.web.pages import message_page
from howgood.web.render import PICTURE_POLICY, show, style_address
from howgood.web.request_data import now, whole
from howgood.web.result_pages import lit_picture, result_page

_ENDED = (
    "Its time is over, it was revoked, or it was not copied completely. Ask whoever gave it to you "
    "for a new one."
)
_DAYS = {"7": "a week", "30": "30 days", "90": "90 days", "365": "a year"}


async def get_share(request: Request) -> Response:
    """Show with whom a study is shared."""
    return await _share_page(request)


async def post_share(request: Request) -> Response:
    """Share the study with a person or a group, or change their role."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug = request.path_params["slug"]
    group = text_of(form, "group")
    try:
        await run_in_threadpool(
            accounts.share, request.app.state.host, person, slug,
            name=group or text_of(form, "name"), role=text_of(form, "role"),
            is_group=bool(group), now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _share_page(request, problem=error.cure)
    return _back(slug)


async def post_unshare(request: Request) -> Response:
    """Take a role back."""
    person = await signed_in(request)
    await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    try:
        await run_in_threadpool(
            accounts.unshare, request.app.state.host, person, slug, number, now=now()
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return _back(slug)


async def post_invitation(request: Request) -> Response:
    """Make a one-time invitation to this study, shown once."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug = request.path_params["slug"]
    try:
        to = mailing.check_address(text_of(form, "mail"))
        token = await run_in_threadpool(
            accounts.invite_to_study, request.app.state.host, person, slug,
            role=text_of(form, "role"), now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _share_page(request, problem=error.cure)
    link = f"{home(request)}/setup/{token}"
    shared = await run_in_threadpool(accounts.sharing_of, request.app.state.host, slug, now=now())
    posted = await mailing.post(
        request, to,
        lambda to: accounts.invitation_letter(
            to=to, link=link, sender=person.name, study=shared.study.title
        ),
    )  # fmt: skip
    return await _share_page(request, invitation=link, posted=posted)


async def post_withdrawal(request: Request) -> Response:
    """Let an invitation to this study end that nobody has used."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug = request.path_params["slug"]
    await run_in_threadpool(
        accounts.withdraw_from_study, request.app.state.host, person, slug, text_of(form, "key"),
        now=now(),
    )  # fmt: skip
    return _back(slug)


async def post_link(request: Request) -> Response:
    """Make a link to the results, shown once."""
    person = await signed_in(request)
    form = await sent_form(request)
    try:
        token = await run_in_threadpool(
            accounts.make_result_link, request.app.state.host, person,
            request.path_params["slug"], name=text_of(form, "name"),
            days=whole(text_of(form, "days"), otherwise=0), now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _share_page(request, problem=error.cure)
    return await _share_page(request, link=f"{home(request)}/r/{token}")


async def post_revoke(request: Request) -> Response:
    """Let a link to the results end."""
    person = await signed_in(request)
    await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    try:
        await run_in_threadpool(
            accounts.revoke_result_link, request.app.state.host, person, slug, number, now=now()
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return _back(slug)


async def get_groups(request: Request) -> Response:
    """Show the groups."""
    return await _groups_page(request)


async def post_groups(request: Request) -> Response:
    """Make a group."""
    person = await signed_in(request)
    form = await sent_form(request)
    try:
        await run_in_threadpool(
            accounts.make_group, request.app.state.host, person, name=text_of(form, "name"),
            now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _groups_page(request, problem=error.cure)
    return RedirectResponse("/groups", status_code=303)


async def post_member(request: Request) -> Response:
    """Put somebody into a group, or take them out."""
    person = await signed_in(request)
    form = await sent_form(request)
    try:
        await run_in_threadpool(
            accounts.set_group_member, request.app.state.host, person,
            request.path_params["number"], name=text_of(form, "name"),
            is_in=text_of(form, "action") != "remove", now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    except InputError as error:
        return await _groups_page(request, problem=error.cure)
    return RedirectResponse("/groups", status_code=303)


async def post_group_removal(request: Request) -> Response:
    """Remove a group."""
    person = await signed_in(request)
    await sent_form(request)
    try:
        await run_in_threadpool(
            accounts.remove_group, request.app.state.host, person, request.path_params["number"],
            now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return RedirectResponse("/groups", status_code=303)


async def get_linked(request: Request) -> Response:
    """Show the newest result to whoever holds a link, without an account."""
    if not request.app.state.questions.allows(caller(request.scope)):
        page = message_page("slow_down", language="en", style=style_address())
        return show(page, status=429)
    try:
        link, seen = await _linked(request)
    except HTTPException:
        return dashboard(
            request, "message.html", researcher=None, status=404, title="This link has ended",
            text=_ENDED,
        )  # fmt: skip
    root, shown = f"/r/{request.path_params['token']}", None
    if seen.latest is not None and seen.latest_job is not None:
        shown = result_page(seen.latest, seen, seen.latest_job, root=root)
    return dashboard(
        request, "linked.html", researcher=None, result=shown, title=seen.row.title, link=link,
        root=root,
    )  # fmt: skip


async def get_linked_picture(request: Request) -> Response:
    """Give a picture of the newest result to whoever holds a link."""
    _, seen = await _linked(request)
    sections = seen.latest.report.sections if seen.latest is not None else ()
    place = request.path_params["place"]
    if place >= len(sections) or not sections[place].svg:
        raise HTTPException(404)
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": PICTURE_POLICY}
    return Response(
        translated_page(
            lit_picture(sections[place].svg, for_phone=request.query_params.get("for") == "phone"),
            language_of(request),
        ),
        media_type="image/svg+xml",
        headers=headers,
    )


async def get_linked_report(request: Request) -> Response:
    """Give the report to whoever holds a link."""
    _, seen = await _linked(request)
    if seen.latest is None:
        raise HTTPException(404)
    headers = {
        "Content-Disposition": f'attachment; filename="{seen.row.slug}-result.html"',
        "Cache-Control": "no-store",
    }
    return HTMLResponse(to_html(seen.latest.report, language=language_of(request)), headers=headers)


async def _linked(request: Request) -> tuple[object, Overview]:
    """Return a link that holds and the results of its study."""
    host, token = request.app.state.host, request.path_params["token"]
    link = await run_in_threadpool(accounts.result_link, host, token, now=now())
    if link is None:
        raise HTTPException(404)
    try:
        return link, await run_in_threadpool(requests.overview, host, link.study)
    except UnknownNameError as error:
        raise HTTPException(404) from error


async def _share_page(
    request: Request, *, invitation: str = "", link: str = "", problem: str = "",
    posted: mailing.Posted = mailing.NOTHING,
) -> Response:  # fmt: skip
    person = await signed_in(request)
    shared = await run_in_threadpool(
        accounts.sharing_of, request.app.state.host, request.path_params["slug"], now=now()
    )
    return dashboard(
        request, "share.html", researcher=person, status=422 if problem else 200,
        study=shared.study, sharing=shared, roles=STUDY_ROLES, days=_DAYS, invitation=invitation,
        link=link, problem=problem, now=now(), posted=posted,
        can_mail=can_mail(request.app.state.settings),
    )  # fmt: skip


async def _groups_page(request: Request, *, problem: str = "") -> Response:
    person = await signed_in(request)
    host = request.app.state.host
    groups = await run_in_threadpool(accounts.every_group, host)
    members = await run_in_threadpool(accounts.members, host, now=now())
    return dashboard(
        request, "groups.html", researcher=person, status=422 if problem else 200, groups=groups,
        people=members.researchers, problem=problem,
    )  # fmt: skip


def _back(slug: str) -> Response:
    return RedirectResponse(f"/studies/{slug}/share", status_code=303)


_ROOT = "/studies/{slug}/share"
ROUTES = [
    Route("/groups", get_groups, methods=["GET"]),
    Route("/groups", post_groups, methods=["POST"]),
    Route("/groups/{number:int}/members", post_member, methods=["POST"]),
    Route("/groups/{number:int}/remove", post_group_removal, methods=["POST"]),
    Route("/r/{token}", get_linked, methods=["GET"]),
    Route("/r/{token}/report.html", get_linked_report, methods=["GET"]),
    Route("/r/{token}/{place:int}.svg", get_linked_picture, methods=["GET"]),
    Route(_ROOT, get_share, methods=["GET"]),
    Route(_ROOT, post_share, methods=["POST"]),
    Route(_ROOT + "/{number:int}/remove", post_unshare, methods=["POST"]),
    Route(_ROOT + "/invitations", post_invitation, methods=["POST"]),
    Route(_ROOT + "/invitations/withdraw", post_withdrawal, methods=["POST"]),
    Route(_ROOT + "/links", post_link, methods=["POST"]),
    Route(_ROOT + "/links/{number:int}/revoke", post_revoke, methods=["POST"]),
]
