"""The live page's numbers: right by hand, on both databases, and quick with many people."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from benchmarks.load.many_people import store_many
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY, Person, look

from howgood.flow.hosting import Host, add_study, make_links
from howgood.flow.watching import Watcher, look_at, overview, people_of, watch
from howgood.kinds.study import Study
from howgood.kinds.survey.plan import AttentionCheck
from howgood.kinds.survey.screens import check_name
from howgood.records.participant import Status
from howgood.store import collected
from howgood.store.schema import participants


@pytest.fixture
def host(database):
    return Host(database)


def _put(host, study, **changes):
    return add_study(host, Study.from_dict({**study, **changes}), folder=Path(), now=NOW)


def _person(host, seed, *, pages=99, pace=3, now=NOW, **answer):
    """Somebody who answers so many pages, each after so many seconds, then stops."""
    person = Person(host, "doors", seed=seed, now=now)
    person.begin()
    while pages > 0 and not (view := person.look()).screen.is_last:
        person.now += timedelta(seconds=pace - 3)
        changes = {} if view.screen.kind != "task" else answer
        person.send(view, **changes)
        pages -= 1
    return person


def test_people_pages_conditions_and_times_are_counted(host):
    _put(host, SURVEY)
    make_links(host, "doors", people=2, now=NOW)
    for seed in range(3):
        _person(host, seed, pace=10)
    _person(host, 3, pages=1)
    _person(host, 4, pages=1, now=NOW - timedelta(hours=5))
    live = watch(host, "doors", now=NOW + timedelta(minutes=2))
    assert live.counts == {Status.INVITED: 2, Status.COMPLETE: 3, Status.ACTIVE: 1,
                           Status.EXPIRED: 1}  # fmt: skip
    # Consent, introduction, two scenarios, thanks.
    assert [page.reached for page in live.pages] == [5, 5, 5, 3, 3]
    assert [(page.here, page.left) for page in live.pages] == [(0, 0), (0, 0), (1, 1), (0, 0),
                                                               (0, 0)]  # fmt: skip
    assert [page.name for page in live.pages][::4] == ["Consent", "Thanks"]
    ten = pytest.approx(10, abs=1e-3)
    assert [page.median_seconds for page in live.pages] == [None, ten, ten, ten, None]
    assert live.times == tuple([pytest.approx(30, abs=1e-3)] * 3)
    assert {each.name for each in live.conditions} == {"a", "b"}
    assert sum(each.finished for each in live.conditions) == 3
    (line,) = overview(host)
    assert (line.finished, line.active) == (3, 2)


def test_pages_are_counted_once_however_often_somebody_goes_back_to_change_one(host):
    """Before: each change made a page more, and somebody in the middle stood on the thanks."""
    _put(host, SURVEY, allow_back=True)
    _person(host, 1)
    _person(host, 2)
    waverer = _person(host, 3, pages=2)  # at the second of two situations
    first = look(host, waverer.token, step=waverer.look().step - 1, now=waverer.now)
    for rating in ("6", "2", "7"):
        waverer.send(first, acceptable=rating)
    live = watch(host, "doors", now=NOW + timedelta(minutes=2))
    assert [page.reached for page in live.pages] == [3, 3, 3, 3, 2]
    assert [page.here for page in live.pages] == [0, 0, 0, 1, 0]
    waverer.finish()
    live = watch(host, "doors", now=NOW + timedelta(minutes=2))
    assert [page.reached for page in live.pages] == [3] * 5
    assert [page.name for page in live.pages][::4] == ["Consent", "Thanks"]
    assert [page.median_seconds is None for page in live.pages] == [True, *[False] * 3, True]


def test_who_was_not_let_on_has_not_dropped_out(host):
    """Before: the table of pages called them dropped out, and the tile above it did not."""
    asked = {"key": "age", "text": "Age?", "type": "number", "required": True}
    out = {"key": "young", "text": "Adults only.", "when": {"question": "age", "at_most": 17}}
    _put(host, SURVEY, demographics=[asked], screen_outs=[out])
    for age in ("12", "40"):
        person = Person(host, "doors", seed=int(age))
        person.begin()
        person.send(age=age)
    live = watch(host, "doors", now=NOW)
    assert live.counts == {Status.INVITED: 0, Status.SCREENED_OUT: 1, Status.ACTIVE: 1}
    assert sum(page.left for page in live.pages) == 0
    assert sum(page.ended for page in live.pages) == 1


def test_a_persons_page_says_what_the_rows_of_a_matrix_are_about(host):
    rows = [{"key": "cat", "text": "Cats"}, {"key": "dog", "text": "Dogs"}]
    asked = {"key": "trust", "text": "Whom do you trust?", "type": "matrix", "rows": rows,
             "scale": ["no", "yes"]}  # fmt: skip
    _put(host, SURVEY, demographics=[asked])
    someone = Person(host, "doors", seed=1)
    someone.begin()
    someone.send(**{"trust-cat": "1", "trust-dog": "2"})
    _, (found,), _ = people_of(host, "doors")
    _, _, seen = look_at(host, "doors", found.number)
    pages = {page.title: dict(page.answers) for page in seen}
    assert pages["About you"] == {"Whom do you trust? Cats": "no", "Dogs": "yes"}


def test_pilots_are_counted_apart(host):
    _put(host, SURVEY, pilot=True)
    _person(host, 1)
    live = watch(host, "doors", now=NOW)
    assert live.counts[Status.INVITED] == live.begun == 0
    assert live.pilots == {Status.COMPLETE: 1}
    assert Watcher(host).flags("doors").finished == 0


def test_careless_answers_are_flagged_with_their_reasons(host):
    check = {"key": "care", "text": "Choose the second.", "answer": 2}
    _put(host, SURVEY, survey={**SURVEY["survey"], "attention": [check]})
    _person(host, 1, pace=10, **{check_name(AttentionCheck(**check)): "2"})
    _person(
        host,
        2,
        pace=10,
        acceptable="4",
        useful="4",
        intent="4",
        **{check_name(AttentionCheck(**check)): "7"},
    )
    flags = Watcher(host).flags("doors", seconds=60)
    assert flags.is_complete
    reasons = {flag.participant: flag.reasons for flag in flags.flagged}
    assert "1 of 1 attention checks failed" in reasons[max(reasons)]
    assert "the same answer to all 6 questions" in reasons[max(reasons)]
    assert not any("second" in reason for each in reasons.values() for reason in each)


def test_whoever_answers_faster_than_reading_is_flagged(host):
    _put(host, RERATING)
    person = Person(host, "songs", seed=1)
    person.begin()
    while not (view := person.look()).screen.is_last:
        person.now -= timedelta(seconds=2)
        person.send(view)
    (flag,) = Watcher(host).flags("songs", seconds=60).flagged
    assert any("1.0 seconds for a page" in reason for reason in flag.reasons)


def test_looking_stops_when_the_time_is_up_and_goes_on_later(host):
    _put(host, SURVEY)
    for seed in range(4):
        _person(host, seed)
    ticks = iter(range(100))
    watcher = Watcher(host, clock=lambda: next(ticks))
    first = watcher.flags("doors", seconds=1.5)
    assert 0 < first.looked_at < 4
    assert not first.is_complete
    assert watcher.flags("doors", seconds=50).is_complete


def test_people_not_looked_at_in_time_are_shown_and_looked_at_later(host):
    """A page of people whose interviews are played again comes at once, with what is known."""
    _put(host, SURVEY)
    same = {"acceptable": "4", "useful": "4", "intent": "4"}
    for seed in range(4):
        _person(host, seed, pace=10, **same)
    ticks = iter(range(100))
    watcher = Watcher(host, clock=lambda: next(ticks))
    _, first, _ = people_of(host, "doors", look=watcher.looking(seconds=2.5))
    known = [person.flags for person in first]
    assert None in known
    assert any(known)
    _, second, _ = people_of(host, "doors", look=watcher.looking(seconds=90))
    assert None not in [person.flags for person in second]
    assert all(flags for person in second for flags in person.flags)
    # Nobody who was looked at is looked at again: no time is needed for them.
    _, third, _ = people_of(host, "doors", look=watcher.looking(seconds=-1))
    assert third == second


def test_whoever_changes_an_answer_is_looked_at_anew(host):
    """What is changed keeps the time of its first answer."""
    row = _put(host, SURVEY)
    _person(host, 1, pace=10, acceptable="4", useful="4", intent="4")
    with host.database.reading() as connection:
        (person,) = collected.people(connection, row.number, after=0, most=1, with_pilots=True)
    begun = replace(person, status=Status.ACTIVE, finished_at=None)
    screens = list(begun.screens)
    place = next(at for at, one in enumerate(screens) if "acceptable" in (one.content or {}))
    said = screens[place].content
    screens[place] = screens[place]._replace(content={**said, "acceptable": 1}, earlier=(said,))
    look, study = Watcher(host).looking(seconds=60), Study.from_dict(SURVEY)
    assert any("the same answer" in reason for reason in look(study, begun))
    after = look(study, replace(begun, screens=collected.ShownScreens(*zip(*screens, strict=True))))
    assert not any("the same answer" in reason for reason in after)


def test_whoever_gets_the_number_of_somebody_erased_is_looked_at_anew(host):
    _put(host, SURVEY)
    same = {"acceptable": "4", "useful": "4", "intent": "4"}
    person = _person(host, 1, pace=10, **same)
    watcher = Watcher(host)
    (flag,) = watcher.flags("doors", seconds=60).flagged
    forget = sa.delete(participants).where(participants.c.id == flag.participant)
    host.database.write(lambda connection: connection.execute(forget))
    assert watcher.flags("doors", seconds=60).flagged == ()
    _person(host, 2, pace=10, now=person.now, **same | {"useful": "5"})
    assert watcher.flags("doors", seconds=60).flagged == ()


@pytest.mark.parametrize("people", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_people_are_counted(host, people):
    pages = 10
    store_many(host, _put(host, SURVEY).number, people=people, pages=pages)
    live = watch(host, "doors", now=NOW)  # how long it takes: benchmarks/watching.py
    assert live.begun == people
    assert live.pages[0].reached == people
