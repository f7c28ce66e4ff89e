"""How often somebody may still try: allowances that refill, shared by every process.

In: a connection, who (never in clear), an allowance, the time. Out: whether one more is allowed.
Absent: what is tried (`flow.accounts`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from howgood.store.schema import attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How many at once, and how long it takes until one more is allowed."""

    at_once: int
    one_more_after: timedelta


def take(connection: Connection, who: str, allowance: Allowance, *, now: datetime) -> bool:
    """Take one from somebody's allowance; False when it is used up.

    Of many processes that ask for one name, each waits until the one before has committed.
    """
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    full = {"who": who, "left": float(allowance.at_once), "at": now}
    # An update that changes nothing holds the row, so that nobody forgets it meanwhile.
    held = insert(attempts).values(full).on_conflict_do_update(
        index_elements=["who"], set_={"who": who}
    )  # fmt: skip
    mine = attempts.c.who == who
    row = connection.execute(held.returning(attempts.c.left, attempts.c.at)).one()
    gained = max(now - row.at, timedelta()) / allowance.one_more_after
    left = min(float(allowance.at_once), row.left + gained)
    is_allowed = bool(left >= 1)
    connection.execute(sa.update(attempts).where(mine).values(left=left - is_allowed, at=now))
    return is_allowed


def forget(connection: Connection, *, before: datetime) -> None:
    """Remove who has not tried since then; rows in use elsewhere wait for another time."""
    old = sa.select(attempts.c.who).where(attempts.c.at < before)
    free = old.with_for_update(skip_locked=True).scalar_subquery()
    connection.execute(sa.delete(attempts).where(attempts.c.who.in_(free)))
