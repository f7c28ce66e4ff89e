"""A backup that takes the database's place, and everything that can go wrong about it."""

import hashlib
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from benchmarks.load.servers import free_port
from tests.faults.conftest import staged
from tests.faults.counting import counted
from tests.faults.people import SLUG, crowd, meanwhile

WRONG = 2


def howgood(*words):
    """Run a command as a process of its own, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "howgood", *map(str, words)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def _serve_again(database):
    return howgood("serve", "--port", free_port(), "--database", database)


def _answers(path):
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = connection.execute("SELECT participant_id, screen, content FROM answers")
        return set(rows)


def _digests(folder):
    return {
        each.name: hashlib.sha256(each.read_bytes()).hexdigest()
        for each in folder.glob("answers.sqlite*")
        if not each.name.endswith(("-shm", "-server"))
    }


@pytest.fixture(scope="module")
def crash(tmp_path_factory):
    """A server that was backed up while people answered, and killed (-9) while they went on."""
    folder, kept = tmp_path_factory.mktemp("crash"), tmp_path_factory.mktemp("kept") / "crash"
    with staged("SQLite", "answers.sqlite", folder) as stage:
        server = stage.serve()
        people, backup = crowd(server, 6), folder / "backup.sqlite"

        def happening():
            time.sleep(1.5)
            done = howgood("backup", backup, "--database", server.database)
            assert done.returncode == 0, done.stderr
            time.sleep(1.5)
            server.kill()

        meanwhile(people, happening)
        shutil.copytree(folder, kept)
        yield server, people, backup, kept


@pytest.fixture
def crashed(crash):
    """The same crash for every test: its folder is as it was just after."""
    server, people, backup, kept = crash
    shutil.rmtree(backup.parent)
    shutil.copytree(kept, backup.parent)
    yield server, people, backup
    server.kill()


def test_the_log_of_a_crashed_server_is_not_mixed_into_a_backup(crashed, faults):
    """Before: the server started, /health said well, and the file was damaged."""
    faults.begin("a backup copied over the file after kill -9, next to its old log", "SQLite")
    server, people, backup = crashed
    folder = backup.parent
    shutil.copy(folder / "answers.sqlite", folder / "crashed.sqlite")
    shutil.copy(folder / "answers.sqlite-wal", folder / "crashed.sqlite-wal")
    shutil.copy(backup, server.database)
    before = _digests(folder)
    for refused in (
        _serve_again(server.database),
        howgood("export", SLUG, "--database", server.database, "--out", folder / "x.zip"),
        howgood("backup", folder / "second.sqlite", "--database", server.database),
        howgood("worker", "--once", "--database", server.database),
    ):
        assert refused.returncode == WRONG, refused.stderr
        assert "howgood restore" in refused.stderr
        assert "Traceback" not in refused.stderr
    assert _digests(folder) == before
    # The file and the log that belong together are taken, and hold everything.
    for ending in ("", "-wal"):
        shutil.copy(folder / f"crashed.sqlite{ending}", f"{server.database}{ending}")
    server.start()
    server.kill()
    faults.judge(counted(server.database, people))


def test_a_file_of_an_earlier_run_beside_a_newer_log_is_refused(sqlite_stage):
    """A copy made by hand while nothing ran looks like any database; its run is another."""
    server = sqlite_stage.serve()
    people = crowd(server, 3)
    meanwhile(people, lambda: time.sleep(1))
    assert server.stop() in (0, -15)
    copy = sqlite_stage.folder / "copy.sqlite"
    shutil.copy(server.database, copy)
    server.start()
    meanwhile(people, lambda: time.sleep(1))
    server.kill()
    shutil.copy(copy, server.database)
    refused = _serve_again(server.database)
    assert refused.returncode == WRONG
    assert "written for another database file" in refused.stderr


def test_a_restored_backup_holds_what_it_held_and_the_old_file_is_kept(crashed, faults):
    faults.begin("howgood restore after kill -9", "SQLite")
    server, people, backup = crashed
    held, folder = _answers(backup), backup.parent
    done = howgood("restore", backup, "--database", server.database)
    assert done.returncode == 0, done.stderr
    assert f"{len(held):,} answers" in done.stderr
    assert _answers(server.database) == held
    (kept,) = folder.glob("answers.sqlite.before-*")
    assert str(kept) in done.stderr
    assert not list(folder.glob("answers.sqlite-wal"))
    newcomers = crowd(server, 2)
    server.start()
    meanwhile(newcomers, lambda: time.sleep(1))
    server.kill()
    assert held < _answers(server.database)
    assert all(each.acknowledged and not each.wrong for each in newcomers)
    # Nothing of what was acknowledged until the crash is lost: it is in the file put aside.
    faults.judge(counted(str(kept), people), found=f"{len(held)} answers in the backup")


# Writes into the file as a command does while the server runs, and is killed (-9): its log stays.
_WRITTEN = """
import os, signal, sys
from howgood.flow.hosting import open_host
import sqlalchemy as sa
host = open_host(sys.argv[1])
host.database.write(lambda c: c.execute(sa.text("UPDATE studies SET slug = slug")))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_after_restoring_a_command_that_is_killed_does_not_shut_everybody_out(crashed):
    """Before: its log was refused as foreign, and the cure would have put it aside."""
    server, _, backup = crashed
    held = _answers(backup)
    assert howgood("restore", backup, "--database", server.database).returncode == 0
    killed = subprocess.run(
        [sys.executable, "-c", _WRITTEN, f"sqlite:///{server.database}"], check=False
    )
    assert killed.returncode == -9
    assert (backup.parent / "answers.sqlite-wal").stat().st_size > 0
    done = howgood("worker", "--once", "--database", server.database)
    assert done.returncode == 0, done.stderr
    server.start()
    server.kill()
    assert _answers(server.database) == held


