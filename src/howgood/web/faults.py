"""A fault of ours: a page for who met it, and for the log where it happened, never what was said.

In: exceptions that no route expects. Out: the page of a fault, and one line. Absent: what is
expected to go wrong (`app`).

The text of an exception may repeat what somebody sent. So the log gets its kind and the lines of
the program it passed, which is what a fault is found by, and nothing of the text.
"""

import logging

from starlette.types import ASGIApp, Receive, Scope, Send

from howgood.flow.whereabouts import whereabouts
from howgood.web.guards import Answering, refuse

_log = logging.getLogger("howgood.web")


class Faults:
    """Takes exceptions before a server could write them out in full."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; a fault becomes a page, unless an answer has begun."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answering = Answering(send)
        try:
            await self.app(scope, receive, answering)
        except Exception as error:  # the last gate: whatever it is, people get a page
            _log.error("fault %s", whereabouts(error))
            if not answering.has_begun:
                await refuse("failed", 500, scope, receive, send)
