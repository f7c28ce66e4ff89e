"""The clock jumps a year ahead, then an hour back: order, places, sessions, leases stay sane."""

import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient
from tests.faults.counting import counted
from tests.faults.people import STUDY, crowd, meanwhile
from tests.web.conftest import join, quick_passwords, sign_in

from howgood.flow import accounts, hosting
from howgood.flow.results import worker as worker_module
from howgood.flow.results.worker import Worker
from howgood.kinds.study import Study
from howgood.records.job import JobStatus
from howgood.settings import Settings
from howgood.store import collected, jobs
from howgood.web import request_data
from howgood.web.app import make_app
from howgood.web.routes import taking_part

__all__ = ["quick_passwords"]
YEAR, HOUR = timedelta(days=365), timedelta(hours=1)


@pytest.fixture
def jump(monkeypatch):
    """A function that sets how far the product's clocks are ahead of the real one."""
    ahead = timedelta()

    def now(zone):
        return datetime.now(zone) + ahead

    for module in (request_data, taking_part, worker_module):
        monkeypatch.setattr(module, "datetime", SimpleNamespace(now=now))

    def set_ahead(by):
        nonlocal ahead
        ahead = by

    return set_ahead


def test_answers_keep_their_order_whatever_the_clock_says(stage, faults, jump):
    _keep_order(stage, faults, jump, pause=0.6)


@pytest.mark.slow
def test_many_answers_keep_their_order_whatever_the_clock_says(stage, faults, jump):
    _keep_order(stage, faults, jump, pause=6)


def _keep_order(stage, faults, jump, *, pause):
    faults.begin("the clock jumps a year ahead, then an hour back", stage.database)
    with stage.serve_here() as (host, server):
        people = crowd(server, 6)

        def jumps():
            for by in (YEAR, -HOUR, timedelta()):
                time.sleep(pause)
                jump(by)
            time.sleep(pause)

        meanwhile(people, jumps)
        found = _people_in(host)
        count = counted(server.database, people)
    faults.judge(count)
    assert len(found) == 6
    durations = [seconds for person in found for seconds in person.screens.seconds]
    known = [each for each in durations if each is not None]
    assert len(known) < len(durations)  # some answers are older than their question
    assert min(known) > 0
    for person in found:
        # Steps are numbered: a wrong clock changes neither their order nor who is asked what.
        positions = list(person.screens.positions)
        assert positions == list(range(1, len(positions) + 1))
        assert sum(moment is None for moment in person.screens.answered_at) == 1


def _people_in(host):
    with host.database.reading() as connection:
        return collected.people(connection, 1, after=0, most=100, with_pilots=True)


def test_a_place_lost_to_a_wrong_clock_comes_back_with_the_next_answer(stage, jump):
    with stage.serve_here() as (host, server):
        early, late = crowd(server, 2)
        meanwhile([early], lambda: _until_more(early))
        jump(YEAR)
        meanwhile([late], lambda: _until_more(late))  # frees the places of who is away
        assert [each.status.value for each in _people_in(host)] == ["expired", "active"]
        jump(timedelta())
        meanwhile([early], lambda: _until_more(early))
        assert [each.status.value for each in _people_in(host)] == ["active", "active"]
        assert early.wrong == late.wrong == []


def _until_more(person):
    """Wait until somebody has had three more answers acknowledged."""
    end, before = time.monotonic() + 60, len(person.acknowledged)
    while len(person.acknowledged) < before + 3:
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def client(tmp_path, jump):
    host = hosting.open_host(str(tmp_path / "answers.sqlite"))
    hosting.add_study(host, Study.from_dict(STUDY), folder=tmp_path, now=datetime.now(UTC))
    with TestClient(make_app(host, Settings())) as opened:
        token = accounts.setup_link(host, now=datetime.now(UTC))
        assert join(opened, token).status_code == 200
        yield opened


def _is_in(client):
    return client.get("/studies", follow_redirects=False).status_code == 200


def test_sessions_end_when_the_clock_jumps_ahead_and_come_back_with_it(client, jump):
    assert _is_in(client)
    jump(YEAR)
    assert not _is_in(client)
    jump(-HOUR)
    assert not _is_in(client)  # it would have begun in an hour
    jump(timedelta())
    assert _is_in(client)


def test_a_session_begun_under_a_wrong_clock_does_not_last_a_year(client, jump):
    jump(YEAR)
    assert sign_in(client).status_code == 200
    assert _is_in(client)
    jump(timedelta())
    assert not _is_in(client)
    assert sign_in(client).status_code == 200
    assert _is_in(client)


def test_a_jump_neither_lifts_the_limit_on_attempts_nor_locks_anybody_out(client, jump):
    def attempt():
        return sign_in(client, name="nobody", password="wrong").status_code  # noqa: S106 - wrong on purpose

    for by in (timedelta(), YEAR):  # a year later everybody may try anew, no more often than ever
        jump(by)
        assert [attempt() for _ in range(12)][-1] == 429
    jump(-HOUR)
    assert attempt() == 429
    jump(-HOUR / 2)
    assert attempt() == 422


_CHILD = (
    "import json, sys, time\nsys.stdin.readline()\n"
    "say = lambda **m: print(json.dumps(m), flush=True)\n"
    "say(share=.5, step='half way')\ntime.sleep(float(sys.argv[1]))\n"
    "say(result={'by': sys.argv[2]})"
)


@contextmanager
def _queue(stage, tmp_path):
    address = stage.address if "://" in stage.address else str(tmp_path / stage.address)
    host = hosting.open_host(address)
    row = hosting.add_study(host, Study.from_dict(STUDY), folder=tmp_path, now=datetime.now(UTC))
    number = host.database.write(
        lambda c: jobs.add(c, row.number, "fit", {}, now=request_data.now())
    )

    def make(name, seconds, **how):
        return Worker(host, address, child=[sys.executable, "-c", _CHILD, str(seconds), name],
                      **how)  # fmt: skip

    def look():
        with host.database.reading() as connection:
            return jobs.find(connection, number), jobs.result(connection, number)

    yield make, look
    host.close()


@pytest.mark.parametrize("by", [YEAR, -HOUR], ids=["a year ahead", "an hour back"])
def test_a_fit_during_which_the_clock_jumps_ends_once(stage, tmp_path, jump, by):
    with _queue(stage, tmp_path) as (make, look):
        worker = make("first", 1.5, log=lambda _: jump(by))  # as soon as it has begun
        assert worker.run_once()
        job, result = look()
        assert (job.status, job.attempts, result) == (JobStatus.DONE, 1, {"by": "first"})
        assert not make("second", 0).run_once()


def test_the_job_of_a_worker_that_died_before_the_clock_was_put_back_is_free(stage, tmp_path, jump):
    with _queue(stage, tmp_path) as (make, look):
        jump(HOUR)

        def die(_said):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            make("first", 0, log=die).run_once()
        assert look()[0].status is JobStatus.RUNNING
        jump(timedelta())
        assert make("second", 0).run_once()
        job, result = look()
        assert (job.status, job.attempts, result) == (JobStatus.DONE, 2, {"by": "second"})
