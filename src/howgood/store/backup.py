"""Copy a SQLite database while it is in use.

In: the database's address, a file name. Out: a complete copy as of one moment. Absent: PostgreSQL,
which has its own (`pg_dump`).
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from howgood.errors import FileFormatError, InputError
from howgood.store.database import is_sqlite, sqlite_file
from howgood.store.soundness import read_only, refuse_foreign_log
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
    _check(source, target)
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
    with closing(sqlite3.connect(partial)) as writing:
        reading.backup(writing, pages=2000, sleep=0.005)
        # A backup is one file: no write-ahead log next to it, and none that would belong to it.
        writing.execute("PRAGMA journal_mode=DELETE")
        writing.execute("PRAGMA user_version=0")
        writing.commit()
        if writing.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("the copy is not sound")


def _check(source: Path, target: Path) -> None:
    if not source.is_file():
        raise FileFormatError(
            where=str(source),
            found="no such file",
            needed="the database of a study",
            cure="Name it with --database or HOWGOOD_DATABASE.",
        )
    if target.exists() or not target.absolute().parent.is_dir():
        raise InputError(
            where=str(target),
            found="a file that exists" if target.exists() else "no such folder",
            needed="a new file in a folder that exists",
            cure="Choose another name; no backup is ever overwritten.",
        )
