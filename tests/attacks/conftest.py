"""The whole application in one process, with people who mean harm."""

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient
from tests.web.conftest import (
    browser,
    database_address,
    host,
    owner,
    owner_account,
    quick_passwords,
    viewer,
)
from tests.web_routes import every_route

from howgood.settings import Settings
from howgood.web.app import make_app

__all__ = [
    "browser",
    "database_address",
    "host",
    "owner",
    "owner_account",
    "quick_passwords",
    "viewer",
]


@pytest.fixture
def settled(host):
    """A browser at a server that knows its own public address."""
    settings = Settings(public_url="https://study.example")
    with TestClient(make_app(host, settings), raise_server_exceptions=False) as client:
        yield client


def pages(app):
    """Every address of the application that can be looked at, with its variable parts."""
    return [
        route.path
        for route in every_route(app)
        if isinstance(route, Route) and "GET" in route.methods
    ]
