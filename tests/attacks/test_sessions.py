"""Somebody who wants to be somebody else: planted sessions, borrowed forms, forged hosts."""

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import PASSWORD, hidden_fields

from howgood.flow.hosting import tokens
from howgood.settings import Settings
from howgood.web.access import SESSION, VISITOR
from howgood.web.app import make_app

PLANTED = "planted-by-somebody-else-0123456"


def test_a_session_planted_before_signing_in_opens_nothing_after_it(browser, host, owner_account):
    browser.cookies.set(SESSION, PLANTED)
    form = hidden_fields(browser.get("/login")) | {"name": "ada", "password": PASSWORD}
    entered = browser.post("/login", data=form, follow_redirects=False)
    assert entered.status_code == 303
    assert f"{SESSION}={PLANTED}" not in entered.headers["set-cookie"]
    with TestClient(make_app(host, Settings())) as thief:
        thief.cookies.set(SESSION, PLANTED)
        assert thief.get("/account").url.path == "/login"


def test_a_form_of_one_visitor_signs_nobody_else_in(browser, host, owner_account):
    with TestClient(make_app(host, Settings())) as thief:
        theirs = hidden_fields(thief.get("/login"))
    browser.get("/login")
    assert browser.cookies.get(VISITOR)
    sent = browser.post("/login", data=theirs | {"name": "ada", "password": PASSWORD})
    assert sent.status_code == 403
    assert not browser.cookies.get(SESSION)


def test_a_signed_in_browser_is_no_key_to_the_api(owner):
    assert owner.get("/account").status_code == 200
    assert owner.get("/api/v1/studies").status_code == 401
    assert owner.patch("/api/v1/studies/songs", json={"is_open": False}).status_code == 401


@pytest.mark.parametrize("address", ["//[", "//[x]@y", "/\t/evil.example", "/x\r\nSet-Cookie: a=b"])
def test_signing_in_stays_here_and_writes_no_header(browser, owner_account, address):
    page = browser.get("/login", params={"next": address})
    assert page.status_code == 200
    form = hidden_fields(page) | {"name": "ada", "password": PASSWORD, "next": address}
    entered = browser.post("/login", data=form, follow_redirects=False)
    assert entered.status_code == 303
    assert entered.headers["location"].startswith("/")
    assert not entered.headers["location"].startswith(("//", "/\\"))
    assert "evil" not in entered.headers["location"]
    assert "a" not in entered.cookies


def test_an_invitation_names_our_address_whatever_the_host_says(settled, owner_account):
    settled.cookies.set(SESSION, owner_account.token)
    form = hidden_fields(settled.get("/people")) | {"role": "viewer"}
    page = settled.post("/people", data=form, headers={"Host": "evil.example"})
    assert "https://study.example/setup/" in page.text
    assert "evil.example" not in page.text


def test_somebodys_place_in_one_study_is_no_way_into_another(browser):
    door = browser.get("/s/songs")
    page = browser.post("/s/songs", data=hidden_fields(door) | {"consent": "yes"})
    token = page.url.path.removeprefix("/p/")
    browser.cookies.clear()
    browser.cookies.set("howgood-doors", token)
    assert browser.get("/s/doors", follow_redirects=False).status_code == 200
    digest = tokens.digest(token)
    assert browser.get(f"/p/{digest}").status_code == 404
    other = hidden_fields(browser.get("/s/doors")) | {"consent": "yes"}
    assert browser.post(f"/p/{token}", data=other).status_code == 403
