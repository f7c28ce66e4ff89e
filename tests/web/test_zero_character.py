"""A character zero is no text, and PostgreSQL keeps none: it is refused wherever it comes from."""

import json

import pytest
from starlette.testclient import TestClient
from tests.postgresql import empty_postgresql_database
from tests.web.conftest import hidden_fields, sign_in

from howgood.settings import Settings
from howgood.web.app import make_app

UNREADABLE, NOT_FOUND, WRONG = 400, 404, 422


@pytest.fixture(params=["sqlite", "postgresql"])
def database_address(request, tmp_path):
    if request.param == "sqlite":
        return str(tmp_path / "answers.sqlite")
    return empty_postgresql_database(request.getfixturevalue("postgresql_server"))


ADDRESSES = [
    "/%00", "/s/doors%00", "/s/%00", "/s/doors?PROLIFIC_PID=a%00b", "/s/doors?x%00=1", "/p/%00",
    "/media/1/%00.png", "/login?next=%00", "/setup/%00", "/studies/%00", "/studies/songs/edit/%00",
    "/studies/songs/picture/%00", "/studies/songs/preview?condition=%00", "/library?q=%00",
    "/studies/songs/results?%00", "/people?%00=1",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_in_an_address_it_is_refused_politely(owner, address):
    page = owner.get(address)
    assert page.status_code == UNREADABLE
    assert "cannot be read" in page.text


def test_a_participants_form_with_it_is_refused_and_can_be_sent_again(browser):
    page = browser.get("/s/doors?PROLIFIC_PID=one")
    form = hidden_fields(page) | {"consent.consent": "yes"}
    for field in form:
        for sent in (form | {field: form[field] + "\x00"}, form | {f"{field}\x00": "x"}):
            refused = browser.post("/s/doors?PROLIFIC_PID=one", data=sent)
            assert refused.status_code == UNREADABLE
            assert "nothing was saved" in refused.text
    assert browser.post("/s/doors?PROLIFIC_PID=one", data=form).status_code == 200


PNG = b"\x89PNG\r\n\x1a\n\x00"


def test_a_researchers_form_with_it_is_refused_in_text_and_names_but_not_in_files(owner, host):
    page = owner.get("/studies/songs/edit/texts")
    form = hidden_fields(page) | {"title": "a\x00b"}
    for files in (None, {"x": ("a.png", b"\x00", "image/png")}):  # as text, and in parts
        assert owner.post(page.url.path, data=form, files=files).status_code == UNREADABLE
    form = hidden_fields(page) | {"title": "Songs"}
    picture = {"rerating.items.0.picture.file": ("a.png", PNG, "image/png")}
    saved = owner.post("/studies/songs/edit/texts", data=form, files=picture)
    assert saved.status_code == 200
    new = {"template": "survey", "slug": "zero", "title": "a\x00b"}
    sent = owner.post("/studies/new", data=hidden_fields(owner.get("/studies/new")) | new)
    assert sent.status_code == UNREADABLE


def test_nobody_signs_in_with_it(host, owner_account):
    with TestClient(make_app(host, Settings()), raise_server_exceptions=False) as stranger:
        assert sign_in(stranger, name="ada\x00").status_code == UNREADABLE


def test_a_study_file_with_it_is_refused_with_its_place(owner):
    text = 'kind = "rerating"\nslug = "zero"\ntitle = "a\\u0000b"\n'
    form = hidden_fields(owner.get("/studies/new"))
    page = owner.post(
        "/studies/upload", data=form, files={"file": ("zero.toml", text, "text/plain")}
    )
    assert page.status_code == WRONG
    assert "a character zero" in page.text


@pytest.mark.parametrize(
    "path", ["/studies/%00", "/studies?%00=1", "/studies/songs/participants?after=%00"]
)
def test_a_program_is_told_so_too(owner, path):
    told = owner.get(f"/api/v1{path}", headers={"Authorization": "Bearer x"})
    assert told.status_code == UNREADABLE
    assert told.headers["content-type"] == "application/problem+json"
    assert json.loads(told.text)["status"] == UNREADABLE
