"""Take out what was stored about one person, or a whole study.

In: a connection inside a write. Out: what was taken. Absent: the disk; see `Database.scrub`.
"""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.schema import cards, jobs, participants, studies, uploads


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """Whose data is gone, and which cards went with it.

    The digest is for forgetting what was remembered.
    """

    number: int
    token_digest: str
    cards: tuple[str, ...] = ()


class SeveralPeopleError(LookupError):
    """One word means several people: a number of one and an id of another."""


def participant(connection: Connection, study: int, who: str) -> Erased | None:
    """Delete a participant with all they left: `#7` is a number, `7` a number or somebody's id.

    Screens and answers go with them. So do results, which may hold one person's numbers, the model
    cards published from them, and every uploaded table of the study, which may hold their rows.
    Erasing cannot be undone, so a word that means several people is refused with
    `SeveralPeopleError`.
    """
    bare = who.removeprefix("#")
    is_meant: sa.ColumnElement[bool] = participants.c.external_id.in_([who, f"import-{who}"])
    if bare.isdecimal() and len(bare) < 18:
        is_number = participants.c.id == int(bare)
        is_meant = is_number if who != bare else sa.or_(is_meant, is_number)
    found = connection.execute(
        sa.select(participants.c.id, participants.c.token_digest)
        .where(participants.c.study_id == study, is_meant)
        .limit(2)
    ).all()
    if len(found) > 1:
        raise SeveralPeopleError(who)
    if not found:
        return None
    gone = found[0]
    connection.execute(sa.delete(participants).where(participants.c.id == gone.id))
    connection.execute(sa.delete(jobs).where(jobs.c.study_id == study))
    connection.execute(sa.delete(uploads).where(uploads.c.study_id == study))
    return Erased(number=gone.id, token_digest=gone.token_digest, cards=_cards(connection, study))


def _cards(connection: Connection, study: int) -> tuple[str, ...]:
    """Take the cards of a study out of the library; return their names."""
    gone = connection.execute(
        sa.delete(cards).where(cards.c.study_id == study).returning(cards.c.name)
    )
    return tuple(sorted(gone.scalars()))


def study(connection: Connection, number: int) -> tuple[int, tuple[str, ...]]:
    """Delete a study with everything in it; return how many participants and which cards it had."""
    names = _cards(connection, number)
    count = connection.execute(
        sa.delete(participants).where(participants.c.study_id == number)
    ).rowcount
    connection.execute(sa.delete(studies).where(studies.c.id == number))
    return count, names
