"""A table whose people saw different versions of the study: each is read by what they were asked.

In: a study of the database, a table, a mapping. Out: `Prepared`. Absent: reading by one version
(`prepare`), storing (`storing`).

Somebody who is here already is read by the version they saw. Everybody else is read by the version
under which the fewest of their cells are wrong, the newest where several fit equally well.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from howgood.errors import InputError
from howgood.flow.hosting import Host
from howgood.flow.importing.mapping import PARTICIPANT, checked_mapping, suggested, targets
from howgood.flow.importing.prepare import Prepared, imported_id, prepare
from howgood.flow.importing.recognise import compared
from howgood.flow.importing.sheet import Sheet
from howgood.kinds.study import Study
from howgood.kinds.table_import import Missing
from howgood.store.collected import versions_of
from howgood.store.imported import possibly_known
from howgood.store.studies import StudyRow

# Version -> the mapping by which it reads the table.
_Readers = Mapping[int, Mapping[str, str]]


def prepare_any_version(
    host: Host,
    row: StudyRow,
    sheet: Sheet,
    mapping: Mapping[str, str],
    *,
    missing: Missing = "error",
    now: datetime,
) -> Prepared:
    """Read a whole table, everybody by the version of the study that fits; nothing is stored."""
    newest = row.version
    with host.database.reading() as connection:
        others = [number for number in versions_of(connection, row.number) if number != newest]
    if not others or PARTICIPANT not in mapping:
        return prepare(host.study(newest), sheet, mapping, version=newest, missing=missing, now=now)
    readers = _readers(host, newest, others, sheet, mapping)
    column = mapping[PARTICIPANT]
    names = {each.cells.get(column, "") for each in sheet.rows}
    chosen = _as_stored(host, row, sheet, readers, names, now)
    rest = names - chosen.keys()
    chosen |= _best_fitting(host, sheet, readers, newest, rest, now)
    read = []
    for version in dict.fromkeys((newest, *others)):
        part = _part(sheet, column, {name for name in names if chosen[name] == version})
        if part.rows or not names:
            study, own = host.study(version), readers.get(version, mapping)
            read.append(prepare(study, part, own, version=version, missing=missing, now=now))
    return _joined(read)


def _readers(
    host: Host, newest: int, others: Sequence[int], sheet: Sheet, mapping: Mapping[str, str]
) -> _Readers:
    """Return the versions that can read the table; what only they ask is found by its name."""
    study = host.study(newest)
    asked = {target.name for target in targets(study)}
    readers: dict[int, Mapping[str, str]] = {}
    for version in (newest, *others):
        own = host.study(version)
        try:
            # A version of another kind may read no tables at all.
            complete = mapping if version == newest else _mapping(own, sheet, mapping, asked)
            readers[version] = checked_mapping(own, sheet, complete)
        except InputError:
            continue
    return readers


def _mapping(
    study: Study, sheet: Sheet, mapping: Mapping[str, str], asked: Collection[str]
) -> dict[str, str]:
    """Return the mapping for an older version: as chosen, and what the newest does not ask."""
    known = {target.name for target in targets(study)}
    by_name = {
        name: column for name, column in suggested(study, sheet).items() if name not in asked
    }
    return by_name | {name: column for name, column in mapping.items() if name in known}


def _as_stored(
    host: Host,
    row: StudyRow,
    sheet: Sheet,
    readers: _Readers,
    names: Collection[str],
    now: datetime,
) -> dict[str, int]:
    """Return the version of everybody who is here already, whole or in part."""
    wanted = {known: name for name in names if name for known in (name, imported_id(name))}
    with host.database.reading() as connection:
        by_version: dict[int, set[str]] = {}
        for stored in possibly_known(connection, row.number, list(wanted)):
            for known in {str(stored.number), stored.external_id or ""} & wanted.keys():
                by_version.setdefault(stored.version, set()).add(wanted[known])
    chosen: dict[str, int] = {}
    for version in by_version.keys() & readers.keys():
        part = _part(sheet, readers[version][PARTICIPANT], by_version[version])
        prepared = prepare(host.study(version), part, readers[version], version=version, now=now)
        with host.database.reading() as connection:
            new = {person.name for person in compared(connection, row, prepared.people).new}
        chosen |= {each.name: version for each in prepared.people if each.name not in new}
    return chosen


def _best_fitting(
    host: Host,
    sheet: Sheet,
    readers: _Readers,
    newest: int,
    names: Collection[str],
    now: datetime,
) -> dict[str, int]:
    """Return for everybody the version under which the fewest of their cells are wrong."""
    if newest not in readers:  # reading by the newest says what the table lacks
        return dict.fromkeys(names, newest)
    wrong: dict[int, Counter[str]] = {}
    for version, mapping in readers.items():
        part = _part(sheet, mapping[PARTICIPANT], names)
        people = {each.line: each.cells.get(mapping[PARTICIPANT], "") for each in part.rows}
        prepared = prepare(host.study(version), part, mapping, version=version, now=now)
        wrong[version] = Counter(people[problem.line] for problem in prepared.problems)
    return {name: min(wrong, key=lambda version: wrong[version][name]) for name in names}


def _part(sheet: Sheet, column: str, names: Collection[str]) -> Sheet:
    rows = tuple(row for row in sheet.rows if row.cells.get(column, "") in names)
    return replace(sheet, rows=rows)


def _joined(read: Sequence[Prepared]) -> Prepared:
    left_out: Counter[str] = Counter()
    for each in read:
        left_out.update(each.left_out)
    return Prepared(
        people=tuple(person for each in read for person in each.people),
        rows_used=sum(each.rows_used for each in read),
        problems=tuple(sorted(
            (problem for each in read for problem in each.problems),
            key=lambda problem: problem.line,
        )),
        left_out=dict(left_out),
    )  # fmt: skip
