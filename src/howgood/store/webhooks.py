"""Who is notified of what happens in a study, and what became of each message.

In: a connection and plain values. Out: records. Absent: sending (`flow.notices`), and answers: no
message holds one.

What happened is found in what is stored anyway (people who finished, fits, the history), so that
taking part writes nothing more. Each thing becomes one message per webhook, whoever looks, and
however often.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.records.participant import Status
from howgood.store.schema import (
    audit,
    deliveries,
    insert_into,
    jobs,
    participants,
    studies,
    webhooks,
)

_MOST_AT_ONCE = 200
QUOTA, PRECISION = "quota.reached", "precision.reached"
# How the history calls it that a fit is precise enough.
PRECISION_REACHED = "precision reached"


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that is notified of some events of a study."""

    number: int
    study: str
    target: str
    secret: str
    events: tuple[str, ...]
    actor: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message, and what became of it; `next_at` is None once it arrived or was given up."""

    number: int
    webhook: int
    event: str
    content: Mapping[str, Any]
    created_at: datetime
    next_at: datetime | None
    attempts: int
    delivered_at: datetime | None
    outcome: str


def add(
    connection: Connection,
    *,
    study: int,
    target: str,
    secret: str,
    events: Sequence[str],
    actor: str,
    now: datetime,
) -> int:
    """Keep a webhook and return its number."""
    row = connection.execute(
        sa.insert(webhooks)
        .values(
            study_id=study, target=target, secret=secret, events=list(events), actor=actor,
            created_at=now,
        )
        .returning(webhooks.c.id)
    )  # fmt: skip
    return int(row.scalar_one())


def remove(connection: Connection, study: int, number: int) -> str | None:
    """Remove a webhook with its messages; return where it led."""
    target = connection.execute(
        sa.delete(webhooks)
        .where(webhooks.c.study_id == study, webhooks.c.id == number)
        .returning(webhooks.c.target)
    ).scalar_one_or_none()
    return None if target is None else str(target)


def of_study(connection: Connection, study: int) -> tuple[Webhook, ...]:
    """Return the webhooks of a study, the oldest first."""
    return tuple(_webhooks(connection, webhooks.c.study_id == study))


def find(connection: Connection, number: int) -> Webhook | None:
    """Return a webhook by its number."""
    return next(_webhooks(connection, webhooks.c.id == number), None)


def _webhooks(
    connection: Connection, which: sa.ColumnElement[bool] | None = None
) -> Iterator[Webhook]:
    query = sa.select(webhooks, studies.c.slug).join(studies).order_by(webhooks.c.id)
    for row in connection.execute(query if which is None else query.where(which)):
        yield Webhook(
            number=row.id, study=row.slug, target=row.target, secret=row.secret,
            events=tuple(row.events), actor=row.actor, created_at=row.created_at,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """Something that a webhook is notified of and for which there is no message yet."""

    webhook: int
    event: str
    subject: str
    content: Mapping[str, Any]


def add_message(
    connection: Connection,
    fact: Happened,
    *,
    now: datetime,
) -> bool:
    """Put a message in the queue unless there is one about this; return whether it is new."""
    row = {
        "webhook_id": fact.webhook, "event": fact.event, "subject": fact.subject,
        "content": dict(fact.content),
        "created_at": now, "next_at": now, "attempts": 0, "outcome": "",
    }  # fmt: skip
    free = insert_into(connection.dialect.name, deliveries).values(row).on_conflict_do_nothing()
    return connection.execute(free).rowcount > 0


def happened(connection: Connection) -> tuple[Happened, ...]:
    """Return what happened since each webhook was made and has no message yet."""
    return tuple(
        Happened(
            webhook=webhook.number,
            event=event,
            subject=subject,
            content={"event": event, "study": webhook.study, **content},
        )
        for webhook in tuple(_webhooks(connection))
        for facts in _FACTS
        for event, subject, content in facts(connection, webhook)
    )


def is_due(connection: Connection, *, now: datetime) -> bool:
    """Return whether a message waits to be sent."""
    waiting = sa.select(deliveries.c.id).where(deliveries.c.next_at <= now).limit(1)
    return connection.execute(waiting).one_or_none() is not None


_Fact = tuple[str, str, dict[str, Any]]


def _unsent(webhook: Webhook, event: str, subject: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Return the condition that no message about a subject was made for a webhook."""
    return ~(
        sa.exists()
        .where(deliveries.c.webhook_id == webhook.number)
        .where(deliveries.c.event == event, deliveries.c.subject == subject)
    )


def _finished(connection: Connection, webhook: Webhook) -> Iterator[_Fact]:
    event = "participant.completed"
    if event not in webhook.events:
        return
    rows = connection.execute(
        sa.select(participants.c.id, participants.c.finished_at)
        .join(studies, studies.c.id == participants.c.study_id)
        .where(studies.c.slug == webhook.study, participants.c.is_pilot.is_(False))
        .where(participants.c.finished_at >= webhook.created_at)
        .where(_unsent(webhook, event, sa.cast(participants.c.id, sa.String(100))))
        .order_by(participants.c.finished_at)
        .limit(_MOST_AT_ONCE)
    )
    for row in rows:
        yield event, str(row.id), {"participant": row.id, "at": row.finished_at.isoformat()}


def _fitted(connection: Connection, webhook: Webhook) -> Iterator[_Fact]:
    events = {"done": "fit.done", "failed": "fit.failed"}
    for status, event in events.items():
        if event not in webhook.events:
            continue
        rows = connection.execute(
            sa.select(jobs.c.id, jobs.c.finished_at)
            .join(studies, studies.c.id == jobs.c.study_id)
            .where(studies.c.slug == webhook.study, jobs.c.status == status)
            .where(jobs.c.finished_at >= webhook.created_at)
            .where(_unsent(webhook, event, sa.cast(jobs.c.id, sa.String(100))))
            .order_by(jobs.c.finished_at)
            .limit(_MOST_AT_ONCE)
        )
        for row in rows:
            yield event, str(row.id), {"fit": row.id, "at": row.finished_at.isoformat()}


