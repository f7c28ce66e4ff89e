"""Sitting next to somebody who takes part: their page as they see it, notes, interview questions.

In: a host, a study's short name, a participant's number. Out: `Session`, notes as a CSV file.
Absent: recordings of sound or picture, and the page of anybody who has not allowed it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected.export import CsvWriter
from howgood.flow.collected.rows import find_study, participation_of
from howgood.flow.collected.taken_out import note_taken_out
from howgood.flow.hosting import Host, View
from howgood.flow.participate import is_mirrored
from howgood.kinds import kind_of
from howgood.kinds.questions import Question
from howgood.kinds.study import Study
from howgood.kinds.translation import in_language
from howgood.records.participant import Status
from howgood.records.screen import Screen
from howgood.store import collected
from howgood.store.collected import PersonRow
from howgood.store.studies import StudyRow
from howgood.store.watching import SessionNote, add_note, notes_of_study

_LONGEST = 5000
_NAMES = ("participant", "time", "question", "page", "note", "written_by")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One person taking part, as a facilitator follows them.

    `view` is the page they are at, None unless they allowed it (`is_mirrored`).
    """

    number: int
    is_mirrored: bool
    is_over: bool
    pages_answered: int
    view: View | None
    questions: tuple[Question, ...]
    notes: tuple[SessionNote, ...]

    @property
    def page(self) -> str:
        """The name of the page they are at, empty where nobody may see it."""
        return self.view.screen.key if self.view else ""

    def note_on(self, topic: str) -> str:
        """Return what was last written down about a question."""
        return next((note.text for note in reversed(self.notes) if note.topic == topic), "")


def follow(host: Host, slug: str, number: int) -> tuple[StudyRow, Session]:
    """Return the study, and where this person is now."""
    row = find_study(host, slug)
    with host.database.reading() as connection:
        people = collected.people(
            connection, row.number, after=number - 1, most=1, with_pilots=True
        )
        if not people or people[0].number != number or people[0].status is Status.INVITED:
            raise UnknownNameError(where="participant", name=str(number), names=())
        person = people[0]
        notes = notes_of_study(connection, row.number, participant=number)
        answered = {answer.screen: answer for answer in participation_of(person).answers}
        may_see = is_mirrored(answered)
        shown = collected.screens_of(connection, number) if may_see and person.screens else {}
    study = host.study(person.version)
    return row, Session(
        number=number,
        is_mirrored=may_see,
        is_over=person.finished_at is not None,
        pages_answered=len(answered),
        view=_view(study, person, shown) if shown else None,
        questions=kind_of(study).facilitator_questions(study),
        notes=notes,
    )


def _view(study: Study, person: PersonRow, shown: Mapping[str, Mapping[str, Any]]) -> View | None:
    """Return the last page that was shown, without what would let anybody answer it."""
    screen = Screen.from_dict(shown[person.screens[-1].name])
    return View(
        study=in_language(study, screen.language),
        version=person.version,
        screen=screen,
        signature="",
        is_pilot=person.is_pilot,
    )


def take_note(
    host: Host, slug: str, number: int, *, topic: str, text: str, actor: str, now: datetime
) -> None:
    """Keep what was said, with the page it was said at."""
    _, session = follow(host, slug, number)
    if not text.strip() or len(text) > _LONGEST:
        raise InputError(
            where="note",
            found="nothing" if not text.strip() else f"{len(text):,} characters",
            needed=f"a note of up to {_LONGEST:,} characters",
            cure="Write what was said." if not text.strip() else "Shorten it.",
        )
    asked = {question.key for question in session.questions}
    note = SessionNote(
        participant=number,
        topic=topic if topic in asked else "",
        screen=session.page,
        text=text.strip(),
        actor=actor,
        noted_at=now,
    )

    def store(connection: Connection) -> None:
        add_note(connection, note)

    host.database.write(store)


def notes_file(host: Host, slug: str, *, actor: str, now: datetime) -> bytes:
    """Return every note as CSV that is safe in a spreadsheet; the history says who took them."""
    row = find_study(host, slug)
    note_taken_out(host, slug, table="notes", way="csv", actor=actor, now=now)
    with host.database.reading() as connection:
        notes = notes_of_study(connection, row.number)
    writer = CsvWriter(_NAMES)
    return writer.write(
        {
            "participant": note.participant,
            "time": note.noted_at.isoformat(timespec="seconds"),
            "question": note.topic,
            "page": note.screen,
            "note": note.text,
            "written_by": note.actor,
        }
        for note in notes
    )
