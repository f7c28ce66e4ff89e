"""A database that cannot be written: refused at the start, survived while the server runs."""

import time
from contextlib import contextmanager

import pytest
from tests.faults.counting import counted
from tests.faults.disks import read_only
from tests.faults.people import crowd, meanwhile

from howgood.cli.main import run
from howgood.flow.hosting import open_host
from howgood.web import server as web_server


@pytest.fixture
def never_serving(monkeypatch):
    """Whoever comes to the point of listening has not refused."""

    def serving(*_words, **_names):
        pytest.fail("the server started")

    monkeypatch.setattr(web_server, "run", serving)


@pytest.mark.parametrize("is_new", [True, False], ids=["no database yet", "a database"])
def test_a_folder_that_cannot_be_written_is_refused_at_the_start(
    tmp_path, never_serving, capsys, is_new
):
    folder = tmp_path / "answers"
    folder.mkdir()
    database = folder / "answers.sqlite"
    if not is_new:
        open_host(str(database)).close()
    with read_only(folder) as is_read_only:
        if not is_read_only:
            pytest.skip("root without the right to mount can write everywhere")
        assert run(["serve", "--database", str(database)]) == 2
    said = capsys.readouterr().err
    assert str(database) in said
    assert "you may write there" in said
    assert "Traceback" not in said


def test_a_postgresql_that_takes_no_writes_is_refused_at_the_start(
    postgresql_stage, never_serving, capsys
):
    with refusing_writes(postgresql_stage):
        assert run(["serve", "--database", postgresql_stage.address]) == 2
    said = capsys.readouterr().err
    assert "read-only" in said
    assert "Traceback" not in said


@contextmanager
def refusing_writes(stage, host=None):
    """Make a database read-only under whoever uses it."""
    if stage.database == "SQLite":
        # The driver's own switch: the error is that of a file system which has become read-only.
        driver = host.database.write(lambda c: c.connection.driver_connection)
        driver.execute("PRAGMA query_only=ON")
        try:
            yield
        finally:
            driver.execute("PRAGMA query_only=OFF")
        return
    import psycopg

    words = stage.address.removeprefix("postgresql://howgood@/postgres?")
    with psycopg.connect(f"{words} user=howgood dbname=postgres", autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        connection.execute("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            connection.execute("ALTER SYSTEM RESET default_transaction_read_only")
            connection.execute("SELECT pg_reload_conf()")


def _become_read_only(stage, faults, *, times):
    faults.begin("the database becomes read-only", stage.database)
    with stage.serve_here() as (host, server):
        people = crowd(server, 6)

        def become_read_only():
            for _ in range(times):
                time.sleep(1.0)
                with refusing_writes(stage, host):
                    time.sleep(1.0)
                before = sum(len(each.acknowledged) for each in people)
                time.sleep(1.0)
                assert sum(len(each.acknowledged) for each in people) > before

        meanwhile(people, become_read_only)
        count = counted(server.database, people)
    faults.judge(count, found=f"{times} time(s)")
    assert count.polite > 0


def test_a_database_that_becomes_read_only_loses_nothing_and_recovers(stage, faults):
    _become_read_only(stage, faults, times=1)


@pytest.mark.slow
def test_a_database_that_is_read_only_now_and_then_loses_nothing(stage, faults):
    _become_read_only(stage, faults, times=5)
