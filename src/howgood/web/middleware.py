"""What stands before every route: headers, sizes, rates, timeouts, and a page when it is too much.

In: requests. Out: requests that may pass, or a short page; the counts, for Prometheus. Absent: who
may do what (`flow`), allowances that all processes share (`flow.accounts`), and connections on
which no request has come yet (`timeouts`).
"""

import asyncio
import ipaddress
import logging
import os
import re
import resource
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from cachetools import LRUCache
from starlette.datastructures import FormData, Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from howgood import __version__
from howgood.flow.error_location import error_location
from howgood.flow.hosting import Host
from howgood.store.schema import answers, deliveries, jobs, participants
from howgood.web.pages import message_page
from howgood.web.render import POLICY, show, style_address


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How much at once, and how much per second after that."""

    at_once: float
    per_second: float


# The public library: questions about cards, and tables that are counted for strangers. Every table
# is a process of its own for a moment; those that still come in lie on the disk.
QUESTIONS = Pace(at_once=40, per_second=2)
TABLES = Pace(at_once=5, per_second=0.2)
COUNTED_AT_ONCE, COMING_AT_ONCE = 2, 20


class Rate:
    """Allowances that refill, one per name; the longest unused are forgotten."""

    def __init__(
        self, pace: Pace, *, names: int = 20_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.pace, self.clock = pace, clock
        self._left: LRUCache[str, tuple[float, float]] = LRUCache(maxsize=names)

    def allows(self, name: str) -> bool:
        """Take one from the name's allowance; False when it is used up."""
        now = self.clock()
        left, since = self._left.pop(name, (self.pace.at_once, now))
        left = min(self.pace.at_once, left + (now - since) * self.pace.per_second)
        is_allowed = left >= 1
        self._left[name] = (left - is_allowed, now)
        return is_allowed


def caller(scope: Mapping[str, Any]) -> str:
    """Return who is calling, as far as limits are concerned."""
    client = scope.get("client")
    return network_of(client[0]) if client else ""


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and an IPv6 address as its network.

    A household or a rented server has 2**64 addresses of IPv6; they count as one.

    Examples
    --------
    >>> network_of("203.0.113.9"), network_of("2001:db8:1:2:3::4"), network_of("testclient")
    ('203.0.113.9', '2001:db8:1:2::/64', 'testclient')
    >>> network_of("::ffff:203.0.113.9"), network_of("fe80::1%eth0")
    ('203.0.113.9', 'fe80::/64')
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


LARGEST_FORM = 256 * 1024
# Researchers send pictures, films and tables; each route of theirs states its own limit below this
# one, and none reads a byte before it knows who sends it.
LARGEST_UPLOAD = 64 * 1024 * 1024
# A class of students may sit behind one address and start at the same word.
STARTS = Pace(at_once=120, per_second=2)
ANSWERS = Pace(at_once=80, per_second=40)
# A server that waits for everybody can be held up by a few who send one byte a minute. So a body
# has this long, and a second more for every so many bytes that have come: the slowest telephone
# line keeps that pace.
BODY_SECONDS, BODY_BYTES_PER_SECOND = 20.0, 1000
# Pages of participants are compressed where it helps (`render`); pictures and films are small for
# their content already, and compressing a film would hold everybody up for seconds.
_NEVER_COMPRESSED = re.compile(r"/(s|p|media)/|/studies/[^/]+/picture/")
_DIGITS = 15  # Python takes long, and in the end refuses, to read thousands of them
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    # A personal link is a key: it must not travel to the next site in the Referer.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
_log = logging.getLogger("howgood.web")


# Upper ends in seconds; 0.3 is the one that the going-live page promises.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0)
_KINDS = {"p": "participant", "s": "participant", "api": "api", "static": "file", "media": "file"}


