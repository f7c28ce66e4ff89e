"""A form that was sent after the session had ended: kept through signing in, then saved.

In: a request without a session. Out: the sign-in page with what was typed as hidden fields, and
after signing in the same form again. Absent: files, which no page can hold: they are chosen again.

Nothing is stored for strangers: what was typed travels in the page. Only a form that a page of ours
sent is kept; signing in then checks its own signature. Where the form's own signature holds no
more, because its person signed out in another tab, it is not saved but shown again.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from howgood.web.access import (
    ForbiddenError,
    OutdatedFormError,
    SignInNeededError,
    home,
    sent_form,
)
from howgood.web.dashboard import dashboard
from howgood.web.middleware import LARGEST_FORM

_PREFIX, _OUTDATED = "unsaved.", "unsaved-outdated"
# Names in the page are longer by the prefix, and strangers may send no more than any form.
_LARGEST = LARGEST_FORM // 2
_SAID = (
    "Your session has ended. Sign in, and what you typed is saved; files have to be chosen again."
)
_SAID_OUTDATED = (
    "You signed out since the page was opened. Sign in, and what you typed is shown again; files "
    "have to be chosen again."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsavedForm:
    """What was typed into a page of a study's form, and over which edition."""

    slug: str
    part: str
    fields: Mapping[str, list[str]]
    is_outdated: bool = False

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """The fields as the sign-in page carries them."""
        marks = [(_OUTDATED, "yes")] if self.is_outdated else []
        typed = [(name, value) for name, values in self.fields.items() for value in values]
        return [*marks, *((_PREFIX + name, value) for name, value in typed)]


async def sign_in_first(request: Request) -> Response:
    """Show the sign-in page with what was typed; what is no form of ours is not read."""
    slug, part = request.path_params["slug"], request.path_params["part"]
    address = f"/studies/{slug}/edit/{part}"
    try:
        if int(request.headers.get("content-length", LARGEST_FORM)) > _LARGEST:
            raise SignInNeededError(address)
        form, is_outdated = await _sent(request)
    except ForbiddenError as error:
        raise SignInNeededError("") from error
    fields = _texts(form, "")
    unsaved = UnsavedForm(slug=slug, part=part, fields=fields, is_outdated=is_outdated)
    values = {
        "target": address,
        "name": "",
        "problem": "",
        "unsaved": unsaved.hidden,
        "notice": _SAID_OUTDATED if is_outdated else _SAID,
        # Only a password goes with the form: other ways lead away from this page.
        "challenge": None,
        "provider": "",
    }
    return dashboard(request, "login.html", researcher=None, status=401, **values)


async def _sent(request: Request) -> tuple[FormData, bool]:
    """Return the form, and whether it is of a session that this browser has left.

    Without a session, what other sites send looks the same: it says where it comes from.
    """
    try:
        return await sent_form(request), False
    except OutdatedFormError as error:
        if request.headers.get("origin", "") != home(request):
            raise
        return error.form, True


def unsaved_form(form: FormData, target: str) -> UnsavedForm | None:
    """Return the form that a sign-in carries along, if it does."""
    fields = _texts(form, _PREFIX)
    parts = target.split("/")
    is_edit = len(parts) == 5 and parts[1] == "studies" and parts[3] == "edit"
    if not fields or not is_edit:
        return None
    is_outdated = form.get(_OUTDATED) == "yes"
    return UnsavedForm(slug=parts[2], part=parts[4], fields=fields, is_outdated=is_outdated)


def _texts(form: FormData, prefix: str) -> dict[str, list[str]]:
    return {
        name.removeprefix(prefix): texts
        for name in form
        if name.startswith(prefix)
        and name != "csrf"
        and (texts := [entry for entry in form.getlist(name) if isinstance(entry, str)])
    }
