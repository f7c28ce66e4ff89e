"""Votes, failures and criteria: what was acknowledged is stored once, whatever is killed.

These pages differ from those of `people.STUDY`: they hold what is asked about, and the next one is
chosen by what everybody has said before.
"""

import time
import tomllib

import pytest
from tests.faults.counting import counted
from tests.faults.people import crowd, meanwhile, until_answered

from howgood.flow.study_files.new import template

PEOPLE = 6


def _study(kind):
    """Return the study that `howgood new` writes; votes and pairs do not end soon."""
    data = tomllib.loads(template(kind)) | {"slug": kind}
    if kind == "votes":
        data["votes"] |= {"reason": True}
    return data


def _is_whole(server, people, least):
    count = counted(server.database, people)
    assert (count.lost, count.doubled, count.other) == (0, 0, 0), count
    assert count.acknowledged >= least


def _killed(stage, kind, *, kills):
    server = stage.serve(_study(kind))
    people = crowd(server, PEOPLE, slug=kind)

    def again_and_again():
        for _ in range(kills):
            until_answered(people, 11)
            server.kill()
            server.start()
        until_answered(people, 11)
        server.kill()

    meanwhile(people, again_and_again)
    _is_whole(server, people, 11 * kills)


def test_a_server_killed_among_votes_loses_and_doubles_none(sqlite_stage):
    _killed(sqlite_stage, "votes", kills=1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["votes", "failures", "criteria"])
def test_a_server_killed_again_and_again_loses_and_doubles_nothing(stage, kind):
    _killed(stage, kind, kills=8)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["votes", "failures", "criteria"])
def test_a_database_killed_again_and_again_loses_and_doubles_nothing(own_postgresql, kind):
    postgresql, stage = own_postgresql
    server = stage.serve(_study(kind))
    people = crowd(server, PEOPLE, slug=kind)

    def again_and_again():
        for _ in range(4):
            until_answered(people, 11)
            postgresql.kill()
            time.sleep(0.7)
            postgresql.start()
        until_answered(people, 11)

    meanwhile(people, again_and_again)
    _is_whole(server, people, 11 * 4)
    assert sum(each.n_gone for each in people) == 0
