"""Workers are renewed one after the other while people answer: no request fails.

`kill -HUP`, as `systemctl reload` sends it: a new worker is ready before an old one is asked to
stop, which finishes what it has in hand.
"""

import os
import signal
import time

import pytest
from tests.faults.counting import counted
from tests.faults.people import PATIENT, crowd, meanwhile, until_answered

PEOPLE = 6
# Seconds after which a server is asked again: on a busy machine a new worker that is not ready in
# time is given up, and the old ones go on.
AGAIN = 45


def _renew(server):
    """Ask until every worker is another one; return how often that was."""
    before, end, asked, due = set(server.workers()), time.monotonic() + PATIENT, 0, 0.0
    while before & set(server.workers()) or len(server.workers()) < len(before):
        now = time.monotonic()
        if now > end:
            return 0
        if now >= due:
            os.kill(server.process.pid, signal.SIGHUP)
            asked, due = asked + 1, now + AGAIN
        time.sleep(0.1)
    return asked


def _renewed_under_load(stage, faults, *, times):
    faults.begin(f"two workers are renewed one after the other, {times} times", "PostgreSQL")
    server = stage.serve(workers=2)
    people = crowd(server, PEOPLE)

    def renew():
        found = []
        for _ in range(times):
            until_answered(people, 10)
            found.append(_renew(server))
        until_answered(people, 10)
        return found

    asked = meanwhile(people, renew)
    count = counted(server.database, people)
    faults.judge(count, found=f"{count.acknowledged} requests answered, 0 failed")
    assert count.polite == 0
    assert sum(person.n_gone for person in people) == 0
    if not all(asked):
        assert "was not ready in time" in (stage.folder / "log.txt").read_text()
        pytest.skip("new workers were not ready in time on this busy machine; the old ones went on")


def test_workers_are_renewed_and_no_request_fails(postgresql_stage, faults):
    _renewed_under_load(postgresql_stage, faults, times=1)


@pytest.mark.slow
def test_ten_renewals_of_two_workers_fail_no_request(postgresql_stage, faults):
    _renewed_under_load(postgresql_stage, faults, times=10)
