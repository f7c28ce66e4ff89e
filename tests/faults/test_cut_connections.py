"""The connection to PostgreSQL breaks at any packet: before a commit, or before the word about it.

The second is the hard case: the answer is stored, the server cannot know, and the person sends it
again. PostgreSQL's own disk is its own matter: it ends when a flush fails, and begins anew from its
log, which `test_killed_database` tries.
"""

import asyncio

import pytest
from tests.faults.conftest import staged
from tests.faults.counting import counted
from tests.faults.cut_connections import cut_connections
from tests.faults.people import Person
from tests.faults.sweeping import sweep
from tests.postgresql import empty_postgresql_database

from howgood.flow.hosting import host as hosts


@pytest.fixture
def through(tmp_path, postgresql_server, monkeypatch):
    """A server whose connections to its database can be cut."""
    monkeypatch.setattr(hosts, "CHECK_SECONDS", 0.0)
    address = empty_postgresql_database(postgresql_server)
    with (
        cut_connections(address) as (cutting, through_it),
        staged("PostgreSQL", through_it, tmp_path) as stage,
    ):
        yield cutting, stage, address


def _answering(through, faults, *, lasting, every):
    cutting, stage, address = through
    how = "from then on, until repaired" if lasting else "once"
    faults.begin(f"the connection is cut at each packet {how}", "PostgreSQL")
    with stage.serve_here() as (_, server):
        people = [Person(server.port, 0, pause=0.0)]
        tried = asyncio.run(sweep(server, cutting, lasting=lasting, every=every, people=people))
    count = counted(address, people)
    faults.judge(count, found=f"{tried.faults} cuts, each at another packet")
    assert tried.faults > 12 / every
    assert sum(person.n_gone for person in people) == 0
    return tried, count


def test_connections_that_are_cut_lose_and_double_nothing(through, faults):
    _answering(through, faults, lasting=False, every=7)


def test_a_database_out_of_reach_is_said_politely(through, faults):
    tried, count = _answering(through, faults, lasting=True, every=7)
    assert tried.unwell == tried.doctor == tried.faults
    assert count.polite >= tried.faults


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [False, True])
def test_the_connection_is_cut_at_every_single_packet(through, faults, lasting):
    _answering(through, faults, lasting=lasting, every=1)
