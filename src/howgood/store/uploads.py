"""Files researchers upload to be judged: a classifier's scores, systems' predictions.

In: a connection and bytes. Out: the same bytes. Absent: what is in them (`flow.results`).
"""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.schema import uploads

# Old uploads make room for new ones: a study keeps this many of each purpose.
MOST_KEPT = 20
# The purpose of a table that waits to be imported; others wait to be judged.
IMPORT = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One uploaded file."""

    number: int
    study: int
    purpose: str
    name: str
    content: bytes


def add(
    connection: Connection, study: int, purpose: str, name: str, content: bytes, *, now: datetime
) -> int:
    """Store a file and return its number."""
    row = connection.execute(
        sa.insert(uploads)
        .values(study_id=study, purpose=purpose, name=name, content=content, created_at=now)
        .returning(uploads.c.id)
    )
    number = int(row.scalar_one())
    of_this_kind = sa.and_(uploads.c.study_id == study, uploads.c.purpose == purpose)
    newest = (
        sa.select(uploads.c.id).where(of_this_kind).order_by(uploads.c.id.desc()).limit(MOST_KEPT)
    )
    connection.execute(
        sa.delete(uploads).where(of_this_kind, uploads.c.id.not_in(newest.scalar_subquery()))
    )
    return number


def find(connection: Connection, study: int, number: int) -> Upload | None:
    """Return a file of this study; another study's stays hidden."""
    row = connection.execute(
        sa.select(uploads).where(uploads.c.id == number, uploads.c.study_id == study)
    ).one_or_none()
    if row is None:
        return None
    return Upload(
        number=row.id,
        study=row.study_id,
        purpose=row.purpose,
        name=row.name,
        content=bytes(row.content),
    )


def remove(connection: Connection, study: int, number: int) -> None:
    """Delete a file of this study."""
    connection.execute(
        sa.delete(uploads).where(uploads.c.id == number, uploads.c.study_id == study)
    )
