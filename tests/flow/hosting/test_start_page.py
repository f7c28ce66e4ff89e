"""At a study's link: one browser is one person, and who cannot begin learns it before consent."""

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY

from howgood.flow.hosting import Host, Reason, RefusedError, admission, count_refusal, make_links
from howgood.flow.watching import watch
from howgood.store.schema import participants

PROLIFIC = {"PROLIFIC_PID": "5f0c", "STUDY_ID": "s", "SESSION_ID": "t"}


def _people(host):
    with host.database.reading() as connection:
        return connection.execute(
            sa.select(sa.func.count()).select_from(participants)
        ).scalar_one()  # fmt: skip


def _refused(move):
    with pytest.raises(RefusedError) as caught:
        move()
    return caught.value


def _signed(view):
    return f"{view.visit}.{view.signature}"


def test_two_tabs_at_the_consent_page_are_one_participant(host, person, run):
    run(RERATING)
    first = person("songs")
    door = first.arrive().view
    second = person("songs")
    first.visit = second.visit = _signed(door)  # the cookie of the browser both are in
    other = second.arrive().view
    assert other.visit == door.visit
    assert first.begin(door).token == second.begin(other).token
    assert _people(host) == 1


def test_two_tabs_opened_at_the_same_moment_are_one_participant_too(host, person, run):
    run(RERATING)
    first, second = person("songs"), person("songs")
    doors = first.arrive().view, second.arrive().view
    assert doors[0].visit != doors[1].visit
    first.visit = second.visit = _signed(doors[1])  # the later answer sets the cookie
    assert first.begin(doors[0]).token == second.begin(doors[1]).token
    assert _people(host) == 1


def test_a_browser_that_has_begun_is_recognised_at_the_consent_page(host, person, run):
    run(RERATING)
    first, second = person("songs"), person("songs")
    door = second.arrive().view
    first.begin()
    second.token = first.token  # the cookie of the link, without that of the visit
    assert second.begin(door).token == first.token
    assert _people(host) == 1


def test_a_visit_that_this_server_did_not_sign_counts_for_nothing(host, person, run):
    run(RERATING)
    run(SURVEY)
    stranger, other = person("songs"), person("doors")
    elsewhere = other.arrive().view
    for made_up in ("", ".", "x", "x.y", f"{elsewhere.visit}.{elsewhere.signature}"):
        stranger.visit = made_up
        assert stranger.arrive().view.visit not in ("", "x", elsewhere.visit)


@pytest.mark.parametrize("platform", ["prolific", "mturk", "sona"])
def test_a_study_for_a_platform_refuses_who_comes_without_its_id(host, person, run, platform):
    row = run(RERATING, recruitment=platform)
    nobody = person("songs")
    error = _refused(nobody.arrive)
    assert (error.reason, error.study) == (Reason.NO_IDENTITY, row.number)
    named = {"prolific": PROLIFIC, "mturk": {"workerId": "w"}, "sona": {"id": "1"}}[platform]
    somebody = person("songs", **named)
    door = somebody.arrive().view
    assert _refused(lambda: nobody.begin(door)).reason is Reason.NO_IDENTITY
    assert _people(host) == 0
    somebody.begin(door)
    assert _people(host) == 1


LEFT = ("{{%PROLIFIC_PID%}}", "%SURVEY_CODE%", "${workerId}", "<id>", "[ID]", "PROLIFIC_PID")


@pytest.mark.parametrize("left", LEFT)
def test_what_a_platform_should_have_replaced_is_nobodys_id(host, person, run, left):
    """Before, everybody who came so was one person, and read the first one's answers."""
    run(RERATING, recruitment="prolific")
    for seed in (1, 2):
        someone = person("songs", PROLIFIC_PID=left, STUDY_ID="s", seed=seed)
        assert _refused(someone.arrive).reason is Reason.NO_IDENTITY
    assert _people(host) == 0


def test_testers_whose_id_was_not_replaced_are_people_of_their_own(host, person, run):
    run(RERATING, recruitment="prolific", pilot=True)
    first, second = (person("songs", PROLIFIC_PID="{{%PROLIFIC_PID%}}") for _ in range(2))
    assert first.begin().token != second.begin().token
    assert _people(host) == 2


