"""Files of answers into the database: all of them or none.

In: files, a study's short name, a mapping. Out: `ImportReport`. Absent: the command line and pages.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from pydantic import Field as Described

from howgood.errors import FileFormatError, InputError
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host
from howgood.flow.importing.mapping import suggested
from howgood.flow.importing.prepare import Prepared
from howgood.flow.importing.recognise import GivenAnswer, ImportedPerson, compared
from howgood.flow.importing.sheet import read_sheet
from howgood.flow.importing.storing import ImportReport, merged, report_of, store_people
from howgood.flow.importing.versions import prepare_any_version
from howgood.flow.participate import conditions, next_screen, parse_answer
from howgood.flow.participate.path import CONSENT
from howgood.flow.survey_export.offline import FORMAT
from howgood.kinds import kind_of
from howgood.kinds.offline_pairs import OFFLINE
from howgood.kinds.study import Study
from howgood.kinds.table_import import Missing
from howgood.kinds.translation import offered
from howgood.records.record import Record, read_record, written
from howgood.records.screen import Answer, Field, Screen
from howgood.store.imported import version_with_digest
from howgood.store.studies import StudyRow


def import_files(
    host: Host,
    slug: str,
    files: Sequence[tuple[str, bytes]],
    *,
    mapping: Mapping[str, str],
    missing: Missing = "error",
    store: bool = True,
    actor: str,
    now: datetime,
) -> ImportReport:
    """Store the people in files saved by the offline page, or written by another program.

    Parameters
    ----------
    host : Host
        The database.
    slug : str
        The study they answered.
    files : sequence of (name, content)
        Names ending in .json are of the offline page; everything else is a CSV table.
    mapping : mapping of target to column
        For tables; what is not named is suggested by the columns' names.
    missing : {"error", "drop"}
        What to do with rows that have a gap.
    store : bool
        False compares the files with what is here and stores nothing.
    actor : str
        Who does it, for the audit.
    now : datetime
        The time that answers get whose file knows none.

    Notes
    -----
    Stability: experimental. What is here already is recognised and not stored again; what an import
    added can be taken out by `undo_import`.
    """
    row = find_study(host, slug)
    people, left_out = read_people(host, row, files, mapping=mapping, missing=missing, now=now)
    if not store:
        with host.database.reading() as connection:
            return report_of(compared(connection, row, people), left_out, None)
    source = ", ".join(PurePath(name.replace("\\", "/")).name for name, _ in files)
    return store_people(host, row, people, source=source, left_out=left_out, actor=actor, now=now)


def read_people(
    host: Host,
    row: StudyRow,
    files: Sequence[tuple[str, bytes]],
    *,
    mapping: Mapping[str, str],
    missing: Missing,
    now: datetime,
) -> tuple[tuple[ImportedPerson, ...], dict[str, int]]:
    """Return the people of several files, each once, and what is left out by which policy."""
    people: list[ImportedPerson] = []
    left_out: dict[str, int] = {}
    for name, content in files:
        if name.lower().endswith(".json"):
            people += read_offline(host, row, _text(content, name), file=name)
            continue
        prepared = prepared_table(
            host, row.slug, name, content, mapping=mapping, missing=missing, now=now
        ).checked(name)
        people += prepared.people
        for policy, count in prepared.left_out.items():
            left_out[policy] = left_out.get(policy, 0) + count
    return merged(people), left_out


def prepared_table(
    host: Host,
    slug: str,
    name: str,
    content: bytes,
    *,
    mapping: Mapping[str, str],
    missing: Missing,
    now: datetime,
) -> Prepared:
    """Read a table with the mapping, completed by suggestions, and store nothing."""
    row = find_study(host, slug)
    sheet = read_sheet(content, name=name)
    complete = {**suggested(host.study(row.version), sheet), **mapping}
    return prepare_any_version(host, row, sheet, complete, missing=missing, now=now)


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            where=name,
            found="bytes that are no text",
            needed="a file saved by the offline page",
            cure="Ask for the file again.",
        ) from error


# Answers that the offline page saved, read and walked again.
#
# A file is taken only if the server would have asked exactly these questions in this order: the
# next screen is a pure function of study, seed and answers, so the whole walk is checked.


class OfflineAnswer(Record):
    """What one page sent."""

    screen: str = Described(description="name of the page")
    form: Mapping[str, str | tuple[str, ...]] = Described(description="what was filled in")
    shown_at: str = Described(description="when the page was shown")
    answered_at: str = Described(description="when it was sent")


class OfflineFile(Record):
    """Everything one person sent."""

    howgood: str = Described(description="what kind of file this is")
    format: int = Described(description="its format")
    study: str = Described(description="short name of the study")
    version: str = Described(description="version of the study")
    person: str = Described(description="a random name")
    seed: int = Described(description="what every order was drawn from", ge=0, le=2**63 - 1)
    condition: str = Described(description="the branch")
    language: str = Described(default="", description="the language it was read in")
    answers: tuple[OfflineAnswer, ...] = Described(description="the answers, in order")


def read_offline(host: Host, row: StudyRow, text: str, *, file: str) -> list[ImportedPerson]:
    """Return the people in a file of the offline page, or raise what is wrong with it.

    A file holds one person, or a list of those who shared a device.
    """
    data = _json(text, file)
    if not isinstance(data, list) or not data:
        return [_read_person(host, row, data, file)]
    return [
        _read_person(host, row, person, f"{file}, person {number}")
        for number, person in enumerate(data, start=1)
    ]


def _read_person(host: Host, row: StudyRow, data: object, file: str) -> ImportedPerson:
    given = read_record(OfflineFile, data, where=file)
    _check_origin(given, row, file)
    with host.database.reading() as connection:
        version = version_with_digest(connection, row.number, given.version)
    if version is None:
        raise InputError(
            where=f"{file}, version",
            found=f"{given.version!r}",
            needed=f"a version of study {row.slug!r} that this database knows",
            cure="Export the page again from this database, or import where it came from.",
        )
    study = host.study(version)
    if given.condition not in conditions(study):
        raise _wrong(file, ("condition",), repr(given.condition), "a branch of the study")
    if given.language and given.language not in offered(study):
        raise _wrong(file, ("language",), repr(given.language[:20]), "a language of the study")
    answers, last = _walked(study, given, file)
    return ImportedPerson(
        name=given.person,
        external_id=f"offline-{given.person}",
        version=version,
        seed=given.seed,
        condition=given.condition,
        answers=answers,
        last=last,
    )


def _json(text: str, file: str) -> Any:  # noqa: ANN401 - foreign data, checked by the caller
    try:
        data = json.loads(text)
        # Half a pair of characters, or none at all, would break every later export.
        whole = json.dumps(data, ensure_ascii=False)
        whole.encode()
        if "\\u0000" in whole:
            raise ValueError("a character zero")
        return data
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise FileFormatError(
            where=f"{file}:{line}",
            found="text that is no JSON, or not whole",
            needed="a file saved by the offline page",
            cure="Ask for the file again; the copied text must be complete.",
        ) from error


def _check_origin(given: OfflineFile, row: StudyRow, file: str) -> None:
    if given.howgood != FORMAT or given.format != 1:
        raise _wrong(file, ("howgood",), repr(given.howgood), f"{FORMAT!r}, format 1")
    if not re.fullmatch(r"[0-9A-Za-z-]{1,64}", given.person):
        raise _wrong(file, ("person",), repr(given.person[:80]), "the random name the page gave")
    if given.study != row.slug:
        raise _wrong(file, ("study",), repr(given.study), f"{row.slug!r}, the study named")


def _walked(study: Study, given: OfflineFile, file: str) -> tuple[tuple[GivenAnswer, ...], Screen]:
    walked: list[GivenAnswer] = []
    before: list[Answer] = []
    for index, answer in enumerate(given.answers):
        shown_at = _moment(answer.shown_at, file, ("answers", index, "shown_at"))
        at = _moment(answer.answered_at, file, ("answers", index, "answered_at"))
        screen = _as_offline(
            study,
            next_screen(
                study,
                condition=given.condition,
                seed=given.seed,
                answers=before,
                now=at,
                language=given.language,
            ),
        )
        if screen.key != answer.screen or not screen.awaits_answer:
            place = ("answers", index, "screen")
            raise _wrong(file, place, repr(answer.screen), f"{screen.key!r}, which comes next")
        result = parse_answer(
            screen, {name: _form_value(value) for name, value in answer.form.items()}
        )
        if not result.is_valid:
            name, problem = next(iter(result.problems.items()))
            shown = repr(answer.form.get(name))[:60]
            raise _wrong(file, ("answers", index, "form", name), shown, f"({problem})")
        before.append(Answer(screen=screen.key, values=result.values, at=at))
        walked.append(
            GivenAnswer(
                screen=screen,
                values=result.values,
                shown_at=min(shown_at, at),
                answered_at=at,
            )
        )
    now = before[-1].at if before else datetime.now(UTC)
    last = next_screen(study, condition=given.condition, seed=given.seed, answers=before, now=now)
    if not last.is_last:
        raise _wrong(file, ("answers",), f"{len(before)} answers", f"an answer to {last.key!r} too")
    return tuple(walked), last


def _as_offline(study: Study, screen: Screen) -> Screen:
    """Return a screen as the page showed it: consent says that no server chose the pairs."""
    if screen.key != CONSENT or not kind_of(study).asks_offline_differently:
        return screen
    note = Field(name=OFFLINE, kind="hidden", label="", value="page")
    return screen.changed(fields=(*screen.fields, note))


def _form_value(value: str | tuple[str, ...]) -> str | list[str]:
    return value if isinstance(value, str) else list(value)


def _moment(text: str, file: str, path: tuple[str | int, ...]) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise _wrong(file, path, repr(text), "a time such as 2026-05-04T12:00:00Z")


def _wrong(file: str, path: tuple[str | int, ...], found: str, needed: str) -> FileFormatError:
    return FileFormatError(
        where=f"{file}, {written(path)}",
        found=found,
        needed=needed,
        cure="Nothing was imported. Take the file as the page saved it, without changes.",
    )
