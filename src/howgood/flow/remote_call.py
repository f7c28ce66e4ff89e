"""A remote server, asked as its own description says.

In: an address, a token, an operation by its name and what it needs. Out: what the server answers.
Absent: the operations: the server's description (`/api/openapi.json`) names them, so that any
version can be asked. The token is sent to this server alone, over https or to this machine.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from howgood.errors import InputError, UnknownNameError

_SECONDS, _PIECE, _LARGEST = 60.0, 256 * 1024, 4_000_000
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class RemoteError(InputError):
    """A server that refused, or did not answer."""

    def __init__(self, found: str, cure: str, needed: str = "an answer") -> None:
        super().__init__(where="server", found=found, needed=needed, cure=cure)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token is for this server alone."""

    def redirect_request(self, *_given: object, **_named: object) -> None:
        """Follow nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteServer:
    """A server and the token that opens it."""

    home: str
    token: str = ""

    def operations(self) -> Mapping[str, tuple[str, str, Mapping[str, Any]]]:
        """Return what the server offers: method, path and description by name."""
        with self._opened("GET", "/api/openapi.json", None) as answer:
            document = json.loads(answer.read(_LARGEST))
        return {
            about["operationId"]: (method.upper(), path, about)
            for path, methods in document["paths"].items()
            for method, about in methods.items()
        }

    def call(
        self, operation: str, given: Mapping[str, str], body: object = None
    ) -> Iterator[bytes]:
        """Yield the pieces of what an operation answers; `given` fills its address and query."""
        known = self.operations()
        if operation not in known:
            raise UnknownNameError(where="operation", name=operation, names=list(known))
        method, path, about = known[operation]
        address = _address(path, about, given)
        with self._opened(method, address, body) as answer:
            while piece := answer.read(_PIECE):
                yield piece

    def _opened(self, method: str, path: str, body: object) -> HTTPResponse:
        parts = urlsplit(self.home)
        is_near = parts.scheme == "http" and parts.hostname in _LOOPBACK
        if not (is_near or parts.scheme == "https"):
            raise RemoteError(
                "an address that is not https", "Write --server with an https address"
            )
        head = {"Accept": "*/*", "User-Agent": "howgood"}
        if self.token:
            head["Authorization"] = f"Bearer {self.token}"
        content = None
        if body is not None:
            content, head["Content-Type"] = json.dumps(body).encode(), "application/json"
        request = urllib.request.Request(  # noqa: S310 - https or this machine, checked above
            self.home.rstrip("/") + path, data=content, headers=head, method=method
        )
        try:
            opened: HTTPResponse = urllib.request.build_opener(_NoRedirect).open(
                request, timeout=_SECONDS
            )
        except urllib.error.HTTPError as error:
            raise _refused(error) from None
        except (OSError, HTTPException) as error:
            why = getattr(error, "reason", "") or error or type(error).__name__
            raise RemoteError(
                f"no answer ({why})", "Is the address right, and the server up?"
            ) from None
        return opened


def _refused(error: urllib.error.HTTPError) -> RemoteError:
    """Return what the server says is wrong, in its own words where it has some."""
    try:
        said = json.loads(error.read(100_000))
    except (ValueError, OSError):
        said = {}
    if error.code == 401:
        return RemoteError(
            "no token that it knows", "Set HOWGOOD_TOKEN; the page API tokens makes one."
        )
    if not isinstance(said, dict) or "found" not in said:
        return RemoteError(f"answer {error.code}", "Look at the address and the operation.")
    where = f"{said.get('where', '')}: " if said.get("where") else ""
    return RemoteError(
        f"{where}{said['found']}", str(said.get("cure", "")), str(said.get("needed", "an answer"))
    )


def _address(path: str, about: Mapping[str, Any], given: Mapping[str, str]) -> str:
    places = {parameter["name"]: parameter["in"] for parameter in about.get("parameters", ())}
    for name in given:
        if name not in places:
            raise UnknownNameError(where="parameter", name=name, names=list(places))
    missing = [name for name, place in places.items() if place == "path" and name not in given]
    if missing:
        raise InputError(
            where=about["operationId"], found=f"no {missing[0]}", needed=", ".join(places),
            cure=f"Write {missing[0]}=VALUE.",
        )  # fmt: skip
    for name, place in places.items():
        if place == "path":
            path = path.replace(f"{{{name}}}", quote(given[name], safe=""))
    query = {name: value for name, value in given.items() if places[name] == "query"}
    return f"{path}?{urlencode(query)}" if query else path
