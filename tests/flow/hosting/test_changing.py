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
