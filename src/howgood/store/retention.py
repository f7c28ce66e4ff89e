"""Until when a study's data is kept, and taking out everything it has collected.

In: a connection. Out: days, and how much went. Absent: one person (`studies.participant`), and the
disk; see `Database.scrub`.
"""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.schema import cards, imports, jobs, participants, refusals, studies, uploads


def study_of(connection: Connection, participant: int) -> str | None:
    """Return the short name of the study that a participant is in."""
    slug: str | None = connection.execute(
        sa.select(studies.c.slug)
        .join(participants, participants.c.study_id == studies.c.id)
        .where(participants.c.id == participant)
    ).scalar_one_or_none()
    return slug


def due(connection: Connection, *, now: datetime) -> tuple[str, ...]:
    """Return the studies whose data is to be erased by now."""
    return tuple(
        connection.execute(sa.select(studies.c.slug).where(studies.c.erase_at <= now)).scalars()
    )


def keep_until(connection: Connection, study: int, until: datetime | None) -> None:
    """Say when a study's data is erased, or that nothing is planned."""
    connection.execute(sa.update(studies).where(studies.c.id == study).values(erase_at=until))


def kept_until(connection: Connection, study: int) -> datetime | None:
    """Return when a study's data is erased; None: nothing is planned."""
    until: datetime | None = connection.execute(
        sa.select(studies.c.erase_at).where(studies.c.id == study)
    ).scalar_one()
    return until


def erase_everybody(connection: Connection, study: int) -> tuple[int, tuple[str, ...]]:
    """Delete everybody in a study with all they left, and close it; its texts stay.

    Return how many participants and which model cards went.
    """
    connection.execute(
        sa.update(studies).where(studies.c.id == study).values(is_open=False, erase_at=None)
    )
    count = connection.execute(
        sa.delete(participants).where(participants.c.study_id == study)
    ).rowcount
    for table in (jobs, uploads, imports, refusals):
        connection.execute(sa.delete(table).where(table.c.study_id == study))
    gone = connection.execute(
        sa.delete(cards).where(cards.c.study_id == study).returning(cards.c.name)
    )
    return count, tuple(sorted(gone.scalars()))
