"""The versions of a study: when each came, from where, and who is on it.

In: a connection and a study's number. Out: small records. Absent: their content (`studies`).
"""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.records.participant import Status
from howgood.store.schema import participants, versions


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One version; `people` counts everybody who began with it, `active` those still inside."""

    number: int
    digest: str
    created_at: datetime
    file_at: datetime | None
    people: int
    active: int


def history(connection: Connection, study: int) -> tuple[VersionRow, ...]:
    """Return the versions of a study, the one new participants get first."""
    is_active = participants.c.status == Status.ACTIVE.value
    began = participants.c.status != Status.INVITED.value
    rows = connection.execute(
        sa.select(
            versions.c.id,
            versions.c.digest,
            versions.c.created_at,
            versions.c.file_at,
            sa.func.count(sa.case((began, 1))).label("people"),
            sa.func.count(sa.case((is_active, 1))).label("active"),
        )
        .outerjoin(participants, participants.c.version_id == versions.c.id)
        .where(versions.c.study_id == study)
        .group_by(versions.c.id, versions.c.digest, versions.c.created_at, versions.c.file_at)
        .order_by(versions.c.created_at.desc(), versions.c.id.desc())
    )
    return tuple(
        VersionRow(
            number=row.id,
            digest=row.digest,
            created_at=row.created_at,
            file_at=row.file_at,
            people=row.people,
            active=row.active,
        )
        for row in rows
    )


def renew(connection: Connection, number: int, *, now: datetime) -> None:
    """Make a version the newest again."""
    connection.execute(sa.update(versions).where(versions.c.id == number).values(created_at=now))
