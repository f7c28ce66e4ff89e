"""One person taking part, and the place they have reached.

In: what the database holds. Out: frozen records. Absent: names and addresses (none are kept), the
personal link itself (only its digest is stored), and answers' meaning (see `study`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """How far a participant has come.

    Stability: experimental
    """

    INVITED = "invited"  # a personal link nobody has used yet
    ACTIVE = "active"  # consented: holds a place and a condition
    EXPIRED = "expired"  # sent nothing for too long; the place went back, the answers stay
    COMPLETE = "complete"
    DECLINED = "declined"  # said no at consent
    FULL = "full"  # consented when every place was taken
    SCREENED_OUT = "screened_out"  # cannot take part, by their answers; holds no place


STATUS_MEANINGS: Mapping[Status, str] = {
    Status.INVITED: "has a personal link and has not used it",
    Status.ACTIVE: "consented and has not finished",
    Status.EXPIRED: "sent nothing for too long; the answers stay",
    Status.COMPLETE: "finished",
    Status.DECLINED: "said no at consent",
    Status.FULL: "consented when every place was taken, or a quota was full for their answers",
    Status.SCREENED_OUT: "could not take part, by the answers given",
}
# Those who count towards quotas and the balance of conditions.
HOLDING = (Status.ACTIVE, Status.COMPLETE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """One person in one version of one study.

    Stability: experimental
    """

    number: int
    study: int
    version: int
    seed: int
    status: Status
    condition: str | None
    is_pilot: bool
    origin: Mapping[str, str]
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a participant is: the last screen stored, as it was stored.

    Stability: experimental
    """

    participant: Participant
    screen: str | None
    number: int
    content: Mapping[str, Any]
    shown_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """One answer as it was stored, and the screen it belongs to.

    Stability: experimental
    """

    screen: str
    content: Mapping[str, Any]
    shown_at: datetime
    answered_at: datetime
