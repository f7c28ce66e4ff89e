"""Put many people straight into a study's tables: walking them through would take minutes.

In: a host and a stored study. Out: rows of people, half of them finished, with pages and answers.
"""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from howgood.flow.hosting import Host
from howgood.store.schema import answers, participants, screens, studies, versions

START = datetime(2026, 5, 1, tzinfo=UTC)


def store_many(host: Host, study: int, *, people: int, pages: int) -> None:
    """Store people who began on the same day and answered up to `pages` pages each."""
    with host.database.reading() as connection:
        of_study = sa.select(versions.c.id).where(versions.c.study_id == study)
        version = connection.execute(of_study).scalar_one()
    numbers = range(1, people + 1)
    persons = [
        {"id": i, "study_id": study, "version_id": version, "token_digest": str(i), "seed": i,
         "origin": {}, "condition": "ab"[i % 2], "is_pilot": False, "created_at": START,
         "status": ["complete", "complete", "active", "expired"][i % 4], "consented_at": START,
         "finished_at": START + timedelta(minutes=5) if i % 4 < 2 else None}
        for i in numbers
    ]  # fmt: skip
    shown = [
        {"participant_id": i, "name": f"page-{n}", "position": n, "content": {},
         "shown_at": START + timedelta(seconds=9 * n)}
        for i in numbers for n in range(1, pages + 1 if i % 4 < 2 else 2 + i % pages)
    ]  # fmt: skip
    given = [
        {"participant_id": page["participant_id"], "screen": page["name"], "content": {"a": 1},
         "answered_at": page["shown_at"] + timedelta(seconds=8)}
        for page in shown
    ]  # fmt: skip

    def store(connection: sa.Connection) -> None:
        for table, rows in ((participants, persons), (screens, shown), (answers, given)):
            connection.execute(sa.insert(table), rows)
        if connection.dialect.name == "postgresql":
            for table in (participants, screens, answers, studies):
                connection.execute(sa.text(f"ANALYZE {table.name}"))

    host.database.write(store)
