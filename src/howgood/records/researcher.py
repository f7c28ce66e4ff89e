"""Someone who runs studies, and what they may do.

In: what the database holds. Out: a frozen record. Absent: passwords and sessions (`store`).
"""

from dataclasses import dataclass
from typing import Literal

Role = Literal["owner", "viewer"]
ROLES: tuple[Role, ...] = ("owner", "viewer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Researcher:
    """A person with an account: an owner may change everything, a viewer may look at everything.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> Researcher(number=1, name="ada", role="viewer").may_write
    False
    """

    number: int
    name: str
    role: Role

    @property
    def may_write(self) -> bool:
        """Whether this person may change anything."""
        return self.role == "owner"
