"""Imports: who in a file is known already, which answers came with which file, and the way back.

In: a connection. Out: people who may be those of a file, imports as they were made. Absent: reading
files and deciding who is who (`flow.importing`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.collected import PersonRow, some_people
from howgood.store.schema import (
    answers,
    imported_screens,
    imports,
    participants,
    screens,
    versions,
)

# Databases limit how many values one statement may hold.
_AT_ONCE = 500
_LONGEST_NUMBER = 18  # digits that every database holds


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRow:
    """One import, with the people and answers of it that are still here."""

    number: int
    source: str
    actor: str
    created_at: datetime
    people: int
    answers: int


def possibly_known(
    connection: Connection, study: int, names: Sequence[str]
) -> tuple[PersonRow, ...]:
    """Return the study's participants who have one of these names as an id or as their number."""
    people: list[PersonRow] = []
    for start in range(0, len(names), _AT_ONCE):
        some = names[start : start + _AT_ONCE]
        numbers = [
            int(digits) for digits in some
            if digits.isascii() and digits.isdecimal() and len(digits) < _LONGEST_NUMBER
        ]  # fmt: skip
        query = sa.select(participants.c.id).where(
            participants.c.study_id == study,
            sa.or_(participants.c.external_id.in_(some), participants.c.id.in_(numbers)),
        )
        people += some_people(connection, connection.execute(query).scalars())
    return tuple({row.number: row for row in people}.values())


def any_known(connection: Connection, study: int, ids: Sequence[str]) -> bool:
    """Return whether one of these ids belongs to a participant of the study."""
    for start in range(0, len(ids), _AT_ONCE):
        query = sa.select(participants.c.id).where(
            participants.c.study_id == study,
            participants.c.external_id.in_(ids[start : start + _AT_ONCE]),
        )
        if connection.execute(query.limit(1)).scalar() is not None:
            return True
    return False


def begin(connection: Connection, study: int, *, source: str, actor: str, now: datetime) -> int:
    """Note an import and return its number."""
    row = connection.execute(
        sa.insert(imports)
        .values(study_id=study, source=source, actor=actor, created_at=now)
        .returning(imports.c.id)
    )
    return int(row.scalar_one())


def note_screens(
    connection: Connection, number: int, participant: int, names: Iterable[str]
) -> None:
    """Note which answers of a participant came with an import."""
    rows = [{"import_id": number, "participant_id": participant, "screen": name} for name in names]
    if rows:
        connection.execute(sa.insert(imported_screens), rows)


def last_position(connection: Connection, participant: int) -> int:
    """Return the place of a participant's last screen."""
    query = sa.select(sa.func.max(screens.c.position)).where(
        screens.c.participant_id == participant
    )
    return int(connection.execute(query).scalar() or 0)


def numbers_of_study(connection: Connection, study: int) -> tuple[int, ...]:
    """Return the numbers of a study's imports that were not undone; no number comes twice."""
    query = sa.select(imports.c.id).where(imports.c.study_id == study).order_by(imports.c.id)
    return tuple(connection.execute(query).scalars())


def of_study(connection: Connection, study: int) -> tuple[ImportRow, ...]:
    """Return the imports of a study, the newest first."""
    rows = connection.execute(
        sa.select(
            imports,
            sa.func.count(sa.distinct(imported_screens.c.participant_id)).label("people"),
            sa.func.count(imported_screens.c.screen).label("answers"),
        )
        .select_from(imports.outerjoin(imported_screens))
        .where(imports.c.study_id == study)
        .group_by(*imports.c)
        .order_by(imports.c.id.desc())
    )
    return tuple(
        ImportRow(
            number=row.id,
            source=row.source,
            actor=row.actor,
            created_at=row.created_at,
            people=row.people,
            answers=row.answers,
        )
        for row in rows
    )


def undo(connection: Connection, number: int) -> None:
    """Delete the answers that came with an import, then those of its people who have none left.

    Somebody may have answers that no import notes, because they came before imports were noted.
    """
    of_import = imported_screens.c.import_id == number
    query = sa.select(imported_screens.c.participant_id).where(of_import).distinct()
    people = list(connection.execute(query).scalars())
    is_its = sa.and_(
        imported_screens.c.participant_id == screens.c.participant_id,
        imported_screens.c.screen == screens.c.name,
        of_import,
    )
    connection.execute(sa.delete(screens).where(sa.exists().where(is_its).correlate(screens)))
    has_answers = sa.exists().where(answers.c.participant_id == participants.c.id)
    for start in range(0, len(people), _AT_ONCE):
        some = participants.c.id.in_(people[start : start + _AT_ONCE])
        connection.execute(
            sa.delete(participants).where(some, sa.not_(has_answers.correlate(participants)))
        )
    connection.execute(sa.delete(imports).where(imports.c.id == number))


def version_with_digest(connection: Connection, study: int, digest: str) -> int | None:
    """Return the number of the version with this fingerprint."""
    number: int | None = connection.execute(
        sa.select(versions.c.id).where(versions.c.study_id == study, versions.c.digest == digest)
    ).scalar()
    return number
