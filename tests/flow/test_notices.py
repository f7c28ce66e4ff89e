"""Messages about a study: signed, each thing once, tried again, and never into private networks."""

import hmac
import json
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.flow.hosting.conftest import SURVEY, Person, host, run  # noqa: F401 - fixtures
from tests.smtp import mail_server

from howgood.errors import InputError
from howgood.flow import notices
from howgood.records.researcher import Researcher
from howgood.settings import Settings
from howgood.store import researchers, studies

NEAR = Settings(webhook_networks="127.0.0.0/8", public_url="https://studies.example.org")
ADA = Researcher(number=1, name="ada", role="owner")
NOW = datetime(2026, 5, 4, 11, 0, tzinfo=UTC)


class Listener:
    """A program that is notified; it answers with the statuses it was given, then 200."""

    def __init__(self):
        self.came, self.statuses = [], []
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                listener.came.append((self.path, dict(self.headers), body))
                status = listener.statuses.pop(0) if listener.statuses else 200
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "http://127.0.0.1:1/another")
                self.end_headers()

            def log_message(self, *_given):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/hook?key=k"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def listener():
    made = Listener()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def study(host, run):  # noqa: F811 - a fixture
    run(SURVEY)
    host.database.write(
        lambda c: researchers.add(c, name="ada", password_hash="", role="owner", now=NOW)
    )
    return host


def _tell(study, target, events=("participant.completed",), settings=NEAR):
    return notices.add_webhook(study, settings, ADA, "doors", target=target, events=events, now=NOW)


def _finish(study, seed=1):
    someone = Person(study, "doors", seed=seed)
    someone.begin()
    someone.finish()


def _deliver(study, hours=2, settings=NEAR):
    return notices.deliver_due(study, settings, now=NOW + timedelta(hours=hours))


def test_a_program_is_told_once_and_can_check_who_told_it(study, listener):
    made = _tell(study, listener.address)
    _finish(study)
    assert [_deliver(study), _deliver(study)] == [1, 0]
    ((path, head, body),) = listener.came
    assert path == "/hook?key=k"
    content = json.loads(body)
    assert (content["event"], content["study"]) == ("participant.completed", "doors")
    parts = dict(part.split("=") for part in head["Howgood-Signature"].split(","))
    wanted = hmac.new(made.secret.encode(), f"{parts['t']}.".encode() + body, "sha256").hexdigest()
    assert hmac.compare_digest(parts["v1"], wanted)
    assert int(parts["t"]) == int((NOW + timedelta(hours=2)).timestamp())
    # It says that somebody finished, and nothing of what they said.
    assert set(content) == {"id", "event", "study", "participant", "at"}


def test_what_was_before_is_not_told_and_each_webhook_gets_its_own(study, listener):
    _finish(study, seed=1)
    late = NOW + timedelta(days=1)
    notices.add_webhook(study, NEAR, ADA, "doors", target=listener.address,
                        events=["participant.completed"], now=late)  # fmt: skip
    assert notices.deliver_due(study, NEAR, now=late + timedelta(hours=1)) == 0
    for _ in range(2):
        _tell(study, listener.address)
    assert _deliver(study, hours=48) == 2


@pytest.mark.parametrize("status", [500, 404, 302])
def test_what_is_not_taken_is_tried_again_later_each_time(study, listener, status):
    _tell(study, listener.address)
    _finish(study)
    listener.statuses = [status] * 3
    waits = []
    moment = NOW + timedelta(hours=2)
    for _ in range(3):
        assert notices.deliver_due(study, NEAR, now=moment) == 0
        (message,) = notices.notices_of(study, "doors").deliveries
        assert message.outcome == f"answer {status}"
        assert notices.deliver_due(study, NEAR, now=moment + timedelta(seconds=1)) == 0
        waits.append((message.next_at - moment).total_seconds())
        moment = message.next_at
    assert waits == [10, 60, 300]
    assert notices.deliver_due(study, NEAR, now=moment) == 1
    (message,) = notices.notices_of(study, "doors").deliveries
    assert (message.attempts, message.next_at) == (4, None)
    assert len(listener.came) == 4


def test_it_is_given_up_in_the_end_and_sent_again_when_asked(study, listener):
    _tell(study, listener.address)
    _finish(study)
    listener.statuses = [500] * 9
    moment = NOW + timedelta(hours=2)
    for _ in range(9):
        notices.deliver_due(study, NEAR, now=moment)
        (message,) = notices.notices_of(study, "doors").deliveries
        moment = message.next_at or moment
    assert message.next_at is None
    assert moment - NOW > timedelta(days=1.9)
    assert notices.deliver_due(study, NEAR, now=moment + timedelta(days=9)) == 0
    notices.try_again(study, "doors", message.number, now=moment)
    assert notices.deliver_due(study, NEAR, now=moment) == 1


