"""A server that fails in many ways, and the log it leaves: events and places, no people."""

import io
import logging
import re
import socket
import sys
import threading
import time
from datetime import UTC, datetime

import httpx2
import pytest
import sqlalchemy as sa
import uvicorn
from tests.web.conftest import PASSWORD, hidden_fields, sign_in

from howgood.flow import accounts, hosting, importing
from howgood.flow.api_access import issue_token
from howgood.flow.results.worker import Worker
from howgood.records.api_token import SCOPES
from howgood.settings import Settings
from howgood.store import jobs
from howgood.web import server
from howgood.web.access import SESSION
from howgood.web.app import make_app

ANSWER, WRONG, PERSON = "whatIansweredHere", "notMyPassword-Really", "platform-name-of-me"


@pytest.fixture
def said(caplog):
    """Everything that any logger says, but the client's own."""
    caplog.set_level(logging.DEBUG)

    def told():
        return "\n".join(
            logging.Formatter().format(each)
            for each in caplog.records
            if not each.name.startswith(("httpx", "httpcore", "hpack"))
        )

    return told


@pytest.fixture
def line(host, owner_account):
    """A client at a real server, which writes its logs where we see them."""
    options = server.options() | {"log_config": None}
    running = uvicorn.Server(
        uvicorn.Config(make_app(host, Settings()), host="127.0.0.1", port=0, **options)
    )
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    with httpx2.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True) as client:
        yield client
    running.should_exit = True
    thread.join()


def _repeats(*given, **named):
    raise ValueError(f"{given} {named}")


def _conflict(*given, **named):
    error = OSError(f"DETAIL: Key (x)=({given} {named}) already exists.")
    raise sa.exc.IntegrityError(f"INSERT {given}", {"content": f"{given}"}, error)


def _away(*given, **named):
    raise sa.exc.OperationalError(f"INSERT {given}", {"content": f"{given}"}, OSError(f"{given}"))


@pytest.mark.parametrize("trouble", [_repeats, _conflict, _away])
def test_no_secret_is_in_the_log_whatever_fails(
    line, said, host, owner_account, monkeypatch, trouble
):
    token = issue_token(host, owner_account.researcher, name="n", scopes=tuple(SCOPES), study=None,
                        days=None, now=datetime.now(UTC)).secret  # fmt: skip
    begun = _takes_part(line)
    secrets = {ANSWER, WRONG, PASSWORD, PERSON, token, begun.url.path.split("/")[2]}
    _fails(line, token, begun)
    assert sign_in(line).status_code == 200
    secrets |= {line.cookies[SESSION], hidden_fields(line.get("/account"))["csrf"]}
    for module, name in ((hosting, "send"), (hosting, "look"), (accounts, "sign_in"),
                         (accounts, "change_password"), (importing, "import_files"),
                         (accounts, "join"), (host.database, "write")):  # fmt: skip
        monkeypatch.setattr(module, name, trouble)
    codes = _fails(line, token, begun)
    assert codes & {500, 503}
    found = said()
    assert re.search(r"fault error=|database_away error=", found)
    assert not [each for each in secrets if each in found]


def _takes_part(line):
    address = f"/s/songs?PROLIFIC_PID={PERSON}"
    return line.post(address, data=hidden_fields(line.get(address)) | {"consent.consent": "yes"})


def _fails(line, token, begun):
    """Send everything that is secret to every place where it belongs, and to some where not."""
    head = {"Authorization": f"Bearer {token}"}
    form = hidden_fields(line.get("/login")) | {"name": "ada", "password": WRONG, "old": PASSWORD,
                                                "new": WRONG}  # fmt: skip
    answers = [
        line.post("/login", data=form),
        line.post("/account", data=form),
        line.post(f"/setup/{WRONG}", data=form),
        line.post(begun.url.path, data=hidden_fields(begun) | {"x": ANSWER}),
        line.get(begun.url.path),
        line.get(f"/p/{ANSWER}"),
        line.get("/api/v1/studies", params={"token": token}),
        line.get(f"/api/v1/studies/{ANSWER}", headers=head),
        line.post("/api/v1/studies", headers=head, content=ANSWER.encode()),
        line.post("/api/v1/studies/doors/imports", headers=head,
                  json={"name": "a.csv", "content": f"who\n{ANSWER}\n"}),
        line.get(f"/studies/{ANSWER}?{ANSWER}"),
    ]  # fmt: skip
    with socket.create_connection((line.base_url.host, line.base_url.port)) as raw:
        raw.sendall(f"GET /p/{ANSWER}\r\nCookie: {PASSWORD}\r\n\r\n".encode())
        raw.recv(1000)
    return {each.status_code for each in answers}


def test_a_job_that_meets_trouble_is_logged_without_what_it_read(host, said, monkeypatch):
    worker = Worker(host, "unused")

    def claim(*_, **__):
        worker.stopping.set()
        raise ValueError(ANSWER)

    monkeypatch.setattr(jobs, "claim", claim)
    worker.run()
    assert "job_trouble error=ValueError" in said()
    assert ANSWER not in said()


def test_a_fit_that_breaks_says_where_and_not_what(monkeypatch, capfd):
    from howgood.flow.results import child

    closing = type("Nothing", (), {"close": lambda self: None})
    monkeypatch.setattr(child, "open_database", lambda _: closing())
    monkeypatch.setattr(child, "Host", lambda database: database)
    monkeypatch.setattr(child, "_worked", lambda *_: _repeats(ANSWER))
    monkeypatch.setattr("sys.stdin", io.StringIO('{"database": ""}\n'))
    monkeypatch.setattr(child, "_private_output", lambda: sys.stdout)
    monkeypatch.setattr(child, "_end_with_parent", lambda: None)
    monkeypatch.setattr("os.nice", lambda _: 0)
    with pytest.raises(SystemExit) as ended:
        child.main()
    assert "job_trouble error=ValueError" in str(ended.value)
    assert ANSWER not in str(ended.value) + "".join(capfd.readouterr())
