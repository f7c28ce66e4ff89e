"""Invitations and new passwords by e-mail: the link is in the letter, and not on the page."""

import re

import pytest
from starlette.testclient import TestClient
from tests.smtp import mail_server
from tests.web.conftest import PASSWORD, hidden_fields

from howgood.settings import Settings
from howgood.web.access import SESSION
from howgood.web.app import make_app

LINK = re.compile(r"https://studies\.example\.org(/setup/[\w-]+)")


@pytest.fixture
def mailing(host, owner_account):
    """An owner's browser at a server that sends e-mail, and what was sent."""
    with mail_server() as (port, letters):
        settings = Settings(mail=f"smtp://127.0.0.1:{port}", mail_from="s@example.org",
                            public_url="https://studies.example.org")  # fmt: skip
        app = make_app(host, settings)
        with TestClient(app, base_url="https://studies.example.org") as client:
            client.cookies.set(SESSION, owner_account.token)
            yield client, letters


@pytest.mark.parametrize(("page", "form"), [
    ("/people", "/people"), ("/studies/doors/share", "/studies/doors/share/invitations")
])  # fmt: skip
def test_an_invitation_is_sent_and_makes_an_account(mailing, page, form):
    client, letters = mailing
    sent = client.post(form, data=hidden_fields(client.get(page)) | {
        "role": "viewer", "mail": " new@example.org "})  # fmt: skip
    assert "new@example.org" in sent.text
    assert not LINK.search(sent.text)
    (letter,) = letters
    assert letter["to"] == "new@example.org"
    path = LINK.search(letter.get_content())[1]
    client.cookies.clear()
    setup = client.get(path)
    client.post(path, data=hidden_fields(setup) | {"name": "new", "password": PASSWORD})
    assert client.get("/studies").url.path == "/studies"


def test_a_letter_that_is_not_taken_leaves_the_link_on_the_page(mailing):
    client, letters = mailing
    sent = client.post("/people", data=hidden_fields(client.get("/people")) | {
        "role": "guest", "mail": "nobody@example.org"})  # fmt: skip
    assert "was not sent" in sent.text
    assert LINK.search(sent.text)
    assert letters == []


def test_a_wrong_address_makes_no_invitation(mailing):
    client, letters = mailing
    before = client.get("/people").text.count("Withdraw the invitation")
    sent = client.post("/people", data=hidden_fields(client.get("/people")) | {
        "role": "guest", "mail": "nobody"})  # fmt: skip
    assert sent.status_code == 422
    assert client.get("/people").text.count("Withdraw the invitation") == before
    assert letters == []


def test_without_a_mail_server_no_address_is_asked_for(owner):
    assert "E-mail" not in owner.get("/people").text
    assert "E-mail" not in owner.get("/studies/doors/share").text
