"""Published model cards: what a fit taught, never the answers it rests on.

In: a connection and plain values. Out: the same. Absent: what a card means (`records.card`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.schema import cards, studies


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCard:
    """A card and the study it came from, if that still exists."""

    name: str
    study: int | None
    content: Mapping[str, Any]
    published_at: datetime


def publish(
    connection: Connection, study: int, name: str, content: Mapping[str, Any], *, now: datetime
) -> bool:
    """Store a card, or renew the study's own of that name; False: the name is another's."""
    owner = connection.execute(
        sa.select(cards.c.study_id).where(cards.c.name == name).with_for_update()
    ).one_or_none()
    if owner is not None and owner.study_id != study:
        return False
    connection.execute(sa.delete(cards).where(cards.c.name == name))
    connection.execute(
        sa.insert(cards).values(name=name, study_id=study, content=dict(content), published_at=now)
    )
    return True


def withdraw(connection: Connection, name: str) -> bool:
    """Take a card out of the library, even when its study is gone."""
    gone = connection.execute(sa.delete(cards).where(cards.c.name == name))
    return gone.rowcount == 1


def study_of(connection: Connection, name: str) -> str | None:
    """Return the short name of the study a card came from, if that still exists."""
    slug: str | None = connection.execute(
        sa.select(studies.c.slug)
        .join(cards, cards.c.study_id == studies.c.id)
        .where(cards.c.name == name)
    ).scalar_one_or_none()
    return slug


def everything(connection: Connection) -> tuple[PublishedCard, ...]:
    """Return every published card, by name."""
    rows = connection.execute(sa.select(cards).order_by(cards.c.name))
    return tuple(
        PublishedCard(
            name=row.name,
            study=row.study_id,
            content=row.content,
            published_at=row.published_at,
        )
        for row in rows
    )
