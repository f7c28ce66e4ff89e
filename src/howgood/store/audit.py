"""Who did what: lines that are written once and outlive what they tell about.

In: a connection and plain facts. Out: rows, newest first. Absent: participants: no line names one,
so erasing a person leaves nothing of them here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.schema import audit


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """One thing that was done."""

    at: datetime
    actor: str
    action: str
    study: str | None
    detail: Mapping[str, Any]


def note(
    connection: Connection,
    *,
    actor: str,
    action: str,
    study: str | None = None,
    detail: Mapping[str, Any] | None = None,
    now: datetime,
) -> None:
    """Write a line in the transaction that does the thing: both happen, or neither."""
    line = {"at": now, "actor": actor, "action": action, "study": study}
    connection.execute(sa.insert(audit).values(**line, detail=dict(detail or {})))


def lines(
    connection: Connection, *, study: str | None = None, action: str | None = None, most: int = 50
) -> tuple[AuditLine, ...]:
    """Return the latest lines, of one study or of all, about one action or any."""
    query = sa.select(audit).order_by(audit.c.at.desc(), audit.c.id.desc()).limit(most)
    if study is not None:
        query = query.where(audit.c.study == study)
    if action is not None:
        query = query.where(audit.c.action == action)
    return tuple(
        AuditLine(at=row.at, actor=row.actor, action=row.action, study=row.study, detail=row.detail)
        for row in connection.execute(query)
    )
