"""A worker sees every job to its end, and dies without harm."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from tests.flow.results.conftest import RERATING

from howgood.cli.main import run
from howgood.flow.results.worker import BackgroundWorker, Worker
from howgood.records.job import JobStatus
from howgood.store import jobs

_LINES = (
    "import sys, time, json\nsys.stdin.readline()\n"
    "say = lambda **m: print(json.dumps(m), flush=True)\n"
)
SLOW = [sys.executable, "-c", _LINES + "say(share=.5, step='half way')\ntime.sleep(60)"]
QUICK = [sys.executable, "-c", _LINES + "say(share=1, step='x')\nsay(result={'summary': 'well'})"]
BROKEN = [sys.executable, "-c", _LINES + "say(share=.1, step='x')\nsys.exit(3)"]
REFUSING = [sys.executable, "-c", _LINES + "say(problem='no columns')"]
# The same loop as `howgood worker`, with a short lease and a child that never ends.
_WORKER = (
    "import sys; from datetime import timedelta\n"
    "from howgood.flow.hosting import open_host\n"
    "from howgood.flow.results.worker import Worker\n"
    "Worker(open_host(sys.argv[1]), sys.argv[1], lease=timedelta(seconds=2),"
    " child=sys.argv[2:]).run()"
)


@pytest.fixture
def queued(host, asked):
    row = asked(RERATING, 2)
    number = host.database.write(
        lambda c: jobs.add(c, row.number, "fit", {}, now=datetime.now(UTC))
    )

    def look():
        with host.database.reading() as connection:
            return jobs.find(connection, number), jobs.result(connection, number)

    return look


def _until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def test_a_worker_killed_half_way_leaves_a_job_that_another_finishes_once(
    host, queued, database_address
):
    victim = subprocess.Popen([sys.executable, "-c", _WORKER, database_address, *SLOW])
    _until(lambda: queued()[0].progress == 0.5)
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    job, result = queued()
    assert (job.status, result) == (JobStatus.RUNNING, None)
    heir = Worker(host, database_address, child=QUICK)
    _until(heir.run_once)  # as soon as the dead worker's lease is over
    job, result = queued()
    assert (job.status, job.attempts) == (JobStatus.DONE, 2)
    assert result == {"summary": "well"}
    assert not heir.run_once()


def test_the_child_of_a_killed_worker_ends_too(tmp_path, host, queued, database_address):
    real = [sys.executable, "-m", "howgood.flow.results.child"]
    order = json.dumps({"database": database_address, "study": 1, "task": "fit", "settings": {}})
    child = subprocess.Popen(real, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdin.write(order + "\n")
    child.stdin.close()  # what the kernel does when the worker dies
    assert child.wait(30) in (0, 1)
    child.stdout.close()


def test_a_worker_that_is_asked_to_stop_gives_its_job_back(host, queued, database_address):
    background = BackgroundWorker(Worker(host, database_address, child=SLOW))
    background.start()
    _until(lambda: queued()[0].progress == 0.5)
    background.stop()
    job, _ = queued()
    assert (job.status, job.attempts, job.worker) == (JobStatus.QUEUED, 0, None)


def test_a_cancelled_job_stops_its_worker(host, queued, database_address):
    worker = Worker(host, database_address, child=SLOW, lease=timedelta(seconds=1))
    thread = threading.Thread(target=worker.run_once)
    thread.start()
    _until(lambda: queued()[0].progress == 0.5)
    job = queued()[0]
    host.database.write(lambda c: jobs.cancel(c, job.study, job.number, now=datetime.now(UTC)))
    thread.join(10)
    assert not thread.is_alive()
    assert queued()[0].status is JobStatus.CANCELLED


def test_work_that_breaks_is_tried_three_times_and_then_given_up(host, queued, database_address):
    worker = Worker(host, database_address, child=BROKEN)
    assert [worker.run_once() for _ in range(4)] == [True, True, True, False]
    job, _ = queued()
    assert (job.status, job.message) == (JobStatus.FAILED, jobs.GAVE_UP)


def test_work_that_says_no_is_not_tried_again(host, queued, database_address):
    worker = Worker(host, database_address, child=REFUSING)
    assert worker.run_once()
    assert not worker.run_once()
    job, _ = queued()
    assert (job.status, job.message) == (JobStatus.FAILED, "no columns")


def test_the_command_fits_what_waits_in_a_process_of_its_own(queued, database_address, capsys):
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        assert run(["worker", "--once", "--database", database_address]) == 0
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert "outcome=done" in capsys.readouterr().out
    job, result = queued()
    assert (job.status, job.message) == (JobStatus.DONE, "2 people, 30 judgements")
    assert result["report"]["findings"]
