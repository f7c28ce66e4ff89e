"""What facilitators wrote down while people took part.

In: a connection, a study, a participant. Out: `SessionNote`s. Absent: who may write them.
"""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.schema import participants, session_notes


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionNote:
    """One note: about whom, on which question (empty: thought aloud), at which page, by whom."""

    participant: int
    topic: str
    screen: str
    text: str
    actor: str
    noted_at: datetime


def of_study(
    connection: Connection, study: int, *, participant: int | None = None
) -> tuple[SessionNote, ...]:
    """Return the notes of a study, or about one person of it, in the order they were written."""
    query = (
        sa.select(session_notes)
        .join(participants, participants.c.id == session_notes.c.participant_id)
        .where(participants.c.study_id == study)
        .order_by(session_notes.c.id)
    )
    if participant is not None:
        query = query.where(session_notes.c.participant_id == participant)
    return tuple(
        SessionNote(
            participant=row.participant_id,
            topic=row.topic,
            screen=row.screen,
            text=row.text,
            actor=row.actor,
            noted_at=row.noted_at,
        )
        for row in connection.execute(query)
    )


def add(connection: Connection, note: SessionNote) -> None:
    """Keep a note."""
    connection.execute(
        sa.insert(session_notes).values(
            participant_id=note.participant,
            topic=note.topic,
            screen=note.screen,
            text=note.text,
            actor=note.actor,
            noted_at=note.noted_at,
        )
    )
