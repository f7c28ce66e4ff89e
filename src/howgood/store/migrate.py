"""Bring a database to the layout this program knows, or refuse clearly.

In: a `Database`. Out: the same, up to date. Absent: the steps themselves (`migrations/versions`).
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.errors import FileFormatError, InputError
from howgood.store import schema
from howgood.store.database import Database

# Alembic takes a third of a second to load: only when there are steps to take.
if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

_STEPS = Path(__file__).parent / "migrations"
# Any number will do, as long as every howgood process asks for the same one.
_LOCK = 4_072_018
# Where Alembic notes the last step, as it would make the table itself.
_NOTED = sa.Table(
    "alembic_version",
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


class NewerDatabaseError(InputError):
    """The database was made by a newer howgood than this one."""

    def __init__(self, *, revision: str, known: str) -> None:
        super().__init__(
            where="database",
            found=f"layout {revision!r}, which this howgood does not know",
            needed=f"layout {known!r} or older",
            cure="Update howgood, or name another database. Nothing was changed.",
        )
        self.revision, self.known = revision, known


class ForeignDatabaseError(InputError):
    """The database holds tables that are not howgood's."""

    def __init__(self, *, tables: list[str]) -> None:
        super().__init__(
            where="database",
            found=f"tables of another program ({', '.join(tables[:5])})",
            needed="an empty database, or one made by howgood",
            cure="Name another database. Nothing was changed.",
        )
        self.tables = tables


def upgrade(database: Database) -> None:
    """Apply what is missing, all or nothing; several processes may call this at once."""
    if _is_newest(database):
        return
    with _refusing_damage():
        database.restructure(_apply_missing)


def _apply_missing(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    if sa.inspect(connection).get_table_names():
        _apply_steps(connection)
    else:
        _create_newest(connection)


def _create_newest(connection: Connection) -> None:
    """Make the tables of an empty database as the steps would have left them.

    A test holds both ways against each other, down to names of constraints and order of columns.
    """
    schema.metadata.create_all(connection, checkfirst=False)
    connection.execute(
        sa.insert(schema.facts),
        [
            {"name": "signing_key", "value": secrets.token_hex(32)},
            {"name": "draft_edition", "value": "0"},
        ],
    )
    _NOTED.create(connection)
    connection.execute(sa.insert(_NOTED), {"version_num": newest()})


def _apply_steps(connection: Connection) -> None:
    from alembic import command
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = _config()
    known = ScriptDirectory.from_config(config)
    revision = MigrationContext.configure(connection).get_current_revision()
    _refuse_unknown(connection, revision, known)
    if revision != known.get_current_head():
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@contextmanager
def _refusing_damage() -> Iterator[None]:
    """Say kindly that a database cannot be read."""
    try:
        yield
    except sa.exc.OperationalError:
        raise  # the database is away or busy, which is no fault of its content
    except sa.exc.DatabaseError as error:
        raise FileFormatError(
            where="database",
            found=f"one that cannot be read ({str(error.orig).strip().splitlines()[0]})",
            needed="a sound database made by howgood",
            cure="Restore a backup. Nothing was changed.",
        ) from error


def newest() -> str:
    """Return the last step's number, which its file is named for."""
    return max(path.name[1:5] for path in (_STEPS / "versions").glob("m[0-9]*.py"))


def _is_newest(database: Database) -> bool:
    with _refusing_damage(), database.reading() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return False
        return connection.execute(sa.select(_NOTED)).scalars().all() == [newest()]


def _refuse_unknown(connection: Connection, revision: str | None, known: "ScriptDirectory") -> None:
    revisions = {script.revision for script in known.walk_revisions()}
    if revision is not None and revision not in revisions:
        raise NewerDatabaseError(revision=revision, known=str(known.get_current_head()))
    tables = [
        name for name in sa.inspect(connection).get_table_names() if name != "alembic_version"
    ]
    if revision is None and tables:
        raise ForeignDatabaseError(tables=sorted(tables))


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_STEPS))
    return config