def _noted(connection: Connection, webhook: Webhook) -> Iterator[_Fact]:
    for row in _history(connection, webhook, "history"):
        content = {"action": row.action, "actor": row.actor, "at": row.at.isoformat()}
        yield "history", str(row.id), content


def _precise(connection: Connection, webhook: Webhook) -> Iterator[_Fact]:
    for row in _history(connection, webhook, PRECISION, action=PRECISION_REACHED):
        yield PRECISION, str(row.id), {**row.detail, "at": row.at.isoformat()}


def _history(
    connection: Connection, webhook: Webhook, event: str, *, action: str = ""
) -> Sequence[sa.Row[Any]]:
    """Return the lines of the history that a webhook is to be notified of by an event."""
    if event not in webhook.events:
        return ()
    query = (
        sa.select(audit)
        .where(audit.c.study == webhook.study, audit.c.at >= webhook.created_at)
        .where(_unsent(webhook, event, sa.cast(audit.c.id, sa.String(100))))
    )
    wanted = query.where(audit.c.action == action) if action else query
    return connection.execute(wanted.order_by(audit.c.id).limit(_MOST_AT_ONCE)).all()


# What finds each event in what is stored; quotas are in study files, so `flow.notices` finds them.
_FACTS = [_finished, _fitted, _precise, _noted]


def about(connection: Connection, event: str) -> tuple[Webhook, ...]:
    """Return the webhooks that are notified of an event."""
    return tuple(webhook for webhook in _webhooks(connection) if event in webhook.events)


def quota_reached(connection: Connection, webhook: Webhook, quota: int) -> Happened | None:
    """Return that so many have finished since the webhook was made; None: not, or sent already."""
    finished = sa.func.max(participants.c.finished_at)
    people, last = connection.execute(
        sa.select(sa.func.count(), finished)
        .join(studies, studies.c.id == participants.c.study_id)
        .where(studies.c.slug == webhook.study, participants.c.is_pilot.is_(False))
        .where(participants.c.status == Status.COMPLETE.value)
    ).one()
    if people < quota or last is None or last < webhook.created_at:
        return None
    subject = str(quota)  # a larger quota is another one
    sent = sa.select(deliveries.c.id).where(
        deliveries.c.webhook_id == webhook.number,
        deliveries.c.event == QUOTA,
        deliveries.c.subject == subject,
    )
    if connection.execute(sent).first() is not None:
        return None
    content = {"event": QUOTA, "study": webhook.study, "quota": quota, "at": last.isoformat()}
    return Happened(webhook=webhook.number, event=QUOTA, subject=subject, content=content)


def claim(connection: Connection, *, now: datetime, lease: timedelta) -> Delivery | None:
    """Take the message that waits longest; who dies with it gives it back when the lease ends."""
    waiting = (
        sa.select(deliveries)
        .where(deliveries.c.next_at <= now)
        .order_by(deliveries.c.next_at, deliveries.c.id)
        .limit(1)
    )
    row = connection.execute(waiting).one_or_none()
    if row is None:
        return None
    mine = connection.execute(
        sa.update(deliveries)
        .where(deliveries.c.id == row.id, deliveries.c.attempts == row.attempts)
        .where(deliveries.c.next_at == row.next_at)
        .values(next_at=now + lease, attempts=row.attempts + 1)
    )
    return _delivery(row, attempts=row.attempts + 1) if mine.rowcount else None


def settle(
    connection: Connection,
    number: int,
    *,
    outcome: str,
    delivered_at: datetime | None,
    next_at: datetime | None,
) -> None:
    """Note what became of an attempt."""
    connection.execute(
        sa.update(deliveries)
        .where(deliveries.c.id == number)
        .values(outcome=outcome[:200], delivered_at=delivered_at, next_at=next_at)
    )


def latest(connection: Connection, study: int, *, most: int = 50) -> tuple[Delivery, ...]:
    """Return the newest messages of a study."""
    rows = connection.execute(
        sa.select(deliveries)
        .join(webhooks, webhooks.c.id == deliveries.c.webhook_id)
        .where(webhooks.c.study_id == study)
        .order_by(deliveries.c.id.desc())
        .limit(most)
    )
    return tuple(_delivery(row, attempts=row.attempts) for row in rows)


def try_again(connection: Connection, study: int, number: int, *, now: datetime) -> bool:
    """Put a message that did not arrive into the queue again, with all its attempts."""
    mine = sa.select(webhooks.c.id).where(webhooks.c.study_id == study)
    done = connection.execute(
        sa.update(deliveries)
        .where(deliveries.c.id == number, deliveries.c.webhook_id.in_(mine))
        .where(deliveries.c.delivered_at.is_(None))
        .values(next_at=now, attempts=0)
    )
    return done.rowcount > 0


def forget(connection: Connection, *, before: datetime) -> int:
    """Forget what messages said that ended before then; that there was one stays known."""
    old = deliveries.c.next_at.is_(None) & (deliveries.c.created_at < before)
    return connection.execute(sa.update(deliveries).where(old).values(content={})).rowcount


def _delivery(row: sa.Row[tuple[Any, ...]], *, attempts: int) -> Delivery:
    return Delivery(
        number=row.id, webhook=row.webhook_id, event=row.event, content=row.content,
        created_at=row.created_at, next_at=row.next_at, attempts=attempts,
        delivered_at=row.delivered_at, outcome=row.outcome,
    )  # fmt: skip
