"""The counting can say no: whatever is missing, changed or too much in the database is noticed."""

import time

import pytest
import sqlalchemy as sa
from tests.faults.counting import counted
from tests.faults.people import crowd, meanwhile

from howgood.store.schema import answers, participants, screens


@pytest.fixture
def collected(sqlite_stage):
    """A database with what three people were told, and a function that counts it."""
    with sqlite_stage.serve_here() as (host, server):
        people = crowd(server, 3)

        def until_enough():
            while min(len(each.acknowledged) for each in people) < 5:
                time.sleep(0.05)

        meanwhile(people, until_enough)
        before = counted(server.database, people)
        assert before.is_sound
        assert before.acknowledged == before.stored >= 15

        def after(change):
            host.database.write(lambda connection: connection.execute(change))
            return counted(server.database, people)

        yield after


# Somebody's rating of something, by the database's own numbers.
_ONE = sa.and_(
    answers.c.participant_id == 2,
    answers.c.screen == sa.select(sa.func.max(answers.c.screen))
    .where(answers.c.participant_id == 2).scalar_subquery(),
)  # fmt: skip


def test_an_answer_that_is_gone_is_lost(collected):
    assert collected(sa.delete(answers).where(_ONE)).lost == 1


def test_an_answer_that_was_changed_is_lost(collected):
    count = collected(sa.update(answers).where(_ONE).values(content={"rating": 99}))
    assert (count.lost, count.doubled) == (1, 1)


def test_a_person_nobody_was_is_one_too_many(collected):
    same = participants.c.id == 2
    gone = sa.update(participants).where(same).values(token_digest="x")  # noqa: S106 - nobody's
    count = collected(gone)
    assert count.lost >= 5
    assert count.doubled == 1


def test_a_step_left_out_is_noticed(collected):
    last = sa.select(sa.func.max(screens.c.position)).where(screens.c.participant_id == 2)
    there = sa.and_(screens.c.participant_id == 2, screens.c.position == last.scalar_subquery())
    assert collected(sa.update(screens).where(there).values(position=999)).doubled == 1
