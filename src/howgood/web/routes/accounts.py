"""The addresses around accounts: the first one, signing in and out, people, passwords, API tokens.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow` once, shows.
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import TypeVar
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError, UnknownNameError
from howgood.flow import accounts, api_access, hosting
from howgood.flow.accounts import passkeys, second_factor
from howgood.flow.accounts.provider import has_provider
from howgood.flow.hosting import Host
from howgood.flow.mail import can_mail
from howgood.records.api_token import SCOPES
from howgood.records.researcher import ROLES, SERVER_ROLES, STUDY_ROLES, Researcher, Role
from howgood.web import mailing
from howgood.web.access import (
    DEVICE,
    SESSION,
    ForbiddenError,
    begin_session,
    end_session,
    home,
    remember_device,
    sent_form,
    set_session,
    signed_in,
    text_of,
)
from howgood.web.api.openapi import OPERATIONS
from howgood.web.dashboard import dashboard
from howgood.web.middleware import caller
from howgood.web.request_data import now
from howgood.web.routes.editing import save_unsaved
from howgood.web.unsaved_forms import UnsavedForm, unsaved_form

_TIMES = {"30": "30 days", "90": "90 days", "365": "a year", "": "no end"}


async def get_tokens(request: Request) -> Response:
    """List the tokens there are."""
    return await _page(request)


async def post_token(request: Request) -> Response:
    """Make a token and show it, this once."""
    person = await signed_in(request)
    form = await sent_form(request)
    days = text_of(form, "days")
    scopes = [value for value in form.getlist("scopes") if isinstance(value, str)]
    try:
        issued = await run_in_threadpool(
            api_access.issue_token, request.app.state.host, person,
            name=text_of(form, "name"), scopes=scopes, study=text_of(form, "study") or None,
            days=int(days) if days in _TIMES and days else None, now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _page(request, problem=str(error), status=422)
    return await _page(request, secret=issued.secret)


async def post_revoke(request: Request) -> Response:
    """Revoke a token at once."""
    person = await signed_in(request)
    await sent_form(request)
    try:
        await run_in_threadpool(
            api_access.revoke_token, request.app.state.host, person,
            request.path_params["number"], now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return RedirectResponse("/tokens", status_code=303)


async def get_documentation(request: Request) -> Response:
    """Show what programs can ask; the page is public, as the program is."""
    person = await run_in_threadpool(
        accounts.who, request.app.state.host, request.cookies.get(SESSION, ""), now=now()
    )
    groups = {operation.group: [one for one in OPERATIONS if one.group == operation.group]
              for operation in OPERATIONS}  # fmt: skip
    return dashboard(request, "api.html", researcher=person, groups=groups, scopes=SCOPES)


async def _page(
    request: Request, *, secret: str = "", problem: str = "", status: int = 200
) -> Response:
    person = await signed_in(request)
    host = request.app.state.host
    shared = await run_in_threadpool(accounts.shared_with, host, person)
    studies = await run_in_threadpool(hosting.every_study, host)
    return dashboard(
        request, "tokens.html", researcher=person, status=status, secret=secret,
        problem=problem, tokens=await run_in_threadpool(api_access.tokens_of, host, person),
        studies=[row for row in studies if shared is None or row.slug in shared],
        scopes=SCOPES, times=_TIMES, now=now(),
    )  # fmt: skip


_TOKEN_ROUTES = [
    Route("/tokens", get_tokens, methods=["GET"]),
    Route("/tokens", post_token, methods=["POST"]),
    Route("/tokens/{number:int}/revoke", post_revoke, methods=["POST"]),
    Route("/api/docs", get_documentation, methods=["GET"]),
]


T = TypeVar("T")
# Networks whose attempts wait, one each, because others try the same name; more come back later.
# Each keeps a request open, of which participants need the most (`busy_limit`).
WAITING_AT_ONCE = 100
MANY = "Too many attempts. Wait a minute, then try again."


async def get_login(request: Request) -> Response:
    """Show the form to sign in."""
    return _login_page(request, target=safe_path(request.query_params.get("next", "")))


async def post_login(request: Request) -> Response:
    """Sign in under a new session, however often it was tried before within reason."""
    form = await sent_form(request)
    name, target = text_of(form, "name"), safe_path(text_of(form, "next"))
    unsaved = unsaved_form(form, target)
    again = partial(_login_page, request, target=target, name=name, unsaved=unsaved)
    if not await _may_sign_in(request, name):
        return again(problem=MANY, status=429)
    host, password = request.app.state.host, text_of(form, "password")
    signed_in = await hashing(
        request,
        partial(
            accounts.sign_in, host, name=name, password=password,
            network=caller(request.scope), now=now(),
        ),
    )  # fmt: skip
    if signed_in is None:
        return again(problem="Name and password do not belong together.", status=422)
    if isinstance(signed_in, accounts.SecondStep):
        return second_page(request, signed_in.ticket, target, unsaved)
    return await signed_in_page(request, signed_in, target, unsaved)


def second_page(
    request: Request, ticket: str, target: str, unsaved: UnsavedForm | None, problem: str = ""
) -> Response:
    """Ask for the code that comes after the password."""
    values = {"ticket": ticket, "target": target, "problem": problem}
    hidden = unsaved.hidden if unsaved is not None else []
    status = 422 if problem else 200
    return dashboard(
        request, "second_step.html", researcher=None, status=status, unsaved=hidden, **values
    )


async def signed_in_page(
    request: Request, signed_in: accounts.SignedIn, target: str, unsaved: UnsavedForm | None
) -> Response:
    """Let somebody in who has just signed in, and save the form they could not send before."""
    host = request.app.state.host
    # Whoever signs in anew leaves the session they had, on the server too.
    await run_in_threadpool(accounts.sign_out, host, request.cookies.get(SESSION, ""))
    if unsaved is not None and await run_in_threadpool(_may_save, host, signed_in, unsaved):
        begin_session(request, signed_in.token)
        return _with_session(
            await save_unsaved(request, signed_in.researcher, unsaved), request, signed_in
        )
    return entering(request, signed_in, target or "/studies")


async def post_logout(request: Request) -> Response:
    """End the session, here and on the server."""
    await sent_form(request)
    token = request.cookies.get(SESSION, "")
    await run_in_threadpool(accounts.sign_out, request.app.state.host, token)
    response = RedirectResponse("/login", status_code=303)
    end_session(response)
    return response


async def get_setup(request: Request) -> Response:
    """Show the form of a one-time link."""
    return await _setup_page(request, {})


async def post_setup(request: Request) -> Response:
    """Make the account of a one-time link and sign in."""
    form = await sent_form(request)
    token = request.path_params["token"]
    if not await _may_try(request, token):
        raise ForbiddenError(MANY)
    name, password = text_of(form, "name"), text_of(form, "password")
    joined = await hashing(
        request,
        partial(
            accounts.join,
            request.app.state.host,
            token,
            name=name,
            password=password,
            now=now(),
        ),
    )
    if joined.second_step is not None:
        return second_page(request, joined.second_step.ticket, "", None)
    if joined.signed_in is None:
        return await _setup_page(request, joined.problems, name=name)
    return entering(request, joined.signed_in, "/studies")


async def get_account(request: Request) -> Response:
    """Show the form to change one's password, and where one is signed in."""
    is_changed = request.query_params.get("done") == "changed"
    notice = "Your password is changed. You are signed out everywhere else." if is_changed else ""
    return await _account_page(request, {}, notice=notice)


