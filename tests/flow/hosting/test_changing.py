"""Going back to change an answer where the study allows it: nothing is lost or doubled."""

import json

import pytest
from tests.flow.hosting.conftest import RERATING, SURVEY, look, send

from howgood.flow.collected import tidy_rows
from howgood.flow.hosting import Host
from howgood.flow.study_files.check import study_from
from howgood.store.database import open_database

BACK = SURVEY | {"allow_back": True}


def _scenario(someone, number):
    """Walk to the page of the scenario of this number, counted from 1; return its view."""
    seen = 0
    while True:
        view = someone.look()
        if view.screen.kind == "task":
            seen += 1
        if seen == number:
            return view
        someone.send()


def _ratings(host):
    return [row["rating"] for row in tidy_rows(host, "doors")]


def _screens(host):
    return {row["screen"]: row for row in tidy_rows(host, "doors", table="screens")}


@pytest.fixture
def someone(person, run):
    run(BACK)
    someone = person("doors")
    someone.begin()
    return someone


def _change(host, someone, earlier, rating):
    form = someone.form(earlier, acceptable=str(rating))
    return send(host, someone.token, form=form, now=someone.now)


def test_an_earlier_page_is_shown_with_its_answer_and_can_be_changed(host, someone):
    first = _scenario(someone, 1)
    someone.send(acceptable="2")
    here = someone.look()
    earlier = look(host, someone.token, step=first.step, now=someone.now)
    assert (earlier.is_change, earlier.review, earlier.here) == (True, None, here.step)
    assert earlier.sent["acceptable"] == ["2"]
    assert _change(host, someone, earlier, 6).is_new
    assert someone.look().screen == here.screen  # they go on where they were
    someone.finish()
    assert _ratings(host)[0] == 6
    row = _screens(host)[first.screen.key]
    assert row["changes"] == 1
    assert [said["acceptable"] for said in json.loads(row["earlier_answers"])] == [2]
    (about,) = tidy_rows(host, "doors", table="participants")
    assert about["changes"] == 1


def test_the_same_answer_again_is_no_change(host, someone):
    first = _scenario(someone, 1)
    form = someone.form(first, acceptable="2")
    send(host, someone.token, form=form, now=someone.now)
    here = someone.look().step
    assert not send(host, someone.token, form=form, now=someone.now).is_new
    assert someone.look().step == here
    assert _screens(host)[first.screen.key]["changes"] == 0


def test_a_change_that_is_not_an_answer_is_shown_with_its_problem(host, someone):
    first = _scenario(someone, 1)
    someone.send(acceptable="2")
    earlier = look(host, someone.token, step=first.step, now=someone.now)
    sent = _change(host, someone, earlier, 9)
    assert list(sent.view.problems) == ["acceptable"]
    assert sent.view.is_change
    assert _ratings(host)[0] == 2


def test_another_process_sees_the_change(host, someone, database_address):
    first = _scenario(someone, 1)
    someone.send(acceptable="2")
    other = Host(open_database(database_address))
    assert look(other, someone.token, now=someone.now).screen == someone.look().screen
    earlier = look(host, someone.token, step=first.step, now=someone.now)
    _change(host, someone, earlier, 6)
    assert look(other, someone.token, now=someone.now).step == someone.look().step
    assert other.state(someone.token).answers == host.state(someone.token).answers
    other.close()


def test_who_has_gone_on_in_another_tab_changes_nothing_by_an_old_place(host, someone):
    first = _scenario(someone, 1)
    someone.send(acceptable="2")
    earlier = look(host, someone.token, step=first.step, now=someone.now)
    for rating in (6, 3):
        assert _change(host, someone, earlier, rating).is_new
    row = _screens(host)[first.screen.key]
    assert [said["acceptable"] for said in json.loads(row["earlier_answers"])] == [2, 6]
    someone.finish()
    assert not _change(host, someone, earlier, 7).is_new  # after the end everything stands
    assert _ratings(host)[0] == 3


def test_the_consent_and_pages_without_questions_can_only_be_read(host, someone):
    _scenario(someone, 1)
    for step in (1, 2):
        seen = look(host, someone.token, step=step, now=someone.now)
        assert seen.review is not None
        assert not seen.is_change