def test_who_has_begun_on_a_platform_goes_on_without_the_id(person, run):
    run(RERATING, recruitment="prolific")
    somebody = person("songs", **PROLIFIC)
    somebody.begin()
    somebody.parameters = {}
    assert somebody.arrive().token == somebody.token


def test_testers_need_no_id_and_no_place(person, run):
    run(RERATING, recruitment="prolific", pilot=True, quota=1)
    for _ in range(3):
        assert person("songs").begin().is_new


def test_a_full_study_says_so_before_the_consent(host, person, run):
    row = run(RERATING, quota=1)
    late = person("songs")
    door = late.arrive().view
    person("songs").begin()
    error = _refused(person("songs").arrive)
    assert (error.reason, error.study) == (Reason.FULL, row.number)
    error = _refused(lambda: late.begin(door))  # who read it while there was room
    assert (error.reason, error.study) == (Reason.FULL, row.number)


def test_places_are_counted_once_a_moment_however_many_come(host, person, run, monkeypatch):
    """Before, everybody who opened the link had every participant of the study counted."""
    counted, is_full = [], admission.is_full
    monkeypatch.setattr(
        admission, "is_full", lambda *given, **named: counted.append(1) or is_full(*given, **named)
    )
    run(RERATING, quota=2)
    for _ in range(50):
        person("songs").arrive()
    assert len(counted) == 1
    person("songs", now=NOW + timedelta(seconds=1)).arrive()
    assert len(counted) == 2
    person("songs").begin()  # who takes a place makes the next one count
    person("songs").arrive()
    assert len(counted) <= 4


def test_who_takes_the_last_place_in_another_process_is_noticed(host, person, run):
    run(RERATING, quota=1)
    late = person("songs")
    door = late.arrive().view
    elsewhere = person("songs")
    elsewhere.host = Host(host.database)
    elsewhere.begin()
    assert person("songs").arrive().view  # a moment old
    assert _refused(lambda: late.begin(door)).reason is Reason.FULL
    assert _refused(person("songs", now=NOW + timedelta(seconds=1)).arrive).reason is Reason.FULL


def test_a_study_whose_branches_are_full_says_so_before_the_consent(person, run):
    branches = [{"key": key, "applications": [application], "quota": 1}
                for key, application in (("a", "bell"), ("b", "camera"))]  # fmt: skip
    run(SURVEY, survey={**SURVEY["survey"], "branches": branches})
    for seed in (1, 2):
        person("doors", seed=seed).begin()
    assert _refused(person("doors").arrive).reason is Reason.FULL


def test_a_place_that_would_be_taken_back_counts_as_free(person, run):
    run(RERATING, quota=1, idle_minutes=30)
    person("songs").begin()
    assert _refused(person("songs").arrive).reason is Reason.FULL
    later = person("songs", now=NOW + timedelta(minutes=31))
    assert later.begin().is_new


def test_an_invited_person_is_told_before_the_consent_too(host, person, run):
    run(RERATING, quota=1)
    (link,) = make_links(host, "songs", people=1, now=NOW)
    invited = person("songs")
    invited.token = link.token
    assert invited.look().screen.kind == "consent"
    person("songs").begin()
    assert _refused(invited.look).reason is Reason.FULL
    (tester,) = make_links(host, "songs", people=1, is_pilot=True, now=NOW)
    invited.token = tester.token
    assert invited.look().screen.kind == "consent"


def test_refusals_are_counted_by_study_and_reason(host, person, run):
    run(RERATING, quota=1)
    run(SURVEY, recruitment="prolific")
    person("songs").begin()
    for slug in ("songs", "songs", "doors"):
        asyncio.run(count_refusal(host, _refused(person(slug).arrive)))
    assert watch(host, "songs", now=NOW).refused == {Reason.FULL: 2}
    assert watch(host, "doors", now=NOW).refused == {Reason.NO_IDENTITY: 1}
