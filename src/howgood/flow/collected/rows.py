"""A study's data as tidy rows, some at a time, whatever their number; and how much there is.

In: a host and a study's short name. Out: rows, or batches of them by column; the codebook of their
columns, `Holdings`. Absent: files and formats, and how the study is going (`flow.watching`).

People are read in small pages, each in a short transaction of its own: memory stays the same for
ten answers and for ten million, and a slow reader holds no connection. Whoever is answering
meanwhile is in the rows as far as they were when their page was read. A page of people becomes one
batch of each table, whatever the format.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, groupby
from typing import Any

from howgood.errors import UnknownNameError
from howgood.flow import in_use
from howgood.flow.collected.codebook import codebook
from howgood.flow.hosting import Host
from howgood.flow.participate import (
    answers_as_batch,
    answers_as_rows,
    participant_row,
    passed_checks,
)
from howgood.kinds.study import Study
from howgood.records.codebook import TABLES, Batch, Codebook, TableName, batch_of, rows_of
from howgood.records.inclusion import CHECKS_COLUMN, EXCLUDED_COLUMN, FINISHED_COLUMN, PILOT_COLUMN
from howgood.records.participant import Status
from howgood.records.screen import Answer, Participation
from howgood.store import cards, collected, studies
from howgood.store.collected import PersonRow
from howgood.store.studies import StudyHead, StudyRow

Row = dict[str, Any]
_PEOPLE_AT_ONCE = 400


def tidy_rows(
    host: Host,
    slug: str,
    *,
    table: TableName = "answers",
    pilots: bool = False,
    identified: bool = False,
) -> Iterator[Row]:
    """Yield a study's data row by row, every row with every column of the table.

    Parameters
    ----------
    host : Host
        The database.
    slug : str
        The study's short name.
    table : {"answers", "participants", "screens"}
        One row per judgement (those from inside a product last), per person, or per page shown.
    pilots : bool
        Whether test runs are included.
    identified : bool
        Whether the ids that recruiting platforms gave are included.

    Notes
    -----
    Stability: experimental. Invitations that nobody used are in no table.
    """
    if table not in TABLES:
        raise UnknownNameError(where="table", name=table, names=TABLES)
    row = find_study(host, slug)
    names = collected_codebook(host, slug, identified=identified).names(table)
    every = batches(host, row, {table: names}, pilots=pilots)
    return chain.from_iterable(rows_of(batch[table]) for batch in every)


def batches(
    host: Host,
    row: StudyRow,
    names: Mapping[TableName, Sequence[str]],
    *,
    pilots: bool,
) -> Iterator[dict[TableName, Batch]]:
    """Yield the named columns of tables, a page of people at a time, who are read once.

    What was said inside products stands at the end of the answers.
    """
    for page in pages(host, row, pilots=pilots):
        yield page_batches(host, page, names)
    if "answers" in names:
        for said in in_use.use_pages(host, row.slug):
            yield {"answers": batch_of(said, names["answers"])}


def page_of_rows(
    host: Host,
    slug: str,
    *,
    table: TableName,
    pilots: bool,
    after: int,
    people_at_most: int,
    identified: bool = False,
) -> tuple[list[Row], int | None]:
    """Return the rows of the next people after a number, and where the page after begins.

    Notes
    -----
    Stability: experimental. None instead of a number: that was the last page.
    """
    row = find_study(host, slug)
    names = collected_codebook(host, slug, identified=identified).names(table)
    page = _page(host, row, pilots, after, people_at_most)
    begun = [person for person in page if person.status is not Status.INVITED]
    rows = rows_of(page_batches(host, begun, {table: names})[table])
    return rows, page[-1].number if len(page) == people_at_most else None


def collected_codebook(host: Host, slug: str, *, identified: bool = False) -> Codebook:
    """Return what the columns of a study's data mean, over all its versions.

    Columns that may name a person are in it only where `identified` says so.

    Notes
    -----
    Stability: experimental
    """
    row = find_study(host, slug)
    with host.database.reading() as connection:
        versions = collected.versions_of(connection, row.number)
    book = codebook(*(host.study(version) for version in versions))
    if in_use.has_products(host, slug):
        said = {**book.tables, "answers": (*book.tables["answers"], *in_use.COLUMNS)}
        book = replace(book, tables=said)
    return book if identified else book.pseudonymised()


def people(host: Host, row: StudyRow, *, pilots: bool, after: int = 0) -> Iterator[PersonRow]:
    """Yield everyone who began, by number, from after a number on."""
    for page in pages(host, row, pilots=pilots, after=after):
        yield from page


def pages(
    host: Host, row: StudyRow, *, pilots: bool, after: int = 0
) -> Iterator[tuple[PersonRow, ...]]:
    """Yield everyone who began, by number, a page at a time."""
    while page := _page(host, row, pilots, after, _PEOPLE_AT_ONCE):
        yield tuple(person for person in page if person.status is not Status.INVITED)
        after = page[-1].number


def _page(host: Host, row: StudyRow, pilots: bool, after: int, most: int) -> tuple[PersonRow, ...]:
    with host.database.reading() as connection:
        return collected.people(connection, row.number, after=after, most=most, with_pilots=pilots)


def page_batches(
    host: Host, page: Iterable[PersonRow], names: Mapping[TableName, Sequence[str]]
) -> dict[TableName, Batch]:
    """Return the named columns of tables for some people; cells that do not apply are None."""
    batches: dict[TableName, dict[str, list[Any]]] = {
        table: {name: [] for name in wanted} for table, wanted in names.items()
    }
    for version, people_of_version in groupby(page, lambda person: person.version):
        people = tuple(people_of_version)
        ways = [participation_of(person) for person in people]
        for table, batch in batches.items():
            made = _BATCHES[table](host.study(version), people, ways)
            n = len(next(iter(made.values()), ()))
            for name, cells in batch.items():
                cells += made[name] if name in made else [None] * n
    return dict(batches)


def _answer_batch(
    study: Study, people: Sequence[PersonRow], ways: Sequence[Participation]
) -> Batch:
    facts = [who_counts(study, person, way) for person, way in zip(people, ways, strict=True)]
    batch = answers_as_batch(study, ways)
    if batch is None:
        return batch_of([
            {**row, **of_person}
            for way, of_person in zip(ways, facts, strict=True)
            for row in answers_as_rows(study, way)
        ])  # fmt: skip
    numbers, owners = [way.participant for way in ways], batch.get("participant", ())
    about = {
        name: list(map(dict(zip(numbers, cells, strict=True)).__getitem__, owners))
        for name, cells in batch_of(facts).items()
    }
    return {**batch, **about}


def _person_batch(
    study: Study, people: Sequence[PersonRow], ways: Sequence[Participation]
) -> Batch:
    return batch_of([
        _about(study, person) | participant_row(study, way)
        for person, way in zip(people, ways, strict=True)
    ])  # fmt: skip


def who_counts(
    study: Study, person: PersonRow, participation: Participation
) -> dict[str, bool | None]:
    """Return what decides whether a person's answers enter a fit (`records.inclusion`)."""
    return {
        CHECKS_COLUMN: passed_checks(study, participation),
        FINISHED_COLUMN: person.status is Status.COMPLETE,
        PILOT_COLUMN: person.is_pilot,
        EXCLUDED_COLUMN: bool(person.excluded_because),
    }


