"""Data that is erased on its day, and participants who withdraw by their code."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import RERATING, SURVEY, Person

from howgood.errors import InputError
from howgood.flow import importing, notices
from howgood.flow.hosting import Host, add_study, back_up, tokens
from howgood.flow.results import requests
from howgood.flow.results.worker import Worker
from howgood.flow.retention import erase_due, retention, set_retention, withdraw
from howgood.kinds.study import Study
from howgood.records.researcher import Researcher
from howgood.settings import Settings
from howgood.store import addresses, audit, studies, webhooks
from howgood.store.schema import answers, jobs, metadata, participants, uploads

NOW = datetime.now(UTC)
SECRET = "SECRET-PLATFORM-ID-9"  # noqa: S105 - an id to look for


@pytest.fixture
def host(database):
    opened = Host(database)
    for study in (RERATING, SURVEY | {"recruitment": "prolific"}):
        add_study(opened, Study.from_dict(study), folder=Path(), now=NOW)
    return opened


def _someone(host, slug="doors", who=SECRET, seed=1):
    person = Person(host, slug, seed=seed, now=NOW, PROLIFIC_PID=who)
    person.begin()
    person.finish()
    return person


def _rows(host, table):
    with host.database.reading() as connection:
        return connection.execute(sa.select(table)).all()


def _everything(host):
    return str([_rows(host, table) for table in metadata.tables.values()])


def test_data_is_erased_on_its_day_with_all_that_was_made_of_it(host):
    _someone(host)
    _someone(host, "songs", who="", seed=2)
    requests.ask_fit(host, "doors", {}, actor="ada", now=NOW)
    importing.take_upload(
        host, "doors", name="a.csv", content=f"a,b\n{SECRET},1\n".encode(), now=NOW
    )
    day = NOW.date() + timedelta(days=30)
    set_retention(host, "doors", day, actor="ada", now=NOW)
    assert retention(host, "doors") == day
    assert erase_due(host, now=NOW + timedelta(days=29)) == ()
    assert SECRET in _everything(host)
    (done,) = erase_due(host, now=NOW + timedelta(days=31))
    assert (done.study, done.erasure.participants) == ("doors", 1)
    assert SECRET not in _everything(host)
    assert _rows(host, jobs) == []
    assert _rows(host, uploads) == []
    assert len(_rows(host, participants)) == 1  # the other study's
    with host.database.reading() as connection:
        assert not studies.head(connection, "doors").is_open
        assert audit.lines(connection)[0].actor == "retention"
    assert erase_due(host, now=NOW + timedelta(days=40)) == ()
    assert retention(host, "doors") is None


# What is said about a study itself, by researchers: it stays when what people left is erased.
OF_THE_STUDY = {"studies", "versions", "media", "drafts", "draft_media", "study_roles",
                "invitations", "result_links", "webhooks", "products", "api_tokens"}  # fmt: skip


def _left_by_people(host):
    """Return the rows that belong to people or to a study's collection, table by table."""
    about = {"study_id", "participant_id", "webhook_id", "import_id", "product_id"}
    return {
        name: len(_rows(host, table))
        for name, table in metadata.tables.items()
        if about & set(table.c.keys()) and name not in OF_THE_STUDY and _rows(host, table)
    }


def _with_traces(host):
    """Somebody who left an address for the draw, of whom a webhook is to hear."""
    ada = Researcher(number=1, name="ada", role="owner")
    notices.add_webhook(host, Settings(), ada, "doors", target="https://93.184.216.34/",
                        events=["participant.completed"], now=NOW)  # fmt: skip
    someone = _someone(host)
    with host.database.reading() as connection:
        (row,) = connection.execute(sa.select(participants)).all()
        facts = webhooks.happened(connection)
    assert [fact.subject for fact in facts] == [str(row.id)]

    def leave(connection):
        addresses.enter_draw(connection, row.study_id, row.id, "someone@example.org")
        for fact in facts:
            webhooks.add_message(connection, fact, now=NOW)

    host.database.write(leave)
    return someone, row


