"""How many people a study refused, by reason: a number, and nothing about anybody.

In: a connection, a study's number. Out: counts. Absent: who it was; nobody here has consented.
"""

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from howgood.store.schema import refusals


def add(connection: Connection, study: int, reason: str) -> None:
    """Count one more; of several processes each waits for the one before."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    one = insert(refusals).values(study_id=study, reason=reason, people=1)
    more = one.on_conflict_do_update(
        index_elements=["study_id", "reason"], set_={"people": refusals.c.people + 1}
    )
    connection.execute(more)


def of_study(connection: Connection, study: int) -> dict[str, int]:
    """Return how many people were refused for which reason."""
    rows = connection.execute(
        sa.select(refusals.c.reason, refusals.c.people).where(refusals.c.study_id == study)
    )
    return {str(reason): int(people) for reason, people in rows}
