"""Who cannot begin: told kindly, and counted once per browser."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.flow.hosting.conftest import RERATING
from tests.web.conftest import hidden_fields

from howgood.flow import remote
from howgood.flow.hosting import add_study
from howgood.kinds.study import Study
from howgood.settings import Settings
from howgood.web.app import make_app


@pytest.fixture
def full(host, browser):
    """A study with one place, which is taken."""
    study = Study.from_dict({**RERATING, "slug": "one", "quota": 1})
    add_study(host, study, folder=Path(), now=datetime.now(UTC))
    page = browser.get("/s/one")
    browser.post("/s/one", data=hidden_fields(page) | {"consent.consent": "yes"})
    return "/s/one"


@pytest.fixture
def stranger(host):
    """Another browser."""
    with TestClient(make_app(host, Settings()), raise_server_exceptions=False) as client:
        yield client


def _refused(host, slug):
    return remote.live_numbers(host, slug, now=datetime.now(UTC)).refused


def test_a_full_study_is_said_before_the_consent_and_each_browser_counts_once(
    host, full, stranger, owner
):
    for _ in range(3):
        page = stranger.get(full)
        assert "This study is full" in page.text
        assert "I agree" not in page.text
    stranger.cookies.clear()
    stranger.head(full)
    assert _refused(host, "one") == {"full": 1, "no_identity": 0}
    stranger.get(full)
    assert _refused(host, "one") == {"full": 2, "no_identity": 0}
    shown = owner.get("/studies/one/counts").text
    assert "<dt>refused, quota full</dt><dd>2</dd>" in shown


def test_who_comes_without_the_id_of_the_platform_gets_a_kind_page(host, stranger, owner):
    study = Study.from_dict({**RERATING, "slug": "paid", "recruitment": "prolific"})
    add_study(host, study, folder=Path(), now=datetime.now(UTC))
    page = stranger.get("/s/paid")
    assert page.status_code == 200
    assert "Please start from the platform that invited you" in page.text
    assert "<form" not in page.text
    assert _refused(host, "paid") == {"full": 0, "no_identity": 1}
    counts = remote.live_numbers(host, "paid", now=datetime.now(UTC))
    assert (counts.places_taken, sum(counts.people.values())) == (0, 0)
    assert "<dt>refused, no platform id</dt><dd>1</dd>" in owner.get("/studies/paid/counts").text
    assert "I agree" in stranger.get("/s/paid?PROLIFIC_PID=a").text


def test_counting_that_fails_is_no_reason_to_fail(host, full, stranger, monkeypatch):
    import sqlalchemy as sa

    def away(*_):
        raise sa.exc.OperationalError("insert", {}, OSError("gone"))

    monkeypatch.setattr(host.database, "write_async", away)
    page = stranger.get(full)
    assert "This study is full" in page.text
    assert "howgood-refused" not in page.headers.get("set-cookie", "")


def test_one_address_is_counted_no_faster_than_people_could_come(host, full, stranger):
    for _ in range(200):
        stranger.cookies.clear()
        stranger.get(full)
    assert _refused(host, "one")["full"] < 150


def test_two_tabs_of_one_browser_are_one_participant(host, browser):
    tabs = [browser.get("/s/songs") for _ in range(2)]
    ends = [
        browser.post("/s/songs", data=hidden_fields(each) | {"consent.consent": "yes"}).url.path
        for each in tabs
    ]
    assert ends[0] == ends[1]
    assert remote.live_numbers(host, "songs", now=datetime.now(UTC)).people["active"] == 1