def test_back_leads_past_places_that_a_change_left_empty(host, someone):
    first = _scenario(someone, 1)
    someone.send(acceptable="2")
    earlier = look(host, someone.token, step=first.step, now=someone.now)
    _change(host, someone, earlier, 6)
    here = someone.look().step
    assert here == first.step + 2
    assert look(host, someone.token, step=here - 1, now=someone.now).step == first.step


def test_a_study_without_the_key_keeps_first_answers(host, person, run):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    first = _scenario(someone, 1)
    someone.send(acceptable="2")
    sent = _change(host, someone, first, 6)
    assert (sent.is_new, sent.step) == (False, first.step)
    assert _ratings(host)[0] == 2


def test_studies_that_hide_or_build_on_answers_cannot_allow_it():
    problems = []
    assert study_from(RERATING | {"allow_back": True}, problems=problems) is None
    assert problems[0].path == ("allow_back",)


# Two servers with one database: whichever is asked, the same page and the same answers.


@pytest.fixture
def other(host, database_address):
    other = Host(open_database(database_address))
    yield other
    other.close()


def _same_on_both(host, other, someone):
    seen = [look(each, someone.token, now=someone.now) for each in (host, other)]
    assert seen[0].screen == seen[1].screen
    assert seen[0].step == seen[1].step
    kept = [each.state(someone.token).answers for each in (host, other)]
    assert [answer.values for answer in kept[0]] == [answer.values for answer in kept[1]]
    other.forget()
    assert [answer.values for answer in other.state(someone.token).answers] == [
        answer.values for answer in kept[0]
    ]
    return seen[0]


def test_an_answer_is_sent_to_one_server_while_the_other_changes_an_earlier_one(
    host, someone, other
):
    """The page that is answered moves at that very moment: the answer is stored, with both."""
    first = _scenario(someone, 1)
    someone.send(acceptable="2")
    here = someone.look()
    earlier = look(host, someone.token, step=first.step, now=someone.now)
    look(other, someone.token, now=someone.now)
    store = other.store
    changes = []

    async def late(operation):
        if not changes:  # between reading where somebody is and storing their answer
            changes.append(_change(host, someone, earlier, 6))
        return await store(operation)

    other.store = late
    sent = send(other, someone.token, form=someone.form(here, acceptable="3"), now=someone.now)
    assert sent.is_new
    assert changes[0].is_new
    _same_on_both(host, other, someone)
    someone.finish()
    assert _ratings(host)[:2] == [6, 3]


def test_an_answer_is_changed_at_one_server_while_the_other_stores_one(host, someone, other):
    first = _scenario(someone, 1)
    someone.send(acceptable="2")
    here = someone.look()
    earlier = look(host, someone.token, step=first.step, now=someone.now)
    store = other.store
    sends = []

    async def late(operation):
        if not sends:
            sends.append(
                send(host, someone.token, form=someone.form(here, acceptable="3"), now=someone.now)
            )
        return await store(operation)

    other.store = late
    changed = _change(other, someone, earlier, 6)
    assert sends[0].is_new
    assert not changed.is_new  # they have gone on: nothing of the change was stored
    _same_on_both(host, other, someone)
    someone.finish()
    assert _ratings(host)[:2] == [2, 3]
    assert _screens(host)[first.screen.key]["changes"] == 0


def test_a_page_that_was_waiting_is_asked_again_after_one_that_a_change_put_before_it(
    host, person, run, other
):
    pets = [{"key": key, "text": key} for key in ("cat", "none")]
    run(BACK | {"demographics": [
        {"key": "pet", "text": "Which pet?", "options": pets, "required": True},
        {"key": "name", "text": "Its name?", "type": "text",
         "show_if": {"question": "pet", "any_of": ["cat"]}}]})  # fmt: skip
    someone = person("doors")
    someone.begin()
    asked = someone.look()
    while "pet" not in {field.name for field in asked.screen.fields}:
        someone.send(asked)
        asked = someone.look()
    someone.send(asked, pet="none")
    waiting = someone.look()
    earlier = look(host, someone.token, step=asked.step, now=someone.now)
    sent = send(other, someone.token, form=someone.form(earlier, pet="cat"), now=someone.now)
    assert sent.is_new
    name = _same_on_both(host, other, someone)
    assert name.screen.key != waiting.screen.key
    assert send(host, someone.token, form=someone.form(name), now=someone.now).is_new
    assert _same_on_both(host, other, someone).screen.key == waiting.screen.key
    someone.finish()
    assert _same_on_both(host, other, someone).screen.is_last
