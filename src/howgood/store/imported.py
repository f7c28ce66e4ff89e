"""Who was imported before.

In: a connection and ids of people in a file. Out: those the study knows. Absent: storing them
(`participants`, `answers`).
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.schema import participants, versions

# Databases limit how many values one statement may hold.
_AT_ONCE = 500


def known_ids(connection: Connection, study: int, ids: Sequence[str]) -> frozenset[str]:
    """Return those of the ids that belong to participants of this study."""
    found: set[str] = set()
    for start in range(0, len(ids), _AT_ONCE):
        rows = connection.execute(
            sa.select(participants.c.external_id).where(
                participants.c.study_id == study,
                participants.c.external_id.in_(ids[start : start + _AT_ONCE]),
            )
        )
        found.update(rows.scalars())
    return frozenset(found)


def version_with_digest(connection: Connection, study: int, digest: str) -> int | None:
    """Return the number of the version with this fingerprint."""
    number: int | None = connection.execute(
        sa.select(versions.c.id).where(versions.c.study_id == study, versions.c.digest == digest)
    ).scalar()
    return number