async def _account_page(
    request: Request, problems: Mapping[str, str], *, notice: str = ""
) -> Response:
    person = await signed_in(request)
    sessions = await run_in_threadpool(
        accounts.open_sessions, request.app.state.host, person, request.cookies.get(SESSION, ""),
        now=now(),
    )  # fmt: skip
    return dashboard(
        request, "account.html", researcher=person, problems=problems, notice=notice,
        sessions=sessions, status=422 if problems else 200,
    )  # fmt: skip


async def post_sessions(request: Request) -> Response:
    """Sign out on one other device, or on all of them."""
    person = await signed_in(request)
    form = await sent_form(request)
    await run_in_threadpool(
        accounts.end_sessions, request.app.state.host, person, request.cookies.get(SESSION, ""),
        handle=text_of(form, "handle"), now=now(),
    )  # fmt: skip
    return RedirectResponse("/account", status_code=303)


async def post_account(request: Request) -> Response:
    """Change one's password; every session ends, and this browser gets a new one."""
    person = await signed_in(request)
    form = await sent_form(request)
    if not await _may_try(request, f"the password of {person.name}"):
        raise ForbiddenError(MANY)
    change = partial(
        accounts.change_password, request.app.state.host, person,
        old=text_of(form, "old"), new=text_of(form, "new"), now=now(),
    )  # fmt: skip
    try:
        entered = await hashing(request, change)
    except InputError as error:
        problems = {error.where: error.cure}
        return await _account_page(request, problems)
    return entering(request, entered, "/account?done=changed")


async def get_people(request: Request) -> Response:
    """Show who has an account."""
    person = await signed_in(request)
    return await _people_page(request, person)


