"""A thousand people at once, next to a thousand others: served, or asked politely to wait."""

import resource
import time
from collections import Counter
from contextlib import contextmanager

import pytest
from tests.faults.counting import counted
from tests.faults.people import crowd, meanwhile


@pytest.fixture(autouse=True)
def many_files():
    """A thousand connections need a thousand files on our side, too."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = before[1]
    wanted = 4096 if hard == resource.RLIM_INFINITY else min(4096, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@contextmanager
def _few_files():
    """What a server may open when it is started by a careful system."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (150, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def _serve_all(stage, faults, *, size, seconds, workers):
    faults.begin(f"{size:,} people at once", stage.database)
    with _few_files():  # the server asks for more by itself
        server = stage.serve(workers=workers)
    server.settle()
    # Whoever is asked to wait does so for as long as they were asked to (Retry-After).
    people = crowd(server, size, pace=1.0, pause=3.0)
    meanwhile(people, lambda: time.sleep(seconds))
    count = counted(server.database, people)
    inside = sum(bool(each.acknowledged) for each in people)
    faults.judge(
        count,
        found=f"{inside:,} inside after {seconds:g} s, next to 1,000 active people{_wrong(people)}",
    )
    assert sum(each.n_gone for each in people) == 0
    assert inside > size / 2


def _wrong(people):
    found = Counter(each for person in people for each in person.wrong)
    return "".join(f", {n} times {each}" for each, n in found.items())


def test_two_hundred_people_at_once_meet_no_error(sqlite_stage, faults):
    _serve_all(sqlite_stage, faults, size=200, seconds=4, workers=1)


@pytest.mark.slow
def test_a_thousand_people_at_once_meet_no_error(stage, faults):
    workers = 1 if stage.database == "SQLite" else 2
    _serve_all(stage, faults, size=1000, seconds=60, workers=workers)
