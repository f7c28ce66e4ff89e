"""Who sent a request, and was this form written by us?

In: requests. Out: a researcher and a form, or an error that becomes a page. Absent: passwords and
sessions themselves (`flow.accounts`).

Who may use an address is said in `permissions`, which checks before a route begins; `signed_in`
then says who it is, with their permissions in the study. Every route that changes something reads
its form with `sent_form`, which checks the hidden field `csrf`.
"""

from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from howgood.errors import HowgoodError
from howgood.flow import accounts
from howgood.flow.hosting import tokens
from howgood.records.researcher import Researcher
from howgood.web.middleware import LARGEST_FORM
from howgood.web.request_data import now, refuse_zero

SESSION, VISITOR, DEVICE = "howgood-session", "howgood-visitor", "howgood-device"
LANGUAGE = "howgood-language"
# A browser that has signed in is known for so long, which opens nothing.
_DEVICE_SECONDS = 365 * 24 * 3600
_MOST_FIELDS = 5000
# Browsers send an empty part for every file input, and each item of a study has one.
_MOST_FILES = 2000


class SignInNeededError(HowgoodError):
    """Nobody is signed in; `next_path` is where they wanted to go."""

    def __init__(self, next_path: str) -> None:
        super().__init__("sign in first")
        self.next_path = next_path

    @property
    def address(self) -> str:
        """Where to sign in, and come back from."""
        return f"/login?{urlencode({'next': self.next_path})}" if self.next_path else "/login"


class ForbiddenError(HowgoodError):
    """Somebody may not do this; the message says why and what to do."""


class OutdatedFormError(ForbiddenError):
    """A form that this session did not get from us; `form` is what was sent, to be shown again."""

    def __init__(self, form: FormData) -> None:
        super().__init__(
            "This form is out of date: you signed in or out since the page was opened. Nothing was "
            "changed. Go back and copy what you typed, then open the page anew and send it there."
        )
        self.form = form


async def signed_in(request: Request) -> Researcher:
    """Return who sent the request, as the guard let them in; strangers are sent to sign in."""
    admitted: Researcher | None = getattr(request.state, "researcher", None)
    if admitted is not None:
        return admitted
    token = request.cookies.get(SESSION, "")
    person = await run_in_threadpool(accounts.who, request.app.state.host, token, now=now())
    if person is None:
        # After signing in, a form could not be sent again: go to the page it belongs to.
        path = request.url.path if request.method == "GET" else ""
        query = f"?{request.url.query}" if request.url.query and path else ""
        raise SignInNeededError("" if path == "/" else path + query)
    return person


async def sent_form(request: Request, *, largest: int = LARGEST_FORM) -> FormData:
    """Return the form that was sent, files too; refuse one that we did not write or that is huge.

    The guard came first: nothing is read of what strangers send.
    """
    if int(request.headers.get("content-length", "0")) > largest:
        raise HTTPException(413)
    form = await request.form(
        max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=LARGEST_FORM
    )
    request.state.sent_form = form  # closed by `middleware.Gate` when the request is over
    for name, value in form.multi_items():
        refuse_zero((name, value if isinstance(value, str) else value.filename or ""))
    given = form.get("csrf")
    if not isinstance(given, str) or not tokens.is_signed(
        request.app.state.host.key, given, "csrf", _bearer(request)
    ):
        raise OutdatedFormError(form)
    return form


def text_of(form: FormData, name: str) -> str:
    """Return a field's text; a missing field or a file is empty."""
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def csrf(request: Request) -> str:
    """Return what the hidden field `csrf` of this browser's forms must hold."""
    return tokens.signature(request.app.state.host.key, "csrf", _bearer(request))


def _bearer(request: Request) -> str:
    """Return what tells this browser from others: its session, or before that a random name."""
    session: str = getattr(request.state, "new_session", "") or request.cookies.get(SESSION, "")
    if session:
        return session
    if not getattr(request.state, "visitor", ""):
        request.state.visitor = request.cookies.get(VISITOR) or tokens.fresh_token()
    visitor: str = request.state.visitor
    return visitor


def home(request: Request) -> str:
    """Return the address people reach this server by."""
    public: str = request.app.state.settings.public_url
    return public or str(request.base_url).rstrip("/")


def is_secure(request: Request) -> bool:
    """Return whether people reach this server by https."""
    public: str = request.app.state.settings.public_url
    return request.url.scheme == "https" or public.startswith("https://")


def set_session(response: Response, request: Request, token: str) -> None:
    """Give the browser its session; it ends with the browser, or earlier on the server.

    A page that is shown with it has to be made after `begin_session`.
    """
    _set(response, request, SESSION, token)


def begin_session(request: Request, token: str) -> None:
    """Let forms made from now on, in this very request, belong to the new session."""
    request.state.new_session = token


def remember_device(response: Response, request: Request, name: str) -> None:
    """Let the browser show later that somebody has signed in on it: strangers cannot slow it."""
    token = accounts.device_token(request.app.state.host, name)
    _set(response, request, DEVICE, token, max_age=_DEVICE_SECONDS)


def remember_visitor(response: Response, request: Request) -> None:
    """Give a browser that is not signed in the name its forms are bound to."""
    visitor = getattr(request.state, "visitor", "")
    if visitor and visitor != request.cookies.get(VISITOR):
        _set(response, request, VISITOR, visitor)


def remember_language(response: Response, request: Request, language: str) -> None:
    """Keep the language that somebody chose for the pages of researchers."""
    _set(response, request, LANGUAGE, language, max_age=_DEVICE_SECONDS)


def end_session(response: Response) -> None:
    """Take the session from the browser."""
    response.delete_cookie(SESSION, path="/")


def _set(
    response: Response, request: Request, name: str, value: str, *, max_age: int | None = None
) -> None:
    response.set_cookie(
        name, value, path="/", secure=is_secure(request), httponly=True, samesite="lax",
        max_age=max_age,
    )  # fmt: skip
