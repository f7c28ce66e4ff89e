"""serve, links and backup: what they refuse kindly, and what they do."""

import asyncio
import json
import re
import socket
import sqlite3
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.flow.hosting.conftest import RERATING

from howgood.cli.main import run
from howgood.errors import InputError
from howgood.flow import accounts, authoring
from howgood.flow.hosting import Host, add_study, every_study, look, open_host
from howgood.flow.study_files import new_study
from howgood.kinds.study import Study
from howgood.settings import read_settings
from howgood.store.database import open_database

WRONG = 2


@pytest.fixture
def database_file(tmp_path):
    path = tmp_path / "answers.sqlite"
    host = open_host(str(path))
    add_study(host, Study.from_dict(RERATING), folder=Path(), now=datetime.now(UTC))
    host.close()
    return path


@pytest.fixture
def served(monkeypatch):
    """`howgood serve` that returns before it would listen; gives what it was to serve."""
    calls = []

    def instead(host, settings, **where):
        calls.append(where)
        host.close()

    monkeypatch.setattr("howgood.web.server.run", instead)
    monkeypatch.setattr("howgood.web.server.check_free", lambda address, port: None)
    return calls


def test_the_first_start_prints_a_link_for_the_owner_until_there_is_one(tmp_path, capsys, served):
    database = str(tmp_path / "new.sqlite")
    links = []
    for _ in range(2):
        assert run(["serve", "--database", database]) == 0
        told = capsys.readouterr().out
        assert "dashboard: http://127.0.0.1:8000/" in told
        links.append(re.search(r"http://127\.0\.0\.1:8000/setup/([\w-]{32})\n", told)[1])
    assert links[0] != links[1]
    host, now = open_host(database), datetime.now(UTC)
    assert accounts.invitation(host, links[0], now=now) is None
    accounts.join(host, links[1], name="ada", password="long and safe enough", now=now)  # noqa: S106 - of a test
    host.close()
    assert run(["serve", "--database", database]) == 0
    assert "setup" not in capsys.readouterr().out


def test_a_file_and_the_dashboard_do_not_fight(tmp_path, capsys, served):
    path, database = new_study("rerating", tmp_path / "songs.toml"), str(tmp_path / "x.sqlite")
    words = ["serve", str(path), "--database", database]
    assert run(words) == run(words) == 0
    assert "note" not in capsys.readouterr().out
    host, now = open_host(database), datetime.now(UTC)
    (row,) = every_study(host)
    authoring.set_places(host, row.slug, pilot=False, quota=7, actor="ada", now=now)
    host.close()
    assert run(words) == 0
    assert "has not changed since it was served last" in capsys.readouterr().out
    assert _quota(database) == 7
    path.write_text(path.read_text().replace("rounds = ", "# changed\nrounds = ").replace(
        'title = "', 'title = "New: '))  # fmt: skip
    assert run(words) == 0
    assert "has changed and takes over from version" in capsys.readouterr().out
    assert _quota(database) is None
    assert run(words) == 0
    assert "note" not in capsys.readouterr().out


def _quota(database):
    host = open_host(database)
    (row,) = every_study(host)
    quota = host.study(row.version).quota
    host.close()
    return quota


def test_several_workers_on_sqlite_are_refused(tmp_path, capsys):
    assert run(["serve", "--workers", "2", "--database", str(tmp_path / "x.sqlite")]) == WRONG
    assert "postgresql://" in capsys.readouterr().err
    assert not (tmp_path / "x.sqlite").exists()


def test_two_files_with_the_same_short_name_are_refused(tmp_path, capsys):
    files = [str(new_study("rerating", tmp_path / name)) for name in ("a.toml", "b.toml")]
    assert run(["serve", *files, "--database", str(tmp_path / "x.sqlite")]) == WRONG
    assert "slug" in capsys.readouterr().err


def test_a_port_in_use_is_named(database_file, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["serve", "--port", str(port), "--database", str(database_file)]) == WRONG
    assert f"port {port}" in capsys.readouterr().err


def test_a_server_that_finds_its_port_taken_leaves_the_running_ones_link_alone(tmp_path, capsys):
    host, now = open_host(str(tmp_path / "a.sqlite")), datetime.now(UTC)
    link = accounts.setup_link(host, now=now)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["serve", "--port", port, "--database", str(tmp_path / "a.sqlite")]) == WRONG
    assert accounts.invitation(host, link, now=now) is not None
    host.close()


