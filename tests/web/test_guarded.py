"""Every address that writes is guarded, and every text comes out as text."""

import re
import tomllib
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
import sqlalchemy as sa
from starlette.routing import Route
from tests.flow.hosting.conftest import RERATING, SURVEY
from tests.web.conftest import hidden_fields
from tests.web.test_studies import edit, form_fields, make, publish, take_part
from tests.web_routes import every_route

from howgood.flow import authoring
from howgood.flow.hosting import add_study
from howgood.flow.study_files.new import template
from howgood.kinds.study import Study
from howgood.store.schema import metadata
from howgood.web import permissions

FORBIDDEN, NOT_FOUND = 403, 404
# Participants' own, signing in and out, one's own password; and looking at a draft, which stores
# nothing (tested below). Everything else that is sent by a form needs an owner.
OPEN = {"/s/{slug}", "/p/{token}", "/p/{token}/{step}", "/login", "/login/second",
        "/login/passkey", "/logout", "/setup/{token}",
        "/account", "/studies/{slug}/preview", "/studies/{slug}/glance/{part}"}  # fmt: skip
ATTACK = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}${7*7}"


def _writing_routes(app):
    for route in every_route(app):
        if isinstance(route, Route) and route.methods & {"POST", "PUT", "PATCH", "DELETE"}:
            path = route.path
            if path not in OPEN and not path.startswith(("/api/", "/library")):
                yield path


def _address(path):
    filled = path.replace("{slug}", "songs").replace("{part}", "texts").replace("{token}", "x")
    return re.sub(r"\{\w+(:\w+)?\}", "1", filled)


def _content(host):
    with host.database.reading() as connection:
        return {
            name: connection.execute(sa.select(table)).all()
            for name, table in metadata.tables.items()
            if name != "sessions"
        }


def test_a_viewer_cannot_write_anywhere(viewer, host):
    form = hidden_fields(viewer.get("/account"))
    before = _content(host)
    paths = list(_writing_routes(viewer.app))
    assert len(paths) > 10
    for path in paths:
        need = permissions.PAGES[f"POST {path}"]
        # Their own password and sessions; whoever took part withdraws by a code, signed in or not.
        if need == permissions.ACCOUNT or path == "/withdraw":
            continue
        sent = viewer.post(_address(path), data=form)
        assert sent.status_code == FORBIDDEN, path
    assert _content(host) == before


def test_a_stranger_cannot_write_anywhere_and_reads_no_page(browser, host):
    before = _content(host)
    for path in _writing_routes(browser.app):
        sent = browser.post(_address(path), data={}, follow_redirects=False)
        assert sent.status_code in (303, FORBIDDEN), path
    for route in every_route(browser.app):
        is_page = isinstance(route, Route) and "GET" in route.methods
        if is_page and route.path.startswith(
            ("/studies", "/people", "/account", "/tokens", "/history")
        ):
            page = browser.get(_address(route.path), follow_redirects=False)
            assert page.headers.get("location", "").startswith("/login"), route.path
    assert _content(host) == before


def test_an_owner_without_the_hidden_field_cannot_write_either(owner, host):
    before = _content(host)
    for path in _writing_routes(owner.app):
        # The editor shows what was typed again, with nothing saved, instead of losing it.
        refused = 409 if path == "/studies/{slug}/edit/{part}" else FORBIDDEN
        assert owner.post(_address(path), data={}).status_code == refused, path
    assert _content(host) == before


def test_looking_at_a_draft_stores_nothing(viewer, host):
    before = _content(host)
    page = viewer.get("/studies/songs/preview")
    viewer.post("/studies/songs/preview", data=hidden_fields(page) | {"consent.consent": "yes"})
    sent = form_fields(viewer.get("/studies/songs/edit/texts")) | hidden_fields(page)
    assert viewer.post("/studies/songs/glance/texts", data=sent).status_code == 200
    assert _content(host) == before


