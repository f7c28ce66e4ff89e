"""Places and conditions: balanced, limited, and given back."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa
from benchmarks.load.residents import settle
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY

from howgood.flow.hosting import Reason, RefusedError, make_links
from howgood.kinds.study import Study
from howgood.store import participants as places
from howgood.store import studies
from howgood.store.schema import participants


def _conditions(host):
    with host.database.reading() as connection:
        rows = connection.execute(sa.select(participants.c.condition))
        return Counter(rows.scalars())


def test_fifty_people_who_start_at_once_are_balanced_within_one(host, person, run):
    run(SURVEY)
    people = [person("doors", seed=number) for number in range(50)]
    doors = [each.arrive().view for each in people]
    with ThreadPoolExecutor(50) as pool:
        list(pool.map(lambda pair: pair[0].begin(pair[1]), zip(people, doors, strict=True)))
    assert _conditions(host) == {"a": 25, "b": 25}


def test_no_more_people_than_the_quota_even_when_all_come_at_once(host, person, run):
    run(RERATING, quota=7)
    people = [person("songs", seed=number) for number in range(20)]

    def attempt(someone):
        try:
            someone.begin()
        except RefusedError as refused:
            return refused.reason
        return "in"

    with ThreadPoolExecutor(20) as pool:
        outcome = Counter(pool.map(attempt, people))
    assert outcome == {"in": 7, Reason.FULL: 13}
    assert _conditions(host).total() == 7


def test_pilots_take_nobodys_place(host, person, run):
    run(RERATING, quota=1)
    for link in make_links(host, "songs", people=3, is_pilot=True, now=NOW):
        pilot = person("songs")
        pilot.token = link.token
        assert pilot.send().is_new
    assert person("songs").begin().is_new


def test_a_place_left_idle_goes_to_the_next_and_comes_back_if_free(host, person, run):
    run(RERATING, quota=1, idle_minutes=10)
    slow, quick = person("songs"), person("songs", now=NOW + timedelta(minutes=9))
    slow.begin()
    with pytest.raises(RefusedError):
        quick.begin()
    quick.now = NOW + timedelta(minutes=11)
    quick.begin()
    slow.now = NOW + timedelta(minutes=12)
    assert slow.send().is_new  # the answer is kept, but the place is gone
    with pytest.raises(RefusedError) as caught:
        slow.look()
    assert caught.value.reason is Reason.FULL


def test_whoever_comes_back_to_a_free_place_goes_on_where_they_were(host, person, run):
    run(RERATING, quota=2, idle_minutes=10)
    slow, quick = person("songs"), person("songs", now=NOW + timedelta(minutes=30))
    slow.begin()
    slow.send()
    here = slow.look().screen.key
    quick.begin()
    with host.database.reading() as connection:
        assert "expired" in connection.execute(sa.select(participants.c.status)).scalars().all()
    slow.now = NOW + timedelta(minutes=31)
    assert slow.look().screen.key == here
    slow.finish()
    assert slow.look().screen.kind == "finished"


def test_a_branch_with_its_quota_reached_takes_nobody_else(host, person, run):
    survey = dict(SURVEY["survey"])
    survey["branches"] = [
        {"key": "a", "applications": ["bell"], "quota": 1},
        {"key": "b", "applications": ["camera"], "quota": 2},
    ]
    run(SURVEY, survey=survey)
    for number in range(3):
        person("doors", seed=number).begin()
    with pytest.raises(RefusedError):
        person("doors").begin()
    assert _conditions(host) == {"a": 1, "b": 2}


def test_a_closed_study_lets_those_inside_finish_and_nobody_new_in(host, person, run):
    run(RERATING)
    inside = person("songs")
    inside.begin()
    (link,) = make_links(host, "songs", people=1, now=NOW)
    host.database.write(lambda c: studies.set_open(c, ["songs"], is_open=False))
    invited = person("songs")
    invited.token = link.token
    for newcomer in (person("songs").arrive, invited.look):
        with pytest.raises(RefusedError) as caught:
            newcomer()
        assert caught.value.reason is Reason.CLOSED
    inside.finish()
    assert inside.look().screen.kind == "finished"


def _instructions_of(connection, work):
    """Count what SQLite executes."""
    driver, steps = connection.connection.driver_connection, []
    driver.set_progress_handler(lambda: steps.append(1), 1)
    work()
    driver.set_progress_handler(None, 0)
    return len(steps)


def _rows_read_by(connection, work):
    """Count the screens PostgreSQL reads."""
    so_far = sa.text(
        "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables "
        "WHERE relname = 'screens'"
    )
    before = connection.execute(so_far).scalar_one()
    work()
    return connection.execute(so_far).scalar_one() - before


def _work_of_admission(host, slug):
    """Return how much the database does to take idle places back; the clock is no measure."""

    def look(connection):
        count = _instructions_of if connection.dialect.name == "sqlite" else _rows_read_by
        number = studies.find(connection, slug).number
        return count(connection, lambda: places.free_places(connection, number, idle_since=NOW))

    return host.database.write(look)


def test_the_work_of_letting_somebody_in_does_not_grow_with_the_pages_others_have_seen(
    host, database_address, run
):
    for slug, pages in (("few", 3), ("many", 90)):
        study = RERATING | {"slug": slug}
        study["rerating"] = RERATING["rerating"] | {"rounds": 50}
        run(study)
        settle(database_address, Study.from_dict(study), people=200, pages=pages)
    assert _work_of_admission(host, "many") < 1.2 * _work_of_admission(host, "few")
