"""Every write and every flush of the store fails, one after the other, once or from then on.

A disk that breaks does not ask which write it spoils. So each step people take is tried with its
first write failing, its second, and so on, until a step has no more writes: as SQLite's own tests
do. `make test` tries every few of them, `make slow` each one.
"""

import asyncio
import shutil
import sqlite3
from contextlib import closing, contextmanager
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from benchmarks.load.servers import free_port
from tests.faults.counting import Count, counted
from tests.faults.disk_errors import disk_errors
from tests.faults.people import Person
from tests.faults.sweeping import MOST, sweep
from tests.faults.test_migration import ANSWERS, PEOPLE, _old_database, _rows

from howgood.cli.main import run
from howgood.errors import HowgoodError
from howgood.flow import hosting
from howgood.flow.erasing import erase_participant
from howgood.flow.hosting import host as hosts
from howgood.store import backup, integrity
from howgood.store.database import AWAY

NOW = datetime(2026, 5, 1, tzinfo=UTC)
_SOME_OR_ALL = pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])


@pytest.fixture(scope="module")
def layer():
    return disk_errors()


@pytest.fixture
def errors(layer, monkeypatch):
    """Databases opened here fail on command, and empty their log after every few pages."""
    monkeypatch.setattr(hosts, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr(hosts, "REFUSAL_SECONDS", 0.0)

    def check_often(connection, _record):
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA wal_autocheckpoint=8")

    sa.event.listen(sa.pool.Pool, "connect", check_often)
    with layer.installed():
        yield layer
    sa.event.remove(sa.pool.Pool, "connect", check_often)


def _answering(sqlite_stage, errors, faults, *, lasting, every):
    how = "from then on, until repaired" if lasting else "once"
    faults.begin(f"each write and flush fails {how}", "SQLite")
    with sqlite_stage.serve_here() as (_, server):
        people = [Person(server.port, 0, pause=0.0)]
        tried = asyncio.run(sweep(server, errors, lasting=lasting, every=every, people=people))
    count = counted(server.database, people)
    faults.judge(count, found=f"{tried.faults} faults, each at another write")
    assert tried.faults > 12 / every
    assert sum(person.n_gone for person in people) == 0
    with closing(sqlite3.connect(server.database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return tried, count


def test_writes_that_fail_once_lose_and_double_nothing(sqlite_stage, errors, faults):
    _answering(sqlite_stage, errors, faults, lasting=False, every=7)


def test_a_disk_that_fails_for_a_while_is_said_politely(sqlite_stage, errors, faults):
    tried, count = _answering(sqlite_stage, errors, faults, lasting=True, every=7)
    assert tried.unwell == tried.doctor == tried.faults
    assert count.polite >= tried.faults


@pytest.mark.slow
def test_each_single_write_fails_once(sqlite_stage, errors, faults):
    _answering(sqlite_stage, errors, faults, lasting=False, every=1)


@pytest.mark.slow
def test_each_single_write_fails_from_then_on(sqlite_stage, errors, faults):
    tried, count = _answering(sqlite_stage, errors, faults, lasting=True, every=1)
    assert tried.unwell == tried.doctor == tried.faults
    assert count.polite >= tried.faults


# What happens to whole files: each attempt begins with the same ones.
def _attempts(errors, attempt, *, every, lasting):
    """Call an attempt with its first write failing, then a later one, until none fails."""
    nth = 1
    while nth < MOST:
        with errors.failing(nth, lasting=lasting):
            has_failed = attempt()
        if not errors.n_failed:
            return nth // every
        yield nth, has_failed
        nth += every
    return pytest.fail("an attempt that never ends")


def _says_no(action):
    """Return whether an action ended with an error that is said in one line; others are raised."""
    try:
        action()
    except (HowgoodError, *AWAY):
        return True
    return False


@pytest.fixture
def old(tmp_path):
    """A database of the first layout, with people and answers."""
    place = tmp_path / "old.sqlite"
    _old_database(str(place))
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    return place


def _fresh(template, tmp_path):
    for left in tmp_path.glob("served.sqlite*"):
        left.unlink()
    shutil.copy(template, tmp_path / "served.sqlite")
    # A process looks once at the log next to a file; here every file is a new one.
    integrity._looked_at.discard((tmp_path / "served.sqlite").resolve())
    return str(tmp_path / "served.sqlite")


def _started(template, tmp_path, errors, *, every, lasting):
    """Start a server while its disk fails; then with a disk that works. Return how often."""
    expected = _rows(str(template))["answers"]
    tried = 0

    def start():
        return _says_no(lambda: hosting.open_server(address)[0].close())

    address = _fresh(template, tmp_path)
    for _, has_failed in _attempts(errors, start, every=every, lasting=lasting):
        tried += 1
        # What fails after the commit stops nobody: the log is emptied another time.
        assert has_failed or tried > 1 or not lasting
        assert not start()
        assert _rows(address)["answers"] == expected
        address = _fresh(template, tmp_path)
    return tried, len(expected)


def _judge_start(old, tmp_path, errors, faults, *, every):
    faults.begin("each write fails while an old database is brought up to date", "SQLite")
    tried = 0
    for lasting in (False, True):
        more, answers = _started(old, tmp_path, errors, every=every, lasting=lasting)
        tried += more
    count = Count(people=PEOPLE, acknowledged=answers, stored=answers, lost=0, doubled=0, polite=0,
                  other=0)  # fmt: skip
    assert answers == PEOPLE * ANSWERS
    faults.judge(count, found=f"{tried} starts")
    assert tried > 2


def test_an_update_on_a_failing_disk_leaves_every_answer(old, tmp_path, errors, faults):
    _judge_start(old, tmp_path, errors, faults, every=150)


@pytest.mark.slow
def test_an_update_survives_the_failure_of_any_of_its_writes(old, tmp_path, errors, faults):
    _judge_start(old, tmp_path, errors, faults, every=3)


@pytest.fixture
def served(tmp_path):
    """An up-to-date database with people and answers, in one file."""
    place = tmp_path / "template.sqlite"
    _old_database(str(place))
    hosting.open_host(str(place)).close()
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    return place


@pytest.mark.parametrize("lasting", [False, True])
def test_a_server_whose_disk_fails_at_the_start_says_so(served, tmp_path, errors, lasting):
    tried, _ = _started(served, tmp_path, errors, every=1, lasting=lasting)
    assert tried > 2


def test_the_doctor_says_that_nothing_can_be_stored(served, errors, capsys):
    assert run(["doctor", "--database", str(served)]) == 0
    with errors.failing(1, lasting=True):
        assert run(["doctor", "--database", str(served)]) == 1
    said = capsys.readouterr().out
    assert "PROBLEM  writing   nothing can be stored (disk I/O error)" in said
    assert "dmesg" in said


def test_a_failing_disk_at_the_start_is_one_line_of_the_command(served, tmp_path, errors, capsys):
    address = _fresh(served, tmp_path)
    with errors.failing(1, lasting=True):
        assert run(["serve", "--port", str(free_port()), "--database", address]) == 2
    said = capsys.readouterr().err
    assert "disk I/O error" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("lasting", [False, True])
def test_a_backup_is_whole_or_not_there(served, tmp_path, errors, lasting):
    target, tried = tmp_path / "copy.sqlite", 0

    def copy():
        return _says_no(lambda: backup.copy_database(str(served), target))

    for _, has_failed in _attempts(errors, copy, every=1, lasting=lasting):
        tried += 1
        assert has_failed
        assert not target.exists()
        assert list(tmp_path.glob(".*unfinished*")) == []
    assert tried > 10
    assert _rows(str(target)) == _rows(str(served))


@_SOME_OR_ALL
@pytest.mark.parametrize("lasting", [False, True])
def test_a_restore_leaves_the_old_database_or_the_new_one(served, tmp_path, errors, lasting, every):
    """While the copy is made, the name stands for the old file; nothing is in between."""
    copy, tried = tmp_path / "copy.sqlite", 0
    backup.copy_database(str(served), copy)
    with closing(sqlite3.connect(served)) as connection:
        connection.execute("DELETE FROM answers WHERE participant_id > 10")
        connection.commit()
    address = _fresh(served, tmp_path)
    old, new = len(_rows(address)["answers"]), len(_rows(str(copy))["answers"])
    assert old != new
    _fresh(served, tmp_path)

    def restore():
        return _says_no(lambda: backup.restore_database(address, copy, now=NOW))

    for _, has_failed in _attempts(errors, restore, every=every, lasting=lasting):
        tried += 1
        assert len(_rows(address)["answers"]) == (old if has_failed else new)
        for left in tmp_path.glob("served.sqlite.before*"):
            left.unlink()
        _fresh(served, tmp_path)
    assert tried > 10 / every
    assert len(_rows(address)["answers"]) == new


@contextmanager
def _opened(address):
    host = hosting.open_host(address)
    try:
        yield host
    finally:
        host.close()


@_SOME_OR_ALL
@pytest.mark.parametrize("lasting", [False, True])
def test_erasing_is_done_or_said_not_to_be(served, tmp_path, errors, lasting, every):
    tried, address = 0, _fresh(served, tmp_path)
    wanted = _rows(address)["answers"]

    def erase(host):
        erased = []
        said_no = _says_no(
            lambda: erased.append(erase_participant(host, "old", "#7", actor="me", now=NOW))
        )
        return said_no, erased

    nth = 1
    while nth < MOST:
        address = _fresh(served, tmp_path)
        with _opened(address) as host:
            with errors.failing(nth, lasting=lasting):
                said_no, erased = erase(host)
            if not errors.n_failed:
                break
            tried, nth = tried + 1, nth + every
            if said_no:
                assert _rows(address)["answers"] == wanted
                _, erased = erase(host)
            elif not erased[0].is_off_disk:
                assert host.database.scrub()
        assert len(_rows(address)["answers"]) == len(wanted) - ANSWERS
    assert tried > 5 / every
    assert erased[0].is_off_disk