@pytest.mark.parametrize("target", [
    "https://127.0.0.1/x", "https://localhost/x", "https://[::1]/x", "https://10.0.0.1/x",
    "https://169.254.169.254/latest/meta-data", "https://192.168.1.1", "https://0.0.0.0/",
    "https://[::ffff:127.0.0.1]/", "https://100.64.0.1/", "https://2130706433/", "http://1.1.1.1/",
    "ftp://example.org", "https://u:p@example.org/", "https://", "javascript:1", "", "nobody",
    "https://nothing.invalid/", "https://example.org:0/", "https://[", "https://a b/",
])  # fmt: skip
def test_private_networks_and_odd_addresses_are_refused(study, target):
    with pytest.raises(InputError):
        _tell(study, target, settings=Settings())
    assert notices.notices_of(study, "doors").webhooks == ()


def test_a_name_that_leads_inside_later_is_refused_then(study, listener):
    """The network is checked when a message is sent, for the address it is sent to."""
    _tell(study, listener.address)
    _finish(study)
    assert _deliver(study, settings=Settings()) == 0
    (message,) = notices.notices_of(study, "doors").deliveries
    assert message.outcome == "an address in a private network"
    assert listener.came == []


def test_a_person_is_told_by_letter(study):
    with mail_server() as (port, letters):
        settings = Settings(mail=f"smtp://127.0.0.1:{port}", mail_from="s@example.org",
                            public_url="https://studies.example.org")  # fmt: skip
        _tell(study, "ada@example.org", settings=settings)
        _finish(study)
        assert _deliver(study, settings=settings) == 1
    (letter,) = letters
    assert letter["to"] == "ada@example.org"
    assert "https://studies.example.org/studies/doors" in letter.get_content()


def test_two_who_send_send_each_message_once(study, listener, database_address):
    from howgood.flow.hosting import Host
    from howgood.store.database import open_database

    other = Host(open_database(database_address))
    _tell(study, listener.address)
    for seed in range(4):
        _finish(study, seed=seed)
    moment = NOW + timedelta(hours=2)
    threads = [
        threading.Thread(target=notices.deliver_due, args=(each, NEAR), kwargs={"now": moment})
        for each in (study, other)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    numbers = [json.loads(body)["id"] for _, _, body in listener.came]
    assert len(numbers) == len(set(numbers)) == 4


def test_the_history_is_told_without_the_secret_part_of_an_address(study, listener):
    _tell(study, listener.address, events=("history",))
    _deliver(study)
    (event,) = [json.loads(body) for _, _, body in listener.came]
    assert event["action"] == "webhook added"
    with study.database.reading() as connection:
        from howgood.store import audit

        assert "key=k" not in str(audit.lines(connection))


def test_a_quota_is_told_once_when_it_is_reached(host, run, listener):  # noqa: F811 - a fixture
    run(SURVEY | {"quota": 2})
    host.database.write(
        lambda c: researchers.add(c, name="ada", password_hash="", role="owner", now=NOW)
    )
    _tell(host, listener.address, events=("quota.reached",))
    _finish(host, seed=1)
    assert _deliver(host) == 0
    _finish(host, seed=2)
    assert [_deliver(host), _deliver(host)] == [1, 0]
    content = json.loads(listener.came[0][2])
    assert (content["event"], content["quota"]) == ("quota.reached", 2)
    # Who asks for it afterwards is not told what was before.
    late = NOW + timedelta(days=1)
    notices.add_webhook(host, NEAR, ADA, "doors", target=listener.address,
                        events=["quota.reached"], now=late)  # fmt: skip
    assert notices.deliver_due(host, NEAR, now=late + timedelta(hours=1)) == 0


def test_precision_is_told_once_for_every_share(study, listener):
    _tell(study, listener.address, events=("precision.reached",))
    with study.database.reading() as connection:
        number = studies.find(connection, "doors").number

    def stored(*widths):
        headlines = [
            {"title": f"app {place}", "people": 25, "wanted": 25, "is_enough": True,
             "share": (0.5 - width, 0.5, 0.5 + width), "acceptance": {}}
            for place, width in enumerate(widths)
        ]  # fmt: skip
        study.database.write(
            lambda c: notices.note_precision(c, number, {"headlines": headlines}, now=NOW)
        )

    stored(0.2, 0.11)
    assert _deliver(study) == 0
    stored(0.2, 0.09)
    stored(0.2, 0.08)
    assert _deliver(study) == 1
    content = json.loads(listener.came[0][2])
    assert (content["share"], content["points"]) == ("app 1", 9.0)
    stored(0.1, 0.08)
    assert _deliver(study) == 1
