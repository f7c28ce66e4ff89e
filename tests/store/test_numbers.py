"""A number means one thing for ever: it is never given out again, also on old databases."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from alembic import command

from howgood.errors import FileFormatError
from howgood.store import migrate
from howgood.store.database import open_database
from howgood.store.schema import metadata

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
# Numbers that the database gives; those of a draw are drawn at random, so that they say nothing.
NUMBERED = [
    name for name, table in metadata.tables.items() if "id" in table.c and name != "draw_entries"
]
# What a layout before the newest did not have is left out of its rows.
ROWS = {
    "studies": {"id": 7, "slug": "a", "title": "A", "kind": "survey", "is_open": True},
    "versions": {"id": 7, "study_id": 7, "digest": "d", "content": {"ü": [1, None]}},
    "media": {"version_id": 7, "name": "x.png", "media_type": "image/png", "content": b"\x89\x00"},
    "participants": {
        "id": 7, "study_id": 7, "version_id": 7, "token_digest": "t", "origin": {}, "seed": 2**62,
        "status": "active", "is_pilot": False, "external_id": None,
    },
    "screens": {"participant_id": 7, "name": "s", "position": 1, "content": {}, "shown_at": NOW},
    "answers": {"participant_id": 7, "screen": "s", "content": {"x": 0.1}, "answered_at": NOW},
    "researchers": {"id": 7, "name": "ada", "password_hash": "x", "role": "owner"},
    "sessions": {"token_digest": "t", "researcher_id": 7, "expires_at": NOW},
    "api_tokens": {
        "id": 7, "token_digest": "t", "name": "n", "scopes": ["studies"], "study_id": 7,
        "researcher_id": 7,
    },
    "drafts": {"study_id": 7, "content": {}, "edition": 3, "changed_at": NOW},
    "draft_media": {"study_id": 7, "name": "y.png", "media_type": "image/png", "content": b"y"},
    "uploads": {"id": 7, "study_id": 7, "purpose": "scores", "name": "s.csv", "content": b"s"},
    "jobs": {
        "id": 7, "study_id": 7, "task": "fit", "settings": {}, "status": "done", "progress": 1.0,
        "message": "", "attempts": 1, "result": {"alpha": 0.5},
    },
    "cards": {"name": "c", "study_id": 7, "content": {}, "published_at": NOW},
    "audit": {"id": 7, "at": NOW, "actor": "ada", "action": "x", "study": "a", "detail": {}},
}  # fmt: skip

# Tables that later steps made.
LATER = {
    "imports": {"study_id": 7, "source": "a.csv", "actor": "ada"},
    "groups": {"name": "lab"},
    "study_roles": {"study_id": 7, "researcher_id": 7, "role": "viewer"},
    "result_links": {
        "study_id": 7, "token_digest": "l", "name": "press", "actor": "ada", "expires_at": NOW,
    },
    "webhooks": {
        "id": 7, "study_id": 7, "target": "https://example.org", "secret": "s", "events": [],
        "actor": "ada",
    },
    "deliveries": {
        "webhook_id": 7, "event": "full", "subject": "first", "content": {}, "attempts": 0,
        "outcome": "",
    },
    "session_notes": {
        "participant_id": 7, "topic": "aloud", "screen": "first", "text": "hm", "actor": "ada",
        "noted_at": NOW,
    },
    "products": {
        "id": 7, "study_id": 7, "name": "app", "application": "alarm", "token_digest": "p",
        "origins": [], "is_open": True, "actor": "ada",
    },
    "use_answers": {
        "product_id": 7, "key": "first", "person": "x", "accepted": True, "hits": 1, "misses": 0,
        "false_alarms": 0, "release": "", "at": NOW,
    },
}  # fmt: skip
# What a row of these tables belongs to.
OWNERS = {"deliveries": "webhooks", "use_answers": "products"}


def _insert(name, values):
    table = metadata.tables[name]
    moment = {"created_at": NOW} if "created_at" in table.c else {}
    return sa.insert(table).values(**moment | values)


def _fill(connection):
    for name, values in ROWS.items():
        connection.execute(_insert(name, values))


def _every_row(connection):
    """Every row of every table, in the columns that every layout has."""
    columns = {
        name: [column for column in metadata.tables[name].c if column.name in values]
        for name, values in ROWS.items()
    }
    return {
        name: [tuple(row) for row in connection.execute(sa.select(*columns[name]))] for name in ROWS
    }


def _layout(database):
    with database.reading() as connection:
        found = sa.inspect(connection)
        return {
            name: (
                [(c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(name)],
                found.get_pk_constraint(name)["constrained_columns"],
                sorted(
                    (k["name"], k["options"].get("ondelete")) for k in found.get_foreign_keys(name)
                ),
                sorted(k["name"] for k in found.get_unique_constraints(name)),
                sorted(k["name"] for k in found.get_indexes(name)),
            )
            for name in found.get_table_names()
        }


def _step(connection, revision):
    config = migrate._config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


@pytest.fixture
def older(database_address):
    """A database as it was before numbers were kept, with a row in every table."""
    opened = open_database(database_address)

    def make(connection):
        _step(connection, "0002")
        _fill(connection)

    opened.write(make)
    yield opened
    opened.close()


def _gives(connection, name):
    """Store another row and return the number it gets."""
    table = metadata.tables[name]
    values = {key: value for key, value in (ROWS | LATER)[name].items() if key != "id"}
    fresh = dict.fromkeys({"slug", "digest", "token_digest", "name"} & set(values), "fresh")
    return connection.execute(_insert(name, values | fresh).returning(table.c.id)).scalar_one()


@pytest.mark.parametrize("name", NUMBERED)
def test_a_number_is_not_given_out_again_after_its_row_is_gone(database, name):
    table = metadata.tables[name]

    def again(connection):
        _fill(connection)
        if name in OWNERS:
            connection.execute(_insert(OWNERS[name], LATER[OWNERS[name]]))
        first = _gives(connection, name)
        connection.execute(sa.delete(table).where(table.c.id == first))
        return first, _gives(connection, name)

    first, second = database.write(again)
    assert second > first


def test_a_database_with_rows_survives_the_step_unchanged(older):
    with older.reading() as connection:
        before = _every_row(connection)
    migrate.upgrade(older)
    with older.reading() as connection:
        assert _every_row(connection) == before
    assert all(before.values())


def test_the_step_changes_nothing_else_about_the_tables(older):
    before = _layout(older)
    older.restructure(lambda connection: _step(connection, "0003"))
    assert _layout(older) == before


def test_after_the_step_rows_still_go_with_the_study_they_belong_to(older):
    migrate.upgrade(older)
    studies, people = metadata.tables["studies"], metadata.tables["participants"]

    def delete(connection):
        connection.execute(sa.delete(people))
        connection.execute(sa.delete(studies))

    older.write(delete)
    with older.reading() as connection:
        left = {name for name, rows in _every_row(connection).items() if rows}
    assert left == {"researchers", "sessions", "cards", "audit"}


def test_a_step_that_fails_leaves_everything_as_it_was(older):
    before = _layout(older)
    with older.reading() as connection:
        rows = _every_row(connection)

    def half(connection):
        _step(connection, "0003")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        older.restructure(half)
    assert _layout(older) == before
    with older.reading() as connection:
        assert _every_row(connection) == rows


@pytest.mark.parametrize("database_address", ["sqlite"], indirect=True)
def test_a_step_that_would_lose_what_rows_belong_to_is_undone_and_named(older):
    def careless(connection):
        connection.execute(sa.text("DELETE FROM participants"))

    with pytest.raises(FileFormatError, match=r"screens.*Nothing was changed"):
        older.restructure(careless)
    with older.reading() as connection:
        assert all(_every_row(connection).values())
