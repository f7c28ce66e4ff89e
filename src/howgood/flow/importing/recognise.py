"""People of a file, and who of them is here already: row by row, before anything is stored.

In: people as reading gives them (`files`, `prepare`). Out: `Comparison`: who is new, whose
answers are here, who has more to add, whose answers differ. Absent: storing (`storing`).

A file says only a name. It may be the id of an earlier import, the id of a recruiting platform, or
the number that howgood's own export gives. A number may be anybody's, so it is believed only when
every answer in the file is stored under it, with the same time wherever both know one. Where only
some are, the person is neither new nor the same: nothing of theirs is taken, and they are named.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.engine import Connection

from howgood.kinds.study import Study
from howgood.records.participant import Status
from howgood.records.screen import AnswerValue, Screen
from howgood.store.collected import PersonRow, ShownScreen
from howgood.store.imported import possibly_known
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
    """One person of a file: `name` as the file has it, `external_id` as it is stored.

    `is_finished` is None where the file does not say; such people count as finished.
    """

    name: str
    external_id: str
    version: int
    seed: int
    condition: str
    answers: tuple[GivenAnswer, ...]
    last: Screen
    is_finished: bool | None = None
    is_pilot: bool = False


def bare_screen(study: Study, key: str, title: str) -> Screen:
    """Return what is known of a page that was shown by another program."""
    return Screen(key=key, kind="task", title=title, language=study.language)


_SAME_SECONDS = 0.0015  # a file may have rounded to milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """More answers of somebody who was imported before."""

    participant: int
    person: ImportedPerson


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a file would add, and what of it is here already."""

    new: tuple[ImportedPerson, ...] = ()
    more: tuple[Addition, ...] = ()
    people_here: int = 0
    answers_here: int = 0
    differing: tuple[str, ...] = ()

    @property
    def people_added(self) -> int:
        """How many people would be new."""
        return len(self.new)

    @property
    def answers_added(self) -> int:
        """How many answers would be new, of new people and of known ones."""
        added = [*self.new, *(person.person for person in self.more)]
        return sum(len(person.answers) for person in added)

    @property
    def adds_nothing(self) -> bool:
        """Whether everything is here already, or nothing can be taken."""
        return not self.new and not self.more


def compared(connection: Connection, row: StudyRow, people: Sequence[ImportedPerson]) -> Comparison:
    """Compare the people of a file with those of the study; nothing is stored."""
    names = [name for one_person in people for name in (one_person.external_id, one_person.name)]
    by_name: dict[str, list[PersonRow]] = {}
    for stored in possibly_known(connection, row.number, names):
        for name in {str(stored.number), stored.external_id or str(stored.number)}:
            by_name.setdefault(name, []).append(stored)
    new, more, differing = [], [], []
    people_here = answers_here = 0
    for person in people:
        candidates = [*by_name.get(person.external_id, ()), *by_name.get(person.name, ())]
        imported = next((c for c in candidates if c.external_id == person.external_id), None)
        if imported is not None and _counts_otherwise(imported, person):
            differing.append(person.name)
            continue
        if _has_all(candidates, person):
            people_here += 1
            answers_here += len(person.answers)
            continue
        if imported is None:
            if any(_has_some(candidate, person) for candidate in candidates):
                differing.append(person.name)
            else:
                new.append(person)
            continue
        known = _answered(imported)
        if any(
            not _is_same(shared_answer, known, with_times=False)
            for shared_answer in _shared(person, known)
        ):
            differing.append(person.name)
            continue
        rest = tuple(answer for answer in person.answers if answer.screen.key not in known)
        more.append(Addition(participant=imported.number, person=replace(person, answers=rest)))
        answers_here += len(person.answers) - len(rest)
    return Comparison(
        new=tuple(new),
        more=tuple(more),
        people_here=people_here,
        answers_here=answers_here,
        differing=tuple(differing),
    )


def _counts_otherwise(stored: PersonRow, person: ImportedPerson) -> bool:
    """Return whether the file says of somebody imported before that they finished, or were a test.

    That they had not finished yet may be of an earlier day.
    """
    has_finished = bool(person.is_finished) and stored.status is not Status.COMPLETE
    return has_finished or (person.is_pilot and not stored.is_pilot)


def _has_all(candidates: Iterable[PersonRow], person: ImportedPerson) -> bool:
    """Return whether one of them gave every answer that the file says."""
    for stored in candidates:
        known = _answered(stored)
        by_id = stored.external_id == person.external_id
        shared = _shared(person, known)
        if len(shared) == len(person.answers) and all(
            _is_same(shared_answer, known, with_times=not by_id) for shared_answer in shared
        ):
            return True
    return False


def _has_some(stored: PersonRow, person: ImportedPerson) -> bool:
    """Return whether some of what the file says was surely answered by this person.

    Times tell people apart: one equal answer that took equally long is enough, and so is an equal
    time on every page, whatever was corrected there. Answers whose times nobody knows are often
    equal by chance: at least half of them must be.
    """
    known = _answered(stored)
    shared = _shared(person, known)
    times = {answer.screen.key: _times(answer, known[answer.screen.key]) for answer in shared}
    timed = [answer for answer in shared if _are_close(times[answer.screen.key])]
    if timed:
        is_equal = any(_is_same(answer, known, with_times=False) for answer in timed)
        return is_equal or len(timed) == len(shared)
    untimed = [answer for answer in shared if times[answer.screen.key] == (None, None)]
    equal = [answer for answer in untimed if _is_same(answer, known, with_times=False)]
    return bool(equal) and 2 * len(equal) >= len(shared)


def _answered(stored: PersonRow) -> dict[str, ShownScreen]:
    return {screen.name: screen for screen in stored.screens if screen.answered_at is not None}


def _shared(person: ImportedPerson, known: Mapping[str, ShownScreen]) -> list[GivenAnswer]:
    return [answer for answer in person.answers if answer.screen.key in known]


def _is_same(given: GivenAnswer, known: Mapping[str, ShownScreen], *, with_times: bool) -> bool:
    """Return whether what a file says of a page is what is stored of it."""
    stored = known[given.screen.key]
    content = stored.content or {}
    if any(content.get(name) != value for name, value in given.values.items()):
        return False
    times = _times(given, stored)
    return not with_times or None in times or _are_close(times)


def _times(given: GivenAnswer, stored: ShownScreen) -> tuple[float | None, float | None]:
    """Return how long a page took, as the file says and as it is stored; None: not known."""
    return (
        _seconds(given.shown_at, given.answered_at),
        _seconds(stored.shown_at, stored.answered_at),
    )


def _are_close(times: tuple[float | None, float | None]) -> bool:
    one, other = times
    return one is not None and other is not None and abs(one - other) < _SAME_SECONDS


def _seconds(shown_at: datetime, answered_at: datetime | None) -> float | None:
    if answered_at is None or answered_at <= shown_at:
        return None
    return (answered_at - shown_at).total_seconds()