class Metrics:
    """Requests that this process answered, by kind; `metrics_text` writes them down."""

    def __init__(self) -> None:
        self.began_at = time.time()
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.buckets: Counter[tuple[str, int]] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def note(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request by what it was for; how long it took until its answer began."""
        kind = _KINDS.get(path.split("/", 2)[1], "dashboard")
        known = method if method in ("GET", "POST", "HEAD") else "other"
        self.requests[kind, known, status] += 1
        self.buckets[kind, bisect_left(BUCKETS, seconds)] += 1
        self.seconds[kind] += seconds


class Gate:
    """Passes requests on to the routes, or refuses them with a short page.

    More requests in work than can be served soon get a polite 503 at once. Work ends where a
    response begins: who reads it slowly takes no place from anybody.
    """

    def __init__(self, app: ASGIApp, *, busy_limit: int) -> None:
        self.app, self.busy_limit, self.working = app, busy_limit, 0
        self.compressed = GZipMiddleware(app, minimum_size=1000, compresslevel=5)
        self.starts, self.answers = Rate(STARTS), Rate(ANSWERS)
        self.metrics = Metrics()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; a fault becomes a page, unless a response has begun."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope.setdefault("state", {})["gate"] = self
        exchange = _Exchange(self, scope, receive, send)
        self.working += 1
        try:
            refusal = self._refusal(scope)
            if refusal is not None:
                await refuse(*refusal, scope, exchange.receive, exchange.send)
            elif _NEVER_COMPRESSED.match(scope["path"]):
                await self.app(scope, exchange.receive, exchange.send)
            else:
                await self.compressed(scope, exchange.receive, exchange.send)
        except ClientDisconnect:
            if exchange.is_late:
                await exchange.refuse("busy", 408)
        except asyncio.CancelledError:
            # The server stops and waits no longer. What was asked for may be done or not.
            await exchange.refuse("away", 503)
        except Exception as error:  # the last gate: whatever it is, people get a page
            # The text of an exception may repeat what somebody sent: the log gets only its kind
            # and the lines of the program it passed.
            _log.error("fault %s", error_location(error))
            await exchange.refuse("failed", 500)
        finally:
            self.working -= not exchange.has_begun
            form = scope.get("state", {}).get("sent_form")
            if isinstance(form, FormData):
                await form.close()  # lets go of the files that came with it

    def _refusal(self, scope: Scope) -> tuple[str, int] | None:
        """Return why a request is not passed on, and with which status; None if it is."""
        path, query = scope["path"], scope["query_string"]
        if self.working > self.busy_limit:
            return "busy", 503
        # No keyboard types the character zero, and PostgreSQL keeps no text that holds it.
        if "\x00" in path or b"%00" in query or b"\x00" in query:
            return "unreadable", 400
        if scope["method"] != "POST" or path.startswith("/api/"):
            return None  # programs have a gate of their own under /api
        is_answer = path.startswith("/p/")
        # An answer counts for the person, at whatever step; everything else for the address.
        rate, name = (
            (self.answers, path.split("/")[2]) if is_answer else (self.starts, caller(scope))
        )
        if not rate.allows(name):
            return "slow_down", 429
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        # Every browser states the length of a form; without one it could go on for ever.
        largest = LARGEST_FORM if is_answer or path.startswith("/s/") else LARGEST_UPLOAD
        if not length.isdecimal() or len(length) > _DIGITS or int(length) > largest:
            return "too_large", 413
        return ("unsigned", 403) if headers.get("sec-fetch-site") == "cross-site" else None


@dataclass(slots=True)
class _Exchange:
    """One request and its response: how long its body may take, and what every response carries.

    `is_whole` and `is_late` are about the body, `has_begun` about the response.
    """

    gate: Gate
    scope: Scope
    receive_next: Receive
    send_on: Send
    began: float = field(default_factory=time.monotonic)
    body_bytes: int = 0
    is_whole: bool = False
    is_late: bool = False
    has_begun: bool = False

    async def receive(self) -> Message:
        """Return the next part of the body, by a deadline that moves with every byte.

        A body that stays away looks like somebody who has left.
        """
        if self.is_whole:
            return await self.receive_next()
        deadline = self.began + BODY_SECONDS + self.body_bytes / BODY_BYTES_PER_SECOND
        try:
            async with asyncio.timeout(max(deadline - time.monotonic(), 0.001)):
                message = await self.receive_next()
        except TimeoutError:
            self.is_late = self.is_whole = True
            return {"type": "http.disconnect"}
        self.is_whole = not message.get("more_body", False)
        self.body_bytes += len(message.get("body", b""))
        return message

    async def send(self, message: Message) -> None:
        """Pass a part of the response on, with what tells browsers to trust nothing else."""
        if message["type"] == "http.response.start":
            self.has_begun = True
            self.gate.working -= 1  # room for another request
            scope, seconds = self.scope, time.monotonic() - self.began
            self.gate.metrics.note(scope["method"], scope["path"], message["status"], seconds)
            own = message.setdefault("headers", [])
            own += _HEADERS
            named = {name for name, _ in own}
            if b"content-security-policy" not in named:
                own.append((b"content-security-policy", POLICY.encode()))
            policies = [value for name, value in own if name == b"content-security-policy"]
            if all(b"frame-ancestors 'none'" in policy for policy in policies):
                # Says the same to old browsers; it cannot name the sites that may.
                own.append((b"x-frame-options", b"DENY"))
            if b"cache-control" not in named:
                own.append((b"cache-control", b"no-store"))
            if scope["scheme"] == "https":
                own.append((b"strict-transport-security", b"max-age=31536000"))
        await self.send_on(message)

    async def refuse(self, reason: str, status: int) -> None:
        """Say why there is no response, unless one has begun: then no page can take its place."""
        if not self.has_begun:
            await refuse(reason, status, self.scope, self.receive_next, self.send)


async def refuse(reason: str, status: int, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a short page in the language the browser prefers; programs get their form."""
    if status == 400 and scope["path"].startswith("/api/"):
        from howgood.web.problem import problem  # loads much that no page needs

        await problem(400, _NO_TEXT)(scope, receive, send)
        return
    language = preferred_language(Headers(scope=scope).get("accept-language", ""))
    page = message_page(reason, language=language, style=style_address())
    response = show(page, status=status)
    if status in (429, 503):
        response.headers["Retry-After"] = "3"
    await response(scope, receive, send)


_NO_TEXT = {
    "where": "address",
    "found": "a character zero, which is no text",
    "needed": "text",
    "cure": "Correct the address.",
}


def preferred_language(accepted: str) -> str:
    """Return the first of our languages that the browser asks for, else English."""
    from howgood.ask.sentences import languages

    for part in accepted.split(","):
        code = part.partition(";")[0].strip().partition("-")[0].lower()
        if code in languages():
            return code
    return "en"


# What a server counts about itself, as text for Prometheus. Counts of requests are those of this
# process; with several, each has its own. What is read from the database (people, answers, jobs,
# messages) is the same in all. Neither says who asked, which study, which address.

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics_text(metrics: Metrics, host: Host, *, working: int, is_well: bool) -> str:
    """Return everything that is counted, in Prometheus' text format."""
    lines = [
        *_one("howgood_build_info", "gauge", "the version", 1, f'{{version="{__version__}"}}'),
        *_one("howgood_up", "gauge", "whether answers can be stored now", int(is_well)),
        *_one("howgood_requests_in_work", "gauge", "requests in work now", working),
        *_one("process_start_time_seconds", "gauge", "when this process began", metrics.began_at),
        *_one("process_cpu_seconds_total", "counter", "CPU time of this process", _cpu()),
        *_one("process_resident_memory_bytes", "gauge", "memory of this process", _memory()),
        *request_lines(metrics),
        *_stored(host),
    ]
    return "\n".join(lines) + "\n"


def request_lines(metrics: Metrics) -> Iterator[str]:
    """Yield the counts of requests."""
    yield from _head("howgood_requests_total", "counter", "requests answered by this process")
    for (kind, method, status), count in sorted(metrics.requests.items()):
        labels = f'kind="{kind}",method="{method}",status="{status}"'
        yield f"howgood_requests_total{{{labels}}} {count}"
    name = "howgood_request_seconds"
    yield from _head(name, "histogram", "seconds until an answer began")
    for kind in sorted(metrics.seconds):
        total = 0
        for place, end in enumerate((*map(str, BUCKETS), "+Inf")):
            total += metrics.buckets[kind, place]
            yield f'{name}_bucket{{kind="{kind}",le="{end}"}} {total}'
        yield f'{name}_sum{{kind="{kind}"}} {metrics.seconds[kind]:.6f}'
        yield f'{name}_count{{kind="{kind}"}} {total}'


def _stored(host: Host) -> Iterator[str]:
    count = sa.func.count()
    with host.database.reading() as connection:
        people = connection.execute(
            sa.select(participants.c.status, count)
            .where(participants.c.is_pilot.is_(False))
            .group_by(participants.c.status)
        ).all()
        given = connection.execute(sa.select(count).select_from(answers)).scalar_one()
        waiting = connection.execute(sa.select(jobs.c.status, count).group_by(jobs.c.status)).all()
        messages = connection.execute(
            sa.select(count).select_from(deliveries).where(deliveries.c.next_at.is_not(None))
        ).scalar_one()
    yield from _head("howgood_participants", "gauge", "people by status, test runs not counted")
    for status, number in sorted(people):
        yield f'howgood_participants{{status="{status}"}} {number}'
    yield from _one("howgood_answers", "gauge", "answers stored", given)
    yield from _head("howgood_jobs", "gauge", "fits by status")
    for status, number in sorted(waiting):
        yield f'howgood_jobs{{status="{status}"}} {number}'
    yield from _one("howgood_messages_waiting", "gauge", "webhook messages not yet sent", messages)


def _head(name: str, kind: str, help_text: str) -> Iterator[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"


def _one(name: str, kind: str, help_text: str, value: float, labels: str = "") -> Iterator[str]:
    yield from _head(name, kind, help_text)
    yield f"{name}{labels} {value}"


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return round(used.ru_utime + used.ru_stime, 3)


def _memory() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
