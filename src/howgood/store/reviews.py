"""What researchers decided about people: excluded and why, a note, whether they were paid.

In: a connection, participants. Out: `Review`s. Absent: what follows from one (`records.inclusion`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.schema import participants, reviews


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A decision about one person; nobody has looked at most."""

    excluded_because: str = ""
    note: str = ""
    is_paid: bool = False


def of_people(connection: Connection, numbers: Iterable[int]) -> dict[int, Review]:
    """Return the decisions about these people, by number; most have none."""
    rows = connection.execute(sa.select(reviews).where(reviews.c.participant_id.in_(list(numbers))))
    return {
        row.participant_id: Review(
            excluded_because=row.excluded_because, note=row.note, is_paid=row.is_paid
        )
        for row in rows
    }


def notes(connection: Connection, study: int) -> list[tuple[int, str]]:
    """Return the notes about people of a study, by number."""
    rows = connection.execute(
        sa.select(reviews.c.participant_id, reviews.c.note)
        .join(participants, participants.c.id == reviews.c.participant_id)
        .where(participants.c.study_id == study, reviews.c.note != "")
        .order_by(reviews.c.participant_id)
    )
    return [(int(number), str(note)) for number, note in rows]


def excluded(connection: Connection, study: int) -> int:
    """Return how many people of a study are excluded."""
    counted = connection.execute(
        sa.select(sa.func.count())
        .select_from(reviews.join(participants, participants.c.id == reviews.c.participant_id))
        .where(
            participants.c.study_id == study,
            participants.c.is_pilot.is_(False),
            reviews.c.excluded_because != "",
        )
    ).scalar_one()
    return int(counted)


def put(
    connection: Connection, study: int, person: int, review: Review, *, actor: str, now: datetime
) -> bool:
    """Keep a decision about a person of this study; False if there is no such person."""
    is_known = connection.execute(
        sa.select(participants.c.id).where(
            participants.c.id == person, participants.c.study_id == study
        )
    ).one_or_none()
    if is_known is None:
        return False
    connection.execute(sa.delete(reviews).where(reviews.c.participant_id == person))
    connection.execute(
        sa.insert(reviews).values(
            participant_id=person,
            excluded_because=review.excluded_because,
            note=review.note,
            is_paid=review.is_paid,
            actor=actor,
            changed_at=now,
        )
    )
    return True
