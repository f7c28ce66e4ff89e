"""Is a SQLite file whole, and does the log next to it belong to it?

In: the database's file. Out: nothing, or an error before anything is changed. Absent: PostgreSQL,
which does this itself, and repairs (`restore`).

SQLite adds to a file whatever stands in the log next to it (`-wal`). After a crash that log holds
the last answers. When a backup is copied over the file and the log of the old one stays, SQLite
mixes the two without a word. So every run of a server writes a number of its own into the file's
head and into the file of its lock; a backup has none.

The head is read before SQLite opens the file, never after: closing a file takes away the locks that
SQLite holds on it in the same process, and others would take the log for abandoned.
"""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from howgood.errors import FileFormatError
from howgood.store.server_lock import noted_runs

# What SQLite's file format says about the first hundred bytes.
_HEAD, _JOURNAL, _RUN = 100, 18, slice(60, 64)
_WITHOUT_LOG = 1
NO_RUN = 0  # what a backup has in its head
# A check of everything reads the whole file; a server with many answers should start soon.
CHECK_SECONDS = 20.0
# How many steps of SQLite's between two looks at the clock.
_STEPS = 100_000
# Files this process may have open by now.
_looked_at: set[Path] = set()


def run_in_head(location: Path) -> int:
    """Return the number of the last run noted in a file, or `NO_RUN`; before it is opened."""
    return int.from_bytes(_head(location)[_RUN], "big")


def refuse_foreign_log(location: Path) -> None:
    """Refuse a database next to the log of another one; nothing is changed.

    A process looks at each file once, before it opens it for the first time.
    """
    log = log_of(location)
    if location.resolve() in _looked_at:
        return
    if log.is_file() and log.stat().st_size > 0:
        _refuse_unless_own(location, log)
    _looked_at.add(location.resolve())


def _refuse_unless_own(location: Path, log: Path) -> None:
    head = _head(location)
    if len(head) < _HEAD:
        raise _foreign(location, "no database, or an empty file, next to a log with answers")
    runs = noted_runs(location)
    if head[_JOURNAL] == _WITHOUT_LOG or (runs and run_in_head(location) not in runs):
        raise _foreign(location, f"a log ({log.name}) that was written for another database file")


def check_sound(location: Path, *, seconds: float = CHECK_SECONDS) -> bool:
    """Refuse a damaged file; return whether all of it could be looked at in the time given.

    The file is read with its log and without writing anything.
    """
    if not location.is_file() or location.stat().st_size == 0:
        return True
    end = time.monotonic() + seconds
    try:
        with closing(sqlite3.connect(read_only(location), uri=True)) as connection:
            connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname == "SQLITE_INTERRUPT":
            return False
        raise _damaged(location, str(error)) from error
    except sqlite3.DatabaseError as error:
        raise _damaged(location, str(error)) from error
    if verdict != "ok":
        raise _damaged(location, " ".join(str(verdict).split())[:200])
    return True


def read_only(location: Path) -> str:
    """Return the address by which SQLite opens a file without changing it."""
    return f"file:{quote(str(location.absolute()))}?mode=ro"


def log_of(location: Path) -> Path:
    """Return the write-ahead log of a database file; SQLite follows links, too."""
    location = location.resolve()
    return location.with_name(location.name + "-wal")


def _head(location: Path) -> bytes:
    if not location.is_file():
        return b""
    with location.open("rb") as file:
        return file.read(_HEAD)


def _foreign(location: Path, found: str) -> FileFormatError:
    return FileFormatError(
        where=str(location),
        found=found,
        needed="the database and its own log",
        cure="Restore with howgood restore BACKUP, which puts old files aside; or put the file "
        "back that the log belongs to. Nothing was changed.",
    )


def _damaged(location: Path, found: str) -> FileFormatError:
    return FileFormatError(
        where=str(location),
        found=f"a damaged database ({found})",
        needed="a sound one",
        cure="Restore a backup: howgood restore BACKUP keeps the damaged file. Nothing was "
        "changed.",
    )
