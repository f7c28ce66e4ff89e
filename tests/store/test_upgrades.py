"""A database of every layout there ever was is brought up to date, with everything in it.

A study with people who answered, accounts, shares and links is made with the present layout; as
much of it as an earlier layout had is put into a database of that layout, which is then brought up
to date. Both must give the same data to whoever downloads it.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from tests.flow.hosting.conftest import SURVEY, Person

from howgood.flow import accounts
from howgood.flow.collected.export import ExportChoice, exported
from howgood.flow.hosting import add_study, open_host
from howgood.kinds.study import Study
from howgood.store.database import open_database
from howgood.store.migrate import _config
from howgood.store.schema import metadata

NOW = datetime(2026, 5, 1, tzinfo=UTC)
SLUG, PEOPLE = "doors", 3
LAYOUTS = tuple(
    script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()
)[::-1]


def _rows(address):
    """Return every row of every table as plain values."""
    database = open_database(address)
    try:
        with database.reading() as connection:
            layout = sa.MetaData()
            layout.reflect(connection)
            return {
                table.name: [
                    dict(row._mapping) for row in connection.execute(sa.select(table)).all()
                ]
                for table in layout.sorted_tables
                if table.name != "alembic_version"
            }
    finally:
        database.close()


def _data(address):
    """Return what somebody who downloads the answers gets."""
    host = open_host(address)
    try:
        file = exported(host, SLUG, ExportChoice(kind="json"), actor="ada", now=NOW)
        return json.loads(b"".join(file.pieces))
    finally:
        host.close()


@pytest.fixture(scope="module")
def present(tmp_path_factory):
    """A database of the present layout in which everything was used; its rows and its data."""
    address = str(tmp_path_factory.mktemp("present") / "answers.sqlite")
    host = open_host(address)
    add_study(host, Study.from_dict(SURVEY), folder=Path(), now=NOW)
    for seed in range(PEOPLE):
        person = Person(host, SLUG, seed=seed, now=NOW + timedelta(minutes=seed))
        person.begin()
        person.finish()
    ada = _teamwork(host)
    assert ada.name == "ada"
    host.close()
    return _rows(address), _data(address)


def _teamwork(host):
    """Make an account, a group, shares, a link to results and a name in the history."""
    token = accounts.setup_link(host, now=NOW)
    password = "correct horse battery"  # noqa: S105 - of a test
    accounts.join(host, token, name="ada", password=password, now=NOW)
    (ada,) = accounts.members(host, now=NOW).researchers
    accounts.make_group(host, ada, name="Team", now=NOW)
    accounts.make_result_link(host, ada, SLUG, name="everybody", days=30, now=NOW)
    return ada


def _made(address, layout, rows):
    """Make a database of a layout, and put as much of the rows into it as it has room for."""
    database = open_database(address)

    def fill(connection):
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, layout)
        known = sa.MetaData()
        known.reflect(connection)
        for table in known.sorted_tables:
            # Facts are the layout's own: its steps have written them.
            wanted = [_fitting(row, table) for row in rows.get(table.name, [])]
            if wanted and table.name != "facts":
                connection.execute(sa.insert(table), wanted)
                _count_on(connection, table)

    database.restructure(fill)
    database.close()


def _count_on(connection, table):
    """Let PostgreSQL number new rows after those that came with a number, as if it had."""
    if connection.dialect.name == "postgresql" and "id" in table.columns:
        latest = sa.select(sa.func.max(table.c.id)).scalar_subquery()
        sequence = sa.func.pg_get_serial_sequence(f'"{table.name}"', "id")
        connection.execute(sa.select(sa.func.setval(sequence, latest)))


def _fitting(row, table):
    return {column.name: row[column.name] for column in table.columns if column.name in row}


# The oldest takes every step on PostgreSQL too; the steps that rebuild tables are SQLite's.
ROADS = [("sqlite", layout) for layout in LAYOUTS] + [
    pytest.param("postgresql", layout, marks=[] if place == 0 else [pytest.mark.slow])
    for place, layout in enumerate(LAYOUTS)
]


@pytest.mark.parametrize(("database_address", "layout"), ROADS, indirect=["database_address"])
def test_a_database_of_an_earlier_layout_keeps_everything(layout, present, database_address):
    rows, data = present
    _made(database_address, layout, rows)
    before = _rows(database_address)
    host = open_host(database_address)
    with host.database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    host.close()
    after = _rows(database_address)
    for table, rows_before in before.items():
        assert len(after[table]) >= len(rows_before), table
        for old, new in zip(rows_before, after[table], strict=False):
            # Of columns that are no longer there, nothing can be compared.
            assert {name: old[name] for name in old if name in new} == {
                name: new[name] for name in old if name in new
            }, table
    assert len(before["answers"]) > PEOPLE
    found = _data(database_address)
    assert found["answers"] == data["answers"]
    assert len(found["participants"]) == PEOPLE


def test_every_layout_is_tried():
    folder = Path(str(_config().get_main_option("script_location"))) / "versions"
    assert set(LAYOUTS) == {path.name[1:5] for path in folder.glob("m[0-9]*.py")}
