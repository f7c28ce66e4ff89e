"""A server that is killed again and again under load loses nothing it has acknowledged."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from benchmarks.load.people import begin_howgood
from benchmarks.load.servers import free_port, is_alive, workers_of
from tests.faults.counting import counted
from tests.faults.people import crowd, meanwhile, until_answered
from tests.flow.hosting.conftest import SURVEY

from howgood.store.database import open_database
from howgood.store.schema import participants

PEOPLE = 12


def _kill_again_and_again(server, people, kills):
    chance = random.Random(7)  # noqa: S311 - chance for a test, not for secrets
    for _ in range(kills):
        until_answered(people, 11)
        time.sleep(chance.uniform(0.3, 1.3))
        server.kill()
        server.start()
    time.sleep(1.0)
    server.kill()


def _lose_nothing(stage, faults, *, kills, workers=1):
    faults.begin(f"kill -9 of the server, {kills + 1} times", stage.database)
    server = stage.serve(workers=workers)
    people = crowd(server, PEOPLE)
    meanwhile(people, lambda: _kill_again_and_again(server, people, kills))
    count = counted(server.database, people)
    faults.judge(count, found=f"{workers} worker(s)")
    assert count.acknowledged > 10 * kills


def test_a_killed_server_loses_no_acknowledged_answer(stage, faults):
    _lose_nothing(stage, faults, kills=1)


@pytest.mark.slow
def test_twenty_kills_lose_and_repeat_nothing(stage, faults):
    _lose_nothing(stage, faults, kills=20, workers=1 if stage.database == "SQLite" else 2)


@pytest.mark.slow
def test_one_of_two_workers_killed_is_replaced(postgresql_stage, faults):
    faults.begin("kill -9 of one of two workers, 3 times", "PostgreSQL")
    server = postgresql_stage.serve(workers=2)
    people = crowd(server, PEOPLE)

    def kill_some():
        for _ in range(3):
            time.sleep(1.5)
            victim = server.workers()[0]
            os.kill(victim, signal.SIGKILL)
            end = time.monotonic() + 60
            while len(server.workers()) < 2 or victim in server.workers():
                assert time.monotonic() < end, "nobody took its place"
                time.sleep(0.1)

    meanwhile(people, kill_some)
    faults.judge(counted(server.database, people))


@pytest.mark.slow
def test_workers_whose_parent_is_killed_make_room_for_the_next(postgresql_stage, faults):
    faults.begin("kill -9 of the parent of two workers, twice", "PostgreSQL")
    server = postgresql_stage.serve(workers=2)
    people = crowd(server, PEOPLE)

    def kill_parents():
        for _ in range(2):
            time.sleep(1.5)
            workers = server.workers()
            server.process.kill()
            server.process.wait()
            server.log.close()
            while any(Path(f"/proc/{each}").exists() for each in workers):
                time.sleep(0.1)
            server.start()
        time.sleep(1.5)

    meanwhile(people, kill_parents)
    faults.judge(counted(server.database, people))


# Holds workers back where nothing of howgood has been imported yet.
_HELD_BACK = """
import pathlib, time
here = pathlib.Path(__file__).parent
if b"spawn_main" in pathlib.Path("/proc/self/cmdline").read_bytes():
    while not (here / "go").exists():
        time.sleep(0.02)
"""


def test_workers_whose_parent_dies_while_they_start_end_too(postgresql_stage):
    """Nothing is left that holds the port; before, such workers lived for ever."""
    folder = postgresql_stage.folder
    (folder / "sitecustomize.py").write_text(_HELD_BACK)
    parent = subprocess.Popen(
        [sys.executable, "-m", "howgood", "serve", "--port", str(free_port()), "--workers", "2",
         "--database", postgresql_stage.address],
        env=os.environ | {"PYTHONPATH": str(folder)}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    workers = []
    try:
        workers = _soon(lambda: found if len(found := workers_of(parent.pid)) == 2 else None)
        parent.kill()
        parent.wait()
        (folder / "go").touch()
        _soon(lambda: not any(map(is_alive, workers)))
    finally:
        for each in filter(is_alive, (parent.pid, *workers)):
            os.kill(each, signal.SIGKILL)


def _soon(happened, *, seconds=90):
    """Wait until something has happened, and return it; how long that takes is not looked at."""
    end = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
    return found


def test_a_server_asked_to_stop_finishes_and_leaves_a_sound_database(sqlite_stage, faults):
    faults.begin("the server is asked to stop (SIGTERM)", "SQLite")
    server = sqlite_stage.serve()
    people = crowd(server, 3)

    def stop():
        until_answered(people, 3)
        return server.stop()

    assert meanwhile(people, stop) in (0, -15)
    count = counted(server.database, people)
    faults.judge(count)
    assert count.acknowledged == count.stored > 0


@pytest.mark.slow
def test_fifty_people_who_start_at_once_over_http_are_balanced_within_one(stage):
    server = stage.serve(SURVEY, workers=1 if stage.database == "SQLite" else 2)

    async def all_at_once():
        begun = (begin_howgood(server.port, "doors", seed) for seed in range(50))
        for browser, _, page in await asyncio.gather(*begun):
            assert page.status == 200
            await browser.close()

    with ThreadPoolExecutor(1) as pool:  # Playwright keeps a loop running in the main thread
        pool.submit(asyncio.run, all_at_once()).result()
    server.kill()
    database = open_database(server.database)
    with database.reading() as connection:
        conditions = Counter(
            connection.execute(sa.select(participants.c.condition)).scalars().all()
        )
    database.close()
    assert conditions == {"a": 25, "b": 25}
