"""A table that a researcher uploaded: looked at, mapped, then imported or thrown away.

In: a host, a study, an uploaded file, a mapping. Out: `ImportView`, and in the end `ImportReport`.
Absent: pages. The file is deleted as soon as it is imported or thrown away.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host
from howgood.flow.importing.mapping import (
    NotMappedError,
    Target,
    suggested,
    targets,
    wide_columns,
)
from howgood.flow.importing.person import ImportReport, already_there, store_people
from howgood.flow.importing.prepare import Missing, Prepared
from howgood.flow.importing.shapes import prepare
from howgood.flow.importing.sheet import Sheet, read_sheet
from howgood.store import uploads
from howgood.store.erase import IMPORT
from howgood.store.studies import StudyRow

LARGEST = 50_000_000
_MOST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportView:
    """What an uploaded table would become under a mapping."""

    row: StudyRow
    number: int
    sheet: Sheet
    targets: tuple[Target, ...]
    mapping: Mapping[str, str]
    missing: Missing
    recognised: int
    prepared: Prepared | None = None
    known: int = 0
    problem: str = ""
    first_rows: tuple[Mapping[str, str], ...] = field(default=())

    @property
    def is_ready(self) -> bool:
        """Whether it can be imported as it is."""
        return self.prepared is not None and not self.prepared.problems


def take_upload(host: Host, slug: str, *, name: str, content: bytes, now: datetime) -> int:
    """Check that a file is a table, keep it, and return its number."""
    row = find_study(host, slug)
    targets(host.study(row.version))  # a comparison takes no tables: say so before anything
    if len(content) > LARGEST:
        raise InputError(
            where=name,
            found=f"{len(content):,} bytes",
            needed=f"at most {LARGEST:,}",
            cure="Import it from the command line: howgood import.",
        )
    read_sheet(content, name=name)
    return host.database.write(
        lambda c: uploads.add(c, row.number, IMPORT, name[:_MOST_NAME], content, now=now)
    )


def look_at(
    host: Host,
    slug: str,
    number: int,
    *,
    mapping: Mapping[str, str] | None,
    missing: Missing,
    now: datetime,
) -> ImportView:
    """Return what the table would become; None as mapping means what its names suggest."""
    row, upload = _find(host, slug, number)
    study = host.study(row.version)
    sheet = read_sheet(upload.content, name=upload.name)
    chosen = suggested(study, sheet) if mapping is None else dict(mapping)
    prepared, problem, known = None, "", 0
    try:
        prepared = prepare(study, sheet, chosen, version=row.version, missing=missing, now=now)
        known = already_there(host, row, prepared.people)
    except NotMappedError as error:
        problem = f"Choose the column that holds “{error.target}” below, then look again."
    except InputError as error:
        problem = f"{error.found}; {error.needed}."
    return ImportView(
        row=row,
        number=number,
        sheet=sheet,
        targets=targets(study),
        mapping=chosen,
        missing=missing,
        recognised=len(wide_columns(study, sheet)),
        prepared=prepared,
        known=known,
        problem=problem,
        first_rows=tuple(each.cells for each in sheet.rows[:5]),
    )


def confirm(
    host: Host,
    slug: str,
    number: int,
    *,
    mapping: Mapping[str, str],
    missing: Missing,
    actor: str,
    now: datetime,
) -> ImportReport:
    """Import the table by exactly this mapping, all or nothing, and delete the file."""
    row, upload = _find(host, slug, number)
    sheet = read_sheet(upload.content, name=upload.name)
    found = prepare(
        host.study(row.version), sheet, mapping, version=row.version, missing=missing, now=now
    ).checked(upload.name)
    report = store_people(host, row, found.people, actor=actor, now=now)
    discard(host, slug, number)
    return replace(report, left_out={**found.left_out, **report.left_out})


def discard(host: Host, slug: str, number: int) -> None:
    """Delete an uploaded table."""
    row = find_study(host, slug)
    host.database.write(lambda connection: uploads.remove(connection, row.number, number))


def _find(host: Host, slug: str, number: int) -> tuple[StudyRow, uploads.Upload]:
    row = find_study(host, slug)
    with host.database.reading() as connection:
        found = uploads.find(connection, row.number, number)
    if found is None or found.purpose != IMPORT:
        raise UnknownNameError(where="upload", name=str(number), names=())
    return row, found
