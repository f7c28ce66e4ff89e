"""Somebody who wants to be somebody else: planted sessions, borrowed forms, forged hosts."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher, extract_parameters
from starlette.testclient import TestClient
from tests.web.conftest import PASSWORD, hidden_fields, sign_in

from howgood.flow import accounts
from howgood.flow.accounts import passwords
from howgood.flow.hosting import tokens
from howgood.settings import Settings
from howgood.store import schema
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


def _is_open(host, token):
    return accounts.who(host, token, now=datetime.now(UTC)) is not None


def test_signing_in_gives_a_new_session_and_ends_the_one_before(browser, host, owner_account):
    sign_in(browser)
    first = browser.cookies[SESSION]
    assert _is_open(host, first)
    sign_in(browser)
    assert browser.cookies[SESSION] != first
    assert not _is_open(host, first)
    assert _is_open(host, browser.cookies[SESSION])


def test_a_copied_session_ends_at_signing_out(owner, host):
    copied = owner.cookies[SESSION]
    owner.post("/logout", data=hidden_fields(owner.get("/account")))
    assert not _is_open(host, copied)


def test_a_copied_session_ends_when_the_password_is_changed(owner, host):
    copied = owner.cookies[SESSION]
    form = hidden_fields(owner.get("/account")) | {"old": PASSWORD, "new": "a quite new password"}
    owner.post("/account", data=form)
    assert not _is_open(host, copied)
    assert owner.get("/account", follow_redirects=False).status_code == 200


def test_a_session_has_no_more_rights_than_its_person_has_now(viewer, owner, host, database):
    """Nobody's role can be changed yet; one who is removed is out at once."""
    token = viewer.cookies[SESSION]
    (number,) = (each.number for each in accounts.members(host, now=datetime.now(UTC)).researchers
                 if each.name == "grace")  # fmt: skip
    for role, status in (("owner", 200), ("viewer", 403)):
        made = sa.update(schema.researchers).where(schema.researchers.c.id == number)
        database.write(lambda c, made=made, role=role: c.execute(made.values(role=role)))
        assert viewer.get("/people").status_code == status
    owner.post(f"/people/{number}/remove", data=hidden_fields(owner.get("/people")))
    assert not _is_open(host, token)
    assert viewer.get("/studies").url.path == "/login"


def test_a_name_that_does_not_exist_costs_the_same_work(browser, owner_account, monkeypatch):
    """Timing is noisy; what is computed is not: one comparison, of the same cost, either way."""
    compared = []

    class Counting(PasswordHasher):
        def verify(self, known, given):
            compared.append(extract_parameters(known))
            return super().verify(known, given)

    monkeypatch.setattr(passwords, "_HASHER", Counting(time_cost=1, memory_cost=64, parallelism=1))
    passwords._nobodys.cache_clear()
    passwords.is_right("x", None)  # the first comparison makes what strangers are compared with
    compared.clear()
    form = hidden_fields(browser.get("/login")) | {"password": "not this one"}
    for name in ("ada", "nobody", "", "x" * 5000, "' OR 1=1"):
        before = len(compared)
        assert browser.post("/login", data=form | {"name": name}).status_code == 422
        assert len(compared) == before + 1, name
    assert len(set(map(repr, compared))) == 1


def test_a_wrong_link_tells_no_names(browser, host, owner_account):
    """A stranger with a made-up invitation cannot find out which names are taken."""
    form = hidden_fields(browser.get("/login")) | {"password": "a quite good password"}
    pages = [browser.post("/setup/made-up", data=form | {"name": name}).text
             for name in ("ada", "nobody")]  # fmt: skip
    assert pages[0] == pages[1]


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
    page = browser.post("/s/songs", data=hidden_fields(door) | {"consent.consent": "yes"})
    token = page.url.path.split("/")[2]
    browser.cookies.clear()
    browser.cookies.set("howgood-doors", token)
    assert browser.get("/s/doors", follow_redirects=False).status_code == 200
    digest = tokens.digest(token)
    assert browser.get(f"/p/{digest}").status_code == 404
    other = hidden_fields(browser.get("/s/doors")) | {"consent.consent": "yes"}
    assert browser.post(f"/p/{token}", data=other).status_code == 403
