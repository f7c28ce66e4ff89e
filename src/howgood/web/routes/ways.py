"""The addresses of signing in without a password alone: codes, passkeys, a provider.

In: requests. Out: pages. Absent: everything between; each route parses, calls `flow.accounts`,
shows.
"""

from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.errors import InputError
from howgood.flow import accounts
from howgood.flow.accounts import passkeys, provider, second_factor
from howgood.flow.hosting import tokens
from howgood.web.access import (
    SESSION,
    ForbiddenError,
    home,
    is_secure,
    sent_form,
    signed_in,
    text_of,
)
from howgood.web.dashboard import dashboard
from howgood.web.middleware import caller
from howgood.web.request_data import now
from howgood.web.routes.accounts import (
    MANY,
    entering,
    has_accounts_extra,
    hashing,
    safe_path,
    second_page,
    signed_in_page,
)
from howgood.web.unsaved_forms import unsaved_form

_MEMORY = "howgood-provider"
_RETURN = "/login/provider/return"
_WAYS = "/account/ways"


async def get_ways(request: Request) -> Response:
    """Show how one signs in."""
    return await _page(request)


async def post_begin(request: Request) -> Response:
    """Show a new secret for an app."""
    person = await signed_in(request)
    await sent_form(request)
    try:
        secret = await run_in_threadpool(second_factor.begin_codes, request.app.state.host, person)
    except InputError as error:
        return await _page(request, problem=error.cure)
    return await _page(request, secret=secret)


async def post_codes(request: Request) -> Response:
    """Put codes into use, and show recovery codes once."""
    person = await signed_in(request)
    form = await sent_form(request)
    try:
        codes = await run_in_threadpool(
            second_factor.confirm_codes, request.app.state.host, person, text_of(form, "code"),
            now=now(),
        )  # fmt: skip
    except InputError as error:
        # The app knows this secret by now: a slip of the finger must not ask for another one.
        begun = await run_in_threadpool(second_factor.begun_codes, request.app.state.host, person)
        return await _page(request, problem=error.cure, secret=begun)
    return await _page(request, codes=codes)


async def post_end(request: Request) -> Response:
    """Switch codes off."""
    person = await signed_in(request)
    form = await sent_form(request)
    end = partial(
        second_factor.end_codes, request.app.state.host, person,
        password=text_of(form, "password"), now=now(),
    )  # fmt: skip
    may_try = await run_in_threadpool(
        accounts.may_try, request.app.state.host, name=f"the password of {person.name}",
        address=caller(request.scope), now=now(),
    )  # fmt: skip
    if not may_try:
        raise ForbiddenError(MANY)
    try:
        await hashing(request, end)
    except InputError as error:
        return await _page(request, problem=error.cure)
    return RedirectResponse("/account/ways", status_code=303)


