"""Studies from files into a running database, and the database into a backup.

In: paths. Out: rows, copies. Absent: the format of study files (`flow.study_files`).
"""

from datetime import datetime
from pathlib import Path

from howgood.errors import InputError
from howgood.flow.hosting.host import Host, add_study, every_study
from howgood.flow.study_files import read_study
from howgood.store.backup import copy_database
from howgood.store.database import address_without_password, is_sqlite
from howgood.store.studies import StudyRow


def open_studies(host: Host, paths: tuple[Path, ...], *, now: datetime) -> tuple[StudyRow, ...]:
    """Read the files, if any, and return the studies people can take part in."""
    studies = [read_study(path) for path in paths]
    _refuse_same_names([study.slug for study in studies], paths)
    rows = [
        add_study(host, study, folder=path.parent, now=now)
        for study, path in zip(studies, paths, strict=True)
    ]
    found = tuple(rows) or tuple(row for row in every_study(host) if row.is_open)
    if not found:
        raise InputError(
            where="serve",
            found="no study: no file was named and the database holds none",
            needed="at least one study",
            cure="Make one: howgood new survey study.toml; then: howgood serve study.toml.",
        )
    return found


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


def shown_address(address: str) -> str:
    """Return the database's address as it may be shown: without a password."""
    return address_without_password(address)