def participation_of(person: PersonRow) -> Participation:
    """Return a stored person's way through the study."""
    shown = person.screens
    return Participation(
        participant=str(person.number),
        condition=person.condition,
        seed=person.seed,
        answers=tuple([
            Answer(screen, values or {}, at, seconds)
            for screen, values, at, seconds in zip(
                shown.names, shown.contents, shown.answered_at, shown.seconds, strict=True
            )
            if at is not None
        ]),
    )  # fmt: skip


def find_study(host: Host, slug: str) -> StudyRow:
    """Return the study of this name, or say which there are."""
    with host.database.reading() as connection:
        row = studies.find(connection, slug)
        if row is None:
            known = [study_row.slug for study_row in studies.everything(connection)]
            raise UnknownNameError(where="study", name=slug, names=known)
    return row


def _about(study: Study, person: PersonRow) -> Row:
    return {
        "external_id": person.external_id,
        "status": person.status.value,
        "pilot": person.is_pilot,
        EXCLUDED_COLUMN: bool(person.excluded_because),
        "excluded_because": person.excluded_because or None,
        "version": study.version,
        "started_at": _iso(person.created_at),
        "consented_at": _iso(person.consented_at),
        "finished_at": _iso(person.finished_at),
        "changes": sum(map(len, person.screens.earlier)),
    }


def _screen_batch(
    _study: Study, people: Sequence[PersonRow], ways: Sequence[Participation]
) -> Batch:
    """Return every page that was shown; what was asked on it is in the study."""
    shown = [person.screens for person in people]
    earlier = _joined(screens.earlier for screens in shown)
    return {
        "participant": _joined(
            [way.participant] * len(screens.names) for way, screens in zip(ways, shown, strict=True)
        ),
        "screen": _joined(screens.names for screens in shown),
        "position": _joined(screens.positions for screens in shown),
        "shown_at": _joined(screens.shown_texts for screens in shown),
        "answered_at": _joined(screens.answered_texts for screens in shown),
        "seconds": _joined(screens.seconds for screens in shown),
        "changes": list(map(len, earlier)),
        "earlier_answers": [
            json.dumps(answers, ensure_ascii=False) if answers else None for answers in earlier
        ],
    }


def _joined(columns: Iterable[Sequence[Any]]) -> list[Any]:
    return list(chain.from_iterable(columns))


_BATCHES: Mapping[
    TableName, Callable[[Study, Sequence[PersonRow], Sequence[Participation]], Batch]
] = {"answers": _answer_batch, "participants": _person_batch, "screens": _screen_batch}


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """A study, how much was collected (pilots are counted apart), and its published cards."""

    study: StudyHead
    people: int
    answers: int
    pilots: int
    cards: tuple[str, ...] = ()


def holdings(host: Host, slug: str) -> Holdings:
    """Return how much a study has collected; one that was never published has nothing."""
    with host.database.reading() as connection:
        head = studies.existing(connection, slug)
        people, pilots, answers = collected.counts(connection, head.number)
        published = tuple(
            card.name for card in cards.everything(connection) if card.study == head.number
        )
    return Holdings(study=head, people=people, answers=answers, pilots=pilots, cards=published)
