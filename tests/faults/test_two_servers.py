"""Two application servers with one PostgreSQL, as behind a proxy: either may die or be renewed.

People change between the servers in the middle of their way, so that what one server keeps in
memory is always tried against what the other has stored.
"""

import time

import pytest
import sqlalchemy as sa
from benchmarks.load.people import filled_form
from benchmarks.load.servers import HowgoodServer
from tests.faults.counting import counted
from tests.faults.people import _SCREEN, SLUG, STUDY, Person, meanwhile, until_answered
from tests.flow.hosting.conftest import SURVEY

from howgood.flow.hosting import tokens
from howgood.store.database import open_database
from howgood.store.schema import answers, participants

PEOPLE = 8
LEVELS = [0.5, 0.6, 0.7, 0.8, 0.9, 1]
# Thirty-six situations, each of which may be answered otherwise until the end.
CHANGING = SURVEY | {
    "slug": SLUG, "allow_back": True,
    "survey": SURVEY["survey"] | {"precision": LEVELS, "recall": LEVELS, "per_application": 36},
}  # fmt: skip


class Roaming(Person):
    """Somebody whom a proxy leads to either server, and to the other one when one is gone."""

    def __init__(self, ports, seed):
        super().__init__(ports[seed % 2], seed)
        self.ports, self.moves = ports, 0

    async def _step(self):
        before = self.n_gone
        await super()._step()
        if self.n_gone > before or self.chance.random() < 0.3:
            await self.browser.close()
            self.port = self.browser.port = next(port for port in self.ports if port != self.port)
            self.moves += 1


class Changing(Roaming):
    """Somebody who also goes back and answers otherwise, wherever a proxy leads them meanwhile.

    `may_be` holds what may be stored of a page: what was acknowledged last, or sent since.
    """

    def __init__(self, ports, seed):
        super().__init__(ports, seed)
        self.may_be, self.changes, self.answered = {}, 0, []

    async def _go_on(self):
        address, page = await self.browser.follow(self.path)
        if not self._is_served(page, 200):
            return False
        if _SCREEN.search(page.text)[1] == "finished":
            self.path, self.answered = None, []
            return True
        if self.answered and self.chance.random() < 0.4:
            address = self.chance.choice(self.answered)
            page = await self.browser.get(address)
            if not self._is_served(page, 200):
                return False
            self.changes += 1
        return await self._answer(address, page.text)

    async def _answer(self, address, page):
        screen, form = _SCREEN.search(page)[1], filled_form(page, self.chance)
        given = {name.removeprefix(f"{screen}."): value for name, value in form.items()
                 if name.startswith(f"{screen}.")}  # fmt: skip
        step = self.path, screen
        self.may_be.setdefault(step, []).append(given)
        sent = await self.browser.post(address, form)
        if not self._is_served(sent, 303):
            return False
        self.may_be[step], self.acknowledged[step] = [given], given
        if given and address not in self.answered:
            self.answered.append(address)
        await self._is_known_to_both(address)
        return True

    async def _is_known_to_both(self, address):
        """Compare the page that was answered, and the page they are at, on both servers."""
        own, seen = self.port, []
        for port in self.ports:
            await self.browser.close()
            self.browser.port = port
            seen.append(
                [(await self.browser.follow(each))[1].text for each in (address, self.path)]
            )
        await self.browser.close()
        self.browser.port = own
        if seen[0] != seen[1]:
            self.wrong.append(f"the servers differ about {address}")


@pytest.fixture
def start_pair(postgresql_stage, tmp_path):
    """Start two servers on ports of their own, with one database."""

    def start(study):
        first = postgresql_stage.serve(study)
        folder = tmp_path / "second"
        folder.mkdir()
        second = HowgoodServer(folder, [study], database=postgresql_stage.address)
        postgresql_stage.started.append(second)
        return first, second

    return start


@pytest.fixture
def pair(start_pair):
    return start_pair(STUDY)


def _go_on(pair, faults, happening, *, found):
    people = [Roaming([server.port for server in pair], seed) for seed in range(PEOPLE)]
    meanwhile(people, lambda: happening(people))
    count = counted(pair[0].database, people)
    faults.judge(count, found=found)
    assert sum(person.moves for person in people) > PEOPLE
    return people, count


def _kill_in_turn(pair, people, kills):
    for number in range(kills):
        until_answered(people, 12)
        victim = pair[number % 2]
        victim.kill()
        until_answered(people, 6)  # the other one goes on meanwhile
        victim.start()
    until_answered(people, 12)


def test_of_two_servers_each_is_killed_and_nothing_is_lost_or_doubled(pair, faults):
    faults.begin("kill -9 of each of two servers in turn", "PostgreSQL")
    _go_on(pair, faults, lambda people: _kill_in_turn(pair, people, 2), found="2 kills")


@pytest.mark.slow
def test_twenty_kills_of_two_servers_lose_and_double_nothing(pair, faults):
    faults.begin("kill -9 of each of two servers in turn, 20 times", "PostgreSQL")
    _go_on(pair, faults, lambda people: _kill_in_turn(pair, people, 20), found="20 kills")


@pytest.mark.slow  # a kill above is harsher; a stop that ends politely is in `test_stopping`
def test_servers_are_renewed_one_after_the_other_and_people_go_on(pair, faults):
    faults.begin("each of two servers is asked to stop and started again", "PostgreSQL")

    def renew(people):
        for server in pair:
            until_answered(people, 8)
            server.stop()
            until_answered(people, 6)
            server.start()
            time.sleep(0.2)
        until_answered(people, 8)

    _go_on(pair, faults, renew, found="2 restarts")


def _stored(address):
    """Return what is stored of every page, by whose it is."""
    database = open_database(address)
    columns = participants.c.token_digest, answers.c.screen, answers.c.content
    try:
        with database.reading() as connection:
            rows = connection.execute(
                sa.select(*columns).join(
                    participants, participants.c.id == answers.c.participant_id
                )
            ).all()
    finally:
        database.close()
    return {
        (digest, screen): {name: str(value) for name, value in content.items() if value is not None}
        for digest, screen, content in rows
    }


def test_what_is_changed_on_one_server_is_known_to_the_other_whichever_is_killed(start_pair):
    pair = start_pair(CHANGING)
    people = [Changing([server.port for server in pair], seed) for seed in range(4)]
    meanwhile(people, lambda: _kill_in_turn(pair, people, 2))
    stored = _stored(pair[0].database)
    assert sum(person.changes for person in people) > 10
    assert [wrong for person in people for wrong in person.wrong] == []
    for person in people:
        for (path, screen), given in person.may_be.items():
            if (path, screen) in person.acknowledged:
                kept = stored[tokens.digest(path.removeprefix("/p/")), screen]
                assert kept in given, (screen, kept, given)
