"""A table to people: every cell read, every fault with its line and column, nothing stored.

In: a study, a table, a mapping, a policy for gaps. Out: `Prepared`. Absent: storing (`person`).
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Literal, TypeVar

from howgood.errors import InputError, ManyProblemsError
from howgood.flow.importing.mapping import ANSWERED_AT, PARTICIPANT, SECONDS, wide_columns
from howgood.flow.importing.person import GivenAnswer, ImportedPerson, bare_screen
from howgood.flow.importing.sheet import Sheet, SheetRow
from howgood.flow.importing.values import WrongCellError, answer_to, moment, seconds, yes_or_no
from howgood.flow.participate import conditions
from howgood.flow.participate.path import CLOSING, DEMOGRAPHICS
from howgood.records.inclusion import FINISHED_COLUMN, PILOT_COLUMN
from howgood.records.screen import AnswerValue, Screen
from howgood.records.study import Study

Missing = Literal["error", "drop"]
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
        return f"line {self.line}, column {self.column!r}: {self.found}; {self.needed}"


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


@dataclass(slots=True)
class Collected:
    """A person while their rows are read."""

    condition: str = ""
    beside: dict[str, dict[str, AnswerValue]] = field(default_factory=dict)
    answers: dict[str, tuple[dict[str, AnswerValue], float | None]] = field(default_factory=dict)
    at: dict[str, datetime] = field(default_factory=dict)
    is_finished: bool | None = None
    is_pilot: bool = False


class Reading:
    """One table being read: knows the row it is at, and keeps what is wrong."""

    def __init__(self, study: Study, sheet: Sheet, mapping: Mapping[str, str]) -> None:
        self.study, self.sheet, self.mapping = study, sheet, mapping
        self.wide = wide_columns(study, sheet)
        self.people: dict[str, Collected] = {}
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

    def person(self, name: str) -> Collected:
        """Return the person of this row, new or known, with what the row says about them."""
        person = self.people.setdefault(name, Collected())
        for screen, questions in (
            (DEMOGRAPHICS, self.study.demographics),
            (CLOSING, self.study.closing),
        ):
            for question in questions:
                value = self.mapped(
                    question.key,
                    partial(answer_to, question, language=self.study.language),
                )
                if value is not None:
                    person.beside.setdefault(screen, {})[question.key] = value
        self._read_facts(person)
        return person

    def _read_facts(self, person: Collected) -> None:
        """Read what decides whether somebody counts; it is true of them if any row says so."""
        own = {each.key for each in (*self.study.demographics, *self.study.closing)}
        if FINISHED_COLUMN in self.mapping and FINISHED_COLUMN not in own:
            finished = self.mapped(FINISHED_COLUMN, yes_or_no)
            person.is_finished = bool(person.is_finished or finished)
        if PILOT_COLUMN in self.mapping and PILOT_COLUMN not in own:
            person.is_pilot = bool(person.is_pilot or self.mapped(PILOT_COLUMN, yes_or_no))

    def judge(self, person: Collected, screen: str, values: dict[str, AnswerValue]) -> None:
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


def people_of(reading: Reading, version: int, *, now: datetime) -> tuple[ImportedPerson, ...]:
    """Return everyone who was read, as they are stored."""
    return tuple(
        _person(reading.study, name, each, version, now)
        for name, each in reading.people.items()
        if each.answers
    )


def _person(
    study: Study, name: str, person: Collected, version: int, now: datetime
) -> ImportedPerson:
    found = []
    known = conditions(study)
    order: list[tuple[str, dict[str, AnswerValue], float | None]] = []
    if DEMOGRAPHICS in person.beside:
        order.append((DEMOGRAPHICS, person.beside[DEMOGRAPHICS], None))
    order += [(screen, values, took) for screen, (values, took) in person.answers.items()]
    if CLOSING in person.beside:
        order.append((CLOSING, person.beside[CLOSING], None))
    last = max(person.at.values(), default=now)
    for screen, values, took in order:
        at = person.at.get(screen, last)
        found.append(
            GivenAnswer(
                screen=bare_screen(study, screen, study.title),
                values=values,
                shown_at=at - timedelta(seconds=took or 0.0),
                answered_at=at,
            )
        )
    return ImportedPerson(
        name=name,
        external_id=f"import-{name}",
        version=version,
        seed=int.from_bytes(hashlib.sha256(name.encode()).digest()[:6]),
        condition=person.condition or known[0],
        answers=tuple(found),
        last=Screen(key="finished", kind="finished", title=study.title, language=study.language),
        is_finished=person.is_finished,
        is_pilot=person.is_pilot,
    )