async def post_people(request: Request) -> Response:
    """Invite somebody by a one-time link, shown once."""
    person = await signed_in(request)
    form = await sent_form(request)
    role = server_role(text_of(form, "role"))
    try:
        to = mailing.check_address(text_of(form, "mail"))
    except InputError as error:
        return await _people_page(request, person, problem=error.cure)
    token = await run_in_threadpool(
        accounts.invite, request.app.state.host, person, role=role, now=now()
    )
    link = f"{home(request)}/setup/{token}"
    write = partial(accounts.invitation_letter, link=link, sender=person.name)
    posted = await mailing.post(request, to, lambda to: write(to=to))
    return await _people_page(request, person, link=link, posted=posted)


async def post_invitation_withdrawal(request: Request) -> Response:
    """Let an invitation end that nobody has used."""
    person = await signed_in(request)
    form = await sent_form(request)
    await run_in_threadpool(
        accounts.withdraw_invitation, request.app.state.host, person, text_of(form, "key"),
        now=now(),
    )  # fmt: skip
    return RedirectResponse("/people", status_code=303)


async def post_renewal(request: Request) -> Response:
    """Make a one-time link by which somebody chooses a new password, shown once."""
    person = await signed_in(request)
    form = await sent_form(request)
    name = text_of(form, "name")
    try:
        to = mailing.check_address(text_of(form, "mail"))
        token = await run_in_threadpool(
            accounts.renewal_link, request.app.state.host, name, actor=person.name, now=now()
        )
    except InputError as error:
        return await _people_page(request, person, problem=error.cure)
    link = f"{home(request)}/setup/{token}"
    posted = await mailing.post(request, to, lambda to: accounts.renewal_letter(to=to, link=link))
    return await _people_page(request, person, link=link, whose=name, posted=posted)


async def post_codes_end(request: Request) -> Response:
    """Switch off the codes of somebody who lost their device."""
    person = await signed_in(request)
    form = await sent_form(request)
    await run_in_threadpool(
        second_factor.end_codes_of, request.app.state.host, text_of(form, "name"),
        actor=person.name, now=now(),
    )  # fmt: skip
    return RedirectResponse("/people", status_code=303)


async def post_role(request: Request) -> Response:
    """Give somebody another role on the server."""
    person = await signed_in(request)
    form = await sent_form(request)
    role = server_role(text_of(form, "role"))
    number = request.path_params["number"]
    try:
        await run_in_threadpool(
            accounts.set_role, request.app.state.host, person, number, role=role, now=now()
        )
    except InputError as error:
        return await _people_page(request, person, problem=f"{error.needed}. {error.cure}")
    return RedirectResponse("/people", status_code=303)


def server_role(wanted: str) -> Role:
    """Return the role of this name; an unknown one is that which may do least."""
    return next((role for role in ROLES if role == wanted), "guest")


async def get_removal(request: Request) -> Response:
    """Ask whether an account shall be removed, and say what that means."""
    person = await signed_in(request)
    members = await run_in_threadpool(accounts.members, request.app.state.host, now=now())
    number = request.path_params["number"]
    gone = next(
        (researcher for researcher in members.researchers if researcher.number == number), None
    )
    if gone is None:
        raise HTTPException(404)
    return dashboard(request, "remove_account.html", researcher=person, gone=gone)


async def post_removal(request: Request) -> Response:
    """Remove somebody's account."""
    person = await signed_in(request)
    await sent_form(request)
    number = request.path_params["number"]
    try:
        await run_in_threadpool(accounts.remove, request.app.state.host, person, number, now=now())
    except InputError as error:
        return await _people_page(request, person, problem=f"{error.needed}. {error.cure}")
    return RedirectResponse("/people", status_code=303)


def _may_save(host: Host, signed_in: accounts.SignedIn, unsaved: UnsavedForm) -> bool:
    inside = accounts.in_study(host, signed_in.researcher, unsaved.slug)
    return inside is not None and inside.may_write


def _login_page(
    request: Request,
    *,
    target: str,
    name: str = "",
    problem: str = "",
    unsaved: UnsavedForm | None = None,
    status: int = 200,
) -> Response:
    hidden = unsaved.hidden if unsaved is not None else []
    settings, challenge = request.app.state.settings, None
    if has_accounts_extra():
        challenge = passkeys.ask_for_passkey(request.app.state.host, home=home(request), now=now())
    values = {"target": target, "name": name, "problem": problem, "unsaved": hidden}
    return dashboard(
        request, "login.html", researcher=None, status=status, challenge=challenge,
        provider=settings.oidc_name if has_provider(settings) else "", **values,
    )  # fmt: skip


def has_accounts_extra() -> bool:
    """Return whether the programs for codes, passkeys and providers are installed."""
    return all(find_spec(name) for name in ("pyotp", "segno", "webauthn", "joserfc"))


