"""A table to people: every cell read, every fault with its line and column, nothing stored.

In: a study, a table, a mapping, a policy for gaps. Out: `Prepared`. Absent: storing (`storing`).

A table has one row per judgement, read by the study's kind, or one row per person, with the codes
of an exported survey in the names of its columns.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from howgood.errors import InputError, ManyProblemsError
from howgood.flow.importing.mapping import (
    ANSWERED_AT,
    PARTICIPANT,
    SECONDS,
    checked_mapping,
    table_import,
    wide_columns,
)
from howgood.flow.importing.recognise import GivenAnswer, ImportedPerson, bare_screen
from howgood.flow.importing.sheet import Sheet, SheetRow
from howgood.flow.participate import conditions
from howgood.flow.survey_export.codes import Asked
from howgood.kinds import kind_of
from howgood.kinds.cells import (
    WrongCellError,
    moment,
    on_scale,
    seconds,
    yes_or_no,
)
from howgood.kinds.question_pages import CLOSING, DEMOGRAPHICS
from howgood.kinds.questions import Question, answer_in_cell, question_type, sorted_choices
from howgood.kinds.study import Study
from howgood.kinds.table_import import CONDITION, Missing, PersonDraft
from howgood.records.inclusion import FINISHED_COLUMN, PILOT_COLUMN
from howgood.records.screen import AnswerValue, Screen

Value = TypeVar("Value")
_LONGEST_ID = 180
_PREVIEWS = {"Survey Preview", "Survey Test", "1", "2"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowProblem:
    """One cell that cannot be taken."""

    line: int
    column: str
    found: str
    needed: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column!r}: {self.found}; expected {self.needed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a table would become: the people in it, what is wrong, what is left out and why."""

    people: tuple[ImportedPerson, ...]
    rows_used: int
    problems: tuple[RowProblem, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)

    def checked(self, file: str) -> "Prepared":
        """Return this if nothing is wrong; else raise every problem."""
        if self.problems:
            first = self.problems[0]
            error = InputError(
                where=f"{file}:{first.line}, column {first.column!r}",
                found=first.found,
                needed=first.needed,
                cure="Correct it; nothing was imported.",
            )
            raise ManyProblemsError(error, self.problems)
        return self


