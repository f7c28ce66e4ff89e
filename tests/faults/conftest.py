"""Servers of both kinds that are to be broken."""

from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from benchmarks.load.servers import HowgoodServer
from tests.faults.people import STUDY
from tests.postgresql import empty_postgresql_database, running_postgresql


@dataclass
class Stage:
    """Starts the server whose trouble is looked at; all of it ends with the test."""

    database: str  # "SQLite" or "PostgreSQL"
    address: str
    folder: object
    started: list

    def serve(self, *studies, **how):
        """Start `howgood serve` on the stage's database."""
        server = HowgoodServer(self.folder, studies or [STUDY], database=self.address, **how)
        self.started.append(server)
        return server


@contextmanager
def _stage(database, address, folder):
    made = Stage(database, address, folder, [])
    try:
        yield made
    finally:
        for server in made.started:
            server.kill()


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def stage(request):
    """An empty database of each kind, and servers on it."""
    return request.getfixturevalue(f"{request.param.lower()}_stage")


@pytest.fixture
def sqlite_stage(tmp_path):
    """An empty folder for a SQLite file."""
    with _stage("SQLite", "answers.sqlite", tmp_path) as made:
        yield made


@pytest.fixture
def postgresql_stage(tmp_path, postgresql_server):
    """An empty database on the PostgreSQL that all tests share."""
    address = empty_postgresql_database(postgresql_server)
    with _stage("PostgreSQL", address, tmp_path) as made:
        yield made


@pytest.fixture
def own_postgresql(tmp_path):
    """A PostgreSQL that may be broken, and an empty database in it."""
    with (
        running_postgresql() as server,
        _stage("PostgreSQL", empty_postgresql_database(server.folder), tmp_path) as made,
    ):
        yield server, made
