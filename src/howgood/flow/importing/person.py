"""People whose answers come from a file: stored whole, once.

In: people with their answers. Out: participants in the database, all or none. Absent: reading files
(`offline`, `sheet`).

Who was imported before is recognised by an id made from the file's own, and left out: importing a
file twice is importing it once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.engine import Connection

from howgood.flow.hosting import Host, tokens
from howgood.records.participant import Status
from howgood.records.screen import AnswerValue, Screen
from howgood.records.study import Study
from howgood.store import answers, audit, participants
from howgood.store.imported import known_ids
from howgood.store.participants import NewParticipant
from howgood.store.studies import StudyRow


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """One answer as it is to be stored."""

    screen: Screen
    values: Mapping[str, AnswerValue]
    shown_at: datetime
    answered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPerson:
    """One person of a file."""

    external_id: str
    version: int
    seed: int
    condition: str
    answers: tuple[GivenAnswer, ...]
    last: Screen


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of a file: people and rows used, and what was left out by which policy."""

    people: int
    answers: int
    left_out: Mapping[str, int] = field(default_factory=dict)


def store_people(
    host: Host, row: StudyRow, people: Sequence[ImportedPerson], *, actor: str, now: datetime
) -> ImportReport:
    """Store everyone who is not there yet, in one transaction."""

    def store(connection: Connection) -> ImportReport:
        known = known_ids(connection, row.number, [each.external_id for each in people])
        fresh = [each for each in people if each.external_id not in known]
        for person in fresh:
            _store(connection, row, person, now)
        stored = sum(len(each.answers) for each in fresh)
        if fresh:
            detail = {"people": len(fresh), "answers": stored}
            audit.note(
                connection, actor=actor, action="import", study=row.slug, detail=detail, now=now
            )
        left_out = {"people imported before": len(people) - len(fresh)}
        return ImportReport(
            people=len(fresh),
            answers=stored,
            left_out={name: count for name, count in left_out.items() if count},
        )

    return host.database.write(store)


def already_there(host: Host, row: StudyRow, people: Iterable[ImportedPerson]) -> int:
    """Return how many of these people were imported before."""
    with host.database.reading() as connection:
        return len(known_ids(connection, row.number, [each.external_id for each in people]))


def bare_screen(study: Study, key: str, title: str) -> Screen:
    """Return what is known of a page that was shown elsewhere."""
    return Screen(key=key, kind="task", title=title, language=study.language)


def _store(connection: Connection, row: StudyRow, person: ImportedPerson, now: datetime) -> None:
    new = NewParticipant(
        study=row.number,
        version=person.version,
        # Nobody holds this token: the person answered elsewhere.
        token_digest=tokens.digest(tokens.fresh_token()),
        seed=person.seed,
        status=Status.ACTIVE,
        external_id=person.external_id,
        origin={"imported": "file"},
    )
    begun = person.answers[0].shown_at if person.answers else now
    number = participants.add(connection, new, now=begun)
    participants.admit(connection, number, condition=person.condition, now=begun)
    for position, given in enumerate(person.answers, start=1):
        answers.add_screen(
            connection,
            number,
            given.screen.key,
            given.screen.to_dict(),
            position=position,
            now=given.shown_at,
        )
        answers.add_answer(
            connection, number, given.screen.key, given.values, now=given.answered_at
        )
    ended = person.answers[-1].answered_at if person.answers else now
    answers.add_screen(
        connection,
        number,
        person.last.key,
        person.last.to_dict(),
        position=len(person.answers) + 1,
        now=ended,
    )
    participants.set_status(connection, number, Status.COMPLETE, finished_at=ended)
