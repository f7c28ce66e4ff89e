"""How long we listen to somebody, and how long we wait for somebody who does not listen.

In: connections and bodies that come slowly or never end, and readers who stop reading. Out: a
closed connection or a short page. Absent: how much may be sent in all (`guards`, and each route).

A server that waits for everybody can be held up by a few who send one byte a minute: each takes one
of the places of `guards.Busy`. So the head of a request has a time and a size, and its body a
pace that the slowest telephone line keeps. An answer may be read at any pace, but who takes nothing
of it for a while is hung up on: what waits for them takes memory and a file handle.
"""

import asyncio
import time

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from howgood.web.guards import Answering, refuse

HEAD_SECONDS, HEAD_BYTES = 15.0, 64 * 1024
# A body has this long, and a second more for every so many bytes that have come.
BODY_SECONDS, BODY_BYTES_PER_SECOND = 20.0, 1000
# How often we look whether somebody goes on reading; who took nothing since the last look has left.
# The system keeps up to a few megabytes on the way, and takes more only when much of that is read.
UNREAD_SECONDS = 60.0


class Patience:
    """Waits for a body as long as it keeps coming; then says so and lets go of the connection."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; a body that stays away looks like somebody who has left."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body, answering = _Body(receive), Answering(send)
        try:
            await self.app(scope, body.next, answering)
        except ClientDisconnect:
            if body.is_late and not answering.has_begun:
                await refuse("busy", 408, scope, receive, send)


class _Body:
    """What is received, by a deadline that moves with every byte."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._deadline = time.monotonic() + BODY_SECONDS
        self._is_whole = self.is_late = False

    async def next(self) -> Message:
        if self._is_whole:
            return await self._receive()
        left = self._deadline - time.monotonic()
        try:
            async with asyncio.timeout(max(left, 0.001)):
                message = await self._receive()
        except TimeoutError:
            self.is_late = self._is_whole = True
            return {"type": "http.disconnect"}
        self._is_whole = not message.get("more_body", False)
        self._deadline += len(message.get("body", b"")) / BODY_BYTES_PER_SECOND
        return message


class PatientProtocol(HttpToolsProtocol):
    """HTTP that hangs up on heads which do not end, and on who reads nothing of what they got."""

    _head_timer: asyncio.TimerHandle | None = None
    _reading_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _n_resumed = 0
    _unread: tuple[int, int, object] | None = None

    # uvicorn narrows asyncio's BaseTransport to Transport, and so must we.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._await_head()
        self._reading_timer = self.loop.call_later(UNREAD_SECONDS, self._look_whether_read)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        if self._reading_timer is not None:
            self._reading_timer.cancel()
            self._reading_timer = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head has become too long."""
        if self.cycle is None or self.cycle.response_complete:
            self._await_head()
        super().data_received(data)
        if self._head_timer is not None:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response("The head of this request is too long.")

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        self._await_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Know what is wanted: from here on the application decides how long to wait."""
        self._stop_waiting()
        super().on_headers_complete()

    def resume_writing(self) -> None:
        """Know that something was read."""
        self._n_resumed += 1
        super().resume_writing()

    def _look_whether_read(self) -> None:
        """Hang up at once if what waits here is what waited at the last look.

        One timer for the life of a connection costs less than one for each answer, and it still
        looks when the connection is closed on our side and only waits to be emptied.
        """
        waiting = self.transport.get_write_buffer_size()
        # An equal number of bytes could be those of another piece or another answer.
        unread = (waiting, self._n_resumed, self.cycle) if waiting else None
        if unread is not None and unread == self._unread:
            self.transport.abort()
            return
        self._unread = unread
        self._reading_timer = self.loop.call_later(UNREAD_SECONDS, self._look_whether_read)

    def _await_head(self) -> None:
        if self._head_timer is None:
            self._head_bytes = 0
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