class Reading:
    """One table being read: knows the row it is at, and keeps what is wrong."""

    def __init__(self, study: Study, sheet: Sheet, mapping: Mapping[str, str]) -> None:
        self.study, self.sheet, self.mapping = study, sheet, mapping
        self.wide = wide_columns(study, sheet)
        task_export = kind_of(study).task_export
        pages = task_export(study).pages.values() if self.wide and task_export else ()
        self.conditions = {page.screen: page.condition for page in pages}
        self.people: dict[str, PersonDraft] = {}
        self.problems: list[RowProblem] = []
        self.left_out: Counter[str] = Counter()
        self.rows_used = 0
        self.row = SheetRow(line=0, cells={})

    def text(self, target: str) -> str:
        """Return the cell of this row that the mapping names, or nothing."""
        column = self.mapping.get(target)
        return self.row.cells[column] if column else ""

    def value(self, column: str, text: str, read: Callable[[str], Value]) -> Value | None:
        """Return the cell's value; what is wrong with it is kept, and None returned."""
        try:
            return read(text)
        except WrongCellError as wrong:
            self.problem(column, repr(text[:60]), wrong.needed)
            return None

    def cell(self, column: str) -> str:
        """Return a cell of this row by the column's own name, or nothing."""
        return self.row.cells.get(column, "")

    def mapped(self, target: str, read: Callable[[str], Value]) -> Value | None:
        """Return the value of a mapped cell, None where it is empty."""
        text = self.text(target)
        return self.value(self.mapping[target], text, read) if text else None

    def problem(self, column: str, found: str, needed: str) -> None:
        """Keep something that is wrong with this row."""
        self.problems.append(
            RowProblem(line=self.row.line, column=column, found=found, needed=needed)
        )

    def rows(self) -> Iterator[str]:
        """Go from row to row and yield the person's id; rows that do not count are left out."""
        for row in self.sheet.rows:
            self.row = row
            if self.sheet.is_qualtrics and row.cells.get("Status") in _PREVIEWS:
                self.left_out["previews and tests of Qualtrics"] += 1
                continue
            person = self.text(PARTICIPANT)
            if not person or len(person) > _LONGEST_ID:
                found = "nothing" if not person else f"{len(person)} characters"
                self.problem(self.mapping[PARTICIPANT], found, "an id of at most 180 characters")
                continue
            yield person

    def person(self, name: str) -> PersonDraft:
        """Return the person of this row, new or known, with what the row says about them."""
        person = self.people.setdefault(name, PersonDraft())
        for screen, questions in (
            (DEMOGRAPHICS, self.study.demographics),
            (CLOSING, self.study.closing),
        ):
            asked = [(q, name) for q in questions for name in question_type(q).names(q)]
            for question, name in asked:
                read = partial(answer_in_cell, question, language=self.study.language)
                value = self.mapped(name, read)
                if value is not None:
                    person.questions.setdefault(screen, {})[name] = value
        self._read_facts(person)
        return person

    def _read_facts(self, person: PersonDraft) -> None:
        """Read what decides whether somebody counts; it is true of them if any row says so."""
        own = {demographic.key for demographic in (*self.study.demographics, *self.study.closing)}
        if FINISHED_COLUMN in self.mapping and FINISHED_COLUMN not in own:
            finished = self.mapped(FINISHED_COLUMN, yes_or_no)
            person.is_finished = bool(person.is_finished or finished)
        if PILOT_COLUMN in self.mapping and PILOT_COLUMN not in own:
            person.is_pilot = bool(person.is_pilot or self.mapped(PILOT_COLUMN, yes_or_no))

    def has_gap(self, targets: list[str], missing: Missing) -> bool:
        """Return whether a needed cell is empty; the policy says whether that is a problem."""
        gap = next((target for target in targets if not self.text(target)), None)
        if gap is None:
            return False
        if missing == "error":
            self.problem(self.mapping[gap], "nothing", "an answer, or leave such rows out")
        else:
            self.left_out["rows with a gap"] += 1
        return True

    def assign(self, person: PersonDraft, fitting: str) -> None:
        """Give somebody the condition that the table names, else the fitting one."""
        if person.condition:
            return
        known, given = conditions(self.study), self.text(CONDITION)
        if given and given not in known:
            self.problem(self.mapping[CONDITION], repr(given), f"one of {', '.join(known)}")
        person.condition = given if given in known else fitting

    def judge(self, person: PersonDraft, screen: str, values: dict[str, AnswerValue]) -> None:
        """Keep a judgement; a second one of the same thing is a problem."""
        if screen in person.answers:
            self.problem(
                self.mapping[PARTICIPANT],
                f"a second answer about {screen!r}",
                "one answer per person and question",
            )
            return
        person.answers[screen] = (values, self.mapped(SECONDS, seconds))
        at = self.mapped(ANSWERED_AT, moment)
        if at is not None:
            person.at[screen] = at
        self.rows_used += 1


def prepare(
    study: Study,
    sheet: Sheet,
    mapping: Mapping[str, str],
    *,
    version: int,
    missing: Missing = "error",
    now: datetime,
) -> Prepared:
    """Read a whole table; nothing is stored, and every problem is named."""
    read_row = table_import(study).read_row
    reading = Reading(study, sheet, checked_mapping(study, sheet, mapping))
    for name in reading.rows():
        person = reading.person(name)
        if reading.wide:
            _wide(reading, person, missing)
        else:
            read_row(reading, person, missing)
    return Prepared(
        people=_people(reading, version, now=now),
        rows_used=reading.rows_used,
        problems=tuple(reading.problems),
        left_out=dict(reading.left_out),
    )


