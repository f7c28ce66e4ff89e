"""`howgood doctor` and `howgood backup --verify`: what is found, and what the exit code says."""

import json
import os
import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.flow.hosting.conftest import SURVEY, Person

from howgood.cli.main import run
from howgood.flow.doctor import examine, is_well
from howgood.flow.hosting import Host, add_study, back_up
from howgood.kinds.study import Study
from howgood.settings import Settings
from howgood.store.database import open_database
from howgood.store.migrate import upgrade

NOW = datetime.now(UTC)


@pytest.fixture
def address(tmp_path):
    """A SQLite database with one study and one person who has finished it."""
    place = str(tmp_path / "answers.sqlite")
    database = open_database(place)
    upgrade(database)
    host = Host(database)
    add_study(host, Study.from_dict(SURVEY), folder=Path(), now=NOW)
    someone = Person(host, "doors", now=NOW - timedelta(minutes=5))
    someone.begin()
    someone.finish()
    host.close()
    return place


def _states(address, *, backups=None, now=NOW, **settings):
    checks = examine(Settings(database=address, **settings), backups=backups, now=now)
    return {check.name: (check.state, check.found) for check in checks}, is_well(checks)


def test_a_server_with_a_fresh_backup_is_well(address, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    back_up(address, folder / "tonight.sqlite")
    found, well = _states(address, backups=folder, now=datetime.now(UTC))
    assert well
    assert found["database"][0] == found["clock"][0] == found["backups"][0] == "ok"
    assert "of 1 people" in found["backups"][1]
    assert found["proxy"][0] == "warning"  # no public address is set


def test_no_database_is_a_problem_and_none_is_made(tmp_path):
    found, well = _states(str(tmp_path / "none.sqlite"))
    assert not well
    assert found["database"][0] == "problem"
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_database_and_a_damaged_backup_are_found(address, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    copy = folder / "tonight.sqlite"
    back_up(address, copy)
    content = bytearray(copy.read_bytes())
    content[4096 * 3 : 4096 * 9] = b"\xff" * (4096 * 6)
    copy.write_bytes(content)
    found, well = _states(address, backups=folder, now=datetime.now(UTC))
    assert (well, found["backups"][0]) == (False, "problem")
    found, well = _states(str(copy))
    assert (well, found["database"][0]) == (False, "problem")


def test_an_old_backup_or_none_is_a_problem(address, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    assert _states(address, backups=folder)[0]["backups"][0] == "problem"
    back_up(address, folder / "old.sqlite")
    before = (NOW - timedelta(days=2)).timestamp()
    os.utime(folder / "old.sqlite", (before, before))
    assert _states(address, backups=folder)[0]["backups"][0] == "problem"


def test_a_clock_that_is_behind_the_newest_answer_is_found(address):
    found, well = _states(address, now=NOW - timedelta(days=1))
    assert (well, found["clock"][0]) == (False, "problem")


def test_a_layout_of_another_howgood_is_said(address):
    with sqlite3.connect(address) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0008'")
    assert _states(address)[0]["database"][0] == "warning"
    with sqlite3.connect(address) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert _states(address)[0]["database"][0] == "problem"


class _Health(BaseHTTPRequestHandler):
    status = 200

    def do_GET(self):
        self.send_response(self.status if self.path == "/health" else 404)
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


@pytest.mark.parametrize(("status", "state"), [(200, "ok"), (503, "problem")])
def test_the_server_is_asked_as_people_reach_it(address, monkeypatch, status, state):
    monkeypatch.setattr(_Health, "status", status)
    server = HTTPServer(("127.0.0.1", 0), _Health)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        found, _ = _states(address, public_url=f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
    assert found["proxy"][0] == state
    gone, well = _states(address, public_url=f"http://127.0.0.1:{server.server_port}")
    assert (well, gone["proxy"][0]) == (False, "problem")


def test_the_command_prints_lines_or_json_and_its_exit_code_is_the_verdict(
    address, tmp_path, capsys, monkeypatch
):
    monkeypatch.delenv("HOWGOOD_PUBLIC_URL", raising=False)
    assert run(["doctor", "--database", address]) == 0
    assert "database" in capsys.readouterr().out
    assert run(["doctor", "--json", "--database", str(tmp_path / "none")]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["is_well"] is False
    assert {"name", "state", "found", "cure"} == set(told["checks"][0])


def test_a_backup_is_verified_by_restoring_it(address, tmp_path, capsys):
    copy = tmp_path / "copy.sqlite"
    assert run(["backup", str(copy), "--verify", "--database", address]) == 0
    assert "restored in a drill: " in (said := capsys.readouterr().err)
    assert "of 1 people" in said
    assert run(["backup", str(copy), "--verify", "--database", address]) == 0  # it exists
    assert "wrote" not in capsys.readouterr().err
    copy.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
    assert run(["backup", str(copy), "--verify", "--database", address]) == 2
    assert "no sound backup" in capsys.readouterr().err
