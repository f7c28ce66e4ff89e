"""Participants: who they are to the study, the place they hold, and how many were refused.

In: a connection and records. Out: records and counts. Absent: which condition is chosen (the caller
decides, inside the same transaction), tokens (only digests come here), and who was refused: nobody
who was has consented.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from howgood.records.participant import HOLDING, Participant, Position, Status
from howgood.store.schema import (
    insert_into,
    participants,
    quota_places,
    refusals,
    screens,
    studies,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewParticipant:
    """Someone who clicked Start, or an invitation."""

    study: int
    version: int
    token_digest: str
    seed: int
    status: Status
    external_id: str | None = None
    origin: Mapping[str, str]
    is_pilot: bool = False


def add(connection: Connection, new: NewParticipant, *, now: datetime) -> int:
    """Store a participant and return their number."""
    row = connection.execute(
        sa.insert(participants)
        .values(
            study_id=new.study,
            version_id=new.version,
            token_digest=new.token_digest,
            external_id=new.external_id,
            origin=dict(new.origin),
            seed=new.seed,
            status=new.status.value,
            is_pilot=new.is_pilot,
            created_at=now,
        )
        .returning(participants.c.id)
    )
    return int(row.scalar_one())


def position(connection: Connection, token_digest: str) -> Position | None:
    """Return where the holder of this token is, in one query."""
    row = connection.execute(_POSITION, {"token_digest": token_digest}).one_or_none()
    if row is None:
        return None
    return Position(
        participant=_participant(row),
        screen=row.name,
        number=row.position or 0,
        content=row.content or {},
        shown_at=row.shown_at,
    )


_POSITION = (
    sa.select(
        participants, screens.c.name, screens.c.position, screens.c.content, screens.c.shown_at
    )
    .select_from(participants.outerjoin(screens, screens.c.participant_id == participants.c.id))
    .where(participants.c.token_digest == sa.bindparam("token_digest"))
    .order_by(screens.c.position.desc())
    .limit(1)
)


def _participant(row: Row[Any]) -> Participant:
    return Participant(
        number=row.id,
        study=row.study_id,
        version=row.version_id,
        seed=row.seed,
        status=Status(row.status),
        condition=row.condition,
        is_pilot=row.is_pilot,
        origin=row.origin,
        created_at=row.created_at,
    )


def lock(connection: Connection, study: int) -> None:
    """Make other assignments in this study wait until this transaction ends."""
    connection.execute(sa.select(studies.c.id).where(studies.c.id == study).with_for_update())


def free_places(connection: Connection, study: int, *, idle_since: datetime) -> int:
    """Take back the places of those who sent nothing since then; return how many.

    Everybody who begins waits for this.
    """
    freed = connection.execute(
        sa.update(participants)
        .where(*_is_idle(study, idle_since))
        .values(status=Status.EXPIRED.value)
    )
    return freed.rowcount


def idle(connection: Connection, study: int, *, idle_since: datetime) -> dict[str, int]:
    """Return how many places in each condition `free_places` would take back; pilots hold none."""
    rows = connection.execute(
        sa.select(participants.c.condition, sa.func.count())
        .where(*_is_idle(study, idle_since), participants.c.is_pilot.is_(False))
        .group_by(participants.c.condition)
    )
    return {str(condition): int(count) for condition, count in rows}


def _is_idle(study: int, since: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    """Return what is true of those who hold a place and sent nothing since then.

    It reads one row per active person: positions are indexed, and the last screen says when
    somebody was last here.
    """
    last_shown = (
        sa.select(screens.c.shown_at)
        .where(screens.c.participant_id == participants.c.id)
        .order_by(screens.c.position.desc())
        .limit(1)
        .scalar_subquery()
    )
    return (
        participants.c.study_id == study,
        participants.c.status == Status.ACTIVE.value,
        last_shown <= since,
    )


def holding(connection: Connection, study: int) -> dict[str, int]:
    """Return how many people hold a place in each condition; pilots hold none."""
    rows = connection.execute(
        sa.select(participants.c.condition, sa.func.count())
        .where(
            participants.c.study_id == study,
            participants.c.status.in_([status.value for status in HOLDING]),
            participants.c.is_pilot.is_(False),
        )
        .group_by(participants.c.condition)
    )
    return {str(condition): int(count) for condition, count in rows}


def conditions_of(connection: Connection, study: int, external_id: str) -> frozenset[str]:
    """Return the conditions somebody has had whose tasks are ids that begin with this one."""
    rows = connection.execute(
        sa.select(participants.c.condition).where(
            participants.c.study_id == study,
            participants.c.external_id.startswith(external_id, autoescape=True),
            participants.c.condition.is_not(None),
        )
    )
    return frozenset(rows.scalars())


def holding_quotas(connection: Connection, study: int) -> dict[str, int]:
    """Return how many people each quota by answers counts; pilots hold no place."""
    rows = connection.execute(
        sa.select(quota_places.c.quota, sa.func.count())
        .select_from(quota_places.join(participants))
        .where(
            participants.c.study_id == study,
            participants.c.status.in_([status.value for status in HOLDING]),
            participants.c.is_pilot.is_(False),
        )
        .group_by(quota_places.c.quota)
    )
    return {str(quota): int(count) for quota, count in rows}


def take_quota_places(connection: Connection, number: int, quotas: Iterable[str]) -> None:
    """Note which quotas count a participant; noting it again changes nothing."""
    for quota in quotas:
        free = insert_into(connection.dialect.name, quota_places).on_conflict_do_nothing()
        connection.execute(free, {"participant_id": number, "quota": quota})


def quotas_of(connection: Connection, number: int) -> tuple[str, ...]:
    """Return the quotas that count a participant."""
    own = sa.select(quota_places.c.quota).where(quota_places.c.participant_id == number)
    return tuple(connection.execute(own).scalars())


def admit(
    connection: Connection, number: int, *, condition: str, now: datetime, device: str = ""
) -> None:
    """Give a participant a place and their condition; `device` is known when they consent."""
    known = {"device": device} if device else {}
    connection.execute(
        sa.update(participants)
        .where(participants.c.id == number)
        .values(
            status=Status.ACTIVE.value,
            condition=condition,
            consented_at=sa.func.coalesce(participants.c.consented_at, now),
            **known,
        )
    )


def set_status(
    connection: Connection, number: int, status: Status, *, finished_at: datetime | None = None
) -> None:
    """Move a participant to another status."""
    connection.execute(
        sa.update(participants)
        .where(participants.c.id == number)
        .values(status=status.value, finished_at=finished_at)
    )


def count_refusal(connection: Connection, study: int, reason: str) -> None:
    """Count one more; of several processes each waits for the one before."""
    one = insert_into(connection.dialect.name, refusals).values(
        study_id=study, reason=reason, people=1
    )
    more = one.on_conflict_do_update(
        index_elements=["study_id", "reason"], set_={"people": refusals.c.people + 1}
    )
    connection.execute(more)


def refused(connection: Connection, study: int) -> dict[str, int]:
    """Return how many people were refused for which reason."""
    rows = connection.execute(
        sa.select(refusals.c.reason, refusals.c.people).where(refusals.c.study_id == study)
    )
    return {str(reason): int(people) for reason, people in rows}
