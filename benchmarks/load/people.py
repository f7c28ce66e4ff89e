"""Many people at once: small HTTP clients that read pages and send forms, as browsers do.

In: a server's port. Out: how long each submission took (sending the form, following the redirect,
having the next page) and what was acknowledged. Absent: rendering.
"""

import asyncio
import contextlib
import gzip
import itertools
import random
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode

_TAG = re.compile(r"<(input|button|textarea)\b([^>]*)>")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
# Nobody answers faster than this; howgood takes who does for a script and slows it down.
QUICKEST = 0.03


class GoneError(Exception):
    """The server went away in the middle of a request."""


@dataclass(slots=True)
class Response:
    status: int
    headers: dict[str, str]
    text: str


class Browser:
    """One connection that is kept open, like a browser's, through a proxy on the server's machine.

    Everybody comes from an address of their own, as the proxy says: no server may take fifty people
    for one in a hurry.
    """

    _people = itertools.count(1)

    def __init__(self, port: int) -> None:
        self.port = port
        number = next(self._people)
        self.address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def get(self, path: str) -> Response:
        return await self._ask("GET", path, b"")

    async def post(self, path: str, form: dict[str, str]) -> Response:
        return await self._ask("POST", path, urlencode(form).encode())

    async def follow(self, path: str) -> tuple[str, Response]:
        """Get a page, following redirects; return where it is."""
        response = await self.get(path)
        while response.status in (302, 303, 307):
            path = response.headers["location"]
            response = await self.get(path)
        return path, response

    async def _ask(self, method: str, path: str, body: bytes) -> Response:
        """Send a request; over a new connection if the server has closed an idle one."""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"X-Forwarded-For: {self.address}\r\nAccept-Encoding: gzip\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        was_open = self.writer is not None
        try:
            return await self._exchange(head.encode() + body)
        except GoneError:
            if not was_open:
                raise
            return await self._exchange(head.encode() + body)

    async def _exchange(self, request: bytes) -> Response:
        try:
            if self.writer is None:
                self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
            self.writer.write(request)
            return await self._read()
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            await self.close()
            raise GoneError from error

    async def _read(self) -> Response:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in head[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        if headers.get("transfer-encoding") == "chunked":
            body = await self._read_chunks()
        else:
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            await self.close()
        if headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        return Response(int(head[0].split()[1]), headers, body.decode())

    async def _read_chunks(self) -> bytes:
        body = b""
        while size := int(await self.reader.readuntil(b"\r\n"), 16):
            body += (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readexactly(2)
        return body

    async def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
            with contextlib.suppress(OSError):
                await self.writer.wait_closed()
        self.reader = self.writer = None


def filled_form(page: str, chance: random.Random) -> dict[str, str]:
    """Return what someone could send from a page: a choice per question, one of the buttons."""
    form: dict[str, str] = {}
    radios: dict[str, list[str]] = {}
    buttons: list[tuple[str, str]] = []
    for tag, text in _TAG.findall(page):
        about = {name: unescape(value) for name, value in _ATTRIBUTE.findall(text)}
        name, kind = about.get("name", ""), about.get("type", tag)
        if kind == "radio":
            radios.setdefault(name, []).append(about["value"])
        elif kind == "button" and name and about["value"] not in ("no", "undo"):
            buttons.append((name, about["value"]))
        elif kind == "hidden":
            form[name] = about.get("value", "")
        elif kind == "text":
            form[name] = str(chance.randint(18, 90))
    form |= {name: chance.choice(values) for name, values in radios.items()}
    if buttons:
        name, value = chance.choice(buttons)
        form[name] = value
    return form


@dataclass(slots=True)
class Load:
    """What many people experienced."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    wrong: int = 0

    def __iadd__(self, other: "Load") -> "Load":
        self.seconds += other.seconds
        self.cpu_seconds += other.cpu_seconds
        self.latencies += other.latencies
        self.wrong += other.wrong
        return self

    @property
    def per_second(self) -> float:
        return len(self.latencies) / self.seconds

    @property
    def cpu_ms(self) -> float:
        """What the server computed for one submission."""
        return 1000 * self.cpu_seconds / len(self.latencies)

    def quantile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def submit(browser: Browser, path: str, form: dict[str, str]) -> tuple[str, Response]:
    """Send a form and have the page that follows it."""
    sent = await browser.post(path, form)
    if sent.status not in (302, 303):
        return path, sent
    return await browser.follow(sent.headers["location"])


async def keep_submitting(
    begun_as: tuple[Browser, str, Response],
    starts: Callable[[], Awaitable[tuple[Browser, str, Response]]],
    load: Load,
    *,
    until: float,
    seed: int,
    think: float = 0.0,
    counts: Callable[[str], bool] = lambda page: True,
) -> None:
    """Answer page after page, beginning anew at the end, until the time is over."""
    chance = random.Random(seed)  # noqa: S311 - chance for a test, not for secrets
    browser, path, page = begun_as
    while time.perf_counter() < until:
        form = filled_form(page.text, chance)
        if "<form" not in page.text or not form:
            await browser.close()
            browser, path, page = await starts()
            load.wrong += page.status != 200
            continue
        if think:
            await asyncio.sleep(chance.uniform(0.5, 1.5) * think)
        begun = time.perf_counter()
        is_counted = counts(page.text)
        path, page = await submit(browser, path, form)
        took = time.perf_counter() - begun
        if page.status != 200:
            load.wrong += 1
        elif is_counted:
            load.latencies.append(took)
        if took < QUICKEST:
            await asyncio.sleep(QUICKEST - took)
    await browser.close()


async def begin_howgood(port: int, slug: str, seed: int) -> tuple[Browser, str, Response]:
    """Come to a study's door and consent."""
    browser = Browser(port)
    door = await browser.get(f"/s/{slug}")
    form = filled_form(door.text, random.Random(seed))  # noqa: S311 - chance for a test, not for secrets
    path, page = await submit(browser, f"/s/{slug}", form)
    return browser, path, page
