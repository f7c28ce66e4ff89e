"""How long and how much we listen before somebody has said what they want.

In: connections and bodies that come slowly or never end. Out: a closed connection or a short page.
Absent: how much may be sent in all (`guards`, and each route).

A server that waits for everybody can be held up by a few who send one byte a minute: each takes one
of the places of `guards.Busy`. So the head of a request has a time and a size, and its body a
pace that the slowest telephone line keeps.
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
    """HTTP that hangs up on heads which take too long or do not end."""

    _head_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0

    # uvicorn narrows asyncio's BaseTransport to Transport, and so must we.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
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

    def _await_head(self) -> None:
        if self._head_timer is None:
            self._head_bytes = 0
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
