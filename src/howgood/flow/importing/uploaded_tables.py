"""Files that a researcher uploaded: looked at, mapped, then imported or discarded.

In: a host, a study, an uploaded table (or files of the offline page), a mapping. Out: `ImportView`,
and in the end `ImportReport`. Absent: pages. The upload is deleted as soon as it is imported or
discarded.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host
from howgood.flow.importing.files import import_files
from howgood.flow.importing.mapping import (
    NotMappedError,
    suggested,
    targets,
    wide_columns,
)
from howgood.flow.importing.prepare import Prepared
from howgood.flow.importing.recognise import compared
from howgood.flow.importing.sheet import Sheet, read_sheet
from howgood.flow.importing.storing import ImportReport, report_of, store_people
from howgood.flow.importing.versions import prepare_any_version
from howgood.kinds.table_import import Missing, Target
from howgood.store import uploads
from howgood.store.studies import StudyRow

LARGEST = 50_000_000
_MOST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportView:
    """What an upload would become; files of the offline page have no sheet and need no mapping."""

    row: StudyRow
    number: int
    name: str
    sheet: Sheet | None = None
    targets: tuple[Target, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    missing: Missing = "error"
    recognised: int = 0
    prepared: Prepared | None = None
    report: ImportReport | None = None
    problem: str = ""
    first_rows: tuple[Mapping[str, str], ...] = field(default=())

    @property
    def is_ready(self) -> bool:
        """Whether it can be imported as it is, and would add anything."""
        is_sound = self.report is not None and not (self.prepared and self.prepared.problems)
        return is_sound and bool(self.report and self.report.answers)


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
        lambda c: uploads.add(c, row.number, uploads.IMPORT, name[:_MOST_NAME], content, now=now)
    )


def take_offline_files(
    host: Host, slug: str, files: Sequence[tuple[str, bytes]], *, now: datetime
) -> int:
    """Check files of the offline page, keep them together, and return their number."""
    row = find_study(host, slug)
    import_files(host, slug, files, mapping={}, store=False, actor="", now=now)
    pack = [{"name": name, "text": content.decode("utf-8-sig")} for name, content in files]
    shown = files[0][0] if len(files) == 1 else f"{len(files)} files of the offline page.json"
    content = json.dumps(pack).encode()
    return host.database.write(
        lambda c: uploads.add(c, row.number, uploads.IMPORT, shown[:_MOST_NAME], content, now=now)
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
    if _is_offline(upload):
        known = import_files(
            host, slug, _packed(upload), mapping={}, store=False, actor="", now=now
        )
        return ImportView(row=row, number=number, name=upload.name, report=known)
    study = host.study(row.version)
    sheet = read_sheet(upload.content, name=upload.name)
    chosen = suggested(study, sheet) if mapping is None else dict(mapping)
    prepared, report, problem = None, None, ""
    try:
        prepared = prepare_any_version(host, row, sheet, chosen, missing=missing, now=now)
        with host.database.reading() as connection:
            comparison = compared(connection, row, prepared.people)
        report = report_of(comparison, prepared.left_out, None)
    except NotMappedError as error:
        problem = f"Choose the column that holds “{error.target}” below, then look again."
    except InputError as error:
        problem = f"{error.found}; expected {error.needed}."
    return ImportView(
        row=row,
        number=number,
        name=upload.name,
        sheet=sheet,
        targets=targets(study),
        mapping=chosen,
        missing=missing,
        recognised=len(wide_columns(study, sheet)),
        prepared=prepared,
        report=report,
        problem=problem,
        first_rows=tuple(one_row.cells for one_row in sheet.rows[:5]),
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
    """Import the upload by exactly this mapping, all or nothing, and delete it."""
    row, upload = _find(host, slug, number)
    if _is_offline(upload):
        report = import_files(host, slug, _packed(upload), mapping={}, actor=actor, now=now)
        discard(host, slug, number)
        return report
    sheet = read_sheet(upload.content, name=upload.name)
    prepared = prepare_any_version(host, row, sheet, mapping, missing=missing, now=now).checked(
        upload.name
    )
    report = store_people(
        host,
        row,
        prepared.people,
        source=upload.name,
        left_out=prepared.left_out,
        actor=actor,
        now=now,
    )
    discard(host, slug, number)
    return report


def discard(host: Host, slug: str, number: int) -> None:
    """Delete an uploaded table."""
    row = find_study(host, slug)
    host.database.write(lambda connection: uploads.remove(connection, row.number, number))


def _is_offline(upload: uploads.Upload) -> bool:
    return upload.name.lower().endswith(".json")


def _packed(upload: uploads.Upload) -> list[tuple[str, bytes]]:
    return [(entry["name"], entry["text"].encode()) for entry in json.loads(upload.content)]


def _find(host: Host, slug: str, number: int) -> tuple[StudyRow, uploads.Upload]:
    row = find_study(host, slug)
    with host.database.reading() as connection:
        upload = uploads.find(connection, row.number, number)
    if upload is None or upload.purpose != uploads.IMPORT:
        raise UnknownNameError(where="upload", name=str(number), names=())
    return row, upload
