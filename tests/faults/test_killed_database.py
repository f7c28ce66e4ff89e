"""PostgreSQL is killed under load: people are told politely, and nobody has to repair anything."""

import os
import signal
import time
import urllib.error
import urllib.request

import pytest
from tests.faults.counting import counted
from tests.faults.people import crowd, meanwhile, until_answered


def _status(server):
    """Return what /health says."""
    try:
        with urllib.request.urlopen(server.ready, timeout=30) as response:  # noqa: S310 - loopback only
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def _break(postgresql, server, people, kills):
    said = []
    for _ in range(kills):
        until_answered(people, 21)
        postgresql.kill()
        time.sleep(0.7)
        said.append(_status(server))
        postgresql.start()
        time.sleep(0.3)
        said.append(_status(server))
    time.sleep(1.0)
    return said


def _recover(own_postgresql, faults, *, kills, workers):
    postgresql, stage = own_postgresql
    faults.begin(f"kill -9 of PostgreSQL, {kills} times", "PostgreSQL")
    server = stage.serve(workers=workers)
    people = crowd(server, 12)
    said = meanwhile(people, lambda: _break(postgresql, server, people, kills))
    count = counted(stage.address, people)
    faults.judge(count, found=f"{workers} worker(s)")
    assert said == [503, 200] * kills
    assert count.acknowledged > 20 * kills
    assert count.polite > kills  # somebody was there, and was told
    assert sum(each.n_gone for each in people) == 0  # the web server itself never went away


def test_a_killed_database_loses_nothing_and_the_server_goes_on_by_itself(own_postgresql, faults):
    _recover(own_postgresql, faults, kills=1, workers=1)


@pytest.mark.slow
def test_ten_kills_of_the_database_under_two_workers(own_postgresql, faults):
    _recover(own_postgresql, faults, kills=10, workers=2)


@pytest.mark.slow
def test_a_worker_that_dies_while_the_database_is_away_is_replaced(own_postgresql, faults):
    postgresql, stage = own_postgresql
    faults.begin("kill -9 of PostgreSQL, then of one of two workers", "PostgreSQL")
    server = stage.serve(workers=2)
    people = crowd(server, 12)

    def both_die():
        time.sleep(1.0)
        postgresql.kill()
        os.kill(server.workers()[0], signal.SIGKILL)
        time.sleep(15)
        postgresql.start()
        time.sleep(15)
        return len(server.workers())

    n_alive = meanwhile(people, both_die)
    faults.judge(counted(stage.address, people), found=f"{n_alive} workers at the end")
    assert n_alive == 2
