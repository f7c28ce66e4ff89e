"""An update of the database is killed in the middle: the next start does it, and rows are there."""

import subprocess
import sys
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from tests.faults.counting import Count

from howgood.flow.hosting import open_host
from howgood.store.database import open_database
from howgood.store.migrate import _config
from howgood.store.schema import metadata

PEOPLE, ANSWERS = 20, 30
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_TABLES = ("facts", "studies", "versions", "participants", "screens", "answers")
# Begins the update again and again, and is killed (-9) before its first changing statement, before
# its second, and so on in steps. Prints how many changing statements the update has.
_KILLED = """
import os, signal, sys
import alembic.command, alembic.migration, alembic.script
import sqlalchemy as sa
from howgood.store.database import open_database
from howgood.store.migrate import upgrade

CHANGES = ("CREATE", "ALTER", "INSERT", "UPDATE", "DELETE", "DROP")

def attempt(last):
    n_seen = 0
    def count(connection, cursor, statement, *rest):
        nonlocal n_seen
        n_seen += statement.lstrip().upper().startswith(CHANGES)
        if n_seen == last:
            os.kill(os.getpid(), signal.SIGKILL)
    database = open_database(sys.argv[1])
    with database.reading() as connection:
        found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars()
        if found.all() != ["0001"]:
            os._exit(3)
    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    upgrade(database)
    os._exit(0)

killed, last = 0, int(sys.argv[2])
while True:
    child = os.fork()
    if child == 0:
        attempt(last)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        break
    killed, last = killed + 1, last + int(sys.argv[2])
    if killed == int(sys.argv[3]):
        break
print(killed, os.waitstatus_to_exitcode(status))
"""


def _old_database(address):
    """Make a database of the first layout, with people and answers in it."""
    database = open_database(address)

    def fill(connection):
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        old = sa.MetaData()
        old.reflect(connection)
        for table, rows in _old_rows():
            connection.execute(sa.insert(old.tables[table]), rows)

    database.restructure(fill)
    database.close()


def _old_rows():
    yield "studies", [{"id": 1, "slug": "old", "title": "Old", "kind": "rerating",
                       "is_open": True, "created_at": _NOW}]  # fmt: skip
    yield "versions", [{"id": 1, "study_id": 1, "digest": "d", "content": {}, "created_at": _NOW}]
    numbers = range(1, PEOPLE + 1)
    yield "participants", [
        {"id": number, "study_id": 1, "version_id": 1, "token_digest": f"t{number}", "origin": {},
         "seed": number, "status": "active", "is_pilot": False, "created_at": _NOW}
        for number in numbers
    ]  # fmt: skip
    steps = [(number, step) for number in numbers for step in range(ANSWERS)]
    yield "screens", [
        {"participant_id": number, "name": f"s{step}", "position": step, "content": {},
         "shown_at": _NOW}
        for number, step in steps
    ]  # fmt: skip
    yield "answers", [
        {"participant_id": number, "screen": f"s{step}", "content": {"rating": step},
         "answered_at": _NOW}
        for number, step in steps
    ]  # fmt: skip


def _rows(address):
    """Return the rows of the first layout's tables, in the columns it had."""
    database = open_database(address)
    with database.reading() as connection:
        found = {
            name: sorted(
                tuple(sorted((key, str(value)) for key, value in row._mapping.items()
                             if key != "file_at"))
                for row in connection.execute(sa.text(f"SELECT * FROM {name}"))  # noqa: S608 - ours
            )
            for name in _TABLES
        }  # fmt: skip
    database.close()
    return found


def _is_killed_and_finished(address, stage, faults, *, step, most):
    faults.begin("kill -9 within an update of the database", stage.database)
    _old_database(address)
    before = _rows(address)
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, address, str(step), str(most)],
        capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    n_killed, code = map(int, done.stdout.split())
    assert code in (0, -9), done.stderr  # 3: a killed update left something behind
    host = open_host(address)
    with host.database.reading() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, metadata) == []
    host.close()
    after = _rows(address)
    kept = [row for row in before["answers"] if row in after["answers"]]
    faults.judge(
        Count(people=PEOPLE, acknowledged=len(before["answers"]), stored=len(after["answers"]),
              lost=len(before["answers"]) - len(kept),
              doubled=len(after["answers"]) - len(kept), polite=0, other=0),
        found=f"{n_killed} kills, each before another statement",
    )  # fmt: skip
    for name in _TABLES[1:]:
        # Columns that later steps add are empty in rows from before.
        for old, new in zip(before[name], after[name], strict=True):
            assert {value for _, value in set(new) - set(old)} <= {"None", "0", "False", "{}"}, name
            assert set(old) <= set(new), name
    assert set(before["facts"]) <= set(after["facts"])
    return n_killed


@pytest.fixture
def address(stage):
    return stage.address if "://" in stage.address else str(stage.folder / stage.address)


def test_a_killed_update_is_done_by_the_next_start(address, stage, faults):
    assert _is_killed_and_finished(address, stage, faults, step=7, most=1) == 1


@pytest.mark.slow
def test_an_update_killed_before_each_of_its_statements_loses_nothing(address, stage, faults):
    assert _is_killed_and_finished(address, stage, faults, step=1, most=1000) > 10
