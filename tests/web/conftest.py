"""The whole application in one process, without sockets."""

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.flow.hosting.conftest import RERATING, SURVEY

from howgood.flow.hosting import Host, add_study
from howgood.records.study import Study
from howgood.settings import Settings
from howgood.web.app import make_app

HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


@pytest.fixture
def database_address(tmp_path):
    """SQLite alone: what pages do is the same on both, and store and flow are tested on both."""
    return str(tmp_path / "answers.sqlite")


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