async def post_passkey(request: Request) -> Response:
    """Keep a passkey that this browser has made."""
    person = await signed_in(request)
    form = await sent_form(request)
    try:
        await run_in_threadpool(
            passkeys.keep_new, request.app.state.host, person, home=home(request),
            memory=text_of(form, "memory"), answer=text_of(form, "answer"),
            name=text_of(form, "name"), now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _page(request, problem=error.cure)
    return RedirectResponse("/account/ways", status_code=303)


async def post_passkey_removal(request: Request) -> Response:
    """Remove a passkey."""
    person = await signed_in(request)
    form = await sent_form(request)
    await run_in_threadpool(
        passkeys.remove_passkey, request.app.state.host, person, text_of(form, "credential"),
        now=now(),
    )  # fmt: skip
    return RedirectResponse("/account/ways", status_code=303)


async def post_second(request: Request) -> Response:
    """Sign in with the code after the password."""
    form = await sent_form(request)
    ticket, target = text_of(form, "ticket"), safe_path(text_of(form, "next"))
    unsaved = unsaved_form(form, target)
    host = request.app.state.host
    if not await run_in_threadpool(second_factor.is_ticket, host, ticket, now=now()):
        return RedirectResponse("/login", status_code=303)
    entered = await run_in_threadpool(
        second_factor.show_code, host, ticket, text_of(form, "code"), now=now()
    )
    if entered is None:
        problem = "This code is not right, was used, or too many were tried. Wait for the next."
        return second_page(request, ticket, target, unsaved, problem=problem)
    return await signed_in_page(request, entered, target, unsaved)


async def post_login_passkey(request: Request) -> Response:
    """Sign in with a passkey."""
    form = await sent_form(request)
    target = safe_path(text_of(form, "next"))
    try:
        entered = await run_in_threadpool(
            passkeys.sign_in_by_passkey, request.app.state.host, home=home(request),
            memory=text_of(form, "memory"), answer=text_of(form, "answer"), now=now(),
        )  # fmt: skip
    except InputError as error:
        raise ForbiddenError(error.cure) from error
    return await signed_in_page(request, entered, target, None)


async def get_provider(request: Request) -> Response:
    """Send a browser to the provider, to sign in or to use an invitation."""
    purpose = provider.Purpose(
        target=safe_path(request.query_params.get("next", "")),
        invitation=request.query_params.get("invitation", "")[:100],
    )
    return await _depart(request, purpose)


async def get_link(request: Request) -> Response:
    """Send who is signed in to the provider, to link the account there.

    Only from our own page, which knows the mark: otherwise another site could link its own account
    at the provider to that of whoever visits it. It is no form: a form may lead to no other site.
    """
    person = await signed_in(request)
    if not _is_our_link(request):
        return RedirectResponse(_WAYS, status_code=303)
    return await _depart(
        request, provider.Purpose(target="/account/ways", researcher=person.number)
    )


async def get_return(request: Request) -> Response:
    """Let in who comes back from the provider."""
    host, settings = request.app.state.host, request.app.state.settings
    try:
        came = await run_in_threadpool(
            provider.arrive_back, host, settings, memory=request.cookies.get(_MEMORY, ""),
            query=dict(request.query_params), back=home(request) + _RETURN, now=now(),
        )  # fmt: skip
    except InputError as error:
        raise ForbiddenError(f"The provider's answer was {error.found}. {error.cure}") from error
    await run_in_threadpool(accounts.sign_out, host, request.cookies.get(SESSION, ""))
    response = entering(request, came.signed_in, came.target or "/studies")
    response.delete_cookie(_MEMORY, path=_RETURN)
    return response


async def post_unlink(request: Request) -> Response:
    """Let the provider's account no longer open this one."""
    person = await signed_in(request)
    await sent_form(request)
    try:
        await run_in_threadpool(accounts.unlink_provider, request.app.state.host, person, now=now())
    except InputError as error:
        return await _page(request, problem=error.cure)
    return RedirectResponse("/account/ways", status_code=303)


def _link_mark(request: Request) -> str:
    return tokens.signature(request.app.state.host.key, "link", request.cookies.get(SESSION, ""))


def _is_our_link(request: Request) -> bool:
    given = request.query_params.get("mark", "")
    session = request.cookies.get(SESSION, "")
    return tokens.is_signed(request.app.state.host.key, given, "link", session)


async def _depart(request: Request, purpose: provider.Purpose) -> Response:
    settings = request.app.state.settings
    if not provider.has_provider(settings):
        raise HTTPException(404)  # this server has none
    try:
        gone = await run_in_threadpool(
            provider.depart, request.app.state.host, settings, purpose,
            back=home(request) + _RETURN, now=now(),
        )  # fmt: skip
    except InputError as error:
        raise ForbiddenError(f"It met {error.found}. {error.cure}") from error
    response = RedirectResponse(gone.address, status_code=303)
    response.set_cookie(
        _MEMORY, gone.memory, max_age=int(provider.LASTS.total_seconds()), path=_RETURN,
        secure=is_secure(request), httponly=True, samesite="lax",
    )  # fmt: skip
    return response


async def _page(
    request: Request,
    *,
    secret: second_factor.NewSecret | None = None,
    codes: tuple[str, ...] = (),
    problem: str = "",
) -> Response:
    person = await signed_in(request)
    host, settings = request.app.state.host, request.app.state.settings
    if not has_accounts_extra():
        raise ForbiddenError('This server lacks the extra: pip install "howgood[accounts]".')
    challenge = await run_in_threadpool(
        passkeys.ask_new, host, person, home=home(request), now=now()
    )
    return dashboard(
        request, "ways.html", researcher=person, status=422 if problem else 200, secret=secret,
        codes=codes, problem=problem, challenge=challenge,
        ways=await run_in_threadpool(second_factor.ways_of, host, person),
        provider=settings.oidc_name if provider.has_provider(settings) else "",
        mark=_link_mark(request),
    )  # fmt: skip


ROUTES = [
    Route(_WAYS, get_ways, methods=["GET"]),
    Route(f"{_WAYS}/codes/begin", post_begin, methods=["POST"]),
    Route(f"{_WAYS}/codes", post_codes, methods=["POST"]),
    Route(f"{_WAYS}/codes/end", post_end, methods=["POST"]),
    Route(f"{_WAYS}/passkeys", post_passkey, methods=["POST"]),
    Route(f"{_WAYS}/passkeys/remove", post_passkey_removal, methods=["POST"]),
    Route(f"{_WAYS}/provider", get_link, methods=["GET"]),
    Route(f"{_WAYS}/provider/remove", post_unlink, methods=["POST"]),
    Route("/login/second", post_second, methods=["POST"]),
    Route("/login/passkey", post_login_passkey, methods=["POST"]),
    Route("/login/provider", get_provider, methods=["GET"]),
    Route(_RETURN, get_return, methods=["GET"]),
]
