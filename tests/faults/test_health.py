"""What /health says while nothing can be stored: a load balancer believes it."""

import http.client
import time
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from tests.faults.disks import no_room_for
from tests.faults.people import SLUG, crowd, meanwhile
from tests.faults.test_read_only import refusing_writes

from howgood.flow.hosting import HealthCheck, open_host
from howgood.flow.hosting import host as hosting
from howgood.store import database


def _get(server, path):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        head = answer.headers.get("Retry-After")
        return SimpleNamespace(status=answer.status, text=answer.read().decode(), again=head)
    finally:
        connection.close()


def _health(server):
    found = _get(server, "/health")
    return found.status, found.text, found.again


@pytest.fixture
def quick(monkeypatch):
    """Look often and forget soon."""
    monkeypatch.setattr(hosting, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(hosting, "REFUSAL_SECONDS", 0.3)


def test_a_database_that_has_become_read_only_is_told_though_nobody_answers(stage, quick):
    with stage.serve_here() as (host, server):
        assert _health(server) == (200, "well\n", None)
        with refusing_writes(stage, host):
            _until(server, 503)
            status, said, again = _health(server)
            assert (status, again) == (503, "5")
            assert "cannot be stored" in said
            assert _get(server, f"/s/{SLUG}").status == 200  # whoever only looks is served
        _until(server, 200)


def _until(server, status, *, seconds=15):
    end = time.monotonic() + seconds
    while _health(server)[0] != status:
        assert time.monotonic() < end, f"/health does not say {status}"
        time.sleep(0.1)


def test_a_full_disk_is_told_and_so_is_that_there_is_room_again(sqlite_stage):
    server = sqlite_stage.serve()
    people = crowd(server, 4)

    def fill():
        time.sleep(1)
        assert _health(server)[0] == 200
        with no_room_for([server.process.pid]):
            _until(server, 503)
        _until(server, 200, seconds=45)

    meanwhile(people, fill)


def test_an_answer_that_could_not_be_stored_counts_though_a_look_goes_well(tmp_path, monkeypatch):
    host = open_host(str(tmp_path / "answers.sqlite"))
    clock = [1000.0]
    monkeypatch.setattr(hosting, "monotonic", lambda: clock[0])
    monkeypatch.setattr(database, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    looking = HealthCheck(host)
    assert looking.is_well()
    with pytest.raises(sa.exc.OperationalError):
        host.database.write(_fail)
    assert not looking.is_well()
    clock[0] += hosting.REFUSAL_SECONDS + 1
    assert looking.is_well()
    with pytest.raises(sa.exc.OperationalError):
        host.database.write(_fail)
    host.database.write(
        lambda _connection: None
    )  # the next one is stored: it was a moment's matter
    assert looking.is_well()
    host.close()


@pytest.mark.parametrize(("code", "is_well"), [
    (None, True), ("57P01", True), ("40P01", True), ("53100", False), ("25006", False),
])  # fmt: skip
def test_a_server_that_was_gone_is_well_once_it_is_back(tmp_path, code, is_well):
    """Without a code or shut down it was gone, in a deadlock busy; a full disk refuses again."""
    host = open_host(str(tmp_path / "answers.sqlite"))

    def fail(_connection):
        raise sa.exc.OperationalError("INSERT", None, _RefusedError(code))

    with pytest.raises(sa.exc.OperationalError):
        host.database.write(fail)
    assert HealthCheck(host).is_well() is is_well
    host.close()


def test_a_crowd_in_which_no_connection_was_free_is_forgotten_at_once(tmp_path):
    host = open_host(str(tmp_path / "answers.sqlite"))

    def wait(_connection):
        raise sa.exc.TimeoutError("QueuePool limit reached")

    with pytest.raises(sa.exc.TimeoutError):
        host.database.write(wait)
    assert HealthCheck(host).is_well()
    host.close()


class _RefusedError(Exception):
    """What PostgreSQL's driver raises."""

    def __init__(self, code):
        super().__init__("refused")
        self.sqlstate = code


def _fail(_connection):
    raise sa.exc.OperationalError("INSERT", None, OSError("database or disk is full"))


def test_whoever_asks_often_costs_no_more_than_one_look_in_a_while(tmp_path):
    host = open_host(str(tmp_path / "answers.sqlite"))
    looking, looks = HealthCheck(host), []
    real = host.database.write
    host.database.write = lambda operation: (looks.append(1), real(operation))[1]
    assert all(looking.is_well() for _ in range(1000))
    assert len(looks) == 1
    host.close()


@pytest.mark.parametrize(("timeout", "is_well"), [(0.05, False), (5.0, True)])
def test_a_look_is_bad_news_for_who_asks_meanwhile_only_if_it_takes_too_long(
    tmp_path, monkeypatch, timeout, is_well
):
    monkeypatch.setattr(hosting, "CHECK_SECONDS", 0.02)
    monkeypatch.setattr(hosting, "TIMEOUT_SECONDS", timeout)
    host = open_host(str(tmp_path / "answers.sqlite"))
    looking, said = HealthCheck(host), []

    def take_a_while(_operation):
        time.sleep(0.1)
        said.append(looking.is_well())

    monkeypatch.setattr(host.database, "write", take_a_while)
    assert looking.is_well()
    assert said == [is_well]
    monkeypatch.undo()
    host.close()
