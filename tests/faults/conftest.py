"""Servers of both kinds that are to be broken."""

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import uvicorn
from benchmarks.load.servers import HowgoodServer
from tests.faults.people import STUDY
from tests.postgresql import empty_postgresql_database, running_postgresql

from howgood.flow import hosting
from howgood.kinds.study import Study
from howgood.settings import Settings
from howgood.web import server as web_server
from howgood.web.app import make_app


@dataclass
class Stage:
    """Starts the server whose trouble is looked at; all of it ends with the test."""

    database: str  # "SQLite" or "PostgreSQL"
    address: str
    folder: object
    started: list

    def serve(self, *studies, **how):
        """Start `howgood serve` on the stage's database."""
        self.server = HowgoodServer(self.folder, studies or [STUDY], database=self.address, **how)
        self.started.append(self.server)
        return self.server

    @contextmanager
    def serve_here(self):
        """Run the same server in this process, where its inside can be reached."""
        address = self.address if "://" in self.address else str(self.folder / self.address)
        host = hosting.open_host(address)
        study = Study.from_dict(STUDY)
        hosting.add_study(host, study, folder=self.folder, now=datetime.now(UTC))
        config = uvicorn.Config(
            make_app(host, Settings()), host="127.0.0.1", port=0, **web_server.options()
        )
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run)
        thread.start()
        try:
            while not running.started:
                time.sleep(0.01)
            port = running.servers[0].sockets[0].getsockname()[1]
            yield host, SimpleNamespace(port=port, database=address)
        finally:
            running.should_exit = True
            thread.join()


@contextmanager
def staged(database, address, folder):
    """Give a stage whose servers end with it."""
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
    with staged("SQLite", "answers.sqlite", tmp_path) as made:
        yield made


@pytest.fixture
def postgresql_stage(tmp_path, postgresql_server):
    """An empty database on the PostgreSQL that all tests share."""
    address = empty_postgresql_database(postgresql_server)
    with staged("PostgreSQL", address, tmp_path) as made:
        yield made


@pytest.fixture
def own_postgresql(tmp_path):
    """A PostgreSQL that may be broken, and an empty database in it."""
    with (
        running_postgresql() as server,
        staged("PostgreSQL", empty_postgresql_database(server.folder), tmp_path) as made,
    ):
        yield server, made
