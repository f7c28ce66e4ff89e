"""A database is brought up to date, or refused clearly."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from howgood.errors import FileFormatError, InputError
from howgood.store import studies
from howgood.store.database import open_database
from howgood.store.migrate import (
    ForeignDatabaseError,
    NewerDatabaseError,
    _apply_steps,
    _config,
    newest,
    upgrade,
)
from howgood.store.schema import metadata


@pytest.fixture
def empty(database_address):
    opened = open_database(database_address)
    yield opened
    opened.close()


def _layout(database):
    """Return all there is to know of the tables, and which facts are noted."""
    with database.reading() as connection:
        found = sa.inspect(connection)
        tables = {name: _table(found, name) for name in found.get_table_names()}
        facts = connection.execute(sa.text("SELECT name FROM facts ORDER BY name")).scalars().all()
        steps = connection.execute(sa.text("SELECT * FROM alembic_version")).all()
        texts = {}
        if connection.dialect.name == "sqlite":
            made = sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
            texts = {name: "AUTOINCREMENT" in sql for name, sql in connection.execute(made)}
    return tables, facts, steps, texts


def _table(found, name):
    def by_name(parts):
        return sorted(parts, key=lambda part: part["name"])

    return {
        "columns": [column | {"type": repr(column["type"])} for column in found.get_columns(name)],
        "key": found.get_pk_constraint(name),
        "references": by_name(found.get_foreign_keys(name)),
        "unique": by_name(found.get_unique_constraints(name)),
        "indexes": by_name(found.get_indexes(name)),
        "checks": by_name(found.get_check_constraints(name)),
    }


def test_the_steps_lead_to_the_layout_the_program_uses(empty):
    empty.restructure(_apply_steps)
    with empty.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_a_new_database_is_made_at_once_as_the_steps_would_make_it(empty):
    upgrade(empty)
    at_once = _layout(empty)
    assert len(at_once[0]) == len(metadata.tables) + 1

    def drop_everything(connection):
        metadata.drop_all(connection)
        connection.execute(sa.text("DROP TABLE alembic_version"))

    empty.restructure(drop_everything)
    empty.restructure(_apply_steps)
    assert _layout(empty) == at_once


def test_a_new_database_is_made_without_loading_the_steps(tmp_path):
    program = (
        "import sys; from howgood.store import database, migrate; "
        "migrate.upgrade(database.open_database(sys.argv[1])); sys.exit('alembic' in sys.modules)"
    )
    for _ in ("new", "there already"):
        subprocess.run([sys.executable, "-c", program, str(tmp_path / "a.sqlite")], check=True)


def test_the_newest_layout_is_the_last_step():
    assert ScriptDirectory.from_config(_config()).get_current_head() == newest()


def test_upgrading_again_changes_nothing(database):
    with database.reading() as connection:
        key = studies.signing_key(connection)
    upgrade(database)
    with database.reading() as connection:
        assert studies.signing_key(connection) == key


def test_two_servers_starting_at_once_make_one_layout(database_address):
    opened = [open_database(database_address) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(upgrade, opened))
    keys = []
    for each in opened:
        with each.reading() as connection:
            keys.append(studies.signing_key(connection))
        each.close()
    assert keys[0] == keys[1]


def test_a_database_of_a_newer_howgood_is_refused_and_left_alone(database):
    database.write(
        lambda connection: connection.execute(
            sa.text("UPDATE alembic_version SET version_num = '9999'")
        )
    )
    with pytest.raises(NewerDatabaseError, match="Update howgood"):
        upgrade(database)


def test_tables_of_another_program_are_left_alone(database_address):
    database = open_database(database_address)
    database.write(lambda connection: connection.execute(sa.text("CREATE TABLE wages (x int)")))
    with pytest.raises(ForeignDatabaseError, match="wages"):
        upgrade(database)
    database.close()


def test_a_file_that_is_no_database_is_refused_kindly(tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader, " * 100)
    with pytest.raises(FileFormatError, match=r"letter\.txt"):
        open_database(str(letter))


@pytest.mark.parametrize("where", ["mysql://x@y/z", ":memory:", "no/such/folder/x.sqlite"])
def test_an_address_that_cannot_be_opened_is_refused_kindly(where):
    with pytest.raises(InputError):
        open_database(where)


def test_a_server_that_does_not_answer_is_named_without_its_password():
    with pytest.raises(InputError) as caught:
        open_database("postgresql://me:geheim@127.0.0.1:1/x")
    assert "geheim" not in str(caught.value)
    assert "127.0.0.1:1" in str(caught.value)


def test_a_file_damaged_where_its_layout_is_noted_is_refused_kindly(tmp_path):
    file = tmp_path / "answers.sqlite"
    made = open_database(str(file))
    upgrade(made)
    with made.reading() as connection:
        page = connection.execute(
            sa.text("SELECT rootpage FROM sqlite_master WHERE name = 'alembic_version'")
        ).scalar_one()
        size = connection.execute(sa.text("PRAGMA page_size")).scalar_one()
    made.close()
    content = bytearray(file.read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    file.write_bytes(content)
    with pytest.raises(FileFormatError, match="Restore a backup"):
        upgrade(open_database(str(file)))
