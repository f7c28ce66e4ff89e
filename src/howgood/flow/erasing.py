"""Erase a person, or delete a study; an audit line without them is all that stays.

In: a host, a study, whom. Out: `Erasure`. Absent: backups and exports, which others hold.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host
from howgood.store import audit, studies
from howgood.store.studies import Erased, SeveralPeopleError


class UnknownParticipantError(UnknownNameError):
    """A study has no participant of this number or id."""

    def __init__(self, *, study: str, who: str) -> None:
        InputError.__init__(
            self,
            where=f"study {study!r}",
            found=f"no participant {who[:80]!r}",
            needed="the number of a participant in its data, or the id the platform gave",
            cure="Look it up in the table of participants: howgood export --table participants.",
        )
        self.name, self.names = who, []


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What was erased; `is_off_disk` says whether the database file itself holds nothing more.

    `cards` names the model cards that were made with the answers and left the library too.
    """

    participants: int
    is_off_disk: bool
    cards: tuple[str, ...] = ()


def erase_participant(host: Host, slug: str, who: str, *, actor: str, now: datetime) -> Erasure:
    """Erase one participant: screens, answers, origin, ids, results and cards made with them.

    Parameters
    ----------
    host : Host
        The database.
    slug : str
        The study.
    who : str
        The participant's number, or the id the recruiting platform or a file gave.
    actor : str
        Who does it, for the audit.
    now : datetime
        When.

    Notes
    -----
    Stability: experimental
    """
    row = find_study(host, slug)

    def take_out(connection: Connection) -> Erased | None:
        gone = studies.participant(connection, row.number, who.strip())
        if gone is not None:
            audit.note(
                connection, actor=actor, action="erase participant", study=slug,
                detail={"participants": 1} | _named(gone.cards), now=now,
            )  # fmt: skip
        return gone

    try:
        gone = host.database.write(take_out)
    except SeveralPeopleError:
        raise InputError(
            where=f"study {slug!r}",
            found=f"{who[:80]!r}, the number of one participant and the id of another",
            needed="one participant",
            cure=f"Write #{who.strip()[:80]} for the number in the data, or the other's number.",
        ) from None
    if gone is None:
        raise UnknownParticipantError(study=slug, who=who)
    host.forget(gone.token_digest)
    return Erasure(participants=1, is_off_disk=host.database.scrub(), cards=gone.cards)


def delete_study(host: Host, slug: str, *, confirmation: str, actor: str, now: datetime) -> Erasure:
    """Delete a study with everybody and everything in it; `confirmation` repeats its short name.

    Notes
    -----
    Stability: experimental
    """
    with host.database.reading() as connection:
        row = studies.existing(connection, slug)
    if confirmation.strip() != slug:
        raise InputError(
            where="confirmation",
            found=repr(confirmation[:80]),
            needed=f"the study's short name, {slug!r}",
            cure="Type it to delete the study; nothing was deleted.",
        )

    def take_out(connection: Connection) -> tuple[int, tuple[str, ...]]:
        count, cards = studies.study(connection, row.number)
        audit.note(
            connection, actor=actor, action="delete study", study=slug,
            detail={"participants": count} | _named(cards), now=now,
        )  # fmt: skip
        return count, cards

    count, cards = host.database.write(take_out)
    host.forget()
    return Erasure(participants=count, is_off_disk=host.database.scrub(), cards=cards)


def _named(cards: tuple[str, ...]) -> dict[str, Any]:
    return {"cards": list(cards)} if cards else {}