def test_on_its_day_no_table_holds_anything_that_people_left(host):
    _with_traces(host)
    held = _left_by_people(host)
    assert {"participants", "screens", "answers", "draw_entries", "deliveries"} <= held.keys()
    set_retention(host, "doors", NOW.date() + timedelta(days=1), actor="ada", now=NOW)
    erase_due(host, now=NOW + timedelta(days=3))
    assert _left_by_people(host) == {}
    assert "someone@example.org" not in _everything(host)


def test_no_message_about_somebody_is_kept_or_sent_after_they_withdrew(host):
    _, row = _with_traces(host)
    withdraw(host, tokens.withdrawal_code(host.key, row.id), now=NOW)
    assert _left_by_people(host) == {"draw_entries": 1}  # nothing says whose address it is
    with host.database.reading() as connection:
        assert webhooks.happened(connection) == ()
        assert not webhooks.is_due(connection, now=NOW + timedelta(days=1))


def test_of_two_processes_one_erases(host, database):
    _someone(host)
    set_retention(host, "doors", NOW.date() + timedelta(days=1), actor="ada", now=NOW)
    other, later = Host(database), NOW + timedelta(days=2)
    done = [*erase_due(host, now=later), *erase_due(other, now=later)]
    assert [each.erasure.participants for each in done] == [1]


def test_the_worker_erases_by_itself(host, monkeypatch):
    _someone(host)
    set_retention(host, "doors", NOW.date() + timedelta(days=1), actor="ada", now=NOW)
    monkeypatch.setattr("howgood.flow.results.worker._now", lambda: NOW + timedelta(days=2))
    worker = Worker(host, "unused")
    monkeypatch.setattr(worker, "run_once", lambda: worker.stopping.set() or True)
    worker.run()
    assert _rows(host, participants) == []


@pytest.mark.parametrize("days", [0, -3, 366 * 31])
def test_a_day_that_cannot_be_meant_is_refused(host, days):
    with pytest.raises(InputError, match="a day after today"):
        set_retention(host, "doors", NOW.date() + timedelta(days=days), actor="ada", now=NOW)


def test_somebody_withdraws_by_their_code_and_nobody_else_goes(host):
    person = _someone(host)
    _someone(host, who="OTHER", seed=2)
    code = person.look().withdrawal
    assert code.startswith("1-")
    withdraw(host, f" {code.lower().replace('-', ' ')} ", now=NOW)
    assert SECRET not in _everything(host)
    assert [row.external_id for row in _rows(host, participants)] == ["OTHER"]
    assert len({row.participant_id for row in _rows(host, answers)}) == 1
    with pytest.raises(InputError, match="belongs to nobody"):
        withdraw(host, code, now=NOW)
    with host.database.reading() as connection:
        line = audit.lines(connection)[0]
    assert (line.actor, line.action) == ("a participant", "erase participant")


def test_codes_that_are_nearly_right_erase_nobody(host):
    person = _someone(host)
    code = person.look().withdrawal
    head, _, tail = code.partition("-")
    wrong = {"", "1", head, tail, f"2-{tail}", code[:-1], code + "A", f"01-{tail}", f"-{code}x",
             code[:-1] + ("A" if code[-1] != "A" else "B"), "9" * 30 + "-" + tail, "١-" + tail,
             tokens.withdrawal_code(b"another key", 1)}  # fmt: skip
    for guess in wrong - {code}:
        with pytest.raises(InputError):
            withdraw(host, guess, now=NOW)
    assert len(_rows(host, participants)) == 1


def test_the_code_is_shown_on_the_last_page_alone(host):
    person = Person(host, "doors", now=NOW, PROLIFIC_PID=SECRET)
    person.begin()
    assert person.look().withdrawal == ""
    person.finish()
    assert person.look().withdrawal


def test_the_next_backup_holds_nothing_of_who_was_erased(host, database_address, tmp_path):
    if "postgresql" in database_address:
        pytest.skip("backups of PostgreSQL are pg_dump's: what is deleted is not in them")
    person = _someone(host)
    before, after = tmp_path / "before.sqlite", tmp_path / "after.sqlite"
    back_up(database_address, before)
    assert SECRET.encode() in before.read_bytes()
    withdraw(host, person.look().withdrawal, now=NOW)
    back_up(database_address, after)
    assert SECRET.encode() not in after.read_bytes()
    with sqlite3.connect(after) as copy:
        assert copy.execute("SELECT count(*) FROM participants").fetchone() == (0,)
