"""The addresses around accounts: the first one, signing in and out, people, passwords.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow.accounts` once,
shows.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError
from howgood.flow import accounts
from howgood.flow.hosting import Host
from howgood.records.researcher import ROLES, SERVER_ROLES, STUDY_ROLES, Researcher, Role
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
from howgood.web.dashboard import dashboard
from howgood.web.rate_limits import caller
from howgood.web.request_data import now
from howgood.web.routes.editing import save_unsaved
from howgood.web.unsaved_forms import UnsavedForm, unsaved_form

T = TypeVar("T")
# Networks whose attempts wait, one each, because others try the same name; more come back later.
# Each keeps a request open, of which participants need the most (`busy_limit`).
WAITING_AT_ONCE = 100
_MANY = "Too many attempts. Wait a minute, then try again."


async def get_login(request: Request) -> Response:
    """Show the form to sign in."""
    return _login_page(request, target=_safe_path(request.query_params.get("next", "")))


async def post_login(request: Request) -> Response:
    """Sign in under a new session, however often it was tried before within reason."""
    form = await sent_form(request)
    name, target = text_of(form, "name"), _safe_path(text_of(form, "next"))
    unsaved = unsaved_form(form, target)
    again = partial(_login_page, request, target=target, name=name, unsaved=unsaved)
    if not await _may_sign_in(request, name):
        return again(problem=_MANY, status=429)
    host, password = request.app.state.host, text_of(form, "password")
    found = await _hashing(
        request,
        partial(
            accounts.sign_in, host, name=name, password=password,
            network=caller(request.scope), now=now(),
        ),
    )  # fmt: skip
    if found is None:
        return again(problem="Name and password do not belong together.", status=422)
    # Whoever signs in anew leaves the session they had, on the server too.
    await run_in_threadpool(accounts.sign_out, host, request.cookies.get(SESSION, ""))
    if unsaved is not None and await run_in_threadpool(_may_save, host, found, unsaved):
        begin_session(request, found.token)
        return _known(await save_unsaved(request, found.researcher, unsaved), request, found)
    return _entering(request, found, target or "/studies")


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
        raise ForbiddenError(_MANY)
    name, password = text_of(form, "name"), text_of(form, "password")
    joined = await _hashing(
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
    if joined.signed_in is None:
        return await _setup_page(request, joined.problems, name=name)
    return _entering(request, joined.signed_in, "/studies")


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
        raise ForbiddenError(_MANY)
    change = partial(
        accounts.change_password, request.app.state.host, person,
        old=text_of(form, "old"), new=text_of(form, "new"), now=now(),
    )  # fmt: skip
    try:
        entered = await _hashing(request, change)
    except InputError as error:
        problems = {error.where: error.cure}
        return await _account_page(request, problems)
    return _entering(request, entered, "/account?done=changed")


async def get_people(request: Request) -> Response:
    """Show who has an account."""
    person = await signed_in(request)
    return await _people_page(request, person)


async def post_people(request: Request) -> Response:
    """Invite somebody by a one-time link, shown once."""
    person = await signed_in(request)
    form = await sent_form(request)
    role = server_role(text_of(form, "role"))
    token = await run_in_threadpool(
        accounts.invite, request.app.state.host, person, role=role, now=now()
    )
    link = f"{home(request)}/setup/{token}"
    return await _people_page(request, person, link=link)


async def post_renewal(request: Request) -> Response:
    """Make a one-time link by which somebody chooses a new password, shown once."""
    person = await signed_in(request)
    form = await sent_form(request)
    name = text_of(form, "name")
    try:
        token = await run_in_threadpool(
            accounts.renewal_link, request.app.state.host, name, actor=person.name, now=now()
        )
    except InputError as error:
        return await _people_page(request, person, problem=f"{error.found}. {error.cure}")
    return await _people_page(request, person, link=f"{home(request)}/setup/{token}", whose=name)


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
    found = await run_in_threadpool(accounts.members, request.app.state.host, now=now())
    number = request.path_params["number"]
    gone = next((each for each in found.researchers if each.number == number), None)
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


def _may_save(host: Host, found: accounts.SignedIn, unsaved: UnsavedForm) -> bool:
    inside = accounts.in_study(host, found.researcher, unsaved.slug)
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
    values = {"target": target, "name": name, "problem": problem, "unsaved": hidden}
    return dashboard(request, "login.html", researcher=None, status=status, **values)


async def _setup_page(request: Request, problems: Mapping[str, str], name: str = "") -> Response:
    token = request.path_params["token"]
    found = await run_in_threadpool(accounts.invitation, request.app.state.host, token, now=now())
    if found is None:
        text = (
            "This link was used already or has expired. The first owner gets a new one by "
            "starting the server again; everybody else asks an owner for another."
        )
        values: dict[str, object] = {"title": "This link no longer works", "text": text}
        return dashboard(request, "message.html", researcher=None, status=404, **values)
    values = {
        "role": found.role, "person": found.researcher, "problems": problems, "name": name,
        "meaning": SERVER_ROLES[found.role], "study": None, "invitation": found,
        "study_meaning": STUDY_ROLES.get(found.study_role or "viewer", ""),
    }  # fmt: skip
    status = 422 if problems else 200
    return dashboard(request, "setup.html", researcher=None, status=status, **values)


async def _people_page(
    request: Request, person: Researcher, *, link: str = "", whose: str = "", problem: str = ""
) -> Response:
    found = await run_in_threadpool(accounts.members, request.app.state.host, now=now())
    values = {
        "circle": found, "link": link, "whose": whose, "problem": problem, "roles": SERVER_ROLES
    }  # fmt: skip
    status = 422 if problem else 200
    return dashboard(request, "people.html", researcher=person, status=status, **values)


def _entering(request: Request, entered: accounts.SignedIn, target: str) -> Response:
    return _known(RedirectResponse(target, status_code=303), request, entered)


def _known(response: Response, request: Request, entered: accounts.SignedIn) -> Response:
    """Give the browser its session, and what shows later that it is known."""
    set_session(response, request, entered.token)
    remember_device(response, request, entered.researcher.name)
    return response


def _safe_path(text: str) -> str:
    """Return a path on this server, or nothing: no address may lead elsewhere after signing in."""
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


async def _hashing(request: Request, work: Callable[[], T]) -> T:
    return await anyio.to_thread.run_sync(work, limiter=request.app.state.hashing)


ROUTES = [
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
    Route("/people/{number:int}/role", post_role, methods=["POST"]),
    Route("/people/{number:int}/remove", get_removal, methods=["GET"]),
    Route("/people/{number:int}/remove", post_removal, methods=["POST"]),
]
