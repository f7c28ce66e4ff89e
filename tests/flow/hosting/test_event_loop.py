"""The moves of an event loop: the same as in threads, and nobody waits for another's disk."""

import asyncio
import threading
import tomllib
from datetime import timedelta

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY

from howgood.flow import hosting
from howgood.flow.hosting import Reason, RefusedError, Visitor, filled_form
from howgood.flow.participate import fill
from howgood.flow.study_files.new import template
from howgood.store.schema import answers, participants


def _comparison():
    study = tomllib.loads(template("comparison")) | {"slug": "pairs", "demographics": []}
    study["comparison"] |= {"practice": False, "direct": "none", "queries": 6, "checks": 0,
                            "repeats": 0, "evaluation": 1, "interview": False}  # fmt: skip
    return study


def _form(view, **changes):
    hidden = {"signature": view.signature, "visit": view.visit, "screen": view.screen.key}
    return filled_form(view.screen, fill(view.screen, seed=1) | changes) | hidden


async def _begin(host, slug):
    arrival = await hosting.arrive(host, slug, Visitor(), now=NOW)
    sent = await hosting.begin(host, slug, Visitor(), form=_form(arrival.view), now=NOW)
    return sent.token


async def _finish(host, token):
    seen = []
    while not (view := await hosting.look(host, token, now=NOW)).screen.is_last:
        seen.append(view.screen.key)
        assert (await hosting.send(host, token, form=_form(view), now=NOW)).is_new
    return seen


@pytest.mark.parametrize("study", [RERATING, SURVEY, _comparison()], ids=lambda each: each["kind"])
def test_five_people_at_once_walk_from_the_door_to_the_end(host, run, study):
    run(study)

    async def everyone():
        people = await asyncio.gather(*(_begin(host, study["slug"]) for _ in range(5)))
        return await asyncio.gather(*(_finish(host, token) for token in people))

    walks = asyncio.run(everyone())
    with host.database.reading() as connection:
        stored = connection.execute(sa.select(sa.func.count()).select_from(answers)).scalar_one()
        status = connection.execute(sa.select(participants.c.status)).scalars().all()
    consents = 5
    assert stored == sum(map(len, walks)) + consents
    assert status == ["complete"] * 5


def test_twenty_copies_of_a_form_at_once_are_one_answer(host, run):
    run(RERATING)

    async def hurry():
        token = await _begin(host, "songs")
        form = _form(await hosting.look(host, token, now=NOW))
        return await asyncio.gather(
            *(hosting.send(host, token, form=form, now=NOW) for _ in range(20))
        )

    assert sum(each.is_new for each in asyncio.run(hurry())) == 1


def test_a_slow_disk_keeps_nobody_from_looking(host, run):
    run(RERATING)
    go_on = threading.Event()

    async def look_meanwhile():
        token = await _begin(host, "songs")
        slow = asyncio.create_task(host.database.write_async(lambda _: go_on.wait(10)))
        await asyncio.sleep(0.05)
        view = await asyncio.wait_for(hosting.look(host, token, now=NOW), 5)
        was_waiting = not slow.done()
        go_on.set()
        await slow
        return view.screen.key, was_waiting

    assert asyncio.run(look_meanwhile()) == ("round-1", True)


def test_nothing_remembered_of_an_erased_person_reaches_the_next(host, run, person):
    run(SURVEY)
    first = person("doors", seed=1)
    first.begin()
    first.send()
    gone = first.look()
    host.database.write(lambda connection: connection.execute(sa.delete(participants)))
    with pytest.raises(RefusedError) as caught:
        first.look()
    assert caught.value.reason is Reason.UNKNOWN_LINK
    second = person("doors", seed=2)
    second.begin()
    second.send()
    with host.database.reading() as connection:
        (row,) = connection.execute(sa.select(participants)).all()
    state = host.state(second.token)
    assert state.participant.seed == row.seed
    assert state.participant.number == row.id
    assert second.look().token != gone.token


def test_who_is_erased_by_another_process_can_store_nothing_any_more(host, run, person):
    run(SURVEY)
    someone = person("doors", seed=1)
    someone.begin()
    view = someone.look()
    host.database.write(lambda connection: connection.execute(sa.delete(participants)))
    with pytest.raises(RefusedError) as caught:
        asyncio.run(hosting.send(host, view.token, form=_form(view), now=NOW))
    assert caught.value.reason is Reason.UNKNOWN_LINK
    with host.database.reading() as connection:
        assert connection.execute(sa.select(answers)).all() == []


def test_what_this_process_changes_is_seen_at_once(host, run, person):
    run(SURVEY)
    someone = person("doors", seed=1)
    someone.begin()
    seen = []
    while not (view := someone.look()).screen.is_last:
        seen.append(view.screen.key)
        first = asyncio.run(hosting.send(host, view.token, form=_form(view), now=NOW))
        again = asyncio.run(hosting.send(host, view.token, form=_form(view), now=NOW))
        assert (first.is_new, again.is_new) == (True, False)
    assert len(set(seen)) == len(seen)


def test_an_answer_after_a_wait_that_is_over_counts(host, run):
    run(RERATING | {"rerating": RERATING["rerating"] | {"delay_minutes": 5}})
    later = NOW + timedelta(minutes=6)

    async def walk():
        token = await _begin(host, "songs")
        while (view := await hosting.look(host, token, now=NOW)).screen.kind != "wait":
            await hosting.send(host, token, form=_form(view), now=NOW)
        view = await hosting.look(host, token, now=later)
        return await hosting.send(host, token, form=_form(view), now=later)

    assert asyncio.run(walk()).is_new
