"""The people of a study one by one: their way, their answers, what was decided about them.

In: a host, a study's short name, a participant's number. Out: `Person`s, and what one answered,
page by page; for who sits next to somebody taking part, a `Session`: their page as they see it,
interview questions, notes as a CSV file. Absent: ids of recruiting platforms, the rule of whose
answers count (`records.inclusion`), recordings of sound or picture, and the page of anybody who has
not allowed it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected.rows import find_study, participation_of, who_counts
from howgood.flow.collected.taken_out import note_taken_out
from howgood.flow.collected.writers import CsvWriter
from howgood.flow.hosting import Host, View
from howgood.flow.hosting.view import answered_questions
from howgood.flow.participate import answers_as_rows, is_mirrored
from howgood.flow.watching.counts import SECONDS_PER_PAGE, Look, Watcher, ratings_of
from howgood.kinds import kind_of
from howgood.kinds.questions import Question
from howgood.kinds.study import Study
from howgood.kinds.translation import in_language
from howgood.records.answer_checks import AnswerChecks
from howgood.records.codebook import Batch
from howgood.records.inclusion import (
    CHECKS_COLUMN,
    DEFAULT,
    EXCLUDED_COLUMN,
    FINISHED_COLUMN,
    PILOT_COLUMN,
    why_left_out,
)
from howgood.records.participant import Status
from howgood.records.screen import Screen
from howgood.store import audit, collected, reviews
from howgood.store.collected import PersonRow
from howgood.store.reviews import Review
from howgood.store.studies import StudyRow
from howgood.store.study_counts import SessionNote, add_note, notes_of_study

AT_ONCE = 50
_LONGEST_REASON, _LONGEST_NOTE = 300, 5000
_LONGEST = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One person: when, how far, how long on every page, what they rated, why to look.

    `seconds` are those of pages whose time is known: imported answers often have none.
    `left_out` says why their answers do not count under the usual rule; empty: they do, if
    `has_judged`. `flags` is None while nobody has looked whether there is a reason.
    """

    number: int
    condition: str
    status: Status
    is_pilot: bool
    began_at: datetime | None
    finished_at: datetime | None
    pages: int
    seconds: tuple[float, ...]
    ratings: tuple[float, ...]
    flags: tuple[str, ...] | None
    left_out: str
    has_judged: bool
    review: Review
    checks: AnswerChecks
    device: str = ""

    @property
    def total(self) -> float:
        """Seconds on all pages together whose time is known; imported ones often have none."""
        return sum(self.seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredPage:
    """One page with what was answered, question by question, as it was shown."""

    title: str
    seconds: float | None
    is_fast: bool
    answers: tuple[tuple[str, str], ...]
    earlier: int


def people_of(
    host: Host, slug: str, *, after: int = 0, look: Look | None = None
) -> tuple[StudyRow, tuple[Person, ...], int]:
    """Return the study, its next people after a number, and where the page after begins (or 0)."""
    look = look or Watcher(host).looking(seconds=math.inf)
    row = find_study(host, slug)
    with host.database.reading() as connection:
        listed = collected.people(
            connection, row.number, after=after, most=AT_ONCE, with_pilots=True
        )
        decided = reviews.of_people(connection, [person.number for person in listed])
    begun = [person for person in listed if person.status is not Status.INVITED]
    people = tuple(
        _person(host, person, decided.get(person.number, Review()), look) for person in begun
    )
    return row, people, listed[-1].number if len(listed) == AT_ONCE else 0


def look_at(
    host: Host, slug: str, number: int, *, look: Look | None = None
) -> tuple[StudyRow, Person, tuple[AnsweredPage, ...]]:
    """Return one person and their answers, page by page."""
    look = look or Watcher(host).looking(seconds=math.inf)
    row = find_study(host, slug)
    with host.database.reading() as connection:
        people = collected.people(
            connection, row.number, after=number - 1, most=1, with_pilots=True
        )
        if not people or people[0].number != number or people[0].status is Status.INVITED:
            raise UnknownNameError(where="participant", name=str(number), names=())
        decided = reviews.of_people(connection, [number]).get(number, Review())
        screens = collected.screens_of(connection, number)
    person = people[0]
    pages = tuple(
        _page(Screen.from_dict(screens[shown.name]), shown, len(shown.earlier))
        for shown in person.screens
        if shown.answered_at is not None and shown.name in screens
    )
    return row, _person(host, person, decided, look), pages


def review(host: Host, slug: str, number: int, given: Review, *, actor: str, now: datetime) -> None:
    """Keep a decision about a person; excluding somebody needs a reason and is in the audit."""
    row = find_study(host, slug)
    if len(given.excluded_because) > _LONGEST_REASON or len(given.note) > _LONGEST_NOTE:
        raise InputError(
            where="reason or note",
            found="a longer text",
            needed=f"at most {_LONGEST_REASON} and {_LONGEST_NOTE} characters",
            cure="Shorten it.",
        )

    def store(connection: Connection) -> bool:
        before = reviews.of_people(connection, [number]).get(number, Review())
        is_known = reviews.put(connection, row.number, number, given, actor=actor, now=now)
        if is_known and bool(before.excluded_because) != bool(given.excluded_because):
            deed = "person excluded" if given.excluded_because else "person included"
            audit.note(connection, actor=actor, action=deed, study=slug, now=now)
        return is_known

    if not host.database.write(store):
        raise UnknownNameError(where="participant", name=str(number), names=())


def _person(host: Host, person: PersonRow, decided: Review, look: Look) -> Person:
    study, way = host.study(person.version), participation_of(person)
    facts = who_counts(study, person, way)
    reason = why_left_out(
        DEFAULT,
        is_pilot=bool(facts[PILOT_COLUMN]),
        is_finished=bool(facts[FINISHED_COLUMN]),
        passed_checks=facts[CHECKS_COLUMN],
        is_excluded=bool(facts[EXCLUDED_COLUMN]),
    )
    return Person(
        number=person.number,
        condition=person.condition or "",
        status=person.status,
        is_pilot=person.is_pilot,
        began_at=person.consented_at or person.created_at,
        finished_at=person.finished_at,
        pages=len(way.answers),
        seconds=tuple(answer.seconds for answer in way.answers if answer.seconds is not None),
        ratings=_numbers(ratings_of(study, way)),
        flags=look(study, person),
        left_out=reason or "",
        has_judged=bool(answers_as_rows(study, way)),
        review=decided,
        checks=kind_of(study).answer_checks(study, way),
        device=person.device,
    )


def _numbers(ratings: Sequence[object]) -> tuple[float, ...]:
    return tuple(float(rating) for rating in ratings if isinstance(rating, int | float))


def _page(screen: Screen, shown: collected.ShownScreen, earlier: int) -> AnsweredPage:
    spent = None
    if shown.answered_at is not None and shown.answered_at > shown.shown_at:
        spent = (shown.answered_at - shown.shown_at).total_seconds()
    # What stands above the first of several answers: the question of a matrix or ranking.
    above = {field.label: f"{field.heading} " for field in screen.fields if field.heading}
    answers = tuple(
        (above.get(asked.question, "") + asked.question, asked.answer)
        for asked in answered_questions(screen, shown.content or {})
    )
    return AnsweredPage(
        title=screen.title,
        seconds=spent,
        is_fast=spent is not None and spent < SECONDS_PER_PAGE,
        answers=answers,
        earlier=earlier,
    )


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
        shown = collected.screens_of(connection, number) if may_see and person.screens.names else {}
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
    screen = Screen.from_dict(shown[person.screens.names[-1]])
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
    columns: Batch = {
        "participant": [note.participant for note in notes],
        "time": [note.noted_at.isoformat(timespec="seconds") for note in notes],
        "question": [note.topic for note in notes],
        "page": [note.screen for note in notes],
        "note": [note.text for note in notes],
        "written_by": [note.actor for note in notes],
    }
    return CsvWriter(tuple(columns)).write(columns)
