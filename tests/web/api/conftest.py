"""A server with two studies, an owner and a viewer, and programs with tokens."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient
from tests.flow.hosting.conftest import Person
from tests.web.conftest import database_address, host

from howgood.flow.api_access import issue_token
from howgood.records.api_token import SCOPES
from howgood.records.researcher import Researcher
from howgood.settings import Settings
from howgood.store.schema import researchers
from howgood.web.app import make_app

__all__ = ["database_address", "host"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Name every operation's test by its operation: of namesakes, two processes run one only."""
    for item in items:
        if not item.nodeid.endswith(item.name):  # schemathesis 4 with pytest 9.2
            item._id = item.id.with_params(item.name.partition("[")[2].removesuffix("]"))


@pytest.fixture
def people(database):
    """Return an owner and a viewer, by role."""
    found = {}
    for role in ("owner", "viewer"):
        row = {"name": role, "password_hash": "x", "role": role, "created_at": datetime.now(UTC)}
        number = database.write(
            lambda c, row=row: c.execute(
                sa.insert(researchers).values(**row).returning(researchers.c.id)
            ).scalar_one()
        )
        found[role] = Researcher(number=number, name=role, role=role)
    return found


@pytest.fixture
def token(host, people):
    """Make a token: scopes and study as given, everything else allowed."""

    def make(*scopes, study=None, days=None, now=None):
        return issue_token(
            host, people["owner"], name="test", scopes=scopes or tuple(SCOPES), study=study,
            days=days, now=now or datetime.now(UTC),
        )  # fmt: skip

    return make


@pytest.fixture
def client(host):
    with TestClient(make_app(host, Settings()), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def api(client, token):
    """Call the API with a token that may do everything, or another."""

    def call(method, path, *, secret=None, **options):
        key = token().secret if secret is None else secret
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return client.request(method, f"/api/v1{path}", headers=headers, **options)

    return call


@pytest.fixture
def finished(host):
    """Let people take part from beginning to end."""

    def make(slug, *seeds):
        for seed in seeds:
            someone = Person(host, slug, seed=seed, now=datetime.now(UTC))
            someone.begin()
            someone.finish()

    return make
