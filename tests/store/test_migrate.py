"""A database is brought up to date, or refused clearly."""

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
    _config,
    newest,
    upgrade,
)
from howgood.store.schema import metadata


def test_the_steps_lead_to_the_layout_the_program_uses(database):
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


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
