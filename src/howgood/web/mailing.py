"""Letters that a page sends while somebody waits.

In: a request and a letter. Out: what became of it, as a page says it. Absent: mail itself
(`flow.mail`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from howgood.errors import InputError
from howgood.flow.mail import Letter, can_mail, mail_address, send_mail


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """To whom a letter went, or why it did not go; both empty when none was asked for."""

    to: str = ""
    problem: str = ""


NOTHING = Posted()


def check_address(text: str) -> str:
    """Return an address without spaces around it; raise what is wrong before anything is made."""
    return mail_address(text) if text.strip() else ""


async def post(request: Request, to: str, write: Callable[[str], Letter]) -> Posted:
    """Send what `write` makes for an address; without one, nothing is sent."""
    settings = request.app.state.settings
    if not to or not can_mail(settings):
        return NOTHING
    try:
        await run_in_threadpool(send_mail, settings, write(to))
    except InputError as error:
        return Posted(problem=f"The letter was not sent: {error.found}. {error.cure}")
    return Posted(to=to)