async def _setup_page(request: Request, problems: Mapping[str, str], name: str = "") -> Response:
    token, settings = request.path_params["token"], request.app.state.settings
    invitation = await run_in_threadpool(
        accounts.invitation, request.app.state.host, token, now=now()
    )
    if invitation is None:
        text = (
            "This link was used already or has expired. The first owner gets a new one by "
            "starting the server again; everybody else asks an owner for another."
        )
        values: dict[str, object] = {"title": "This link no longer works", "text": text}
        return dashboard(request, "message.html", researcher=None, status=404, **values)
    values = {
        "role": invitation.role, "person": invitation.researcher, "problems": problems,
        "name": name, "meaning": SERVER_ROLES[invitation.role], "study": None,
        "invitation": invitation,
        "study_meaning": STUDY_ROLES.get(invitation.study_role or "viewer", ""), "token": token,
        "provider": settings.oidc_name if has_provider(settings) else "",
    }  # fmt: skip
    status = 422 if problems else 200
    return dashboard(request, "setup.html", researcher=None, status=status, **values)


async def _people_page(
    request: Request, person: Researcher, *, link: str = "", whose: str = "", problem: str = "",
    posted: mailing.Posted = mailing.NOTHING,
) -> Response:  # fmt: skip
    members = await run_in_threadpool(accounts.members, request.app.state.host, now=now())
    values = {
        "members": members, "link": link, "whose": whose, "problem": problem, "roles": SERVER_ROLES,
        "posted": posted, "can_mail": can_mail(request.app.state.settings),
    }  # fmt: skip
    status = 422 if problem else 200
    return dashboard(request, "people.html", researcher=person, status=status, **values)


def entering(request: Request, entered: accounts.SignedIn, target: str) -> Response:
    """Let somebody in who has just signed in."""
    return _with_session(RedirectResponse(target, status_code=303), request, entered)


def _with_session(response: Response, request: Request, entered: accounts.SignedIn) -> Response:
    """Give the browser its session, and what shows later that it is known."""
    set_session(response, request, entered.token)
    remember_device(response, request, entered.researcher.name)
    return response


def safe_path(text: str) -> str:
    """Return a path on this server, or nothing: signing in leads to no other server."""
    try:
        parts = urlsplit(text)
    except ValueError:  # "//[" is no address at all
        return ""
    is_ours = text.startswith("/") and not text.startswith(("//", "/\\"))
    return text if is_ours and not parts.scheme and not parts.netloc else ""


async def _may_sign_in(request: Request, name: str) -> bool:
    """Wait if this name is tried from everywhere; refuse who tries too often from one place."""
    attempt = await run_in_threadpool(
        accounts.may_sign_in, request.app.state.host, name=name, network=caller(request.scope),
        device=request.cookies.get(DEVICE, ""), now=now(),
    )  # fmt: skip
    if not attempt.is_allowed or not attempt.delay:
        return attempt.is_allowed
    waiting: set[str] = request.app.state.waiting
    network = caller(request.scope)
    if network in waiting or len(waiting) >= WAITING_AT_ONCE:
        return False
    waiting.add(network)
    try:
        await anyio.sleep(attempt.delay)
    finally:
        waiting.discard(network)
    return True


async def _may_try(request: Request, name: str) -> bool:
    return await run_in_threadpool(
        accounts.may_try, request.app.state.host, name=name, address=caller(request.scope),
        now=now(),
    )  # fmt: skip


async def hashing(request: Request, work: Callable[[], T]) -> T:
    """Return what takes a password's time; few at once."""
    return await anyio.to_thread.run_sync(work, limiter=request.app.state.hashing)


ROUTES = [
    *_TOKEN_ROUTES,
    Route("/login", get_login, methods=["GET"]),
    Route("/login", post_login, methods=["POST"]),
    Route("/logout", post_logout, methods=["POST"]),
    Route("/setup/{token}", get_setup, methods=["GET"]),
    Route("/setup/{token}", post_setup, methods=["POST"]),
    Route("/account", get_account, methods=["GET"]),
    Route("/account", post_account, methods=["POST"]),
    Route("/account/sessions", post_sessions, methods=["POST"]),
    Route("/people", get_people, methods=["GET"]),
    Route("/people", post_people, methods=["POST"]),
    Route("/people/renewal", post_renewal, methods=["POST"]),
    Route("/people/codes", post_codes_end, methods=["POST"]),
    Route("/people/invitations/withdraw", post_invitation_withdrawal, methods=["POST"]),
    Route("/people/{number:int}/role", post_role, methods=["POST"]),
    Route("/people/{number:int}/remove", get_removal, methods=["GET"]),
    Route("/people/{number:int}/remove", post_removal, methods=["POST"]),
]
