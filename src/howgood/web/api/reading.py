"""Requests to checked values, by the annotations of an operation's records.

In: a request and its operation. Out: query and body records. Absent: what is done with them.
"""

import json
import re
import types
import typing
from typing import Any

from starlette.requests import ClientDisconnect, Request

from howgood.records.record import Record, read_record
from howgood.web.api.operation import Operation
from howgood.web.api.problem import ApiError

_LONGEST_PART = 300
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def read_path(request: Request, operation: Operation) -> dict[str, str]:
    """Return the parts of the path; what no name can be is not found."""
    found = {name: str(request.path_params[name]) for name in operation.names}
    for name, text in found.items():
        if len(text) > _LONGEST_PART or not _is_text(text):
            raise ApiError(
                404, where=name, found="no such name", needed="a name that exists",
                cure="Check the address.",
            )  # fmt: skip
    return found


def read_query(request: Request, operation: Operation) -> Any:  # noqa: ANN401 - the operation's record
    """Return the parameters as the operation's record."""
    given = request.query_params
    twice = next((name for name in given if len(given.getlist(name)) > 1), None)
    if twice is not None or not all(map(_is_text, given.values())):
        raise ApiError(
            422, where="parameters", found=f"{(twice or 'a value')[:40]!r} twice or no text",
            needed="each parameter once", cure="Correct the address.",
        )  # fmt: skip
    record = operation.query or _NoParameters
    fields = record.model_fields
    values = {
        name: _typed(text, fields[name].annotation) if name in fields else text
        for name, text in given.items()
    }
    return read_record(record, values, where="parameters")


class _NoParameters(Record):
    """An operation without parameters."""


def _typed(text: str, hint: Any) -> Any:  # noqa: ANN401 - an annotation, a plain value
    """Return a parameter's text as what the annotation wants, where it can be."""
    hints = [hint, *typing.get_args(hint)] if isinstance(hint, types.UnionType) else [hint]
    if bool in hints and text in ("true", "false"):
        return text == "true"
    if int in hints and _WHOLE.fullmatch(text):
        return int(text)
    return text


async def read_body(request: Request, operation: Operation) -> Any:  # noqa: ANN401 - the operation's record
    """Return the body as the operation's record."""
    if operation.body is None:
        return None
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        raise ApiError(
            415, where="Content-Type", found=repr(media[:60]), needed="application/json",
            cure="Send JSON.",
        )  # fmt: skip
    text = await _limited(request, operation.largest)
    return read_record(operation.body, _json(text), where="body")


async def _limited(request: Request, largest: int) -> bytes:
    """Read no more than is allowed, whatever the request says about its length."""
    found = bytearray()
    try:
        async for piece in request.stream():
            found += piece
            if len(found) > largest:
                raise ApiError(
                    413, where="body", found=f"more than {largest:,} bytes",
                    needed=f"at most {largest:,}", cure="Send less.",
                )  # fmt: skip
    except ClientDisconnect:
        raise _unreadable("a request that broke off") from None
    return bytes(found)


def _json(text: bytes) -> Any:  # noqa: ANN401 - foreign data, checked by the caller
    try:
        data = json.loads(text, parse_constant=_no_constant)
        whole = json.dumps(data, ensure_ascii=False, allow_nan=False)
        whole.encode()  # half of a character pair is no text
    except (ValueError, RecursionError):
        raise _unreadable("what is no JSON") from None
    if "\\u0000" in whole:
        raise _unreadable("a character zero, which is no text")
    return data


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _unreadable(found: str) -> ApiError:
    return ApiError(400, where="body", found=found, needed="one JSON value", cure="Correct it.")


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text
