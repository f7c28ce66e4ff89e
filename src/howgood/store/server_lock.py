"""One server per SQLite file: a lock that ends with the process, however it ends.

In: the database's file. Out: `ServerLock`. Absent: PostgreSQL, where several servers may work, and
commands such as `worker`, `export` and `backup`, which may run while a server does.

A server remembers where people are. A second one on the same file would not know what the first has
stored, and would acknowledge answers that are not stored.
"""

import json
import os
import secrets
import sys
from pathlib import Path
from typing import Any

from howgood.errors import InputError

# Always as long, so that a shorter note leaves nothing of a longer one behind.
_BYTES = 120
_LARGEST_RUN = 2**31 - 1  # what fits into the head of a SQLite file


class ServerRunsError(InputError):
    """A server uses this SQLite file already."""

    def __init__(self, *, database: Path, process: int) -> None:
        super().__init__(
            where=str(database),
            found=f"a server that uses it now (process {process})",
            needed="one server per SQLite file, and none while it is restored",
            cure="Stop that server first, or name another file with --database. Several servers "
            "need PostgreSQL.",
        )
        self.database, self.process = database, process


class ServerLock:
    """Held by the one server of a file, or by the command that replaces the file."""

    def __init__(self, database: Path) -> None:
        self._path = lock_file(database)
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise InputError(
                where=str(self._path),
                found=f"a lock that cannot be made ({error.strerror})",
                needed="a folder in which files can be written",
                cure="Check the name and that you may write there.",
            ) from error
        try:
            is_ours = _is_ours(self._file)
        except OSError as error:  # some network disks know no locks
            os.close(self._file)
            raise InputError(
                where=str(self._path),
                found=f"a disk that cannot lock files ({error.strerror})",
                needed="one that can, so that no second server uses the database",
                cure="Keep the database in a folder on a local disk (name it with --database), or "
                "use PostgreSQL.",
            ) from error
        if not is_ours:
            os.close(self._file)
            raise ServerRunsError(database=database, process=_noted(database).get("process", 0))

    def note(self, *, runs: list[int]) -> None:
        """Write down who holds it, and the runs whose log may lie next to the database."""
        text = json.dumps({"process": os.getpid(), "runs": runs}).encode()
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, text.ljust(_BYTES))
        os.fsync(self._file)

    def close(self) -> None:
        """Let go; the file stays, as removing it could free a lock that another has just taken."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def fresh_run() -> int:
    """Return a number for a run of a server."""
    return 1 + secrets.randbelow(_LARGEST_RUN)


def noted_runs(database: Path) -> list[int]:
    """Return the runs whose log may lie next to this file; empty when no server has noted any."""
    runs = _noted(database).get("runs", [])
    return [run for run in runs if isinstance(run, int)]


def lock_file(database: Path) -> Path:
    """Return the file that a server of this database locks, by whatever name it is opened."""
    database = database.resolve()
    return database.with_name(database.name + "-server")


def _noted(database: Path) -> dict[str, Any]:
    try:
        noted = json.loads(lock_file(database).read_bytes()[:_BYTES])
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


if sys.platform == "win32":  # pragma: no cover - tests run on Linux

    def _is_ours(file: int) -> bool:
        import msvcrt

        os.lseek(file, 2 * _BYTES, os.SEEK_SET)  # nobody else can read what is locked there
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _is_ours(file: int) -> bool:
        """Take the lock if nobody has it; it belongs to the open file, and children get none."""
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
