"""Forms of other sites: every address that is written to is guarded, also the ones yet to come."""

from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient
from tests.attacks.surface import READING, content, filled, forms, routes
from tests.flow.hosting.conftest import Person
from tests.web.conftest import PASSWORD, hidden_fields, sign_in

from howgood.settings import Settings
from howgood.web.app import make_app

FORBIDDEN, UNKNOWN_CALLER = 403, 401
# A table is counted and forgotten, for everybody: nothing is changed and nothing is private.
HARMLESS = "/library/{name}"


@pytest.fixture
def place(host):
    """The token of somebody who takes part."""
    return Person(host, "songs", now=datetime.now(UTC)).begin().token


def _written(app):
    return [path for method, path in routes(app)
            if method not in READING and not path.startswith("/api/")]  # fmt: skip


def test_pages_are_written_to_by_forms_alone(owner):
    methods = {method for method, path in routes(owner.app) if not path.startswith("/api/")}
    assert methods == {"GET", "POST"}


# The editor shows what was typed again, with nothing saved, instead of losing it.
REFUSED = {"/studies/{slug}/edit/{part}": 409}


def test_every_form_route_refuses_a_form_without_our_mark(owner, host, place):
    before = content(host, without=())
    paths = _written(owner.app)
    assert len(paths) > 20
    for path in paths:
        sent = owner.post(filled(path, token=place), data={"name": "x", "open": "yes"})
        assert path == HARMLESS or sent.status_code == REFUSED.get(path, FORBIDDEN), path
    assert content(host, without=()) == before


def test_every_form_route_refuses_the_mark_of_somebody_else(owner, host, place):
    with TestClient(make_app(host, Settings()), raise_server_exceptions=False) as thief:
        sign_in(thief, name="ada", password=PASSWORD)
        theirs = hidden_fields(thief.get("/account"))
        assert theirs["csrf"]
        before = content(host, without=())
        for path in _written(owner.app):
            form = theirs | {"signature": theirs["csrf"]}
            sent = owner.post(filled(path, token=place), data=form)
            assert path == HARMLESS or sent.status_code == REFUSED.get(path, FORBIDDEN), path
    assert content(host, without=()) == before


def test_what_a_browser_says_comes_from_another_site_is_refused(owner, host):
    before = content(host, without=())
    form = hidden_fields(owner.get("/account"))
    for path in _written(owner.app):
        sent = owner.post(filled(path), data=form, headers={"Sec-Fetch-Site": "cross-site"})
        assert sent.status_code == FORBIDDEN, path
    assert content(host, without=()) == before


def test_every_form_that_we_write_carries_the_mark(owner):
    found = list(forms(owner))
    assert len(found) > 15
    for form in found:
        if form["method"].lower() != "get" and not form["action"].startswith("/library/"):
            assert {"csrf", "signature"} & set(form["fields"]), form["action"]


def test_looking_at_a_page_changes_nothing(owner, host):
    kept = ("sessions", "audit")  # who took data out is noted
    before = content(host, without=kept)
    for method, path in routes(owner.app):
        if method in READING:
            owner.get(filled(path))
    assert content(host, without=kept) == before


def test_a_signed_in_browser_opens_nothing_of_the_api(owner):
    form = hidden_fields(owner.get("/account"))
    asked = 0
    for method, path in routes(owner.app):
        if path.startswith("/api/v1") and path != "/api/v1/library":
            sent = owner.request(method, filled(path), json=form)
            # A browser that asks before it sends for a product shows no token, and is refused.
            assert sent.status_code == (403 if method == "OPTIONS" else UNKNOWN_CALLER), path
            asked += 1
    assert asked > 15


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_the_api_takes_nothing_that_a_form_could_send(owner, kind):
    sent = owner.post("/api/v1/studies/songs/fits", content=b"{}", headers={"Content-Type": kind})
    assert sent.status_code == UNKNOWN_CALLER
