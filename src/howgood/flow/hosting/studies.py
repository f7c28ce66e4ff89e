"""Studies in a database: put there from files, invited to by links, their pictures, its backup.

In: a host, studies, paths. Out: rows, links, copies. Absent: what participants do (`visit`) and the
format of study files (`flow.study_files`).
"""

import mimetypes
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy.engine import Connection

from howgood.errors import FileFormatError, InputError, UnknownNameError
from howgood.flow.hosting import tokens
from howgood.flow.hosting.host import Host
from howgood.flow.hosting.view import Reason, RefusedError
from howgood.flow.study_files import read_study
from howgood.kinds import pictures_of
from howgood.kinds.study import Study
from howgood.records.participant import Status
from howgood.store import participants, studies
from howgood.store.backup import Restored, copy_database, restore_database
from howgood.store.database import address_without_password, is_sqlite, open_database
from howgood.store.migrate import upgrade
from howgood.store.participants import NewParticipant
from howgood.store.studies import MediaFile, NewVersion, StudyRow, VersionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A personal link: the token is shown once, here, and stored only as its digest."""

    token: str
    is_pilot: bool


def add_study(host: Host, study: Study, *, folder: Path, now: datetime) -> StudyRow:
    """Make this the version new participants get; pictures come from the folder."""
    new = new_version(study, tuple(media_of(study, folder)))
    return host.database.write(
        lambda connection: studies.save(connection, new, now=now, from_file=True)
    )


def new_version(study: Study, media: tuple[MediaFile, ...]) -> NewVersion:
    """Return a study as it is stored."""
    return NewVersion(
        slug=study.slug,
        title=study.title,
        kind=study.kind,
        digest=study.version,
        content=study.to_dict(),
        media=media,
    )


def every_study(host: Host) -> tuple[StudyRow, ...]:
    """Return the studies in the database."""
    with host.database.reading() as connection:
        return studies.everything(connection)


def make_links(
    host: Host,
    slug: str,
    *,
    people: int,
    is_pilot: bool = False,
    seed: int | None = None,
    now: datetime,
) -> tuple[Link, ...]:
    """Invite this many people by personal links; pilots' answers stay out of the data.

    With a `seed` all of them get the pages that it decides; else everybody gets their own.
    """
    with host.database.reading() as connection:
        row = studies.find(connection, slug)
        known = [study.slug for study in studies.everything(connection)]
    if row is None:
        raise UnknownNameError(where="study", name=slug, names=known)
    pilot = is_pilot or host.study(row.version).pilot
    links = tuple(Link(token=tokens.fresh_token(), is_pilot=pilot) for _ in range(people))
    host.database.write(lambda connection: _invite(connection, row, links, seed, now))
    return links


def picture(host: Host, version: int, name: str) -> MediaFile:
    """Return a picture or film of a study's version; all who look at it at once share one."""
    media = host.media.get((version, name))
    if media is not None:
        return media
    with host.database.reading() as connection:
        media = studies.media_file(connection, version, name)
    if media is None:
        raise RefusedError(Reason.UNKNOWN_STUDY)
    return host.media.setdefault((version, name), media)


def _invite(
    connection: Connection,
    row: StudyRow,
    links: tuple[Link, ...],
    seed: int | None,
    now: datetime,
) -> None:
    for link in links:
        new = NewParticipant(
            study=row.number,
            version=row.version,
            token_digest=tokens.digest(link.token),
            seed=tokens.fresh_seed() if seed is None else seed,
            status=Status.INVITED,
            origin={},
            is_pilot=link.is_pilot,
        )
        participants.add(connection, new, now=now)


def media_of(study: Study, folder: Path) -> Iterator[MediaFile]:
    """Yield the pictures and films of a study, read from its folder, each once."""
    for name in dict.fromkeys(picture.file for picture in pictures_of(study)):
        kind, _ = mimetypes.guess_type(name)
        yield MediaFile(
            name=name,
            media_type=kind or "application/octet-stream",
            content=(folder / name).read_bytes(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStudy:
    """A study people can take part in, and what to know about its file."""

    row: StudyRow
    note: str = ""


def open_studies(host: Host, paths: tuple[Path, ...], *, now: datetime) -> tuple[OpenStudy, ...]:
    """Read the files, if any, and return the studies people can take part in."""
    read = [read_study(path) for path in paths]
    _refuse_same_names([study.slug for study in read], paths)
    opened = tuple(
        _from_file(host, study, path, now) for study, path in zip(read, paths, strict=True)
    )
    return opened or tuple(OpenStudy(row=row) for row in every_study(host) if row.is_open)


def _from_file(host: Host, study: Study, path: Path, now: datetime) -> OpenStudy:
    """Bring a file into the database, unless it says nothing new since the dashboard took over."""
    with host.database.reading() as connection:
        row = studies.find(connection, study.slug)
        known = studies.history(connection, row.number) if row else ()
    newest = known[0] if known else None
    last = max((version for version in known if version.file_at), key=_file_at, default=None)
    if row is None or newest is None or newest is last:
        return OpenStudy(row=add_study(host, study, folder=path.parent, now=now))
    published = f"version {newest.digest}, published in the dashboard or by a program"
    if last is not None and last.digest == study.version:
        kept = f"{path} has not changed since it was served last: newcomers get {published}"
        return OpenStudy(row=row, note=kept)
    replaced = f"{path} has changed and takes over from {published}; that one is kept as a version"
    return OpenStudy(row=add_study(host, study, folder=path.parent, now=now), note=replaced)


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


def drill(backup: Path, *, now: datetime) -> Restored:
    """Restore a backup in a temporary place, bring it up to date and count; refuse a broken one.

    The database is not touched, and the server may run.
    """
    with tempfile.TemporaryDirectory(prefix="howgood-drill-") as folder:
        address = str(Path(folder) / "drill.sqlite")
        restored = restore_database(address, backup, now=now)
        database = open_database(address)
        try:
            upgrade(database)
            with database.reading() as connection:
                people, given = studies.everybody(connection)
        finally:
            database.close()
    if (people, given) != (restored.people, restored.answers):
        raise FileFormatError(
            where=str(backup),
            found=f"{given:,} answers of {people:,} people after restoring it",
            needed=f"{restored.answers:,} answers of {restored.people:,} people",
            cure="Take another backup, and keep this one to look at.",
        )
    return restored


def shown_address(address: str) -> str:
    """Return the database's address as it may be shown: without a password."""
    return address_without_password(address)
