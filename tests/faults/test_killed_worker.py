"""A worker is killed in the middle of a real fit: another finishes it, and there is one result.

With a stand-in for the fit, and so in seconds, this is in tests/flow/results/test_worker.py.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from tests.faults.ledger import NOTHING
from tests.flow.results.conftest import RERATING

from howgood.demo.web import add_people
from howgood.flow.hosting import add_study, open_host
from howgood.kinds.study import Study
from howgood.records.job import JobStatus
from howgood.store import jobs


@pytest.fixture
def address(stage):
    return stage.address if "://" in stage.address else str(stage.folder / stage.address)


@pytest.fixture
def queued(stage, address):
    """A fit that waits; a function that looks at it."""
    with _waiting_fit(address, stage.folder) as look:
        yield look


@contextmanager
def _waiting_fit(address, folder):
    host = open_host(address)
    now = datetime.now(UTC)
    row = add_study(host, Study.from_dict(RERATING), folder=folder, now=now)
    add_people(host, row.slug, people=6, seed=1, now=now)
    number = host.database.write(lambda c: jobs.add(c, row.number, "fit", {"seed": 1}, now=now))

    def look():
        with host.database.reading() as connection:
            return jobs.find(connection, number), jobs.result(connection, number)

    yield look
    host.close()


def _until(condition, seconds=90):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def _kill_and_finish(command, queued, faults, database, *, kills):
    faults.begin(f"kill -9 of the worker during a fit, {kills} times", database)
    worker = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        for attempt in range(1, kills + 1):
            _until(lambda attempt=attempt: _is_running(queued()[0], attempt))
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
            assert queued()[1] is None
            worker = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        _until(lambda: queued()[0].status is not JobStatus.RUNNING)
    finally:
        worker.kill()
        worker.wait()
    job, result = queued()
    assert (job.status, job.attempts) == (JobStatus.DONE, kills + 1)
    assert result["report"]["findings"]
    faults.judge(NOTHING, found=f"1 job, {job.attempts} attempts, 1 result")


def _is_running(job, attempt):
    return job.status is JobStatus.RUNNING and job.attempts == attempt


@pytest.mark.slow
def test_the_command_killed_twice_during_a_fit_leaves_it_to_the_third(
    stage, address, queued, faults
):
    command = [sys.executable, "-m", "howgood", "worker", "--database", address]
    _kill_and_finish(command, queued, faults, stage.database, kills=2)


@pytest.mark.slow
def test_a_database_killed_during_a_fit_does_not_end_it(own_postgresql, faults):
    postgresql, stage = own_postgresql
    faults.begin("kill -9 of PostgreSQL during a fit", "PostgreSQL")
    command = [sys.executable, "-m", "howgood", "worker", "--database", stage.address]
    worker = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        with _waiting_fit(stage.address, stage.folder) as look:
            _until(lambda: _is_running(look()[0], 1))
            postgresql.kill()
            time.sleep(1)
            postgresql.start()
            _until(lambda: look()[0].status is not JobStatus.RUNNING)
            job, result = look()
    finally:
        worker.kill()
        worker.wait()
    assert job.status is JobStatus.DONE
    assert result["report"]["findings"]
    faults.judge(NOTHING, found=f"1 job, {job.attempts} attempt(s), 1 result")