def _attacked(value, key=""):
    """Put the attack into every text that people write freely."""
    if isinstance(value, dict):
        return {name: _attacked(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_attacked(each, key) for each in value]
    fixed = {"kind", "slug", "key", "language", "type", "recruitment", "file", "digest",
             "algorithm", "rule", "direct"}  # fmt: skip
    is_text = isinstance(value, str) and key not in fixed and key not in ("precision", "recall")
    return f"{value} {ATTACK}" if is_text and "applications" not in key else value


def _is_harmless(page):
    assert "<script>alert" not in page.text
    assert "<img src=x" not in page.text
    assert not re.search(r"<[^>]*\sonerror=alert", re.sub(r'"[^"]*"', '""', page.text))
    assert "{49}" not in page.text
    assert "$49" not in page.text


def _short_comparison():
    study = tomllib.loads(template("comparison"))
    study["comparison"] |= {"queries": 6, "checks": 0, "repeats": 0, "evaluation": 1}
    return study


@pytest.mark.parametrize(
    "study", [SURVEY, RERATING, _short_comparison()], ids=["survey", "rerating", "comparison"]
)
def test_an_attack_in_every_text_of_a_study_comes_out_as_text(owner, host, study):
    options = [{"key": key, "text": key.upper()} for key in "ab"]
    questions = [{"key": "words", "text": "What?", "type": "text", "help": "Help"},
                 {"key": "one", "text": "Which?", "options": options}]  # fmt: skip
    full = {**study, "introduction": "Hello", "demographics": questions, "notes": "Mine",
            "completion": {"text": "Bye", "code": "C"}, "slug": "attack"}  # fmt: skip
    full["consent"] = {"text": "I agree.", "contact": "Me"}
    bad = Study.from_dict(_attacked(full))
    add_study(host, bad, folder=Path(), now=datetime.now(UTC))
    page = owner.get("/s/attack")
    _is_harmless(page)
    assert "<script>alert(1)</script>" in unescape(page.text)
    take_part(owner, host, "attack", check=_is_harmless)
    _is_harmless(owner.get("/s/attack"))
    root = "/studies/attack"
    edit(owner, slug="attack", title=f"Another {ATTACK}")
    for path in ("/studies", root, f"{root}/counts", f"{root}/edit/texts", f"{root}/edit/task",
                 f"{root}/edit/questions", f"{root}/edit/ending", f"{root}/preview",
                 f"{root}/preview?page=3", f"{root}/publish", f"{root}/versions",
                 f"{root}/links"):  # fmt: skip
        page = owner.get(path)
        assert page.status_code == 200, path
        _is_harmless(page)
    for part in ("texts", "task", "questions", "ending"):
        sent = form_fields(owner.get(f"{root}/edit/{part}"))
        _is_harmless(owner.post(f"{root}/glance/{part}", data=sent))


def test_an_attack_in_names_keys_and_problems_comes_out_as_text(owner, host):
    form = hidden_fields(owner.get("/studies/new"))
    _is_harmless(owner.post("/studies/new", data=form | {"template": ATTACK, "slug": ATTACK,
                                                         "title": ATTACK}))  # fmt: skip
    _is_harmless(owner.post("/studies/upload", data=form,
                            files={"file": ("a.toml", f"x = '''{ATTACK}'''")}))  # fmt: skip
    login = hidden_fields(owner.get("/login"))
    _is_harmless(owner.post("/login", data=login | {"name": ATTACK, "password": "x",
                                                    "next": ATTACK}))  # fmt: skip
    make(owner, "rerating")
    page = edit(owner, "task", rerating__rounds=ATTACK, **{"rerating__items__0__key": ATTACK})
    _is_harmless(page)
    assert authoring.written(host, "new-alarm").content["rerating"]["rounds"] == ATTACK
    _is_harmless(owner.get("/studies/new-alarm/publish"))
    _is_harmless(owner.get("/studies/new-alarm/preview"))
    assert publish(owner).status_code != 500


def test_no_page_of_the_dashboard_needs_more_than_the_policy_allows(owner):
    pages = 0
    for route in every_route(owner.app):
        if not isinstance(route, Route) or "GET" not in route.methods:
            continue
        if not route.path.startswith(("/studies", "/people", "/account", "/tokens", "/library")):
            continue
        page = owner.get(_address(route.path))
        assert page.status_code < 500, route.path
        if page.status_code != 200 or "text/html" not in page.headers["content-type"]:
            continue
        if "attachment" in page.headers.get("content-disposition", ""):
            continue
        pages += 1
        assert "unsafe" not in page.headers["content-security-policy"], route.path
        assert not re.search(r"<[^>]+\sstyle=", page.text), route.path
        assert not re.search(r"<[^>]+\son\w+=", page.text), route.path
        assert not re.search(r"<script(?![^>]*\ssrc=)", page.text), route.path
        assert not re.search(r'(?:src|action)="(?:https?:)?//', page.text), route.path
    assert pages > 12