def test_a_restoring_that_fails_leaves_the_old_log_known(crashed):
    server, people, backup = crashed
    (backup.parent / "answers.sqlite-server").unlink()  # no run is noted: any log may be its own
    (broken := backup.parent / "broken.sqlite").write_bytes(b"no database")
    for _ in range(3):
        assert howgood("restore", broken, "--database", server.database).returncode == WRONG
    server.start()
    server.kill()
    count = counted(server.database, people)
    assert (count.lost, count.doubled) == (0, 0)


def test_one_sqlite_file_has_one_server_and_commands_work_beside_it(sqlite_stage, faults):
    faults.begin("a second server on one SQLite file", "SQLite")
    server = sqlite_stage.serve()
    people, folder = crowd(server, 6), sqlite_stage.folder

    def happening():
        time.sleep(1)
        for command in (("serve", "--port", free_port()), ("restore", folder / "b.sqlite")):
            if command[0] == "restore":
                assert howgood("backup", command[1], "--database", server.database).returncode == 0
            refused = howgood(*command, "--database", server.database)
            assert refused.returncode == WRONG
            assert f"process {server.process.pid}" in refused.stderr
        done = howgood("export", SLUG, "--database", server.database, "--out", folder / "x.zip")
        assert done.returncode == 0, done.stderr
        done = howgood("worker", "--once", "--database", server.database)
        assert done.returncode == 0, done.stderr

    meanwhile(people, happening)
    server.kill()
    faults.judge(counted(server.database, people))


def test_nothing_is_restored_while_a_command_has_the_file_open(crashed):
    server, _, backup = crashed
    with closing(sqlite3.connect(server.database)) as other:
        held = set(other.execute("SELECT participant_id, screen, content FROM answers"))
        refused = howgood("restore", backup, "--database", server.database)
        assert refused.returncode == WRONG
        assert "another program" in refused.stderr
    assert _answers(server.database) == held
    assert not list(backup.parent.glob("*.before-*"))


def test_a_damaged_file_is_refused_at_the_start_and_can_be_replaced(crashed):
    server, _, backup = crashed
    held = _answers(backup)
    with closing(sqlite3.connect(server.database)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    with open(server.database, "r+b") as file:
        file.seek(4096 * 5)
        file.write(b"\xff" * 4096 * 20)
    refused = _serve_again(server.database)
    assert refused.returncode == WRONG
    assert "damaged" in refused.stderr
    assert "howgood restore" in refused.stderr
    assert howgood("restore", backup, "--database", server.database).returncode == 0
    assert _answers(server.database) == held


# Ends the restoring process (-9) just before one of its steps.
_KILLED = """
import os, signal, sys
from howgood.cli.main import run
from howgood.store import backup
def end(*values, **named):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[1] == "replace":
    put_aside = backup._put_aside
    def then_end(*values):
        put_aside(*values)
        end()
    backup._put_aside = then_end
else:
    setattr(backup, sys.argv[1], end)
run(["restore", sys.argv[2], "--database", sys.argv[3]])
"""


def test_a_restoring_that_is_killed_leaves_a_whole_database(crashed):
    """The old one, with everything; and restoring again works."""
    server, people, backup = crashed
    for step in ("_copied", "_fold_log", "_put_aside", "replace"):
        killed = subprocess.run(
            [sys.executable, "-c", _KILLED, step, str(backup), server.database], check=False
        )
        assert killed.returncode == -9
        count = counted(server.database, people)
        assert (count.lost, count.doubled) == (0, 0), step
    assert howgood("restore", backup, "--database", server.database).returncode == 0
    assert _answers(server.database) == _answers(backup)
