"""What came with a request: numbers, a researcher's file, and when.

In: a request. Out: plain values, the time. Absent: forms of participants (`routes.taking_part`).
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

_DIGITS = 9


def now() -> datetime:
    """Return the moment, in UTC: where the requests of researchers ask for the time."""
    return datetime.now(UTC)


def refuse_zero(texts: Iterable[str]) -> None:
    """Refuse a form if a text in it holds a character zero, which no database keeps as text.

    Only PostgreSQL refuses it by itself; on SQLite it is refused too, for a study can move.
    """
    if any("\x00" in text for text in texts):
        raise HTTPException(400)


def whole(text: str, *, otherwise: int) -> int:
    """Return a whole number that somebody sent, if it is one that a database can hold.

    Examples
    --------
    >>> whole("12", otherwise=0), whole("-1", otherwise=0), whole("9" * 5000, otherwise=1)
    (12, 0, 1)
    """
    return int(text) if text.isdecimal() and len(text) <= _DIGITS else otherwise


async def sent_file(form: FormData) -> tuple[str, bytes]:
    """Return the name and content of the file in a form; both empty when there is none."""
    file = form.get("file")
    sent = ("", b"")
    if isinstance(file, UploadFile) and file.filename:
        sent = (file.filename, await file.read())
    await form.close()
    return sent


def is_larger(request: Request, most: int) -> bool:
    """Return whether a request says that more bytes follow than we would read."""
    return int(request.headers.get("content-length", "0")) > most
