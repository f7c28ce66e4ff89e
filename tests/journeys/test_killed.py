"""A server that is killed again and again under load loses nothing it has acknowledged."""

import asyncio
import random
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from benchmarks.load.people import Browser, GoneError, begin_howgood, filled_form
from benchmarks.load.servers import HowgoodServer
from tests.conftest import empty_postgresql_database
from tests.flow.hosting.conftest import SURVEY

from howgood.flow.hosting import tokens
from howgood.store.database import open_database
from howgood.store.schema import answers, participants, screens

PEOPLE = 12
PACE = 0.03  # seconds between answers: just below what the server takes for a script
_SCREEN = re.compile(r'name="screen" value="([^"]+)"')
# Twelve hundred pages: at this pace nobody comes to the end while servers are killed.
STUDY = {
    "kind": "rerating", "slug": "again", "title": "Again", "consent": {"text": "I agree."},
    "rerating": {"question": "How good?", "scale": list("1234567"), "rounds": 20,
                 "items": [{"key": f"k{number}", "text": "This one"} for number in range(60)]},
}  # fmt: skip


class Person:
    """Answers page after page, and remembers what the server acknowledged."""

    def __init__(self, port, seed):
        self.port, self.chance, self.seed = port, random.Random(seed), seed  # noqa: S311 - chance for a test, not for secrets
        self.acknowledged, self.uncertain, self.wrong = {}, None, []
        self.path = self.page = None

    async def begin(self):
        browser, self.path, self.page = await begin_howgood(self.port, "again", self.seed)
        await browser.close()

    async def answer_until_gone(self):
        """Send answers until the server goes away in the middle."""
        browser = Browser(self.port)
        try:
            await self._resume(browser)
            while True:
                form = filled_form(self.page.text, self.chance)
                self.uncertain = (form["screen"], form.get("rating"))
                sent = await browser.post(self.path, form)
                if sent.status == 303:
                    self.acknowledged[self.uncertain[0]] = self.uncertain[1]
                else:
                    self.wrong.append(sent.status)
                self.uncertain = None
                self.page = await browser.get(self.path)
                await asyncio.sleep(PACE)
        except GoneError:
            pass
        finally:
            await browser.close()

    async def _resume(self, browser):
        """After a restart: the same step, or the next one if the last answer had arrived."""
        before = self.page
        self.page = await browser.get(self.path)
        here, there = _screen(before), _screen(self.page)
        if self.uncertain and there != self.uncertain[0]:
            self.acknowledged[self.uncertain[0]] = self.uncertain[1]
        elif here != there and here not in self.acknowledged:
            self.wrong.append((here, there))
        self.uncertain = None


def _screen(page):
    found = _SCREEN.search(page.text)
    return found[1] if found else "end"


async def _kill_again_and_again(server, people, kills):
    chance = random.Random(7)  # noqa: S311 - chance for a test, not for secrets
    await asyncio.gather(*(each.begin() for each in people))
    for _ in range(kills):
        crowd = [asyncio.create_task(each.answer_until_gone()) for each in people]
        await asyncio.sleep(chance.uniform(0.5, 1.5))
        server.kill()
        await asyncio.gather(*crowd)
        await asyncio.to_thread(server.start)
    crowd = [asyncio.create_task(each.answer_until_gone()) for each in people]
    await asyncio.sleep(1.0)
    server.kill()
    await asyncio.gather(*crowd)


def _check(server, people):
    """Return how many answers are stored, after comparing them with what was acknowledged."""
    database = open_database(server.database)
    with database.reading() as connection:
        digests = dict(
            connection.execute(sa.select(participants.c.id, participants.c.token_digest)).all()
        )
        rows = connection.execute(sa.select(answers)).all()
        places = connection.execute(sa.select(screens.c.participant_id, screens.c.position)).all()
    database.close()
    assert [each.wrong for each in people] == [[]] * len(people)
    assert len(digests) == len(people)
    stored = {(digests[row.participant_id], row.screen): row.content for row in rows}
    assert len(stored) == len(rows)
    for person in people:
        digest = tokens.digest(person.path.removeprefix("/p/"))
        for screen, rating in person.acknowledged.items():
            told = {"rating": int(rating)} if rating else {}
            assert stored[digest, screen] == told
    by_person = {}
    for number, position in places:
        by_person.setdefault(number, []).append(position)
    for positions in by_person.values():
        assert sorted(positions) == list(range(1, len(positions) + 1))
    return len(rows)


def _apart(coroutine):
    """Run in a thread of its own: Playwright keeps a loop running in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def _run(server, kills):
    people = [Person(server.port, seed) for seed in range(PEOPLE)]
    begun = time.monotonic()
    try:
        _apart(_kill_again_and_again(server, people, kills))
    finally:
        server.kill()
    n_answers = _check(server, people)
    acknowledged = sum(len(each.acknowledged) for each in people)
    print(f"{kills + 1} kills, {acknowledged} acknowledged, {n_answers} stored, "
          f"{time.monotonic() - begun:.0f} s")  # fmt: skip
    assert n_answers >= acknowledged > 10 * kills


def test_a_killed_server_loses_no_acknowledged_answer(tmp_path):
    _run(HowgoodServer(tmp_path, [STUDY]), kills=1)


@pytest.mark.slow
def test_twenty_kills_on_sqlite_lose_and_repeat_nothing(tmp_path):
    _run(HowgoodServer(tmp_path, [STUDY]), kills=20)


@pytest.mark.slow
def test_twenty_kills_of_two_workers_on_postgresql_lose_and_repeat_nothing(
    tmp_path, postgresql_server
):
    address = empty_postgresql_database(postgresql_server)
    _run(HowgoodServer(tmp_path, [STUDY], database=address, workers=2), kills=20)


def test_a_server_asked_to_stop_finishes_and_leaves_a_sound_database(tmp_path):
    server = HowgoodServer(tmp_path, [STUDY])
    people = [Person(server.port, seed) for seed in range(3)]

    async def walk():
        await asyncio.gather(*(each.begin() for each in people))
        crowd = [asyncio.create_task(each.answer_until_gone()) for each in people]
        await asyncio.sleep(0.4)
        code = await asyncio.to_thread(server.stop)
        await asyncio.gather(*crowd)
        return code

    try:
        assert _apart(walk()) in (0, -15)
    finally:
        server.kill()
    assert _check(server, people) > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql-two-workers"])
def test_fifty_people_who_start_at_once_over_http_are_balanced_within_one(tmp_path, kind, request):
    if kind == "sqlite":
        server = HowgoodServer(tmp_path, [SURVEY])
    else:
        address = empty_postgresql_database(request.getfixturevalue("postgresql_server"))
        server = HowgoodServer(tmp_path, [SURVEY], database=address, workers=2)

    async def all_at_once():
        begun = (begin_howgood(server.port, "doors", seed) for seed in range(50))
        for browser, _, page in await asyncio.gather(*begun):
            assert page.status == 200
            await browser.close()

    try:
        _apart(all_at_once())
    finally:
        server.kill()
    database = open_database(server.database)
    with database.reading() as connection:
        conditions = Counter(
            connection.execute(sa.select(participants.c.condition)).scalars().all()
        )
    database.close()
    assert conditions == {"a": 25, "b": 25}
