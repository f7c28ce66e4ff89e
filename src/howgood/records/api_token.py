"""A key for programs: what it may do, where, and until when.

In: what the database holds. Out: a frozen record. Absent: the key itself, which is shown once and
stored only as its digest.
"""

from dataclasses import dataclass
from datetime import datetime

from howgood.records.researcher import Researcher, Role

SCOPES = {
    "studies:read": "list studies and read their texts",
    "studies:write": "create, change, open, close and delete studies",
    "participants:read": "count and list participants, with further questions and times",
    "participants:write": "make personal links, and erase participants",
    "answers:read": "read answers, codebooks and exports, which hold participants too",
    "identities:read": "read the ids that recruiting platforms gave, with a reason",
    "answers:write": "import answers collected by other tools",
    "fits:read": "see fits and their results",
    "fits:write": "ask for fits, send tables to judge, and cancel both",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """One key; `study` is the only study it may touch, None for all.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from datetime import UTC
    >>> token = ApiToken(number=1, name="nightly", scopes=("answers:read",), study="alarm",
    ...                  owner="ada", researcher=1, role="owner", created_at=datetime.now(UTC),
    ...                  expires_at=None)
    >>> token.allows("answers:read"), token.allows("studies:write"), token.reaches("doors")
    (True, False, False)
    """

    number: int
    name: str
    scopes: tuple[str, ...]
    study: str | None
    owner: str
    researcher: int
    role: Role
    created_at: datetime
    expires_at: datetime | None

    def allows(self, scope: str) -> bool:
        """Whether the key has this scope."""
        return scope in self.scopes

    @property
    def holder(self) -> Researcher:
        """In whose name the key acts: it may do what they may do now."""
        return Researcher(number=self.researcher, name=self.owner, role=self.role)

    def reaches(self, slug: str) -> bool:
        """Whether the key may touch this study."""
        return self.study is None or self.study == slug
