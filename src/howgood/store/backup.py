"""Copy a SQLite database while it is in use, and put a copy in a database's place.

In: the database's address, a file name. Out: a complete copy as of one moment, or `Restored`: what
was there before is kept next to it. Absent: PostgreSQL, which has its own (`pg_dump`,
`pg_restore`).
"""

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from howgood.errors import FileFormatError, InputError
from howgood.store.database import is_sqlite, require_database, sqlite_file, usable_file
from howgood.store.integrity import NO_RUN, read_only, refuse_foreign_log, run_in_head
from howgood.store.migrate import NewerDatabaseError, newest
from howgood.store.server_lock import ServerLock, noted_runs
from howgood.writing import unfinished


def copy_database(address: str, target: Path) -> int:
    """Copy the database into a new file and return its size in bytes.

    SQLite's online backup reads one consistent state and lets the server go on writing. The copy
    gets its name only when it is complete and sound.
    """
    if not is_sqlite(address):
        raise InputError(
            where="backup",
            found="a PostgreSQL database",
            needed="a SQLite file",
            cure="Use PostgreSQL's own: pg_dump --format=custom --file=FILE ADDRESS.",
        )
    source = sqlite_file(address)
    require_database(address)
    _check(target)
    refuse_foreign_log(source)
    try:
        with (
            unfinished(target, private=True, is_new=True) as partial,
            closing(sqlite3.connect(read_only(source), uri=True)) as reading,
        ):
            copy_into(reading, partial)
    except sqlite3.DatabaseError as error:
        raise FileFormatError(
            where=str(source),
            found=f"a file that cannot be copied ({error})",
            needed="a sound SQLite database, and room for its copy",
            cure="Check the name and the disk; if both are right, restore an earlier backup.",
        ) from error
    return target.stat().st_size


def copy_into(reading: sqlite3.Connection, partial: Path) -> None:
    """Copy a database into an empty file, and check the copy."""
    try:
        with closing(sqlite3.connect(partial)) as writing:
            reading.backup(writing, pages=2000, sleep=0.005)
            # A backup is one file: no log next to it, and none that would belong to it.
            writing.execute("PRAGMA journal_mode=DELETE")
            writing.execute("PRAGMA user_version=0")
            writing.commit()
            if writing.execute("PRAGMA quick_check").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("the copy is not sound")
    finally:  # a disk that failed may leave some, with answers in them
        for ending in ("-journal", "-wal", "-shm"):
            partial.with_name(partial.name + ending).unlink(missing_ok=True)


def _check(target: Path) -> None:
    if target.exists() or not target.absolute().parent.is_dir():
        raise InputError(
            where=str(target),
            found="a file that exists" if target.exists() else "no such folder",
            needed="a new file in a folder that exists",
            cure="Choose another name; no backup is ever overwritten.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What is there now, and where the file is that was there before (None if none was)."""

    people: int
    answers: int
    newest_answer: str
    kept: Path | None


def restore_database(address: str, backup: Path, *, now: datetime) -> Restored:
    """Replace a SQLite database by a backup, while no server runs.

    The backup is checked and copied first; at every moment the database's name stands for one
    whole file, the old one or the new one.
    """
    if not is_sqlite(address):
        raise InputError(
            where="restore",
            found="a PostgreSQL database",
            needed="a SQLite file",
            cure="Stop the servers, then use PostgreSQL's own: "
            "pg_restore --clean --if-exists --dbname=ADDRESS FILE.",
        )
    location = usable_file(address).resolve()
    if location.exists() and backup.exists() and location.samefile(backup):
        raise InputError(
            where=str(backup),
            found="the database itself",
            needed="a backup of it",
            cure="Name the backup, and the database with --database.",
        )
    with closing(ServerLock(location)) as lock:
        # Killed in between, the name stands for the old file or for the new one, which has no run.
        before = noted_runs(location) or [run_in_head(location)]
        lock.note(runs=sorted({*before, NO_RUN}))
        restored = _replaced(location, backup, now)
        lock.note(runs=[NO_RUN])
    return restored


def _replaced(location: Path, backup: Path, now: datetime) -> Restored:
    with unfinished(location, private=True) as partial:
        people, answers, newest_answer = _copied(backup, partial)
        _fold_log(location)
        kept = _put_aside(location, now) if location.exists() else None
    return Restored(people=people, answers=answers, newest_answer=newest_answer, kept=kept)


def _copied(backup: Path, partial: Path) -> tuple[int, int, str]:
    """Check a backup wholly and copy it; return people, answers and the time of the newest one."""
    if not backup.is_file():
        raise FileFormatError(
            where=str(backup),
            found="no such file",
            needed="a backup made by howgood backup",
            cure="Check the name. Nothing was changed.",
        )
    refuse_foreign_log(backup)
    try:
        with closing(sqlite3.connect(read_only(backup), uri=True)) as reading:
            verdict = reading.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if verdict != "ok":
                raise sqlite3.DatabaseError(" ".join(str(verdict).split())[:200])
            _refuse_unknown_layout(reading)
            copy_into(reading, partial)
            people = reading.execute("SELECT count(*) FROM participants").fetchone()[0]
            answers, last = reading.execute(
                "SELECT count(*), max(answered_at) FROM answers"
            ).fetchone()
    except sqlite3.DatabaseError as error:
        raise FileFormatError(
            where=str(backup),
            found=f"no sound backup ({error})",
            needed="a whole database made by howgood backup",
            cure="Take an earlier backup. Nothing was changed.",
        ) from error
    return people, answers, str(last or "")[:19]


def _refuse_unknown_layout(reading: sqlite3.Connection) -> None:
    (layout,) = reading.execute("SELECT version_num FROM alembic_version").fetchone()
    if layout > newest():
        raise NewerDatabaseError(revision=layout, known=newest())


def _fold_log(location: Path) -> None:
    """Bring what stands in the old file's log into the file, unless they do not fit together.

    SQLite can do so only while nobody else has the file open, which is how we know.
    """
    if not location.exists():
        return
    try:
        refuse_foreign_log(location)
        with closing(sqlite3.connect(location, timeout=0)) as old:
            old.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_BUSY":
            return  # damaged: it is kept as it is, with its log
        raise InputError(
            where=str(location),
            found="another program that has it open",
            needed="nobody who uses it while it is replaced",
            cure="Stop howgood worker and wait for exports and imports to end. Nothing was "
            "changed.",
        ) from error
    except (sqlite3.DatabaseError, FileFormatError):
        return  # damaged, or a log that is not its own: kept as they are


def _put_aside(location: Path, now: datetime) -> Path:
    """Give the old file a second name, which it keeps; its log, if any, goes with it."""
    kept = location.with_name(f"{location.name}.before-{now:%Y%m%dT%H%M%S%fZ}")
    try:
        os.link(location, kept)
    except OSError:  # a disk that knows one name per file: for a moment the old one has none
        location.replace(kept)
    for ending in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            location.with_name(location.name + ending).replace(kept.with_name(kept.name + ending))
    return kept
