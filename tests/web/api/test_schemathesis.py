"""Machines try the API: no server error, nothing outside its own document."""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi import checks

from howgood.settings import Settings
from howgood.web.api.openapi import openapi
from howgood.web.app import make_app
from howgood.web.middleware import Pace

load_all_checks()
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.missing_required_header,
    checks.ignored_auth,
]


class Current:
    """The application of the test that runs; operations are collected before there is one."""

    app = None

    async def __call__(self, scope, receive, send):
        await self.app(scope, receive, send)


current = Current()
schema = schemathesis.openapi.from_dict(openapi())
schema.app = current


@pytest.fixture(autouse=True)
def running(host, finished, monkeypatch):
    """An application with somebody's answers in it, and no limit on how often it may be tried."""
    monkeypatch.setattr("howgood.web.api.app.PACE", Pace(at_once=1e9, per_second=1e9))
    finished("doors", 1, 2)
    current.app = make_app(host, Settings())


@pytest.fixture
def secret(token):
    """One token for all cases of an operation: making one writes to the database."""
    return token().secret


few = settings(
    max_examples=4 * int(os.environ.get("HOWGOOD_MORE_CASES", "1")),
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    deadline=None,
    derandomize=True,
    database=None,
)
# To make up whole studies takes a quarter of a minute; a new version has the body of a new study.
AGAIN = {"method": "POST", "path": "/api/v1/studies/{slug}/versions"}


@schema.exclude(**AGAIN).parametrize()
@few
def test_the_api_keeps_to_its_document(case, secret):
    _keeps_to_its_document(case, secret)


@pytest.mark.slow
@schema.include(**AGAIN).parametrize()
@few
def test_new_versions_keep_to_it_too(case, secret):
    _keeps_to_its_document(case, secret)


def _keeps_to_its_document(case, secret):
    mode = case.meta.generation.mode if case.meta else None
    if mode is schemathesis.GenerationMode.POSITIVE and "slug" in (case.path_parameters or {}):
        case.path_parameters["slug"] = "doors"  # reach what lies behind a study that exists
    headers = {"Authorization": f"Bearer {secret}"}
    case.call_and_validate(checks=CHECKS, headers=headers)
