"""The whole application in one process, without sockets."""

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher
from starlette.testclient import TestClient
from tests.flow.hosting.conftest import RERATING, SURVEY

from howgood.flow import accounts
from howgood.flow.accounts import passwords
from howgood.flow.hosting import Host, add_study
from howgood.kinds.study import Study
from howgood.settings import Settings
from howgood.store.schema import attempts
from howgood.web.access import SESSION
from howgood.web.app import make_app

HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


@pytest.fixture
def database_address(tmp_path):
    """SQLite alone: what pages do is the same on both, and store and flow are tested on both."""
    return str(tmp_path / "answers.sqlite")


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch):
    """Hash with little memory: dozens of accounts are made here."""
    small = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    monkeypatch.setattr(passwords, "_HASHER", small)
    passwords._nobodys.cache_clear()


@pytest.fixture
def host(database):
    opened = Host(database)
    for study in (RERATING, SURVEY):
        add_study(opened, Study.from_dict(study), folder=Path(), now=datetime.now(UTC))
    return opened


@pytest.fixture
def browser(host):
    """A browser without JavaScript that follows redirects."""
    with TestClient(make_app(host, Settings()), raise_server_exceptions=False) as client:
        yield client


def hidden_fields(page):
    return {unescape(name): unescape(value) for name, value in HIDDEN.findall(page.text)}


def forget_attempts(host):
    """Let everybody try passwords as if nobody had."""
    host.database.write(lambda connection: connection.execute(sa.delete(attempts)))


PASSWORD = "correct horse battery"  # noqa: S105 - of an account in a test


def join(client, token, *, name="Ada", password=PASSWORD):
    page = client.get(f"/setup/{token}")
    form = hidden_fields(page) | {"name": name, "password": password}
    return client.post(f"/setup/{token}", data=form)


def sign_in(client, *, name="ada", password=PASSWORD):
    form = hidden_fields(client.get("/login")) | {"name": name, "password": password}
    return client.post("/login", data=form)


@pytest.fixture
def owner_account(host):
    """An owner called ada, not signed in anywhere."""
    now = datetime.now(UTC)
    token = accounts.setup_link(host, now=now)
    return accounts.join(host, token, name="ada", password=PASSWORD, now=now).signed_in


@pytest.fixture
def owner(host, owner_account):
    """A browser in which the owner ada is signed in."""
    with TestClient(make_app(host, Settings()), raise_server_exceptions=False) as client:
        client.cookies.set(SESSION, owner_account.token)
        yield client


@pytest.fixture
def viewer(host, owner_account):
    """A browser in which the viewer grace is signed in."""
    now = datetime.now(UTC)
    token = accounts.invite(host, owner_account.researcher, role="viewer", now=now)
    joined = accounts.join(host, token, name="grace", password=PASSWORD, now=now)
    with TestClient(make_app(host, Settings()), raise_server_exceptions=False) as client:
        client.cookies.set(SESSION, joined.signed_in.token)
        yield client
