"""Studies from files into a running database, and the database into a backup.

In: paths. Out: rows, copies. Absent: the format of study files (`flow.study_files`).
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from howgood.errors import InputError
from howgood.flow.hosting.host import Host, add_study, every_study
from howgood.flow.study_files import read_study
from howgood.records.study import Study
from howgood.store import versions
from howgood.store.backup import copy_database
from howgood.store.database import address_without_password, is_sqlite
from howgood.store.restore import Restored, restore_database
from howgood.store.studies import StudyRow, find
from howgood.store.versions import VersionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A study people can take part in, and what to know about its file."""

    row: StudyRow
    note: str = ""


def open_studies(host: Host, paths: tuple[Path, ...], *, now: datetime) -> tuple[Served, ...]:
    """Read the files, if any, and return the studies people can take part in."""
    studies = [read_study(path) for path in paths]
    _refuse_same_names([study.slug for study in studies], paths)
    served = tuple(
        _serve(host, study, path, now) for study, path in zip(studies, paths, strict=True)
    )
    return served or tuple(Served(row=row) for row in every_study(host) if row.is_open)


def _serve(host: Host, study: Study, path: Path, now: datetime) -> Served:
    """Bring a file into the database, unless it says nothing new since the dashboard took over."""
    with host.database.reading() as connection:
        row = find(connection, study.slug)
        known = versions.history(connection, row.number) if row else ()
    newest = known[0] if known else None
    last = max((each for each in known if each.file_at), key=_file_at, default=None)
    if row is None or newest is None or newest is last:
        return Served(row=add_study(host, study, folder=path.parent, now=now))
    published = f"version {newest.digest}, published in the dashboard or by a program"
    if last is not None and last.digest == study.version:
        kept = f"{path} has not changed since it was served last: newcomers get {published}"
        return Served(row=row, note=kept)
    replaced = f"{path} has changed and takes over from {published}; that one is kept as a version"
    return Served(row=add_study(host, study, folder=path.parent, now=now), note=replaced)


def _file_at(version: VersionRow) -> datetime:
    return version.file_at or datetime.min.replace(tzinfo=UTC)


def _refuse_same_names(slugs: list[str], paths: tuple[Path, ...]) -> None:
    for index, slug in enumerate(slugs):
        if slug in slugs[:index]:
            raise InputError(
                where=str(paths[index]),
                found=f"slug {slug!r}, which {paths[slugs.index(slug)]} has too",
                needed="a slug of its own for each study",
                cure="Change the slug in one of the files.",
            )


def check_workers(address: str, workers: int) -> None:
    """Refuse several processes on one SQLite file: one writer is what makes it quick and safe."""
    if workers > 1 and is_sqlite(address):
        raise InputError(
            where="--workers",
            found=f"{workers} processes on a SQLite file",
            needed="one process, or PostgreSQL",
            cure="Leave --workers out, or name --database postgresql://user@host/name.",
        )


def back_up(address: str, target: Path) -> int:
    """Copy the database while the server runs; return the size of the copy."""
    return copy_database(address, target)


def restore(address: str, backup: Path, *, now: datetime) -> Restored:
    """Put a backup in the database's place while no server runs."""
    return restore_database(address, backup, now=now)


def shown_address(address: str) -> str:
    """Return the database's address as it may be shown: without a password."""
    return address_without_password(address)
