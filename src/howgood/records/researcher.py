"""Someone who runs studies, and what they may do.

In: what the database holds. Out: frozen records, and the one table of what each role may do.
Absent: passwords and sessions (`store`), and which address needs which permission
(`web.permissions`).

An account has a role on the whole server; a study is shared with people and groups in a role of its
own. Whoever has several roles in a study may do what any of them allows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["owner", "member", "guest", "viewer"]
# What an account may do on the whole server, in the words of the page that invites.
SERVER_ROLES: Mapping[Role, str] = {
    "member": "sees the studies that are shared with them, and makes studies of their own",
    "guest": "sees the studies that are shared with them",
    "viewer": "reads results and texts of every study, sees no answers and changes nothing",
    "owner": "may do everything, in every study and with every account",
}
ROLES: tuple[Role, ...] = tuple(SERVER_ROLES)

StudyRole = Literal["owner", "editor", "analyst", "viewer", "recruiter"]
STUDY_ROLES: Mapping[StudyRole, str] = {
    "viewer": "reads results and texts",
    "analyst": "reads results and pseudonymised data, and runs fits",
    "recruiter": "watches the study and makes personal links; sees no answers",
    "editor": "writes, opens and closes the study, imports, fits, erases participants",
    "owner": "may do everything in the study: sharing, data with platform ids, deleting",
}

Permission = Literal[
    "live", "links", "texts", "results", "fit", "data", "edit", "erase",
    "identified", "share", "delete",
]  # fmt: skip
Permissions = frozenset[Permission]
_VIEWER: Permissions = frozenset({"live", "texts", "results"})
_ANALYST: Permissions = _VIEWER | Permissions({"fit", "data"})
_EDITOR: Permissions = _ANALYST | Permissions({"links", "edit", "erase"})
ALLOWED: Mapping[StudyRole, Permissions] = {
    "owner": _EDITOR | Permissions({"identified", "share", "delete"}),
    "editor": _EDITOR,
    "analyst": _ANALYST,
    "viewer": _VIEWER,
    "recruiter": frozenset({"live", "links"}),
}


def allowed(roles: Iterable[StudyRole]) -> Permissions:
    """Return what somebody with these roles in a study may do there.

    Examples
    --------
    >>> sorted(allowed(["viewer", "recruiter"]))
    ['links', 'live', 'results', 'texts']
    """
    return Permissions().union(*(ALLOWED[role] for role in roles))


@dataclass(frozen=True, slots=True, kw_only=True)
class Researcher:
    """A person with an account; `permissions` are those in the study that is looked at.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> Researcher(number=1, name="ada", role="viewer").may_write
    False
    >>> Researcher(number=1, name="ada", role="member", permissions=allowed(["editor"])).may_write
    True
    """

    number: int
    name: str
    role: Role
    permissions: Permissions = field(default=frozenset())

    @property
    def is_owner(self) -> bool:
        """Whether this person may do everything on the whole server."""
        return self.role == "owner"

    @property
    def may_create(self) -> bool:
        """Whether this person may make studies."""
        return self.role in ("owner", "member")

    @property
    def may_write(self) -> bool:
        """Whether this person may change the study that is looked at."""
        return self.may("edit")

    def may(self, permission: Permission) -> bool:
        """Whether this person may do something in the study that is looked at."""
        return self.is_owner or permission in self.permissions
