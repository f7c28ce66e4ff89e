"""What stands before every route: headers, sizes, rates, and a polite word when it is too much.

In: requests. Out: requests that may pass, or a short page. Absent: who may do what (`flow`).
"""

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import FormData, Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from howgood.web.callers import caller
from howgood.web.pages import message_page
from howgood.web.render import POLICY, show, style_address

LARGEST_FORM = 256 * 1024
# Researchers send pictures, films and tables; each route of theirs states its own limit below this
# one, and none reads a byte before it knows who sends it.
LARGEST_UPLOAD = 64 * 1024 * 1024
_NEVER_PACKED = re.compile(r"/(s|p|media)/|/studies/[^/]+/picture/")
_DIGITS = 15  # Python takes long, and in the end refuses, to read thousands of them
_RAW_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # A personal link is a key: it must not travel to the next site in the Referer.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class Answering:
    """Passes an answer on and knows whether it has begun: then no page can take its place."""

    def __init__(self, send: Send) -> None:
        self._send, self.has_begun = send, False

    async def __call__(self, message: Message) -> None:
        """Pass a part of the answer on."""
        self.has_begun = True
        await self._send(message)


class SecurityHeaders:
    """Adds to every response what tells browsers to trust nothing else."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and mark the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = message.setdefault("headers", [])
                own += _RAW_HEADERS
                named = {name for name, _ in own}
                if b"content-security-policy" not in named:
                    own.append((b"content-security-policy", POLICY.encode()))
                if b"cache-control" not in named:
                    own.append((b"cache-control", b"no-store"))
                if scope["scheme"] == "https":
                    own.append((b"strict-transport-security", b"max-age=31536000"))
            await send(message)

        await self.app(scope, receive, marked)


class Busy:
    """Answers at once with a polite 503 when more requests are in work than can be served soon.

    Work ends where an answer begins: who reads it slowly takes no place from anybody.
    """

    def __init__(self, app: ASGIApp, *, limit: int) -> None:
        self.app, self.limit, self.working = app, limit, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on while there is room."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self.working >= self.limit:
            await refuse("busy", 503, scope, receive, send)
        else:
            await self._work(scope, receive, send)

    async def _work(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_working = True
        self.working += 1

        async def answer(message: Message) -> None:
            nonlocal is_working
            if is_working:
                is_working = False
                self.working -= 1
            await send(message)

        try:
            await self.app(scope, receive, answer)
        except asyncio.CancelledError:
            # The server stops and waits no longer. What was asked for may be done or not.
            if is_working:
                await refuse("away", 503, scope, receive, answer)
        finally:
            self.working -= is_working


class Packed:
    """Compresses pages of researchers; those of participants are packed where it helps.

    Pictures and films are small for their content already, and packing a film would hold everybody
    up for seconds.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.packing = app, GZipMiddleware(app, minimum_size=1000, compresslevel=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, by way of the packing or not."""
        is_packed = scope["type"] == "http" and not _NEVER_PACKED.match(scope["path"])
        await (self.packing if is_packed else self.app)(scope, receive, send)


class OwnForms:
    """Lets only forms of this site and of bearable size through."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a POST before anything reads it."""
        if not _is_form(scope):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        # Every browser states the length of a form; without one it could go on for ever.
        largest = LARGEST_FORM if _is_participants(scope["path"]) else LARGEST_UPLOAD
        if not length.isdecimal() or len(length) > _DIGITS or int(length) > largest:
            await refuse("too_large", 413, scope, receive, send)
        elif headers.get("sec-fetch-site") == "cross-site":
            await refuse("unsigned", 403, scope, receive, send)
        else:
            await self._pass_on(scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the routes work, then let go of the files that came with the form."""
        try:
            await self.app(scope, receive, send)
        finally:
            form = scope.get("state", {}).get("sent_form")
            if isinstance(form, FormData):
                await form.close()


def _is_form(scope: Scope) -> bool:
    """Return whether a browser sends a form; programs have a gate of their own under /api."""
    return (
        scope["type"] == "http"
        and scope["method"] == "POST"
        and not scope["path"].startswith("/api/")
    )


def _is_participants(path: str) -> bool:
    return path.startswith(("/s/", "/p/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How much at once, and how much per second after that."""

    at_once: float
    per_second: float


class Rate:
    """Allowances that refill, one per name; the longest unused are forgotten."""

    def __init__(
        self, pace: Pace, *, names: int = 20_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.pace, self.names, self.clock = pace, names, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, name: str) -> bool:
        """Take one from the name's allowance; False when it is used up."""
        now = self.clock()
        left, since = self._left.pop(name, (self.pace.at_once, now))
        left = min(self.pace.at_once, left + (now - since) * self.pace.per_second)
        is_allowed = left >= 1
        self._left[name] = (left - is_allowed, now)
        if len(self._left) > self.names:
            self._left.popitem(last=False)
        return is_allowed


class Rates:
    """Limits how fast one address starts participants and how fast one participant answers."""

    # A class of students may sit behind one address and start at the same word.
    STARTS = Pace(at_once=120, per_second=2)
    ANSWERS = Pace(at_once=80, per_second=40)

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.starts, self.answers = Rate(self.STARTS), Rate(self.ANSWERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a POST against its allowance."""
        if _is_form(scope) and not self._allows(scope):
            await refuse("slow_down", 429, scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _allows(self, scope: Scope) -> bool:
        path: str = scope["path"]
        if path.startswith("/p/"):
            return self.answers.allows(path.split("/")[2])  # the person, at whatever step
        return self.starts.allows(caller(scope))


async def refuse(reason: str, status: int, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a short page in the language the browser prefers."""
    language = preferred_language(Headers(scope=scope).get("accept-language", ""))
    page = message_page(reason, language=language, style=style_address())
    response = show(page, status=status)
    if status in (429, 503):
        response.headers["Retry-After"] = "3"
    await response(scope, receive, send)


def preferred_language(accepted: str) -> str:
    """Return the first of our languages that the browser asks for, else English."""
    from howgood.ask.sentences import languages

    for part in accepted.split(","):
        code = part.partition(";")[0].strip().partition("-")[0].lower()
        if code in languages():
            return code
    return "en"