def test_a_newer_database_is_refused_in_one_line(database_file, capsys):
    with sqlite3.connect(database_file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert run(["serve", "--database", str(database_file)]) == WRONG
    told = capsys.readouterr().err
    assert "Update howgood" in told
    assert "Traceback" not in told


def test_links_lead_to_the_address_that_is_named_and_say_which_one_is_meant_without(
    database_file, capsys
):
    words = ["links", "songs", "--database", str(database_file)]
    assert run([*words, "--at", "https://study.example.org/"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("https://study.example.org/p/")
    assert said.err == ""
    assert run(words) == 0
    said = capsys.readouterr()
    assert said.out.startswith("http://127.0.0.1:8000/p/")
    assert "--at" in said.err


def test_links_lead_to_the_study_and_are_not_stored(database_file, capsys):
    words = ["links", "songs", "--people", "3", "--database", str(database_file), "--json"]
    assert run(words) == 0
    links = json.loads(capsys.readouterr().out)["links"]
    assert len(set(links)) == len(links) == 3
    host = Host(open_database(str(database_file)))
    token = links[0].rpartition("/")[2]
    view = asyncio.run(look(host, token, now=datetime.now(UTC)))
    assert view.screen.kind == "consent"
    host.close()


def test_links_to_an_unknown_study_name_those_there_are(database_file, capsys):
    assert run(["links", "song", "--database", str(database_file)]) == WRONG
    assert "Did you mean 'songs'" in capsys.readouterr().err


def test_a_lost_password_is_renewed_by_a_printed_link(database_file, capsys):
    host, now = open_host(str(database_file)), datetime.now(UTC)
    setup = accounts.setup_link(host, now=now)
    accounts.join(host, setup, name="Ada", password="a long password", now=now)  # noqa: S106 - of a test
    words = ["reset-password", "Ada", "--database", str(database_file)]
    assert run(words) == 0
    link = re.search(r"http://127\.0\.0\.1:8000/setup/([\w-]{32})\n", capsys.readouterr().out)[1]
    assert accounts.invitation(host, link, now=now).researcher.name == "ada"
    host.close()
    assert run([*words, "--end-codes"]) == 0
    assert "had no codes" in capsys.readouterr().out
    assert run(["reset-password", "Adda", *words[2:]]) == WRONG
    told = capsys.readouterr().err
    assert "ada" in told
    assert "Traceback" not in told


def test_a_backup_taken_while_others_write_is_of_one_moment(database_file, tmp_path):
    database = open_database(str(database_file))
    database.write(lambda c: c.execute(sa.text("CREATE TABLE pairs (a int, b int)")))
    stop = threading.Event()

    def keep_writing():
        number = 0
        while not stop.is_set():
            number += 1
            database.write(
                lambda c, n=number: c.execute(
                    sa.text("INSERT INTO pairs VALUES (:n, :n)"), {"n": n}
                )
            )

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        time.sleep(0.2)
        target = tmp_path / "monday.sqlite"
        assert run(["backup", str(target), "--database", str(database_file)]) == 0
    finally:
        stop.set()
        writer.join()
        database.close()
    with sqlite3.connect(target) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = copy.execute("SELECT a, b FROM pairs ORDER BY a").fetchall()
        assert rows == [(n, n) for n in range(1, len(rows) + 1)]
        assert copy.execute("SELECT slug FROM studies").fetchall() == [("songs",)]
    assert len(list(tmp_path.glob("monday.sqlite*"))) == 1


@pytest.mark.parametrize(
    ("target", "database", "told"),
    [("answers.sqlite", "answers.sqlite", "ever overwritten"),
     ("new.sqlite", "missing.sqlite", "no such file"),
     ("no/folder/x.sqlite", "answers.sqlite", "no such folder"),
     ("new.sqlite", "letter.txt", "cannot be copied")],
)  # fmt: skip
def test_a_backup_that_cannot_be_made_says_why(database_file, capsys, target, database, told):
    folder = database_file.parent
    (folder / "letter.txt").write_text("Dear reader, " * 200)
    words = ["backup", str(folder / target), "--database", str(folder / database)]
    assert run(words) == WRONG
    assert told in capsys.readouterr().err
    assert not list(folder.glob("*.unfinished"))


def test_postgresql_is_backed_up_by_its_own_program(capsys):
    address = "postgresql://me:geheim@db/x"
    assert run(["backup", "x.sqlite", "--database", address]) == WRONG
    told = capsys.readouterr().err
    assert "pg_dump" in told
    assert "geheim" not in told


def test_postgresql_is_restored_by_its_own_program(tmp_path, capsys):
    address = "postgresql://me:geheim@db/x"
    assert run(["restore", str(tmp_path / "x"), "--database", address]) == WRONG
    told = capsys.readouterr().err
    assert "pg_restore" in told
    assert "geheim" not in told


@pytest.mark.parametrize(
    ("backup", "told"),
    [("missing.sqlite", "no such file"), ("letter.txt", "no sound backup"),
     ("empty.sqlite", "no sound backup"), ("answers.sqlite", "the database itself")],
)  # fmt: skip
def test_a_backup_that_is_none_is_not_restored(database_file, capsys, backup, told):
    folder, before = database_file.parent, database_file.read_bytes()
    (folder / "letter.txt").write_text("Dear reader, " * 200)
    (folder / "empty.sqlite").touch()
    assert run(["restore", str(folder / backup), "--database", str(database_file)]) == WRONG
    assert told in capsys.readouterr().err
    assert database_file.read_bytes() == before
    assert not list(folder.glob("*.unfinished")) + list(folder.glob("*.before-*"))


def test_a_backup_by_a_newer_howgood_is_not_restored(database_file, tmp_path, capsys):
    assert run(["backup", str(tmp_path / "b.sqlite"), "--database", str(database_file)]) == 0
    with sqlite3.connect(tmp_path / "b.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert run(["restore", str(tmp_path / "b.sqlite"), "--database", str(database_file)]) == WRONG
    assert "Update howgood" in capsys.readouterr().err


def test_settings_come_from_the_environment_or_their_defaults():
    given = {"HOWGOOD_DATABASE": "x.sqlite", "HOWGOOD_PUBLIC_URL": "https://a.example/",
             "HOWGOOD_BUSY_LIMIT": "7"}  # fmt: skip
    settings = read_settings(given)
    assert (settings.database, settings.public_url) == ("x.sqlite", "https://a.example")
    assert settings.busy_limit == 7
    assert read_settings({}).database == "howgood.sqlite"
    assert read_settings({}).public_library
    assert not read_settings({"HOWGOOD_PUBLIC_LIBRARY": "no"}).public_library
    with pytest.raises(InputError, match="yes or no"):
        read_settings({"HOWGOOD_PUBLIC_LIBRARY": "perhaps"})
    for wrong in ("many", "0", "9" * 5000):
        with pytest.raises(InputError, match="HOWGOOD_BUSY_LIMIT"):
            read_settings({"HOWGOOD_BUSY_LIMIT": wrong})


def test_a_databases_address_comes_from_a_file_so_that_nobody_else_reads_its_password(tmp_path):
    secret, address = (
        tmp_path / "address",
        "postgresql://me:geheim@db/x",
    )
    secret.write_text(address + "\n")
    given = {"HOWGOOD_DATABASE_FILE": str(secret)}
    assert read_settings(given).database == address
    for text in ("", "one\ntwo\n"):
        secret.write_text(text)
        with pytest.raises(InputError, match="in one line"):
            read_settings(given)
    with pytest.raises(InputError, match="cannot be read"):
        read_settings({"HOWGOOD_DATABASE_FILE": str(tmp_path / "missing")})
    with pytest.raises(InputError, match="one of them"):
        read_settings(given | {"HOWGOOD_DATABASE": "x.sqlite"})


@pytest.mark.parametrize("command", [["worker", "--once"], ["links", "x"], ["backup", "x"]])
def test_a_password_on_the_command_line_is_pointed_out(command, capsys):
    address = "postgresql://me:geheim@127.0.0.1:1/x"
    assert run([*command, "--database", address]) == WRONG
    told = capsys.readouterr().err
    assert "list of processes" in told
    assert "HOWGOOD_DATABASE_FILE" in told
    assert "geheim" not in told
    assert run([*command, "--database", "postgresql://me@127.0.0.1:1/x"]) == WRONG
    assert "list of processes" not in capsys.readouterr().err
