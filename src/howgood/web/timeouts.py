"""How long a connection may say nothing, and how long we wait for somebody who does not read.

In: connections whose requests come slowly or never end, and readers who stop reading. Out: a closed
connection. Absent: bodies of requests (`middleware`), how much may be sent in all (each route).

The head of a request has a time and a size. A response may be read at any pace, but who takes
nothing of it for a while is hung up on: what waits for them takes memory and a file handle.
"""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS, HEAD_BYTES = 15.0, 64 * 1024
# How often we look whether somebody goes on reading; who took nothing since the last look has left.
# The system keeps up to a few megabytes on the way, and takes more only when much of that is read.
UNREAD_SECONDS = 60.0


class TimeoutProtocol(HttpToolsProtocol):
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
