"""Take out what was stored about one person, or a whole study.

In: a connection inside a write. Out: what was taken. Absent: the disk; see `Database.scrub`.
"""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.schema import jobs, participants, studies, uploads

IMPORT = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """Whose data is gone; the digest is for forgetting what was remembered."""

    number: int
    token_digest: str


def participant(connection: Connection, study: int, who: str) -> Erased | None:
    """Delete a participant, named by number or by the platform's id, with all they left.

    Screens and answers go with them. So do results, which may hold one person's numbers, and tables
    that wait to be imported, which may hold their rows.
    """
    is_meant = participants.c.external_id == who
    if who.isdecimal() and len(who) < 18:
        is_meant = sa.or_(is_meant, participants.c.id == int(who))
    gone = connection.execute(
        sa.select(participants.c.id, participants.c.token_digest)
        .where(participants.c.study_id == study, is_meant)
        .order_by(participants.c.id != (int(who) if who.isdecimal() and len(who) < 18 else 0))
    ).first()
    if gone is None:
        return None
    connection.execute(sa.delete(participants).where(participants.c.id == gone.id))
    connection.execute(sa.delete(jobs).where(jobs.c.study_id == study))
    connection.execute(
        sa.delete(uploads).where(uploads.c.study_id == study, uploads.c.purpose == IMPORT)
    )
    return Erased(number=gone.id, token_digest=gone.token_digest)


def study(connection: Connection, number: int) -> int:
    """Delete a study with everything in it; return how many participants it had."""
    count = connection.execute(
        sa.delete(participants).where(participants.c.study_id == number)
    ).rowcount
    connection.execute(sa.delete(studies).where(studies.c.id == number))
    return count
