"""People who are in the middle of a study already: servers are not measured empty.

In: a database's address, a study. Out: that many active people in it, with their pages and answers.
Absent: HTTP (`people`).
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.flow.hosting import open_host
from howgood.flow.participate import take_part
from howgood.kinds.study import Study
from howgood.records.participant import Status
from howgood.store import studies
from howgood.store.schema import answers, participants, screens

PEOPLE, PAGES = 1000, 40
# What tells them from people who came over HTTP: no digest of a token looks like this.
MARK = "resident-"


def settle(address: str, study: Study, *, people: int = PEOPLE, pages: int = PAGES) -> None:
    """Store this many active people, each of whom has answered all but the last of their pages."""
    host = open_host(address)
    now = datetime.now(UTC)
    seen, taken = take_part(study, seed=1, now=now, most=pages)
    given = {each.screen: dict(each.values) for each in taken.answers}
    shown = [(screen.key, screen.to_dict()) for screen in seen]

    mark = f"{MARK}{study.slug}-"

    def store(connection: Connection) -> None:
        row = studies.find(connection, study.slug)
        if row is None:
            raise LookupError(study.slug)
        newcomers = [
            {"study_id": row.number, "version_id": row.version, "token_digest": f"{mark}{seed}",
             "origin": {}, "seed": seed, "status": Status.ACTIVE.value, "is_pilot": False,
             "condition": taken.condition, "created_at": now, "consented_at": now}
            for seed in range(people)
        ]  # fmt: skip
        connection.execute(sa.insert(participants), newcomers)
        mine = participants.c.token_digest.startswith(mark)
        numbers = connection.execute(sa.select(participants.c.id).where(mine)).scalars().all()
        for table, rows in _pages(numbers, shown, given, now):
            connection.execute(sa.insert(table), rows)

    try:
        host.database.write(store)
    finally:
        host.close()


def _pages(
    numbers: Sequence[int],
    shown: list[tuple[str, dict[str, Any]]],
    given: dict[str, dict[str, Any]],
    now: datetime,
) -> Iterator[tuple[sa.Table, list[dict[str, Any]]]]:
    """Yield page after page of everybody: in a database they lie scattered, as they came."""
    for place, (key, content) in enumerate(shown, start=1):
        yield screens, [
            {"participant_id": number, "name": key, "position": place, "content": content,
             "shown_at": now}
            for number in numbers
        ]  # fmt: skip
        if place < len(shown):
            yield answers, [
                {"participant_id": number, "screen": key, "content": given[key],
                 "answered_at": now}
                for number in numbers
            ]  # fmt: skip