def _wide(reading: Reading, person: PersonDraft, missing: Missing) -> None:
    """Read one person of an exported survey."""
    pages: dict[str, dict[str, AnswerValue]] = {}
    asked: dict[str, int] = {}
    checks: dict[str, AnswerValue] = {}
    for column, answer in reading.wide.items():
        text = reading.row.cells[column]
        question = _question(reading.study, answer)
        if question is not None:
            _read_question(reading, person, answer, question, column, text)
            continue
        asked[answer.screen] = asked.get(answer.screen, 0) + 1
        point = reading.value(column, text, partial(on_scale, scale=answer.scale)) if text else None
        if point is not None and not answer.screen:
            checks[answer.name] = point
        elif point is not None:
            pages.setdefault(answer.screen, {})[answer.name] = point
    for screen, values in pages.items():
        if len(values) < asked[screen]:
            _partial(reading, screen, missing)
            continue
        # An attention check had a page of its own there; here it stands with the first judgement.
        reading.judge(person, screen, values | checks)
        checks = {}
        reading.assign(person, reading.conditions[screen])


def _partial(reading: Reading, screen: str, missing: Missing) -> None:
    if missing == "drop":
        reading.left_out["pages with a gap"] += 1
    else:
        # What is there but no point of the scale is a problem already.
        empty = [name for name, answer in reading.wide.items() if answer.screen == screen
                 and not reading.row.cells[name]]  # fmt: skip
        for column in empty[:1]:
            reading.problem(column, "nothing", "an answer, or leave such pages out")


def _question(study: Study, asked: Asked) -> Question | None:
    questions = (*study.demographics, *study.closing)
    return next(
        (question for question in questions if question.key == asked.name and asked.screen), None
    )


def _read_question(
    reading: Reading, person: PersonDraft, asked: Asked, question: Question, column: str, text: str
) -> None:
    """Read an answer outside the task; one of several choices has a column of its own."""
    values = person.questions.setdefault(asked.screen, {})
    if asked.option is None:
        given = reading.value(
            column, text, lambda t: answer_in_cell(question, t, language=reading.study.language)
        )
        values[question.key] = given
    elif text.casefold() in ("y", "yes", "1", "ja") and asked.option <= len(question.options):
        earlier = values.get(question.key)
        chosen = [*(earlier if isinstance(earlier, list) else []),
                  question.options[asked.option - 1].key]  # fmt: skip
        values[question.key] = sorted_choices(question, chosen)


def imported_id(name: str) -> str:
    """Return the id under which somebody of a file is stored."""
    return f"import-{name}"


def _people(reading: Reading, version: int, *, now: datetime) -> tuple[ImportedPerson, ...]:
    """Return everyone who was read, as they are stored."""
    return tuple(
        _person(reading.study, name, person, version, now)
        for name, person in reading.people.items()
        if person.answers
    )


def _person(
    study: Study, name: str, person: PersonDraft, version: int, now: datetime
) -> ImportedPerson:
    answers = []
    known = conditions(study)
    order: list[tuple[str, dict[str, AnswerValue], float | None]] = []
    if DEMOGRAPHICS in person.questions:
        order.append((DEMOGRAPHICS, person.questions[DEMOGRAPHICS], None))
    order += [(screen, values, took) for screen, (values, took) in person.answers.items()]
    if CLOSING in person.questions:
        order.append((CLOSING, person.questions[CLOSING], None))
    last = max(person.at.values(), default=now)
    for screen, values, took in order:
        at = person.at.get(screen, last)
        answers.append(
            GivenAnswer(
                screen=bare_screen(study, screen, study.title),
                values=values,
                shown_at=at - timedelta(seconds=took or 0.0),
                answered_at=at,
            )
        )
    return ImportedPerson(
        name=name,
        external_id=imported_id(name),
        version=version,
        seed=int.from_bytes(hashlib.sha256(name.encode()).digest()[:6]),
        condition=person.condition or known[0],
        answers=tuple(answers),
        last=Screen(key="finished", kind="finished", title=study.title, language=study.language),
        is_finished=person.is_finished,
        is_pilot=person.is_pilot,
    )
