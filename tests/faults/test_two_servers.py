"""Two application servers with one PostgreSQL, as behind a proxy: either may die or be renewed.

People change between the servers in the middle of their way, so that what one server keeps in
memory is always tried against what the other has stored.
"""

import time

import pytest
from benchmarks.load.servers import HowgoodServer
from tests.faults.counting import counted
from tests.faults.people import STUDY, Person, meanwhile, until_answered

PEOPLE = 8


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


@pytest.fixture
def pair(postgresql_stage, tmp_path):
    """Two servers on ports of their own, with one database."""
    first = postgresql_stage.serve()
    folder = tmp_path / "second"
    folder.mkdir()
    second = HowgoodServer(folder, [STUDY], database=postgresql_stage.address)
    postgresql_stage.started.append(second)
    return first, second


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
