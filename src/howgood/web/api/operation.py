"""One operation of the API: how it is called, what it needs, what it gives.

In: declarations. Out: `Operation`, from which routes, checks and the OpenAPI document are made.
Absent: the operations themselves (`studies`, `data`, `in_use`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from howgood.errors import UnknownNameError
from howgood.flow.hosting import Host
from howgood.records.api_token import ApiToken
from howgood.records.record import Record
from howgood.store.in_use import Product

API_ROOT = "/api/v1"
_MOST_DIGITS = 18
# The scope of what products send with a token of their own.
PRODUCT = "product"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One checked request, as an operation sees it."""

    host: Host
    token: ApiToken | None
    path: Mapping[str, str]
    query: Any
    body: Any
    home: str
    now: datetime
    product: Product | None = None

    @property
    def slug(self) -> str:
        """The study in the address."""
        return self.path["slug"]

    def number(self, name: str) -> int:
        """Return a part of the address that is a number; nothing else is found there."""
        text = self.path[name]
        if not (text.isascii() and text.isdecimal() and len(text) < _MOST_DIGITS):
            raise UnknownNameError(where=name, name=text[:40], names=())
        return int(text)

    @property
    def actor(self) -> str:
        """Who does it, for the audit."""
        return f"token {self.token.name}" if self.token else "api"


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """An answer that is made while it is sent."""

    name: str
    media_type: str
    pieces: Iterator[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """How something is asked of the API.

    `query` and `body` are record types: their annotations check the request and document it.
    `answer` is a record type, or None for a streamed answer of one of `media`. `scope` is None for
    what everybody may read where the library is public, and else everybody with a valid token;
    `PRODUCT` needs the token of the product in the address instead.
    """

    method: str
    path: str
    name: str
    summary: str
    run: Callable[[Call], Record | Streamed]
    scope: str | None
    answer: type[Record] | None
    query: type[Record] | None = None
    body: type[Record] | None = None
    status: int = 200
    media: tuple[str, ...] = field(default=("application/json",))
    largest: int = 64 * 1024
    group: str = "Studies"

    @property
    def address(self) -> str:
        """The whole path."""
        return API_ROOT + self.path

    @property
    def names(self) -> tuple[str, ...]:
        """The parts of the path that are filled in."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))
