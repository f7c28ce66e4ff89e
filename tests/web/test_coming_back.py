"""Coming back: reminders by e-mail, a calendar file, another device; addresses apart and erased."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import RERATING, Person
from tests.smtp import mail_server
from tests.web.conftest import hidden_fields

from howgood.flow.collected.rows import tidy_rows
from howgood.flow.coming_back import calendar_file, coming_back, remind_me, send_due
from howgood.flow.erasing import erase_participant
from howgood.flow.hosting import add_study
from howgood.flow.mail import MailError
from howgood.kinds.study import Study
from howgood.settings import Settings
from howgood.store.schema import reminders

HOME = "https://study.example"
SETTINGS = Settings(public_url=HOME, mail="smtp://127.0.0.1:1", mail_from="us@study.example")
ROUNDS = {**RERATING, "slug": "rounds",
          "rerating": {**RERATING["rerating"], "rounds": 3, "delay_minutes": 1440}}  # fmt: skip


class Letters:
    """A mail server that keeps what it takes, or is away."""

    def __init__(self):
        self.taken, self.is_away = [], False

    def __call__(self, settings, letter):
        if self.is_away:
            raise MailError("nothing", "Wait.")
        self.taken.append(letter)


def until_wait(person):
    while person.look().screen.kind != "wait":
        person.send()


@pytest.fixture
def someone(host, tmp_path):
    add_study(host, Study.from_dict(ROUNDS), folder=tmp_path, now=datetime.now(UTC))
    person = Person(host, "rounds", now=datetime.now(UTC))
    person.begin()
    until_wait(person)
    return person


def kept(host):
    with host.database.reading() as connection:
        return connection.execute(sa.select(reminders)).all()


def test_somebody_is_reminded_of_every_round_and_then_forgotten(host, someone):
    letters = Letters()
    remind_me(host, someone.token, " ada@example.org ")
    assert send_due(host, SETTINGS, now=someone.now, send=letters) == 0
    for letter_number in (1, 2):
        someone.now += timedelta(days=1, minutes=1)
        assert send_due(host, SETTINGS, now=someone.now, send=letters) == 1
        assert send_due(host, SETTINGS, now=someone.now, send=letters) == 0
        letter = letters.taken[-1]
        assert letter.to == "ada@example.org"
        assert f"{HOME}/p/{someone.token}" in letter.text
        assert len(letters.taken) == letter_number
        someone.look()
        while not (view := someone.look()).screen.is_last and view.screen.kind != "wait":
            someone.send(view)
    assert someone.look().screen.is_last
    send_due(host, SETTINGS, now=someone.now, send=letters)
    assert kept(host) == []
    assert len(letters.taken) == 2


def test_the_address_is_in_no_export_and_goes_with_its_person(host, someone):
    remind_me(host, someone.token, "ada@example.org")
    for table in ("answers", "participants", "screens"):
        rows = tidy_rows(host, "rounds", table=table, identified=True)
        assert "ada@example.org" not in str(list(rows))
    assert len(kept(host)) == 1
    (row,) = tidy_rows(host, "rounds", table="participants")
    erase_participant(host, "rounds", f"#{row['participant']}", actor="a", now=someone.now)
    assert kept(host) == []


def test_somebody_stops_their_reminders(host, someone):
    remind_me(host, someone.token, "ada@example.org")
    remind_me(host, someone.token, "")
    assert kept(host) == []


def test_a_mail_server_that_is_away_is_asked_again_and_not_for_ever(host, someone):
    letters = Letters()
    letters.is_away = True
    remind_me(host, someone.token, "ada@example.org")
    someone.now += timedelta(days=1, minutes=1)
    for _ in range(3):
        assert send_due(host, SETTINGS, now=someone.now, send=letters) == 0
        assert len(kept(host)) == 1
        someone.now += timedelta(minutes=31)
    letters.is_away = False
    assert send_due(host, SETTINGS, now=someone.now, send=letters) == 1


def test_an_address_that_nobody_takes_letters_for_is_erased(host, someone):
    letters = Letters()
    letters.is_away = True
    remind_me(host, someone.token, "ada@example.org")
    someone.now += timedelta(days=1, minutes=1)
    for _ in range(4):
        send_due(host, SETTINGS, now=someone.now, send=letters)
        someone.now += timedelta(minutes=31)
    assert kept(host) == []


def test_a_real_mail_server_gets_the_letter(host, someone):
    remind_me(host, someone.token, "ada@example.org")
    with mail_server() as (port, letters):
        settings = Settings(
            public_url=HOME, mail=f"smtp://127.0.0.1:{port}", mail_from="us@study.example"
        )
        assert send_due(host, settings, now=someone.now + timedelta(days=2)) == 1
    (letter,) = letters
    assert letter["To"] == "ada@example.org"
    assert someone.token in letter.get_content()


def test_the_calendar_file_says_when_and_where_in_lines_of_the_right_length(host, someone):
    entry = coming_back(host, someone.token)
    text = calendar_file(entry, f"{HOME}/p/{someone.token}", now=someone.now)
    assert f"DTSTART:{entry.until:%Y%m%dT%H%M%SZ}" in text
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    unfolded = text.replace("\r\n ", "")
    assert f"URL:{HOME}/p/{someone.token}\r\n" in unfolded
    assert unfolded.startswith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n")


def test_the_page_offers_link_picture_and_calendar_and_no_mail_without_a_server(browser, someone):
    wait = browser.get(f"/p/{someone.token}")
    assert f'href="/p/{someone.token}/later"' in wait.text
    page = browser.get(f"/p/{someone.token}/later")
    assert f"/p/{someone.token}</a>" in page.text
    assert "data:image/svg+xml;base64," in page.text
    assert 'type="email"' not in page.text
    calendar = browser.get(f"/p/{someone.token}/calendar.ics")
    assert calendar.headers["content-type"].startswith("text/calendar")
    assert browser.get("/p/unknown/later").status_code == 404


def test_an_address_is_left_on_the_page_and_taken_back_there(browser, host, someone):
    browser.app.state.settings = SETTINGS
    page = browser.get(f"/p/{someone.token}/later")
    assert 'type="email"' in page.text
    form = hidden_fields(page)
    wrong = browser.post(f"/p/{someone.token}/later", data=form | {"address": "nobody"})
    assert wrong.status_code == 422
    unsigned = browser.post(f"/p/{someone.token}/later", data={"address": "ada@example.org"})
    assert unsigned.status_code == 403
    assert kept(host) == []
    done = browser.post(f"/p/{someone.token}/later", data=form | {"address": "ada@example.org"})
    assert "You will be reminded" in done.text
    assert "ada@example.org" not in done.text
    browser.post(f"/p/{someone.token}/later", data=form | {"stop": "yes"})
    assert kept(host) == []
