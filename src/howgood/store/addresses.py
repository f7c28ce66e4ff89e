"""Addresses that people left: for a thank-you draw, and to be reminded. Apart from their answers.

In: a connection, addresses. Out: lists of addresses, what is due. Absent: checking an address and
sending letters (`flow`). Nothing here is in any export of a study's data.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.records.participant import Status
from howgood.store.schema import (
    draw_entries,
    draw_tickets,
    insert_into,
    participants,
    reminders,
    screens,
)

_NUMBERS = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """A letter that is due: to whom, and the link that leads back."""

    participant: int
    address: str
    token: str
    attempts: int


def has_ticket(connection: Connection, participant: int) -> bool:
    """Return whether somebody takes part in the draw."""
    own = sa.select(draw_tickets).where(draw_tickets.c.participant_id == participant)
    return connection.execute(own).first() is not None


def enter_draw(connection: Connection, study: int, participant: int, address: str) -> bool:
    """Put an address on the list, once per person; return whether this was the first time."""
    ticket = insert_into(connection.dialect.name, draw_tickets).values(participant_id=participant)
    if not connection.execute(ticket.on_conflict_do_nothing()).rowcount:
        return False
    entry = insert_into(connection.dialect.name, draw_entries).values(
        id=secrets.randbelow(_NUMBERS), study_id=study, address=address
    )
    connection.execute(entry.on_conflict_do_nothing())
    return True


def draw_list(connection: Connection, study: int) -> tuple[str, ...]:
    """Return the addresses of a draw, in an order that says nothing about when they came."""
    rows = sa.select(draw_entries.c.address).where(draw_entries.c.study_id == study)
    return tuple(connection.execute(rows.order_by(draw_entries.c.id)).scalars())


def erase_draw(connection: Connection, study: int) -> int:
    """Erase the addresses of a draw; return how many they were."""
    gone = sa.delete(draw_entries).where(draw_entries.c.study_id == study)
    return connection.execute(gone).rowcount


def is_reminded(connection: Connection, participant: int) -> bool:
    """Return whether somebody has left an address to be reminded."""
    own = sa.select(reminders.c.attempts).where(reminders.c.participant_id == participant)
    return connection.execute(own).first() is not None


def remind(
    connection: Connection, participant: int, address: str, token: str, *, due_at: datetime
) -> None:
    """Remember whom to write to, and when; another address takes the place of the first."""
    values = {
        "address": address,
        "token": token,
        "due_at": due_at,
        "told_of": due_at,
        "attempts": 0,
    }
    row = insert_into(connection.dialect.name, reminders).values(
        participant_id=participant, **values
    )
    connection.execute(row.on_conflict_do_update(index_elements=["participant_id"], set_=values))


def forget_reminder(connection: Connection, participant: int) -> None:
    """Erase an address."""
    connection.execute(sa.delete(reminders).where(reminders.c.participant_id == participant))


def take_due(connection: Connection, *, now: datetime, most: int) -> tuple[Reminder, ...]:
    """Return whom to write to now; taken once, so that no two servers write the same letter."""
    first = sa.select(reminders.c.participant_id).where(reminders.c.due_at <= now).limit(most)
    rows = connection.execute(
        sa.update(reminders)
        .where(reminders.c.participant_id.in_(first), reminders.c.due_at <= now)
        .values(due_at=None, attempts=reminders.c.attempts + 1)
        .returning(reminders)
    )
    return tuple(
        Reminder(
            participant=row.participant_id,
            address=row.address,
            token=row.token,
            attempts=row.attempts,
        )
        for row in rows
    )


def put_off(connection: Connection, participant: int, *, until: datetime) -> None:
    """Try again later."""
    own = sa.update(reminders).where(reminders.c.participant_id == participant)
    connection.execute(own.values(due_at=until))


def notified(connection: Connection) -> tuple[tuple[int, Status, datetime | None, str], ...]:
    """Return who was reminded before, of which round, and until when they wait now, if they do."""
    last = (
        sa.select(screens.c.content)
        .where(screens.c.participant_id == reminders.c.participant_id)
        .order_by(screens.c.position.desc())
        .limit(1)
        .scalar_subquery()
    )
    rows = connection.execute(
        sa.select(reminders.c.participant_id, participants.c.status, reminders.c.told_of, last)
        .join(participants, participants.c.id == reminders.c.participant_id)
        .where(reminders.c.due_at.is_(None))
    )
    return tuple(
        (number, Status(status), told_of, str((content or {}).get("until", "")))
        for number, status, told_of, content in rows
    )


def again(connection: Connection, participant: int, *, due_at: datetime) -> None:
    """Remind somebody of the round after, with all attempts ahead."""
    own = sa.update(reminders).where(reminders.c.participant_id == participant)
    connection.execute(own.values(due_at=due_at, told_of=due_at, attempts=0))
