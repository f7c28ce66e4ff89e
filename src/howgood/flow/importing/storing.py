"""Imported people into the database and out again: all of a file, or nothing.

In: people of a file. Out: `ImportReport`, `Undone`, a line of the audit. Absent: reading files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy.engine import Connection

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host, tokens
from howgood.flow.importing.recognise import Comparison, GivenAnswer, ImportedPerson, compared
from howgood.records.participant import Status
from howgood.show.people import import_lines
from howgood.store import answers, audit, imported, participants
from howgood.store.imported import ImportRow
from howgood.store.participants import NewParticipant
from howgood.store.studies import StudyRow

_LONGEST_SOURCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of a file, or would: what is added, what is here already, what is left out.

    `number` names the import for undoing it; None when nothing was (or is yet) stored.
    """

    people: int
    answers: int
    people_here: int = 0
    answers_here: int = 0
    differing: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    number: int | None = None

    @property
    def lines(self) -> list[str]:
        """What was added, or would be, in sentences."""
        return import_lines(
            people=self.people,
            answers=self.answers,
            people_here=self.people_here,
            answers_here=self.answers_here,
            differing=self.differing,
            left_out=self.left_out,
            is_done=self.number is not None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What undoing an import took out."""

    number: int
    people: int
    answers: int


def report_of(
    comparison: Comparison, left_out: Mapping[str, int], number: int | None
) -> ImportReport:
    """Return what a comparison means for the person who imports."""
    return ImportReport(
        people=comparison.people_added,
        answers=comparison.answers_added,
        people_here=comparison.people_here,
        answers_here=comparison.answers_here,
        differing=comparison.differing,
        left_out=dict(left_out),
        number=number,
    )


def store_people(
    host: Host,
    row: StudyRow,
    people: Sequence[ImportedPerson],
    *,
    source: str,
    left_out: Mapping[str, int],
    actor: str,
    now: datetime,
) -> ImportReport:
    """Store what is not here yet, in one transaction, under one number."""
    with host.database.reading() as reading:
        looked = compared(reading, row, people)

    def store(connection: Connection) -> ImportReport:
        # Somebody may have imported the same file meanwhile: then it is compared again.
        ids = [one_person.external_id for one_person in looked.new]
        is_known = imported.any_known(connection, row.number, ids)
        comparison = compared(connection, row, people) if is_known else looked
        if comparison.adds_nothing:
            return report_of(comparison, left_out, None)
        number = imported.begin(
            connection, row.number, source=source[:_LONGEST_SOURCE], actor=actor, now=now
        )
        for person in comparison.new:
            _store(connection, row, person, number, now)
        for addition in comparison.more:
            begin = imported.last_position(connection, addition.participant) + 1
            _add(connection, number, addition.participant, addition.person.answers, begin)
        detail = {
            "number": number,
            "file": source[:_LONGEST_SOURCE],
            "people": comparison.people_added,
            "answers": comparison.answers_added,
        }
        audit.note(connection, actor=actor, action="import", study=row.slug, detail=detail, now=now)
        return report_of(comparison, left_out, number)

    return host.database.write(store)


def imports_of(host: Host, slug: str) -> tuple[ImportRow, ...]:
    """Return a study's imports, the newest first.

    Notes
    -----
    Stability: experimental
    """
    row = find_study(host, slug)
    with host.database.reading() as connection:
        return imported.of_study(connection, row.number)


def find_import(host: Host, slug: str, number: int) -> ImportRow:
    """Return one import of a study, or say which there are."""
    known = {import_.number: import_ for import_ in imports_of(host, slug)}
    if number not in known:
        raise UnknownNameError(where="import", name=str(number)[:40], names=[str(n) for n in known])
    return known[number]


def undo_import(host: Host, slug: str, number: int, *, actor: str, now: datetime) -> Undone:
    """Take out everything that came with one import; what came otherwise stays.

    Notes
    -----
    Stability: experimental. People who got answers by two imports keep those of the other.
    """
    row = find_study(host, slug)

    def take_out(connection: Connection) -> ImportRow | None:
        known = {
            one_import.number: one_import
            for one_import in imported.of_study(connection, row.number)
        }
        undone = known.get(number)
        if undone is not None:
            imported.undo(connection, number)
            detail = {"number": number, "people": undone.people, "answers": undone.answers}
            audit.note(
                connection, actor=actor, action="undo import", study=slug, detail=detail, now=now
            )
        return undone

    gone = host.database.write(take_out)
    if gone is None:
        names = [str(import_.number) for import_ in imports_of(host, slug)]
        raise UnknownNameError(where="import", name=str(number)[:40], names=names)
    return Undone(number=number, people=gone.people, answers=gone.answers)


def merged(people: Sequence[ImportedPerson]) -> tuple[ImportedPerson, ...]:
    """Return people each once, with what several files say of them put together."""
    by_name: dict[str, ImportedPerson] = {}
    for person in people:
        first = by_name.get(person.external_id)
        by_name[person.external_id] = person if first is None else _together(first, person)
    return tuple(by_name.values())


def _together(first: ImportedPerson, second: ImportedPerson) -> ImportedPerson:
    known = {answer.screen.key: answer for answer in first.answers}
    for answer in second.answers:
        earlier = known.setdefault(answer.screen.key, answer)
        if dict(earlier.values) != dict(answer.values):
            raise InputError(
                where=f"person {first.name!r}, {answer.screen.key!r}",
                found="two different answers in two files",
                needed="one answer per person and question",
                cure="If they are two people, give them different ids. Nothing was imported.",
            )
    said = [side.is_finished for side in (first, second) if side.is_finished is not None]
    return replace(
        first,
        answers=tuple(known.values()),
        is_finished=any(said) if said else None,
        is_pilot=first.is_pilot or second.is_pilot,
    )


def _store(
    connection: Connection, row: StudyRow, person: ImportedPerson, number: int, now: datetime
) -> None:
    new = NewParticipant(
        study=row.number,
        version=person.version,
        # Nobody holds this token: the person answered in another program.
        token_digest=tokens.digest(tokens.fresh_token()),
        seed=person.seed,
        status=Status.ACTIVE,
        external_id=person.external_id,
        origin={"imported": "file"},
        is_pilot=person.is_pilot,
    )
    begun = person.answers[0].shown_at if person.answers else now
    participant = participants.add(connection, new, now=begun)
    participants.admit(connection, participant, condition=person.condition, now=begun)
    _add(connection, number, participant, person.answers, 1)
    if person.is_finished is False:
        participants.set_status(connection, participant, Status.EXPIRED)
        return
    ended = person.answers[-1].answered_at if person.answers else now
    answers.add_screen(
        connection,
        participant,
        person.last.key,
        person.last,
        position=len(person.answers) + 1,
        now=ended,
    )
    is_complete = person.last.kind != "screened_out"
    status = Status.COMPLETE if is_complete else Status.SCREENED_OUT
    finished_at = ended if is_complete else None
    participants.set_status(connection, participant, status, finished_at=finished_at)


def _add(
    connection: Connection,
    number: int,
    participant: int,
    given: Sequence[GivenAnswer],
    first: int,
) -> None:
    """Store answers of one person from a position on, and that they came with this import."""
    stored = []
    for position, answer in enumerate(given, start=first):
        key = answer.screen.key
        if answers.add_screen(
            connection, participant, key, answer.screen, position=position,
            now=answer.shown_at,
        ):  # fmt: skip
            answers.add_answer(connection, participant, key, answer.values, now=answer.answered_at)
            stored.append(key)
    imported.note_screens(connection, number, participant, stored)
