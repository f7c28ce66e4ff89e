"""Taking part: one place per person, kept by the server, whatever the browser does."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY, look, send

from howgood.flow.hosting import Host, Reason, RefusedError, make_links, way_back
from howgood.store.database import open_database
from howgood.store.schema import answers, participants, screens

FRAME = {"signature", "visit", "screen"}


def _count(host, table):
    with host.database.reading() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def _people(host):
    with host.database.reading() as connection:
        return connection.execute(sa.select(participants).order_by(participants.c.id)).all()


def test_a_link_scanner_that_opens_the_link_starts_nobody(host, person, run):
    run(RERATING)
    for _ in range(3):
        assert person("songs").arrive().view.screen.kind == "consent"
    assert _count(host, participants) == 0


@pytest.mark.parametrize("study", [RERATING, SURVEY], ids=lambda each: each["kind"])
def test_someone_walks_from_the_door_to_the_end(host, person, run, study):
    run(study)
    someone = person(study["slug"])
    someone.begin()
    seen = someone.finish()
    assert someone.look().screen.kind == "finished"
    assert len(seen) == len(set(seen)) == _count(host, answers) - 1
    (row,) = _people(host)
    assert row.status == "complete"
    assert row.finished_at == someone.now


def test_a_completed_study_shows_its_end_again_and_again(person, run):
    run(RERATING)
    someone = person("songs")
    someone.begin()
    someone.finish()
    assert someone.look() == someone.look()
    assert someone.send().is_new is False


def test_saying_no_leaves_nothing_behind(host, person, run):
    run(RERATING)
    sent = person("songs").begin(consent="no")
    assert sent.view.screen.kind == "declined"
    assert _count(host, participants) == 0


def test_reloading_shows_the_same_screen(person, run):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    assert someone.look() == someone.look()


def test_a_screen_is_stored_before_it_is_shown(host, person, run):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    with host.database.reading() as connection:
        stored = set(connection.execute(sa.select(screens.c.name)).scalars())
    assert someone.look().screen.key in stored


def test_sending_twice_keeps_the_first_answer_and_moves_on_once(host, person, run):
    run(RERATING)
    someone = person("songs")
    someone.begin()
    someone.send()
    view = someone.look()
    assert someone.send(view, rating="1").is_new
    assert not someone.send(view, rating="3").is_new
    with host.database.reading() as connection:
        stored = connection.execute(
            sa.select(answers.c.content).where(answers.c.screen == view.screen.key)
        ).scalar_one()
    assert stored == {"rating": 1}


def test_twenty_copies_of_a_form_at_once_are_one_answer(host, person, run):
    run(RERATING)
    someone = person("songs")
    someone.begin()
    view = someone.look()
    form = someone.form(view)
    with ThreadPoolExecutor(20) as pool:
        sent = list(pool.map(lambda _: send(host, someone.token, form=form, now=NOW), range(20)))
    assert sum(each.is_new for each in sent) == 1
    consent_and_one = 2
    assert _count(host, answers) == consent_and_one


def test_a_second_tab_left_behind_changes_nothing(person, run):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    old_tab = someone.look()
    someone.send()
    someone.send()
    here = someone.look()
    assert not someone.send(old_tab).is_new
    assert someone.look() == here


def test_a_form_with_the_fields_of_another_screen_stores_nothing(host, person, run):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    someone.send()
    before = someone.look()
    someone.send(before)
    here = someone.look()
    frame = {"signature": here.signature, "screen": here.screen.key}
    restored = {name: "3" for name in someone.form(before) if "." in name}
    unnamed = {each.name: "3" for each in here.screen.fields}
    n_before = _count(host, answers)
    for foreign in (restored, unnamed, restored | someone.form(here)):
        sent = send(host, someone.token, form=foreign | frame, now=NOW)
        assert (sent.is_new, sent.view) == (False, None)
    assert _count(host, answers) == n_before
    assert someone.look() == here


@pytest.mark.parametrize("study", [RERATING, SURVEY], ids=lambda each: each["kind"])
def test_no_two_screens_share_a_field_name(person, run, study):
    run(study)
    someone = person(study["slug"])
    someone.begin()
    seen = []
    while not (view := someone.look()).screen.is_last:
        seen += [name for name in someone.form(view) if name not in FRAME]
        someone.send(view)
    assert len(seen) == len(set(seen)) > 0


def test_a_step_behind_shows_what_was_answered_and_where_to_go_on(person, run):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    someone.send()
    answered = someone.look()
    someone.send(answered, acceptable="2", useful="7", intent="4")
    here = someone.look()
    seen = look(someone.host, someone.token, step=answered.step, now=someone.now)
    assert (seen.screen, seen.step, seen.here) == (answered.screen, answered.step, here.step)
    assert [each.question for each in seen.review.questions] == [
        each.label for each in answered.screen.fields
    ]
    assert [each.answer for each in seen.review.questions] == ["Quite unlikely", "Extremely likely",
                                                          "Neither"]  # fmt: skip
    assert look(someone.host, someone.token, step=1, now=someone.now).review.questions[
        0
    ].answer == ("I agree: start")


def test_steps_not_reached_lead_to_where_the_person_is(person, run):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    here = someone.look()
    after_consent = 2
    assert here.step == after_consent
    for step in (0, 2, 3, 10**9):
        assert look(someone.host, someone.token, step=step, now=someone.now) == here


def test_a_wait_that_is_over_is_no_page_to_go_back_to(person, run):
    run(RERATING, rerating={**RERATING["rerating"], "delay_minutes": 30})
    someone = person("songs")
    someone.begin()
    while (wait := someone.look()).screen.kind != "wait":
        someone.send()
    someone.now += timedelta(minutes=31)
    assert someone.look().step == wait.step + 1
    again = look(someone.host, someone.token, step=wait.step, now=someone.now)
    assert (again.step, again.review) == (wait.step + 1, None)


def test_a_rating_that_is_asked_for_again_stays_hidden(person, run):
    run(RERATING)
    someone = person("songs")
    someone.begin()
    someone.send()
    rated = someone.look()
    someone.send(rated, rating="3")
    seen = look(someone.host, someone.token, step=rated.step, now=someone.now).review
    assert (seen.is_hidden, seen.questions, seen.blocks) == (True, (), ())


def test_another_answer_to_an_answered_page_leads_to_the_one_that_stands(person, run):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    someone.send()
    answered = someone.look()
    someone.send(answered)
    assert someone.send(answered).step == 0  # the same twice: wherever they are
    other = {"acceptable": "1", "useful": "1", "intent": "1"}
    same_by_chance = {"acceptable": "2", "useful": "2", "intent": "2"}
    steps = {someone.send(answered, **each).step for each in (other, same_by_chance)}
    assert answered.step in steps


def test_sending_the_start_twice_is_one_participant(host, person, run):
    run(RERATING)
    someone = person("songs")
    door = someone.arrive().view
    first = someone.begin(door)
    second = someone.begin(door)
    assert first.token == second.token
    assert _count(host, participants) == 1


def test_coming_back_to_the_study_link_continues(person, run):
    run(RERATING)
    someone = person("songs")
    someone.begin()
    assert someone.arrive().token == someone.token
    assert someone.arrive().view is None


def test_someone_from_a_platform_continues_on_any_device(host, person, run):
    run(RERATING, recruitment="prolific")
    name = {"PROLIFIC_PID": "5f0c", "STUDY_ID": "s", "SESSION_ID": "t"}
    phone, laptop = person("songs", **name), person("songs", **name)
    phone.begin()
    phone.send()
    assert laptop.arrive().token == phone.token
    assert _people(host)[0].origin == {"participant": "5f0c", "study": "s", "session": "t"}
    assert person("songs", PROLIFIC_PID="other").arrive().view is not None


def test_a_platform_gets_its_own_parameters_back(person, run, host):
    run(RERATING, recruitment="sona",
        completion={"redirect": "https://x.example/credit?survey_code={participant}"})  # fmt: skip
    someone = person("songs", id="17&x=1")
    someone.begin()
    view = someone.look()
    assert way_back(view.study, view.origin) == "https://x.example/credit?survey_code=17%26x%3D1"


def test_looking_at_a_task_before_accepting_it_starts_nobody(person, run):
    run(RERATING, recruitment="mturk")
    visitor = person("songs", assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE")
    with pytest.raises(RefusedError) as caught:
        visitor.arrive()
    assert caught.value.reason is Reason.PREVIEW


def test_a_wrong_form_comes_back_with_what_was_sent(person, run):
    run(RERATING)
    someone = person("songs")
    someone.begin()
    someone.send()
    sent = someone.send(rating="")
    assert sent.view.problems.keys() == {"rating"}
    assert sent.view.screen == someone.look().screen


@pytest.mark.parametrize("token", ["", "x", "a" * 32, "../../etc/passwd", "\0"])
def test_a_foreign_link_is_refused(host, run, token):
    run(RERATING)
    with pytest.raises(RefusedError) as caught:
        look(host, token, now=NOW)
    assert caught.value.reason is Reason.UNKNOWN_LINK


def test_a_form_nobody_signed_is_refused(host, person, run):
    run(RERATING)
    someone, other = person("songs"), person("songs")
    with pytest.raises(RefusedError):
        someone.begin(signature="x")
    someone.begin()
    other.begin()
    with pytest.raises(RefusedError):
        someone.send(signature=other.look().signature)


def test_an_unknown_study_is_refused(person):
    with pytest.raises(RefusedError) as caught:
        person("nowhere").arrive()
    assert caught.value.reason is Reason.UNKNOWN_STUDY


def test_a_personal_link_starts_with_the_click_on_consent(host, run, person):
    run(RERATING)
    (link,) = make_links(host, "songs", people=1, now=NOW)
    someone = person("songs")
    someone.token = link.token
    assert someone.look().screen.kind == "consent"
    assert _people(host)[0].status == "invited"
    assert someone.send().is_new
    assert not someone.send(someone.look(), screen="consent").is_new
    assert _people(host)[0].status == "active"
    someone.finish()
    assert _people(host)[0].status == "complete"


def test_the_database_never_holds_a_link(host, run, person):
    run(RERATING)
    (link,) = make_links(host, "songs", people=1, now=NOW)
    someone = person("songs")
    someone.begin()
    with host.database.reading() as connection:
        everything = str(connection.execute(sa.select(participants)).all())
    assert link.token not in everything
    assert someone.token not in everything


def test_a_pilot_study_marks_its_people(host, run, person):
    run(RERATING, pilot=True)
    person("songs").begin()
    assert _people(host)[0].is_pilot


def test_a_changed_study_leaves_those_inside_on_their_version(person, run):
    run(RERATING)
    someone = person("songs")
    someone.begin()
    changed = {**RERATING["rerating"], "question": "How bad?"}
    run(RERATING, now=NOW + timedelta(minutes=1), rerating=changed)
    newcomer = person("songs")
    newcomer.begin()
    someone.send()
    newcomer.send()
    assert someone.look().screen.fields[0].label == "How good?"
    assert newcomer.look().screen.fields[0].label == "How bad?"


def test_a_wait_between_rounds_ends_by_itself_and_is_the_same_for_all_tabs(person, run):
    run(RERATING, rerating={**RERATING["rerating"], "delay_minutes": 30})
    someone = person("songs")
    someone.begin()
    while someone.look().screen.kind != "wait":
        someone.send()
    assert someone.look().screen.key == someone.look().screen.key == "wait-2"
    assert not someone.send().is_new
    someone.now += timedelta(minutes=31)
    assert someone.look().screen.key == "round-2"
    someone.finish()
    assert someone.look().screen.kind == "finished"


def test_a_new_process_finds_everyone_where_they_were(database_address, host, person, run):
    run(SURVEY)
    someone = person("doors")
    someone.begin()
    someone.send()
    before = someone.look()
    other = Host(open_database(database_address))
    assert look(other, someone.token, now=NOW) == before
    other.close()
