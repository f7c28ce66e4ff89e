"""The character zero: no keyboard types it, and PostgreSQL keeps no text that holds it.

In: requests and the forms in them. Out: the same, or a 400 that says so. Absent: files, which may
hold any byte, and JSON (`api.reading`). On SQLite it is refused too: a study can move.
"""

from collections.abc import Iterable

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from howgood.web.api.problem import problem
from howgood.web.guards import refuse

_ZERO = "\x00"
_FACTS = {
    "where": "address",
    "found": "a character zero, which is no text",
    "needed": "text",
    "cure": "Correct the address.",
}


class Characters:
    """Lets no address with a character zero in its path or its parameters through."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at the address, then pass the request on."""
        if scope["type"] != "http" or not _has_zero(scope):
            await self.app(scope, receive, send)
        elif scope["path"].startswith("/api/"):
            await problem(400, _FACTS)(scope, receive, send)
        else:
            await refuse("unreadable", 400, scope, receive, send)


def _has_zero(scope: Scope) -> bool:
    query: bytes = scope["query_string"]
    return _ZERO in scope["path"] or b"%00" in query or b"\x00" in query


def refuse_zero(texts: Iterable[str]) -> None:
    """Refuse a form if a name or a text in it holds a character zero."""
    if any(_ZERO in text for text in texts):
        raise HTTPException(400)
