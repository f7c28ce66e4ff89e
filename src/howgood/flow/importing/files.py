"""Files of answers into the database: all of them or none.

In: files, a study's short name, a mapping. Out: `ImportReport`. Absent: the command line and pages.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import PurePath

from howgood.errors import InputError
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host
from howgood.flow.importing.mapping import suggested
from howgood.flow.importing.offline import read_offline
from howgood.flow.importing.prepare import Prepared, prepare
from howgood.flow.importing.recognise import ImportedPerson, compared
from howgood.flow.importing.sheet import read_sheet
from howgood.flow.importing.storing import ImportReport, merged, report_of, store_people
from howgood.kinds.table_import import Missing
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
            people.append(read_offline(host, row, _text(content, name), file=name))
            continue
        found = prepared_table(
            host, row.slug, name, content, mapping=mapping, missing=missing, now=now
        ).checked(name)
        people += found.people
        for policy, count in found.left_out.items():
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
    study = host.study(row.version)
    sheet = read_sheet(content, name=name)
    complete = {**suggested(study, sheet), **mapping}
    return prepare(study, sheet, complete, version=row.version, missing=missing, now=now)


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
