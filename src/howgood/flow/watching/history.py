"""Who did what, told to owners: the audit in words.

In: a host, perhaps a study's short name. Out: lines, the newest first. Absent: participants, whom
no line names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from howgood.flow.hosting import Host
from howgood.store import audit

MOST_LINES = 200
_WORDS = {
    "close study": "closed the study",
    "closed": "closed the study",
    "create study": "made the study",
    "delete study": "deleted the study",
    "draft begun": "began a draft",
    "draft discarded": "discarded the draft",
    "draft restored": "restored the draft",
    "erase participant": "erased a participant",
    "fit": "asked for a result",
    "import": "imported answers",
    "invited": "invited somebody",
    "joined": "made an account",
    "make token": "made a token",
    "open study": "opened the study",
    "opened": "opened the study",
    "password changed": "changed the password",
    "password link made": "made a link for a new password",
    "password renewed by link": "set a new password by a link",
    "places changed": "changed quota or pilot mode",
    "publish": "put a card into the library",
    "publish version": "published a version",
    "published": "published a version",
    "published again": "published an earlier version again",
    "removed": "removed an account",
    "revoke token": "revoked a token",
    "sign-in failed": "failed to sign in",
    "sign-in refused": "was refused: too many attempts",
    "signed in": "signed in",
    "study made": "made the study",
    "undo import": "undid an import",
    "upload": "uploaded a table",
    "withdraw": "took a card out of the library",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One line: when, who, what, about which study, and how much of it."""

    at: datetime
    who: str
    what: str
    study: str
    more: str


def deeds(host: Host, *, study: str = "") -> tuple[Deed, ...]:
    """Return the latest lines, of one study or of everything; a deleted study keeps its lines."""
    with host.database.reading() as connection:
        found = audit.lines(connection, study=study or None, most=MOST_LINES)
    return tuple(
        Deed(
            at=line.at,
            who=line.actor,
            what=_WORDS.get(line.action, line.action),
            study=line.study or "",
            more=_more(line.detail),
        )
        for line in found
    )


def _more(detail: Mapping[str, Any]) -> str:
    told = {name: value for name, value in detail.items() if value not in (None, "", [], {})}
    return ", ".join(f"{name.replace('_', ' ')}: {_value(value)}" for name, value in told.items())


def _value(value: object) -> str:
    return ", ".join(str(each) for each in value) if isinstance(value, list) else str(value)
