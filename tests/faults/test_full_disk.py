"""A disk fills up under load: nothing acknowledged is lost, and room is all that is needed."""

import json

import pytest
import sqlalchemy as sa
from tests.faults.conftest import staged
from tests.faults.counting import counted
from tests.faults.disks import full, no_room_for, small_disk
from tests.faults.people import STUDY, crowd, meanwhile, until_answered, until_refused
from tests.postgresql import empty_postgresql_database, running_postgresql

from howgood.cli.main import run
from howgood.flow.hosting import open_host
from howgood.web import server as web_server


def _fill(people, without_room, *, times=1):
    """Answer with room, without, and with room again, until somebody is served once more."""
    for _ in range(times):
        until_answered(people, 1)
        with without_room():
            until_refused(people)
        until_answered(people, 1)


def _judge(stage, faults, people, *, how):
    count = counted(stage.server.database, people)
    faults.judge(count, found=how)
    assert count.polite > 0  # somebody was there when nothing could be written
    assert sum(each.n_gone for each in people) == 0  # the server itself never went away


def test_files_that_cannot_grow_lose_nothing(sqlite_stage, faults):
    faults.begin("no file can grow (limit on sizes)", "SQLite")
    server = sqlite_stage.serve()
    people = crowd(server, 12)
    meanwhile(people, lambda: _fill(people, lambda: no_room_for([server.process.pid])))
    _judge(sqlite_stage, faults, people, how="once")


@pytest.mark.slow
def test_a_full_disk_under_sqlite_loses_nothing(faults):
    faults.begin("disk full", "SQLite")
    with small_disk(8) as folder:
        if folder is None:
            pytest.skip("mounting a small disk is not allowed here; a limit on sizes is tried")
        with staged("SQLite", "answers.sqlite", folder) as stage:
            people = crowd(stage.serve(), 12)
            meanwhile(people, lambda: _fill(people, lambda: full(folder), times=5))
            _judge(stage, faults, people, how="5 times")


@pytest.mark.slow
def test_a_full_disk_under_postgresql_loses_nothing(faults, tmp_path):
    faults.begin("disk full", "PostgreSQL")
    with small_disk(160) as folder:
        if folder is None:
            pytest.skip("mounting a small disk is not allowed here")
        with (
            running_postgresql(folder) as postgresql,
            staged("PostgreSQL", empty_postgresql_database(folder), tmp_path) as stage,
        ):
            people = crowd(stage.serve(workers=2), 12)
            meanwhile(people, lambda: _fill(people, lambda: full(folder), times=5))
            _judge(stage, faults, people, how="5 times")
            assert postgresql.process.poll() is None


def test_a_disk_that_is_full_at_the_start_is_said_in_one_line(tmp_path, monkeypatch, capsys):
    """On Linux /dev/full would do for a file; for a database the driver's own limit does."""
    study = tmp_path / "again.yaml"
    # Larger than whatever room the pages of an empty database still have.
    study.write_text(json.dumps(STUDY | {"consent": {"text": "I agree. " * 5000}}))
    address = str(tmp_path / "answers.sqlite")
    open_host(address).close()
    monkeypatch.setattr(web_server, "run", lambda *_words, **_names: pytest.fail("it started"))

    @sa.event.listens_for(sa.pool.Pool, "connect")
    def fill_up(driver, _record):
        driver.execute("PRAGMA max_page_count=1")  # no less than there are: no room for another

    try:
        assert run(["serve", str(study), "--database", address]) == 2
    finally:
        sa.event.remove(sa.pool.Pool, "connect", fill_up)
    said = capsys.readouterr().err
    assert "disk is full" in said
    assert "has room" in said
    assert "Traceback" not in said
